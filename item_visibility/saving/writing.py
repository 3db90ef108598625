"""The calls of one save, and the reads that settle them. Notes N3, N11, N17."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock, Semaphore

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import refusal
from item_visibility.errors import (
    ItemVisibilityError,
    NotSentError,
    RefusedError,
    UnknownOutcomeError,
)
from item_visibility.saving.locks import IsHeld
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import ChangePlan, ChangeStep, Goal, is_met
from item_visibility.saving.step_results import (
    is_final,
    may_be_sent,
    result_of,
    stops_others,
    try_call,
)
from item_visibility.timeouts import READ_BACK_DELAYS_S, UNKNOWN_IN_A_ROW

CALLS_AT_ONCE = 8
"""More calls at once hardly save time, and burden the service."""

CANNOT_ADD = "This id cannot be sent in an address. Add it with Set exactly to…."
CANNOT_REMOVE = "This id cannot be sent in an address. Remove it with Remove all or Set exactly to…."
KEPT_BY_THE_SERVICE = (
    "The service keeps recipients that are missing from a list, and this id cannot be sent in an address."
    " Remove it with Remove all."
)
PERHAPS_KEPT = "The service accepted a list without this recipient, but still shows the recipient."
NOT_ALONE = (
    "The dashboard lost the connection to its own database, so another dashboard may be changing this item:"
    " the list was not sent."
)
SAVE_AGAIN = "Save again to send it."


class ListReader:
    """Reads one item's list.

    `seen` is the list as last read, and None when that read failed or a call was made since; then `error`
    says why a read failed.
    """

    def __init__(
        self,
        read: Callable[[], frozenset[str] | None],
        *,
        sleep: Callable[[float], None],
        seen: frozenset[str] | None = None,
    ) -> None:
        self.seen = seen
        self.error: ItemVisibilityError | None = None
        self._read = read
        self._sleep = sleep

    def forget(self) -> None:
        """Mark the last read as out of date, because a call is made."""
        self.seen = None

    def read(self) -> None:
        """Read once. An item with nothing recorded has no recipients. Note N4."""
        try:
            self.seen, self.error = self._read() or frozenset(), None
        except ItemVisibilityError as error:
            self.seen, self.error = None, error

    def wait_and_read(self, delay_s: float) -> None:
        """Wait, then read once more."""
        self._sleep(delay_s)
        self.read()

    def read_until(self, is_enough: Callable[[frozenset[str]], bool]) -> None:
        """Read, and again after each delay, until `is_enough` accepts the list."""
        self.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self.seen is not None and is_enough(self.seen):
                return
            self.wait_and_read(delay_s)


class Writing:
    """Sends the steps of a plan, and keeps the errors of each; `reader` has the list as last read.

    `free_calls` limits the calls that are made at once.
    """

    def __init__(
        self,
        visibilities: VisibilityClient,
        plan: ChangePlan,
        *,
        free_calls: Semaphore,
        sleep: Callable[[float], None],
        on_step: Callable[[int], None],
    ) -> None:
        self.plan = plan
        self.errors: dict[ChangeStep, list[ItemVisibilityError | None]] = {step: [] for step in plan.steps}
        self.reader = ListReader(
            lambda: visibilities.get_visibilities(plan.item), sleep=sleep, seen=plan.current
        )
        self._visibilities = visibilities
        self._free_calls = free_calls
        self._on_step = on_step
        self._noted_steps = 0
        self._lock = Lock()

    @property
    def seen(self) -> frozenset[str] | None:
        """The list as read after the last call, or None when there is no such read."""
        return self.reader.seen

    def send_list(self, *, is_held: IsHeld) -> None:
        """Send the whole list as one call, and read back. It is never sent twice.

        If the service keeps recipients that the list omits, those to be removed are removed singly.
        Nothing is sent when the item is not held any more: another process may be changing it.
        """
        if not is_held():
            self._note(self.plan.steps, NotSentError(NOT_ALONE, advice=SAVE_AGAIN))
            return
        self.reader.forget()
        wanted = (self.plan.current | self.plan.added) - self.plan.removed
        if wanted:
            error = try_call(self._visibilities.set_visibilities, self.plan.item, sorted(wanted))
        else:
            error = try_call(self._visibilities.remove_visibilities, self.plan.item)
        is_set = bool(wanted) and error is None
        perhaps_kept = UnknownOutcomeError(PERHAPS_KEPT)
        self._note(_of_goal(self.plan.steps, Goal.VISIBLE), error)
        self._note(_of_goal(self.plan.steps, Goal.NOT_VISIBLE), perhaps_kept if is_set else error)
        if result_of(error) not in (Outcome.DONE, Outcome.UNKNOWN):
            self.reader.read()
            return
        self.reader.read_until(lambda seen: not self._unmet_in(seen) or (is_set and self._has_merged(seen)))
        if is_set:
            self._remove_what_was_kept()

    def _remove_what_was_kept(self) -> None:
        """Remove singly the recipients that the service kept although the list omits them."""
        if self.seen is not None and self._has_merged(self.seen):
            for step in _of_goal(self.plan.steps, Goal.NOT_VISIBLE):
                if not _is_addressable(step):
                    self.errors[step] = [RefusedError(KEPT_BY_THE_SERVICE)]
        if self.send_singly():
            self.confirm()

    def _has_merged(self, seen: frozenset[str]) -> bool:
        """True when a read shows all that the list added, and all that it omitted."""
        additions = _of_goal(self.plan.steps, Goal.VISIBLE)
        removals = _of_goal(self.plan.steps, Goal.NOT_VISIBLE)
        unmet = frozenset(self._unmet_in(seen))
        return bool(additions and removals) and unmet == frozenset(removals)

    def send_singly(self) -> bool:
        """Send each open step that the last read shows as missing; True when there was one. Additions first.

        The other steps are not sent once the service is clearly down, or refuses the client.
        """
        missing = () if self.seen is None else self._unmet_in(self.seen)
        for step in missing:
            if not self.errors[step] and not _is_addressable(step):
                words = CANNOT_ADD if step.goal is Goal.VISIBLE else CANNOT_REMOVE
                self._note([step], RefusedError(words))
        steps = [step for step in missing if may_be_sent(self.errors[step]) and _is_addressable(step)]
        if steps:
            self.reader.forget()
            stop = _Stop()
            for goal in Goal:
                waiting = deque(_of_goal(steps, goal))
                if len(waiting) == 1:
                    self._send_from(waiting, stop)
                elif waiting:
                    self._send_at_once(waiting, stop)
                if stop.error is not None:
                    words, advice = stop.error.message, stop.error.advice
                    self._note(waiting, NotSentError(words, advice=advice))
        return bool(steps)

    def _send_at_once(self, waiting: deque[ChangeStep], stop: "_Stop") -> None:
        workers = min(CALLS_AT_ONCE, len(waiting))
        with ThreadPoolExecutor(workers, thread_name_prefix="call") as pool:
            runs = [pool.submit(copy_context().run, self._send_from, waiting, stop) for _ in range(workers)]
        for run in runs:
            run.result()

    def _send_from(self, waiting: deque[ChangeStep], stop: "_Stop") -> None:
        """Send the waiting steps one by one, until there is a reason to stop."""
        try:
            while waiting:
                with self._free_calls:
                    with self._lock:
                        if stop.error is not None or not waiting:
                            return
                        step = waiting.popleft()
                    is_addition = step.goal is Goal.VISIBLE
                    call = (
                        self._visibilities.add_visibility
                        if is_addition
                        else self._visibilities.remove_visibility
                    )
                    error = try_call(call, self.plan.item, step.recipient_id)
                with self._lock:
                    stop.count(error)
                self._note([step], error)
        except BaseException:  # the program ends: nothing more is sent
            waiting.clear()
            raise

    def confirm(self) -> None:
        """Read back, and repeat calls with an unknown outcome, until all is settled or the delays run out."""
        self.reader.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self._is_settled():
                return
            self.reader.wait_and_read(delay_s)
            if self.send_singly():
                self.reader.read()

    def _is_settled(self) -> bool:
        seen = self.seen
        return seen is not None and all(is_final(step, errors, seen) for step, errors in self.errors.items())

    def _unmet_in(self, seen: frozenset[str]) -> tuple[ChangeStep, ...]:
        return tuple(step for step in self.plan.steps if not is_met(step, seen))

    def _note(self, steps: Iterable[ChangeStep], error: ItemVisibilityError | None) -> None:
        """Record one call for these steps, by its error."""
        with self._lock:
            for step in steps:
                self._noted_steps += not self.errors[step]
                self.errors[step].append(error)
            self._on_step(self._noted_steps)


class _Stop:
    """The error that shows that the service is down or refuses the client; None if neither."""

    def __init__(self) -> None:
        self.error: ItemVisibilityError | None = None
        self._unknown_in_a_row = 0

    def count(self, error: ItemVisibilityError | None) -> None:
        """Count one call."""
        is_unknown = result_of(error) is Outcome.UNKNOWN
        self._unknown_in_a_row = self._unknown_in_a_row + 1 if is_unknown else 0
        if stops_others(error) or self._unknown_in_a_row >= UNKNOWN_IN_A_ROW:
            self.error = self.error or error


def _of_goal(steps: Iterable[ChangeStep], goal: Goal) -> tuple[ChangeStep, ...]:
    return tuple(step for step in steps if step.goal is goal)


def _is_addressable(step: ChangeStep) -> bool:
    """True when a single call can carry the id: it is neither impossible nor too long. Note N1."""
    return refusal(step.recipient_id, name="recipient") is None
