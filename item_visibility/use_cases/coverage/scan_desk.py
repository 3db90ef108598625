"""Scans of the known items: started by a person, the same for everyone who looks."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from item_visibility.access.access import Access, Role
from item_visibility.client.operations import Visibilities
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.reading import Remember, ScanTask
from item_visibility.jobs.throttle import PeopleFirst
from item_visibility.storage.scans import Scan, ScanState
from item_visibility.storage.service_records import ServiceRecords


class ScanDesk:
    """The scans of one environment, one at a time for each supplier, and one of all known items (None).

    Methods that start or stop reading raise SignInError, RoleError and RecordsError; `progress` raises
    RecordsError. Scans give way to the people who wait in `people`.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        records: ServiceRecords,
        engine: Engine,
        service: Visibilities,
        *,
        remember: Remember,
        people: PeopleFirst,
        access: Access,
        clock: Callable[[], datetime],
    ) -> None:
        self.people = people
        self._records = records
        self._engine = engine
        self._service = service
        self._remember = remember
        self._access = access
        self._clock = clock

    def start(self, supplier: str | None) -> Scan | None:
        """Begin to read all known items, and return the progress. A scan under way continues."""
        self._access.require(Role.VIEWER)
        if not self._is_under_way(supplier):
            self._read(self._records.scans.begin(supplier, run=uuid4().hex, at=self._clock()))
        return self.progress(supplier)

    def resume(self, supplier: str | None) -> Scan | None:
        """Read what the last scan did not read, also after its process was killed."""
        self._access.require(Role.VIEWER)
        if not self._is_under_way(supplier):
            self._read(self._records.scans.resume(supplier, run=uuid4().hex, at=self._clock()))
        return self.progress(supplier)

    def cancel(self, supplier: str | None) -> Scan | None:
        """Cancel the scan, whoever began it. Its reads stay."""
        self._access.require(Role.VIEWER)
        self._records.scans.cancel(supplier)
        scan = self.progress(supplier)
        if scan is not None:
            self._engine.stop(scan.run)
        return scan

    def progress(self, supplier: str | None) -> Scan | None:
        """Return the last scan as it stands, whichever process runs it; None when there was none.

        One that is read here is under way, also when a busy machine lets its beat stand still for a while.
        """
        scan = self._records.scans.scan(supplier, at=self._clock())
        is_late = scan is not None and scan.state is ScanState.INTERRUPTED
        if scan is not None and is_late and self._engine.is_running(scan.run):
            return replace(scan, state=ScanState.RUNNING)
        return scan

    def _is_under_way(self, supplier: str | None) -> bool:
        scan = self.progress(supplier)
        return scan is not None and scan.is_under_way

    def _read(self, scan: Scan | None) -> None:
        """Read what was begun. None: another run reads it already."""
        if scan is not None:
            task = ScanTask(
                scan,
                self._records.scans,
                self._service,
                remember=self._remember,
                note_failures=self._records.seen.note_failures,
                clock=self._clock,
            )
            self._engine.start(scan.run, task)
