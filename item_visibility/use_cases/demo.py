"""Demo controls: switches for the behaviour of the bundled service."""

from dataclasses import replace

from item_visibility.access.access import Access
from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility_service.application import Service
from item_visibility_service.sample_data import sample_visibilities
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches


class DemoControls:
    """Controls the bundled service, which runs in this process."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service = service
        self._access = access

    def read_switches(self) -> Switches:
        """Return the current switches."""
        return self._service.switches

    def set_switches(self, switches: Switches) -> None:
        """Set all switches. They take effect with the next call."""
        self._access.require(Role.ADMIN)
        # A refused call succeeds when it is repeated, so that "Retry failed" works.
        self._service.switches = replace(switches, refuses_once=True)

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient and remove another, as if by somebody else."""
        self._access.require(Role.ADMIN)
        self._service.someone_else_edits(Item(item.supplier, item.supplier_item_id))

    def reset(self) -> None:
        """Restore the sample data and reset all switches."""
        self._access.require(Role.ADMIN)
        self._service.switches = Switches()
        self._service.store.clear()
        self._service.store.load(sample_visibilities())
