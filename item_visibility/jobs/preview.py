"""The preview of a job: reads every item, so that a person sees the changes before they are made."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.jobs.item_saver import is_passing_trouble
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.confirmation import is_large_removal
from item_visibility.saving.job import ItemPreview, JobItem, JobState
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.storage.jobs.preview_rows import ItemsShown
from item_visibility.timeouts import PREVIEW_READ_DELAYS_S, PREVIEW_SAVED_WITHIN_S

CONCURRENCY = 8
PAGE = 200
"""The number of items that one query looks up."""

BATCH = 200
BATCH_RECIPIENTS = 50_000
"""The limits of what is saved at once, in a scan as in a preview: reads, and recipients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """The result of reading one item; `recipients` is None when nothing is recorded. Note N4."""

    item: ItemKey
    recipients: frozenset[str] | None
    asked_at: datetime
    read_at: datetime


class PreviewReader:
    """Reads the items of a job that have no preview yet, several at once.

    Reads go to the store and to `remember` in batches, so that memory does not grow with the job. If the
    service refuses an item, its preview says so. If the service does not answer, the item is retried after
    a while. When as many items in a row fail as are read at once, the rest stays unread.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        store: Jobs,
        service: VisibilityClient,
        *,
        remember: Callable[[Sequence[ReadItem]], None],
        clock: Callable[[], datetime],
        timer: Callable[[], float],
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
        concurrency: int = CONCURRENCY,
    ) -> None:
        self._store = store
        self._service = service
        self._remember = remember
        self._clock = clock
        self._timer = timer
        self._wait = wait
        self._concurrency = concurrency

    def read(self, key: str, is_stopped: threading.Event) -> str:
        """Read until all items are read or `is_stopped` is set; return why some were not, empty if all were.

        Sets `is_stopped` itself when the job is no longer READING. Raises RecordsError.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="preview-keeper") as keeper:
            reading = _Reading(
                self._store,
                key,
                is_stopped,
                keeper=keeper,
                remember=self._remember,
                timer=self._timer,
            )
            with ThreadPoolExecutor(self._concurrency, thread_name_prefix="preview") as pool:
                working = [pool.submit(self._work, reading, is_stopped) for _ in range(self._concurrency)]
            for worker in working:
                worker.result()
            reading.keep_rest()
        return reading.trouble

    def _work(self, reading: "_Reading", is_stopped: threading.Event) -> None:
        try:
            while (item := reading.next()) is not None:
                self._read_item(item, reading, is_stopped)
        except BaseException:
            reading.end()
            raise

    def _read_item(self, item: JobItem, reading: "_Reading", is_stopped: threading.Event) -> None:
        """Read one item, with retries while the service does not answer."""
        error = self._try_item(item, reading)
        for delay_s in PREVIEW_READ_DELAYS_S:
            if error is None:
                return
            self._wait(is_stopped, delay_s)
            if is_stopped.is_set() or reading.has_ended:
                return
            error = self._try_item(item, reading)
        if error is not None:
            reading.miss(error, most=self._concurrency)

    def _try_item(self, item: JobItem, reading: "_Reading") -> ItemVisibilityError | None:
        """Read one item; return the error if a retry may succeed."""
        asked_at = self._clock()
        try:
            recipients = self._service.get_visibilities(item.intent.item)
        except ItemVisibilityError as error:
            if is_passing_trouble(error):
                return error
            refused = ItemPreview(current=None, read_at=self._clock(), refusal=refusal_words(error))
            reading.take(item, refused, None)
            return None
        read_at = self._clock()
        read = ReadItem(item=item.intent.item, recipients=recipients, asked_at=asked_at, read_at=read_at)
        reading.take(item, preview_of(item.intent, recipients, read_at=read_at), read)
        return None


