"""The readers of a scan: threads that read its items at the service, and one that saves what they find.

docs/decisions/scans.md says why, and how a scan is gone on with.
"""

import logging
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import Visibilities
from item_visibility.client.transport import ClosedError
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.jobs.chunk import StoppedError
from item_visibility.jobs.item_saver import is_passing_trouble
from item_visibility.jobs.preview import ReadItem, refusal_words
from item_visibility.jobs.throttle import Throttle
from item_visibility.scans.items_to_read import Found, ItemsToRead
from item_visibility.scans.people_first import PeopleFirst
from item_visibility.storage.scans.scan_state import Scan
from item_visibility.storage.scans.stored_scans import KnownItem, Scans
from item_visibility.timeouts import ITEM_READS, SCAN_FIRST_KEPT_WITHIN_S, SCAN_KEPT_WITHIN_S

PAGE = 1_000
"""The number of items that one query lists."""
READS_AT_ONCE = 8
"""The limit of reads at the same time, of all scans together."""

logger = logging.getLogger(__name__)


class ScanReader:
    """Reads known items, as many at once as the throttle has slots, for all scans together.

    If the service refuses an item, its reason is kept. If the service does not answer, nothing is said of
    the item: all scans wait and say so, and one reader tries. `keep` saves what reads showed, or raises
    RecordsError.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        scans: Scans,
        service: Visibilities,
        *,
        keep: Callable[[Sequence[ReadItem]], None],
        throttle: Throttle,
        people: PeopleFirst,
        clock: Callable[[], datetime],
        pause: Callable[[ItemsToRead, float], None] = ItemsToRead.pause,
    ) -> None:
        self._scans = scans
        self._service = service
        self._keep_reads = keep
        self._throttle = throttle
        self._people = people
        self._clock = clock
        self._pause = pause
        self._trouble: tuple[str, datetime] | None = None
        """The reason why the service counts as down, and the time of the next try; None while it answers."""

    def items_of(self, supplier: str | None, begun: Scan) -> ItemsToRead:
        """Return the items of a scan that was begun, to be read."""

        def list_after(number: int) -> Sequence[KnownItem]:
            return self._scans.items(supplier, after=number, limit=PAGE)

        return ItemsToRead(begun, list_after, readers=self._throttle.capacity)

    def read(self, supplier: str | None, items: ItemsToRead, *, run: str) -> None:
        """Read until there are no more items, or the scan is no longer this run's."""
        for _ in range(self._throttle.capacity):
            threading.Thread(target=self._work, args=(items,), name="scan-reader", daemon=True).start()
        with _stopped_when_broken(items):
            within_s = SCAN_FIRST_KEPT_WITHIN_S
            while not items.is_over:
                if (trouble := self._trouble) is not None:  # another scan's reader may be the one that tries
                    items.wait_for_service(*trouble)
                if not self._keep(supplier, items.gather(within_s), run=run):
                    items.stop()
                within_s = SCAN_KEPT_WITHIN_S
            self._keep(supplier, items.gather(0), run=run)

    def close(self) -> None:
        """Begin no more reads."""
        self._throttle.close()

    def _keep(self, supplier: str | None, found: Found, *, run: str) -> bool:
        """Save what was found; return False when the scan is no longer this run's."""
        if found.reads:
            self._keep_reads(found.reads)
        if found.failures:
            self._scans.note_failures(found.failures, at=self._clock())
        return self._scans.beat(supplier, run=run, now=found.now, at=self._clock())

    def _work(self, items: ItemsToRead) -> None:
        try:
            with _stopped_when_broken(items):
                is_more = True
                while is_more and self._throttle.acquire():
                    try:
                        self._people.give_way()
                        is_more = self._read_next(items)
                    finally:
                        self._throttle.release()
        finally:
            self._throttle.retire()
            items.leave()

    def _read_next(self, items: ItemsToRead) -> bool:
        """Read the next item; False when there is none."""
        item = items.next()
        if item is None:
            return False
        asked_at = self._clock()
        try:
            recipients = self._service.get_visibilities(item)
        except ItemVisibilityError as error:
            self._fail(item, items, error)
            return True
        read = ReadItem(item=item, recipients=recipients, asked_at=asked_at, read_at=self._clock())
        self._note_answer()
        items.take(read)
        return True

    def _fail(self, item: ItemKey, items: ItemsToRead, error: ItemVisibilityError) -> None:
        """Give up the item if the reason is its own; put it back, and wait, when the service is down."""
        if not is_passing_trouble(error):
            self._note_answer()
            items.fail(item, refusal_words(error))
            return
        if items.strike(item) >= ITEM_READS and self._is_readable(items.another_than(item)):
            self._note_answer()
            items.fail(item, error.message)
            return
        items.put_back(item)
        delay_s = self._throttle.fail(is_down=False)
        if delay_s is not None:
            trouble = error.message, self._clock() + timedelta(seconds=delay_s)
            self._trouble = trouble
            items.wait_for_service(*trouble)
            self._pause(items, delay_s)

    def _note_answer(self) -> None:
        self._trouble = None
        self._throttle.succeed()

    def _is_readable(self, item: ItemKey | None) -> bool:
        """True when the service answers for this item, so it is up."""
        if item is None:
            return False
        try:
            self._service.get_visibilities(item)
        except ItemVisibilityError as error:
            return not is_passing_trouble(error)
        return True


@contextmanager
def _stopped_when_broken(items: ItemsToRead) -> Iterator[None]:
    """Stop the scan when the block fails: no reader then waits for ever, and it can be gone on with."""
    try:
        yield
    except (StoppedError, ClosedError):
        items.stop()
    except RecordsError as error:
        items.stop()
        logger.warning("A scan broke off: %s", error.message)
    except Exception as error:  # noqa: BLE001  (whatever fails)
        items.stop()
        where = traceback.extract_tb(error.__traceback__)[-1]
        logger.error("A scan broke off: %s in %s", type(error).__name__, where.name)  # noqa: TRY400  (the error's own words could hold anything)
