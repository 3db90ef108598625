"""The scans that this process runs: no screen, tab or rerun can interrupt one."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import uuid4

from item_visibility.scans.items_to_read import ItemsToRead
from item_visibility.scans.scan_reader import ScanReader
from item_visibility.storage.scans.scan_state import Scan, ScanState
from item_visibility.storage.scans.stored_scans import Scans
from item_visibility.timeouts import SCANS_END_WITHIN_S


@dataclass(frozen=True, slots=True)
class _Run:
    """A scan that is being read here."""

    supplier: str | None
    items: ItemsToRead
    thread: threading.Thread


class ScanRuns:
    """Starts, cancels and resumes scans, one at a time for each supplier, and one of all (None).

    Every method raises RecordsError when our own database cannot be used.
    """

    def __init__(self, scans: Scans, reader: ScanReader, *, clock: Callable[[], datetime]) -> None:
        self._scans = scans
        self._reader = reader
        self._clock = clock
        self._lock = threading.Lock()
        self._runs: list[_Run] = []
        self._is_closed = False

    def progress(self, supplier: str | None) -> Scan | None:
        """Return the last scan as it stands, whichever process runs it; None when there was none.

        One that is read here is under way, also when a busy machine lets its beat stand still for a while.
        """
        is_read_here = self._is_read_here(supplier)  # asked first: it may end while the record is read
        found = self._scans.scan(supplier, at=self._clock())
        is_late = found is not None and found.state is ScanState.INTERRUPTED and is_read_here
        return replace(found, state=ScanState.RUNNING) if found is not None and is_late else found

    def start(self, supplier: str | None, *, person: str) -> None:
        """Begin a new scan in the background; if one is under way, it goes on."""
        if not self._is_under_way(supplier):
            run = uuid4().hex
            self._run(supplier, run, self._scans.begin(supplier, run=run, person=person, at=self._clock()))

    def resume(self, supplier: str | None) -> None:
        """Read what the last scan did not read, in the background; if one is under way, it goes on."""
        if not self._is_under_way(supplier):
            run = uuid4().hex
            self._run(supplier, run, self._scans.go_on(supplier, run=run, at=self._clock()))

    def cancel(self, supplier: str | None) -> None:
        """Cancel the scan that is under way, in this process or another. Its reads stay."""
        self._scans.cancel(supplier)
        with self._lock:
            for run in self._runs:
                if run.supplier == supplier:
                    run.items.stop()

    def close(self) -> None:
        """Stop reading; return when what was read is saved, or after a few seconds."""
        with self._lock:
            self._is_closed = True
            runs, self._runs = self._runs, []
        for run in runs:
            run.items.stop()
        self._reader.close()
        for run in runs:
            run.thread.join(SCANS_END_WITHIN_S)

    def _is_under_way(self, supplier: str | None) -> bool:
        scan = self.progress(supplier)  # as it is shown: a thread of ours may live on behind its stored end
        return scan is not None and scan.is_under_way

    def _is_read_here(self, supplier: str | None) -> bool:
        with self._lock:
            mine = [run for run in self._runs if run.supplier == supplier]
            return any(run.thread.is_alive() and not run.items.is_stopped for run in mine)

    def _run(self, supplier: str | None, run: str, begun: Scan | None) -> None:
        """Read what was begun. None: another run reads it already."""
        with self._lock:
            self._runs = [one for one in self._runs if one.thread.is_alive()]
            if begun is not None and not self._is_closed:
                items = self._reader.items_of(supplier, begun)
                work = partial(self._reader.read, supplier, items, run=run)
                self._runs.append(
                    _Run(supplier, items, threading.Thread(target=work, name="scan", daemon=True))
                )
                self._runs[-1].thread.start()
