"""Runs saves in threads, so that closing a tab or a rerun does not interrupt them."""

import logging
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from item_visibility.client.call_records import ignore
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeRequest, steps_for
from item_visibility.model.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.saving.save import LOOK_AGAIN, OTHER_CONTENT, Saver, nothing_sent
from item_visibility.saving.send_and_verify import IsHeld
from item_visibility.timeouts import CUT_SAVES_END_WITHIN_S, SAVES_END_WITHIN_S

MAX_SAVES_AT_ONCE = 8
"""At most this many saves by people run at once. Jobs have a limit of their own."""

REMEMBERED_SAVES = 20
"""The number of ended saves to keep in memory. The history has all of them."""

HoldItem = Callable[[ItemKey], AbstractContextManager[IsHeld]]
"""Locks an item, so that no other save or job changes it, in any process.

Entering waits until the lock is free, and raises RecordsError when our own database
cannot be used.
"""

Follower = Callable[[ChangeRequest, SaveResult], None]
"""Called after each save, in the thread that made it. Must not raise."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SaveStatus:
    """The status of a save.

    `result` is None until the end. `progress` is the share of answered steps.
    """

    request: ChangeRequest
    result: SaveResult | None = None
    progress: float = 0.0


@dataclass(eq=False)
class SaveWorker:
    """Runs saves in threads, and calls `followers` after each save.

    The saves of one item run in the order of submission, and each of them holds the
    lock of the item.
    """

    saver: Saver
    hold: HoldItem
    clock: Callable[[], datetime] = field(kw_only=True)
    followers: Iterable[Follower] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_SAVES_AT_ONCE, thread_name_prefix="save")
        self._lock = Lock()
        self._statuses: dict[str, SaveStatus] = {}
        self._unfinished: dict[Future[None], ChangeRequest] = {}
        self._is_closed = False
        self._is_cut = False

    def submit(self, request: ChangeRequest) -> SaveStatus:
        """Queue the save and return its status at once.

        If the key is known, return the status of its save. But a save that sent nothing
        is started again, and a known key with other content is refused. Raises
        RecordsError after `close`.
        """
        with self._lock:
            # The same key is saved only once.
            status = self._statuses.get(request.key)
            if status is not None and not _sent_nothing(status):
                if request.has_content_of(status.request):
                    return status
                result = nothing_sent(request, OTHER_CONTENT, at=self.clock())
                return SaveStatus(request, result)
            if self._is_closed:
                raise RecordsError(
                    "The dashboard was closed.", advice="Nothing was sent."
                )

            # A key that is submitted again moves to the end.
            status = SaveStatus(request)
            self._statuses.pop(request.key, None)
            self._statuses[request.key] = status

            # Threads take saves in the order of submission, so no earlier save waits
            # for this one.
            unfinished = self._unfinished.copy().items()
            earlier = [save for save, other in unfinished if other.item == request.item]
            save = self._threads.submit(self._save, request, earlier)
            self._unfinished[save] = request
        save.add_done_callback(self._unfinished.pop)
        return status

    def status(self, key: str) -> SaveStatus | None:
        """Return the status of the save with this key, or None if not in memory."""
        with self._lock:
            return self._statuses.get(key)

    def wait(self, key: str, timeout_s: float) -> None:
        """Wait until the save with this key has ended, or `timeout_s` has passed."""
        unfinished = self._unfinished.copy().items()
        wait([save for save, request in unfinished if request.key == key], timeout_s)

    def latest(self, item: ItemKey) -> SaveStatus | None:
        """Return the status of the item's newest save, or None if not in memory."""
        with self._lock:
            for status in reversed(self._statuses.values()):
                if status.request.item == item:
                    return status
        return None

    def close(self, *, cut: Callable[[], None] = ignore) -> None:
        """Refuse new saves, and wait a limited time for the submitted saves to end.

        After that time, drop the queued saves and call `cut`, which must make the
        running saves fail.
        """
        with self._lock:
            self._is_closed = True
            unfinished = frozenset(self._unfinished)

        if wait(unfinished, SAVES_END_WITHIN_S).not_done:
            logger.warning(
                "Saves that took too long are interrupted."
                " After a restart, their items are read."
            )
            self._is_cut = True
            cut()
            wait(unfinished, CUT_SAVES_END_WITHIN_S)

        self._threads.shutdown(wait=False)

    def _save(self, request: ChangeRequest, earlier: list[Future[None]]) -> None:
        def put_progress(done: int, total: int) -> None:
            self._put(SaveStatus(request, progress=done / total))

        wait(earlier)
        started_at = self.clock()
        is_begun = False
        try:
            with self.hold(request.item) as is_held:
                if self._is_cut:
                    return
                is_begun = True
                result = self.saver.save(
                    request, on_progress=put_progress, is_held=is_held
                )
                for follower in self.followers:
                    follower(request, result)
                self._put(SaveStatus(request, result))
        # Whatever fails, the person must learn that the outcome is unknown.
        except Exception as error:  # noqa: BLE001
            if isinstance(error, RecordsError) and not is_begun:
                # The item could not be locked.
                result = nothing_sent(request, error, at=self.clock())
            else:
                log_failure(f"Save {request.key}", error)
                result = self._broken_off(request, started_at)
            self._put(SaveStatus(request, result))

    def _broken_off(self, request: ChangeRequest, started_at: datetime) -> SaveResult:
        steps = steps_for(add=request.add, remove=request.remove)
        return SaveResult(
            item=request.item,
            verdict=Verdict.NOT_CONFIRMED,
            steps=tuple(StepResult(step, Outcome.UNKNOWN) for step in steps),
            started_at=started_at,
            ended_at=self.clock(),
            message=(
                "A program error interrupted the save: it is not known which changes"
                " were saved."
            ),
            advice=LOOK_AGAIN,
        )

    def _put(self, status: SaveStatus) -> None:
        """Store the status, and drop the oldest ended saves from memory."""
        with self._lock:
            self._statuses[status.request.key] = status
            ended = [
                status.request.key
                for status in reversed(self._statuses.values())
                if status.result
            ]
            for key in ended[REMEMBERED_SAVES:]:
                del self._statuses[key]


def _sent_nothing(status: SaveStatus) -> bool:
    result = status.result
    return result is not None and result.verdict is Verdict.NOTHING_SENT


def log_failure(what: str, error: Exception) -> None:
    """Log the place of the failure. The error's message could contain a secret."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    logger.error(
        "%s broke off: %s in %s, line %s",
        what,
        type(error).__name__,
        where.name,
        where.lineno,
    )
