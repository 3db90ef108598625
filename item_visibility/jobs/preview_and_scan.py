"""Reads all items of a preview or a scan, and stores the lists that were read.

A preview shows what a job would change. A scan reads the items of a supplier for the
coverage page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from item_visibility.errors import ItemVisibilityError
from item_visibility.jobs.engine import FIRST_ITEMS, Task, Trouble, is_passing_trouble
from item_visibility.model.job import ItemPreview, ItemsShown, JobItem, JobState, Outage
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import many
from item_visibility.saving.item_reader import ItemReader
from item_visibility.storage.jobs import Jobs

PREVIEW_PROBES = 3
"""A preview or an export gives up after this many probes of a service that is down.

A person is waiting for it.
"""

PAGE = 500
"""The number of items that one query looks up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """A list that was read, or the failure.

    `is_refused` is True if the service refused the read.
    """

    item: JobItem
    read: ReadItem | None
    failure: str = ""
    is_refused: bool = False

    def __len__(self) -> int:
        return 0 if self.read is None else len(self.read.listed)


class ReadingTask(Task[ReadResult]):
    """Reads items one by one. A subclass chooses the items and stores the results."""

    def __init__(self, reader: ItemReader) -> None:
        self._reader = reader

    def work(self, item: JobItem) -> ReadResult | Trouble:
        """Read the item. A refusal by the service is a result too."""
        try:
            return ReadResult(item=item, read=self._reader.fetch(item.intent.item))
        except ItemVisibilityError as error:
            if is_passing_trouble(error):
                return Trouble(error.message)
            return ReadResult(item=item, read=None, failure=str(error), is_refused=True)

    def give_up(self, item: JobItem, message: str) -> ReadResult:
        """Return a failed read, for an item that keeps failing."""
        return ReadResult(item=item, read=None, failure=message)

    def store(self, results: Sequence[ReadResult]) -> None:
        """Store the lists that were read."""
        reads = [result.read for result in results if result.read is not None]
        if reads:
            self._reader.store(reads)


class PreviewTask(ReadingTask):
    """Reads the items of a job that have no preview yet.

    It soon gives up when the service is down.
    """

    most_probes: int | None = PREVIEW_PROBES
    last_state = JobState.PREVIEWED
    is_refusal_final = True
    """True if a refusal is stored as a preview.

    If False, a resumed scan reads the refused item again.
    """

    def __init__(self, key: str, reader: ItemReader, store: Jobs) -> None:
        super().__init__(reader)
        self._key = key
        self._store = store
        self._trouble = ""
        self.first_items = store.items(key, limit=FIRST_ITEMS)

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the items that are unread."""
        after = -1
        while page := self._store.items(
            self._key, after=after, limit=PAGE, shown=ItemsShown.UNREAD
        ):
            yield page
            after = page[-1].position

    def save(self, results: Sequence[ReadResult], outage: Outage | None) -> bool:
        """Store the previews. An item that could not be read stays unread."""
        previews = {}
        for result in results:
            read = result.read
            if read is None and not (result.is_refused and self.is_refusal_final):
                self._trouble = result.failure
                continue
            previews[result.item.position] = ItemPreview.of(
                result.item.intent,
                None if read is None else read.recipients,
                read_at=self._reader.clock() if read is None else read.read_at,
                refusal=result.failure,
            )
        self.store(results)
        return self._store.put_previews(self._key, previews, outage)

    def end(self, trouble: str) -> None:
        """End the reading, with a message if items are unread."""
        job = self._store.job(self._key)
        message = "" if job is None else job.message
        if job is not None and job.unread:
            items = many(job.item_count, "item")
            reason = trouble or self._trouble
            message = f"{job.unread:,} of {items} could not be read. {reason}"
        self._store.move(
            self._key,
            self.last_state,
            expected={JobState.READING},
            at=self._reader.clock(),
            message=message,
        )


class ScanTask(PreviewTask):
    """Reads the items of a scan that are still unread.

    While the service is down, it waits.
    """

    most_probes = None
    last_state = JobState.ENDED
    is_refusal_final = False

    def store(self, results: Sequence[ReadResult]) -> None:
        """Store the lists, and the reasons why other items could not be read."""
        super().store(results)
        failures = {
            result.item.intent.item: result.failure
            for result in results
            if result.read is None
        }
        self._reader.records.seen.record_failures(failures)
