"""Demo controls: the open points of the specification as switches, in plain words."""

from dataclasses import asdict, dataclass, fields, replace

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import ItemKey
from item_visibility_service.application import Service
from item_visibility_service.sample import sample_visibilities
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSwitches:
    """Switches for the bundled service where the specification is silent. Notes N3, N4, N11."""

    put_merges: bool = False
    """setVisibilities adds to the list that is there, instead of replacing it."""
    empty_is_not_found: bool = True
    """An item without recipients answers 404, instead of an empty list."""
    read_lag_s: float = 0.0
    """Seconds that reads stay behind changes."""
    failing_share: float = 0.0
    """The share of calls that fail, from 0 to 1."""


class DemoControls:
    """The switches of the bundled service, which runs in this process."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service = service
        self._access = access

    def read_switches(self) -> DemoSwitches:
        """Return the current switches."""
        switches = self._service.switches
        return DemoSwitches(**{one.name: getattr(switches, one.name) for one in fields(DemoSwitches)})

    def set_switches(self, switches: DemoSwitches) -> None:
        """Set all switches. They take effect with the next call.

        Of the calls that fail, some are refused once, so that a job leaves rows to try again.
        """
        self._access.require(Role.ADMIN)
        self._service.switches = replace(self._service.switches, refuses_once=True, **asdict(switches))

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient to the item and remove one, as somebody at another screen would."""
        self._access.require(Role.ADMIN)
        self._service.someone_else_edits(Item(item.supplier, item.supplier_item_id))

    def reset(self) -> None:
        """Restore the sample data and the switches of a new demo."""
        self._access.require(Role.ADMIN)
        self._service.switches = Switches()
        self._service.store.clear()
        self._service.store.load(sample_visibilities())
