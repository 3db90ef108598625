"""Scans of the known items: started by a person, the same for everyone who looks."""

from item_visibility.access.access import Access, Role
from item_visibility.scans.people_first import PeopleFirst
from item_visibility.scans.scan_runs import ScanRuns
from item_visibility.storage.scans.scan_state import Scan


class ScanDesk:
    """The scans of one environment. `supplier` is None for all known items.

    Methods that start or stop reading raise SignInError, RoleError and RecordsError; `progress` raises
    RecordsError. Scans give way to the people who wait in `people`.
    """

    def __init__(self, runs: ScanRuns, *, people: PeopleFirst, access: Access) -> None:
        self.people = people
        self._runs = runs
        self._access = access

    def start(self, supplier: str | None) -> Scan | None:
        """Begin to read all known items, and return the progress. A scan under way continues."""
        person = self._access.require(Role.VIEWER)
        self._runs.start(supplier, person=person.name)
        return self._runs.progress(supplier)

    def resume(self, supplier: str | None) -> Scan | None:
        """Read what the last scan did not read, also after its process was killed."""
        self._access.require(Role.VIEWER)
        self._runs.resume(supplier)
        return self._runs.progress(supplier)

    def cancel(self, supplier: str | None) -> Scan | None:
        """Cancel the scan, whoever began it. Its reads stay."""
        self._access.require(Role.VIEWER)
        self._runs.cancel(supplier)
        return self._runs.progress(supplier)

    def progress(self, supplier: str | None) -> Scan | None:
        """Return the last scan; None when there was none."""
        return self._runs.progress(supplier)
