"""Scans of the known items: started by a person, the same for all who look."""

from item_visibility.desk.scans.recipient_view import (
    ALONE,
    Comparing,
    ItemRow,
    OtherSide,
    Side,
    alone,
    rows_of,
    with_recipient,
    with_set,
)
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.scans.scan_state import Scan
from item_visibility.records.scans.seen_items import SeenItems
from item_visibility.scans.people_first import PeopleFirst
from item_visibility.scans.scan_runs import ScanRuns


class ScanDesk:
    """The scans of one environment, and what they and all other reads have seen.

    `supplier` is None for all known items. Methods that start or stop reading raise SignInError, RoleError
    and RecordsError; the others raise RecordsError. Scans give way to those who wait in `people`.
    """

    def __init__(
        self, runs: ScanRuns, seen: SeenItems, *, people: PeopleFirst, doorkeeper: Doorkeeper
    ) -> None:
        self.people = people
        self._runs = runs
        self._seen = seen
        self._doorkeeper = doorkeeper

    def start(self, supplier: str | None) -> Scan | None:
        """Begin to read all known items, and return how far it is. One that is under way goes on."""
        person = self._doorkeeper.admit(Role.VIEWER)
        self._runs.start(supplier, person=person.name)
        return self._runs.progress(supplier)

    def resume(self, supplier: str | None) -> Scan | None:
        """Read what the last scan did not read, also after its process was killed."""
        self._doorkeeper.admit(Role.VIEWER)
        self._runs.resume(supplier)
        return self._runs.progress(supplier)

    def cancel(self, supplier: str | None) -> Scan | None:
        """Cancel the scan, whoever began it. Its reads stay."""
        self._doorkeeper.admit(Role.VIEWER)
        self._runs.cancel(supplier)
        return self._runs.progress(supplier)

    def progress(self, supplier: str | None) -> Scan | None:
        """Return the last scan as it stands; None when there was none."""
        return self._runs.progress(supplier)

    def seen_by(
        self, recipient_id: str, supplier: str | None, against: OtherSide = ALONE
    ) -> tuple[ItemRow, ...]:
        """Return what the recipient can see, as it was seen last, compared with the other side."""
        comparing = _comparing(recipient_id, against)
        asked = frozenset({recipient_id, against.name}) | against.members
        return rows_of(recipient_id, self._seen.all(supplier, among=asked), comparing)


def _comparing(recipient_id: str, against: OtherSide) -> Comparing:
    match against.side:
        case Side.RECIPIENT:
            return with_recipient(against.name)
        case Side.SET:
            return with_set(against.members, but=recipient_id)
        case _:
            return alone