class _Reading:
    """One run through the items of a job, shared by its workers."""

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        store: Jobs,
        key: str,
        is_stopped: threading.Event,
        *,
        keeper: ThreadPoolExecutor,
        remember: Callable[[Sequence[ReadItem]], None],
        timer: Callable[[], float],
    ) -> None:
        self.trouble = ""
        self.has_ended = False
        self._store = store
        self._key = key
        self._is_stopped = is_stopped
        self._keeper = keeper
        self._remember = remember
        self._timer = timer
        self._lock = threading.Lock()
        self._items = self._unread()
        self._previews: dict[int, ItemPreview] = {}
        self._reads: list[ReadItem] = []
        self._recipients = 0
        self._kept_at = timer()
        self._missed_in_a_row = 0

    def next(self) -> JobItem | None:
        """Return the next item to read; None when there is none, or reading is to stop."""
        with self._lock:
            if self.has_ended or self._is_stopped.is_set():
                return None
            return next(self._items, None)

    def take(self, item: JobItem, preview: ItemPreview, read: ReadItem | None) -> None:
        """Add the result of a read to the batch; save the batch when it is large or old."""
        with self._lock:
            self._missed_in_a_row = 0
            self._previews[item.position] = preview
            if read is not None:
                self._reads.append(read)
            self._recipients += len(preview.current or ())
            is_much = len(self._previews) >= BATCH or self._recipients >= BATCH_RECIPIENTS
            is_old = self._timer() - self._kept_at >= PREVIEW_SAVED_WITHIN_S
            gathered = self._gathered() if is_much or is_old else ({}, [])
        self._keep(*gathered)

    def miss(self, error: ItemVisibilityError, *, most: int) -> None:
        """Count an item that could not be read; stop reading after `most` of them in a row."""
        with self._lock:
            self.trouble = error.message
            self._missed_in_a_row += 1
            self.has_ended = self.has_ended or self._missed_in_a_row >= most

    def end(self) -> None:
        """Stop reading."""
        self.has_ended = True

    def keep_rest(self) -> None:
        """Save the last batch."""
        self._keep(*self._gathered())

    def _gathered(self) -> tuple[dict[int, ItemPreview], list[ReadItem]]:
        gathered = self._previews, self._reads
        self._previews, self._reads, self._recipients = {}, [], 0
        self._kept_at = self._timer()
        return gathered

    def _keep(self, previews: dict[int, ItemPreview], reads: list[ReadItem]) -> None:
        """Save a batch. One thread uses our database, since each such thread holds memory of its own."""
        if previews:
            self._keeper.submit(self._keep_now, previews, reads).result()

    def _keep_now(self, previews: dict[int, ItemPreview], reads: list[ReadItem]) -> None:
        try:
            self._store.put_previews(self._key, previews)
            job = self._store.job(self._key)
        except BaseException:
            self.end()  # here, so that the others stop before the worker waiting for this sees the error
            raise
        if job is None or job.state is not JobState.READING:
            self._is_stopped.set()
        if reads:
            self._remember(reads)

    def _unread(self) -> Iterator[JobItem]:
        """Yield the unread items. The next page is looked up while this one is read from the service."""
        page = self._look_up(after=-1)
        while items := page.result():
            page = self._look_up(after=items[-1].position)
            yield from items

    def _look_up(self, *, after: int) -> Future[Sequence[JobItem]]:
        unread = ItemsShown.UNREAD
        return self._keeper.submit(self._store.items, self._key, after=after, limit=PAGE, shown=unread)


def preview_of(intent: BulkItem, recipients: frozenset[str] | None, *, read_at: datetime) -> ItemPreview:
    """Return the changes needed for an item that these recipients can see."""
    current = recipients or frozenset()
    changes = intent.changes_of(current)
    return ItemPreview(
        current=recipients,
        read_at=read_at,
        add=changes.add,
        remove=changes.remove,
        in_place=changes.in_place,
        is_large_removal=is_large_removal(
            before=len(current), removed=len(changes.remove), added=len(changes.add)
        ),
    )


def refusal_words(error: ItemVisibilityError) -> str:
    """Say why an item cannot be read, and what the service said about it."""
    problem = getattr(error, "problem", None)
    said = (problem.title, problem.detail) if problem else ()
    return " ".join(filter(None, (error.message, *(text for text in said if text not in error.message))))
