"""Demo controls: switches for the behaviour of the bundled service."""

from dataclasses import asdict, dataclass, fields, replace

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import ItemKey
from item_visibility_service.application import Service
from item_visibility_service.sample import sample_visibilities
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSwitches:
    """Behaviour that the specification leaves open. Notes N3, N4, N11."""

    put_merges: bool = False
    """setVisibilities adds to the current list instead of replacing it."""
    empty_is_not_found: bool = True
    """Reading an item without recipients returns 404 instead of an empty list."""
    read_lag_s: float = 0.0
    """How many seconds pass until reads show a change."""
    failing_share: float = 0.0
    """The share of calls that fail, from 0 to 1."""


class DemoControls:
    """Controls the bundled service, which runs in this process."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service = service
        self._access = access

    def read_switches(self) -> DemoSwitches:
        """Return the current switches."""
        switches = self._service.switches
        return DemoSwitches(**{one.name: getattr(switches, one.name) for one in fields(DemoSwitches)})

    def set_switches(self, switches: DemoSwitches) -> None:
        """Set all switches. They take effect with the next call.

        Some of the failing calls are refused only once, so that retrying the failed rows of a job succeeds.
        """
        self._access.require(Role.ADMIN)
        self._service.switches = replace(self._service.switches, refuses_once=True, **asdict(switches))

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient to the item and remove another, as if somebody else had changed the item."""
        self._access.require(Role.ADMIN)
        self._service.someone_else_edits(Item(item.supplier, item.supplier_item_id))

    def reset(self) -> None:
        """Restore the sample data and reset all switches."""
        self._access.require(Role.ADMIN)
        self._service.switches = Switches()
        self._service.store.clear()
        self._service.store.load(sample_visibilities())
