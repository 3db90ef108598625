"""The items of one scan that wait for a reader, and what its readers found."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.preview import BATCH, BATCH_RECIPIENTS, ReadItem
from item_visibility.storage.scans.scan_state import Scan, ScanState
from item_visibility.storage.scans.stored_scans import KnownItem


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of the readers since the last time, and how far the scan is with them."""

    reads: Sequence[ReadItem]
    failures: Mapping[ItemKey, str]
    now: Scan


class ItemsToRead:
    """One run through the known items, shared by its readers. Thread-safe.

    `list_after` returns the next known items after this number, none at the end. Items that were seen since
    the scan began count as checked and are not read again, so a run goes on where another one ended.
    """

    def __init__(
        self, begun: Scan, list_after: Callable[[int], Sequence[KnownItem]], *, readers: int
    ) -> None:
        self._list_after = list_after
        self._changed = threading.Condition()
        self._now = replace(begun, checked=0, failed=0)
        self._readers = readers
        self._is_stopped = False
        self._last_number = -1
        self._listed = 0
        self._is_all_listed = False
        self._waiting: deque[ItemKey] = deque()
        self._strikes: Counter[ItemKey] = Counter()
        self._reads: list[ReadItem] = []
        self._recipients = 0
        self._failures: dict[ItemKey, str] = {}
        self._read_last: ItemKey | None = None

    @property
    def is_stopped(self) -> bool:
        """True when reading is to stop."""
        with self._changed:
            return self._is_stopped

    @property
    def is_over(self) -> bool:
        """True when nobody reads any more, or reading is to stop."""
        with self._changed:
            return self._is_stopped or not self._readers

    def next(self) -> ItemKey | None:
        """Return the next item to read; None when reading is to end or to stop. Raises RecordsError."""
        with self._changed:
            while not (self._waiting or self._is_all_listed or self._is_stopped):
                self._list_more()
            return None if self._is_stopped or not self._waiting else self._waiting.popleft()

    def take(self, read: ReadItem) -> None:
        """Add a read: the service answers. Waits while there is much to be saved."""
        with self._changed:
            self._reads.append(read)
            self._recipients += len(read.recipients or ())
            self._read_last = read.item
            self._now = replace(self._answered(), checked=self._now.checked + 1)
            if self._is_much:
                self._changed.notify_all()
                self._changed.wait_for(lambda: not self._is_much or self._is_stopped)

    def fail(self, item: ItemKey, reason: str) -> None:
        """Give up one item, with the reason; the service answers for others."""
        with self._changed:
            self._failures[item] = reason
            self._now = replace(self._answered(), failed=self._now.failed + 1)

    def put_back(self, item: ItemKey) -> None:
        """Put an item behind the others: no answer says anything about it yet."""
        with self._changed:
            self._waiting.append(item)

    def strike(self, item: ItemKey) -> int:
        """Count a read of an item without an answer; return how many there were."""
        with self._changed:
            self._strikes[item] += 1
            return self._strikes[item]

    def another_than(self, item: ItemKey) -> ItemKey | None:
        """Return another item, which could be read; None when there is none yet."""
        with self._changed:
            return None if self._read_last == item else self._read_last

    def wait_for_service(self, message: str, next_try_at: datetime) -> None:
        """Say that the service is down, and when it is tried again."""
        with self._changed:
            self._now = replace(self._now, state=ScanState.WAITING, message=message, next_try_at=next_try_at)
            self._changed.notify_all()

    def pause(self, delay_s: float) -> None:
        """Wait so long, or until reading is to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped, delay_s)

    def stop(self) -> None:
        """Read no more items."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def leave(self) -> None:
        """Count a reader out."""
        with self._changed:
            self._readers -= 1
            self._changed.notify_all()

    def gather(self, within_s: float) -> Found:
        """Return what was found, after so long or as soon as it is much. Over, it has ended or broke off."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_much or self._is_stopped or not self._readers, within_s)
            if self._is_stopped or not self._readers:
                self._now = replace(self._now, state=self._end(), next_try_at=None)
            found = Found(self._reads, self._failures, self._now)
            self._reads, self._failures, self._recipients = [], {}, 0
            self._changed.notify_all()
            return found

    @property
    def _is_much(self) -> bool:
        """True when as much was read as is saved at once: readers wait until it is saved."""
        return len(self._reads) >= BATCH or self._recipients >= BATCH_RECIPIENTS

    def _answered(self) -> Scan:
        return replace(self._now, state=ScanState.RUNNING, message="", next_try_at=None)

    def _end(self) -> ScanState:
        is_through = self._is_all_listed and self._now.checked + self._now.failed == self._listed
        return ScanState.ENDED if is_through else ScanState.INTERRUPTED

    def _list_more(self) -> None:
        """List the next known items: those seen since the scan began are checked."""
        page = self._list_after(self._last_number)
        unseen = [one.item for one in page if one.seen_at is None or one.seen_at < self._now.begun_at]
        self._waiting.extend(unseen)
        self._listed += len(page)
        self._is_all_listed = not page
        self._last_number = page[-1].number if page else self._last_number
        total = self._listed if self._is_all_listed else max(self._now.total, self._listed)
        self._now = replace(self._now, total=total, checked=self._now.checked + len(page) - len(unseen))
