"""Reads items, and keeps what each read showed: one item, those of a preview, and those of a scan.

A preview shows what a job would change. A scan is a job without changes.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.jobs.engine import FIRST_ITEMS, Trouble, is_passing_trouble
from item_visibility.saving.in_words import many
from item_visibility.saving.job import ItemPreview, JobItem, JobState, Outage
from item_visibility.saving.judge import in_words
from item_visibility.storage.fallback import or_else
from item_visibility.storage.jobs import ItemsShown
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.timeouts import PREVIEW_PROBES, SCAN_GIVES_WAY_S

PAGE = 500
"""The number of items that one query looks up."""


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads items. They and their recipients become known, and changes made elsewhere go into the history.

    If our own database cannot be used, the reads go on without it.
    """

    service: VisibilityClient
    records: ServiceRecords
    clock: Callable[[], datetime]

    def read(self, item: ItemKey) -> ReadItem:
        """Read all recipients that can see the item, and keep what the read showed.

        Raises IdentifierError before anything is sent, TokenError and CallError.
        """
        read = self.fetch(item)
        self.keep([read])
        return read

    def fetch(self, item: ItemKey) -> ReadItem:
        """Read the same, and keep nothing."""
        asked_at = self.clock()
        recipients = self.service.get_visibilities(item)
        return ReadItem(item=item, recipients=recipients, asked_at=asked_at, read_at=self.clock())

    def keep(self, reads: Sequence[ReadItem]) -> None:
        """Keep what these reads showed."""
        or_else(None, lambda: self.records.seen.note_reads(reads))
        self._remember([one.item for one in reads if one.recipients], reads)

    def keep_scanned(self, reads: Sequence[ReadItem]) -> None:
        """Keep the same, each item with the time of its read: its age is shown. Raises RecordsError."""
        self.records.seen.note_every_read(reads)
        self._remember((), reads)

    def _remember(self, items: Sequence[ItemKey], reads: Sequence[ReadItem]) -> None:
        recipients = {recipient_id for one in reads for recipient_id in one.recipients or ()}
        or_else(None, lambda: self.records.directory.remember(items, recipients))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """A read, or the `failure` that took its place; `is_refused` when the service itself said no."""

    item: JobItem
    read: ReadItem | None
    failure: str = ""
    is_refused: bool = False

    def __len__(self) -> int:
        return 0 if self.read is None else len(self.read.listed)


class ReadingTask:
    """Reads items one by one. A subclass chooses the items and stores the results."""

    most_probes: int | None = None

    def __init__(self, reader: ItemReader) -> None:
        self._reader = reader

    def work(self, item: JobItem) -> ReadResult | Trouble:
        """Read the item. What the service refuses has a result: its reason."""
        try:
            return ReadResult(item=item, read=self._reader.fetch(item.intent.item))
        except ItemVisibilityError as error:
            if is_passing_trouble(error):
                return Trouble(error.message)
            return ReadResult(item=item, read=None, failure=in_words(error), is_refused=True)

    def give_up(self, item: JobItem, message: str) -> ReadResult:
        """Return a failed read for an item that the service does not answer for."""
        return ReadResult(item=item, read=None, failure=message)

    def keep(self, results: Sequence[ReadResult]) -> None:
        """Keep what the reads showed."""
        if reads := [one.read for one in results if one.read is not None]:
            self._reader.keep(reads)


class PreviewTask(ReadingTask):
    """Reads the items of a job that have no preview yet. Gives up after some probes: a person waits."""

    most_probes: int | None = PREVIEW_PROBES
    last_state = JobState.PREVIEWED

    def __init__(self, key: str, reader: ItemReader) -> None:
        super().__init__(reader)
        self._key = key
        self._store = reader.records.jobs
        self._trouble = ""

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the items that were not read."""
        after = -1
        while page := self._store.items(self._key, after=after, limit=PAGE, shown=ItemsShown.UNREAD):
            yield page
            after = page[-1].position

    def first_items(self) -> Sequence[JobItem]:
        """Return the first items of the job."""
        return self._store.items(self._key, limit=FIRST_ITEMS)

    def save(self, results: Sequence[ReadResult], outage: Outage | None) -> bool:
        """Save the previews. An item that does not answer stays unread."""
        previews = {}
        for one in results:
            if self.is_unread(one):
                self._trouble = one.failure
                continue
            read, refusal = one.read, one.failure
            current, read_at = (read.recipients, read.read_at) if read else (None, self._reader.clock())
            preview = ItemPreview.of(one.item.intent, current, read_at=read_at, refusal=refusal)
            previews[one.item.position] = preview
        self.keep(results)
        return self._store.put_previews(self._key, previews, outage, at=self._reader.clock())

    def is_unread(self, result: ReadResult) -> bool:
        """True when the item is to be read again later. What the service refuses is shown in the preview."""
        return result.read is None and not result.is_refused

    def end(self, trouble: str) -> None:
        """Put the job into its last state, with the reason why items are unread."""
        job = self._store.job(self._key)
        message = "" if job is None else job.message
        if job is not None and job.unread:
            items = many(job.item_count, "item")
            message = f"{job.unread:,} of {items} could not be read. {trouble or self._trouble}"
        self._store.move(
            self._key, self.last_state, expected={JobState.READING}, at=self._reader.clock(), message=message
        )


class PeopleFirst:
    """Knows how many people wait for a read now, so that scans give way to them. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let scans give way while the block runs."""
        with self._changed:
            self._waiting += 1
        try:
            yield
        finally:
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def give_way(self) -> None:
        """Wait until nobody waits, but only for a moment: a scan continues however busy people are."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, SCAN_GIVES_WAY_S)


class ScanTask(PreviewTask):
    """Reads the items of a scan that it has not read yet. It waits for a service that is down."""

    most_probes: int | None = None
    last_state = JobState.ENDED

    def __init__(self, key: str, reader: ItemReader) -> None:
        super().__init__(key, reader)
        self._store = reader.records.scans

    def keep(self, results: Sequence[ReadResult]) -> None:
        """Keep what the reads showed, and why there was none."""
        if reads := [one.read for one in results if one.read is not None]:
            self._reader.keep_scanned(reads)
        failures = {one.item.intent.item: one.failure for one in results if one.read is None}
        self._reader.records.seen.note_failures(failures)

    def is_unread(self, result: ReadResult) -> bool:
        """True for each read that failed: resuming the scan tries it again."""
        return result.read is None
