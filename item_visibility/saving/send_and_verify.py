"""Sends the calls of one save, and verifies the list by reading it back.

Notes N3, N5, N7, N11, N17.

A step has a list of errors, one entry for each call. The entry is None for a call that
was accepted.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock, Semaphore

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import (
    CallError,
    IdentifierError,
    ItemVisibilityError,
    NotAllowedError,
    NotFoundError,
    NotSentError,
    RefusedError,
    TokenError,
    UnknownOutcomeError,
)
from item_visibility.model.change import ChangePlan, ChangeStep, Goal, is_met
from item_visibility.model.outcome import Outcome

READ_BACK_DELAYS_S = (0.2, 0.5, 1.0)
"""A save reads again after these delays: reads can lag behind writes. Note N11."""
UNKNOWN_IN_A_ROW = 3
"""After this many unknown outcomes in a row, a save treats the service as down."""

CallErrors = Sequence[ItemVisibilityError | None]

IsHeld = Callable[[], bool]
"""Returns True while the lock of an item is held. A broken connection loses it."""

CALLS_AT_ONCE = 8
"""More calls at once would burden the service, but hardly speed up a save."""

CANNOT_BE_SENT = (
    "This id cannot be sent in a URL. Only Set exactly to… and Remove all can change"
    " it."
)
KEPT_BY_THE_SERVICE = (
    "Not removed: the service keeps recipients that the sent list leaves out, and this"
    " id cannot be sent in a URL. Remove it with Remove all."
)
PERHAPS_KEPT = (
    "The service accepted a list without this recipient, but still shows the recipient."
)
NOT_ALONE = (
    "The dashboard lost its database connection: another save may be running. The list"
    " was not sent."
)
SAVE_AGAIN = "Save again to send it."


def outcome_of(error: ItemVisibilityError | None) -> Outcome:
    """Return the outcome that the error of a call implies.

    A later read can show another outcome.
    """
    match error:
        case None:
            return Outcome.DONE
        case CallError(is_outcome_unknown=True):
            # An earlier attempt of the same call may have been applied.
            return Outcome.UNKNOWN
        case TokenError() | NotSentError():
            return Outcome.NOT_SENT
        case IdentifierError() | RefusedError():
            return Outcome.REFUSED
    return Outcome.UNKNOWN


def may_be_sent(errors: CallErrors) -> bool:
    """True when the step was not sent, or the outcome of its last call is unknown."""
    may_succeed_later = {Outcome.NOT_SENT, Outcome.UNKNOWN}
    return not errors or outcome_of(errors[-1]) in may_succeed_later


def found_nothing_to_remove(step: ChangeStep, errors: CallErrors) -> bool:
    """True when a removal was answered with 404.

    Only a read shows what that means. Note N5.
    """
    if step.goal is Goal.VISIBLE or not errors:
        return False
    return isinstance(errors[-1], NotFoundError) and not errors[-1].is_outcome_unknown


@dataclass(eq=False)
class ListReader:
    """Reads one item's list.

    `seen` is the list that was read last. It is None if that read failed, or if a call
    was sent after it. `error` is the error of a failed read.
    """

    visibilities: VisibilityClient
    item: ItemKey
    sleep: Callable[[float], None]
    seen: frozenset[str] | None = None
    error: ItemVisibilityError | None = None

    def forget(self) -> None:
        """Forget the last read. Called before each call that changes the list."""
        self.seen = None

    def read(self, *, delay_s: float = 0.0) -> None:
        """Read once, after a delay.

        If the service has no list for the item, `seen` is empty. Note N4.
        """
        if delay_s:
            self.sleep(delay_s)
        self.seen = None
        self.error = None
        try:
            self.seen = self.visibilities.get_visibilities(self.item) or frozenset()
        except ItemVisibilityError as error:
            self.error = error

    def read_until(self, is_enough: Callable[[frozenset[str]], bool]) -> None:
        """Read until `is_enough` accepts the list.

        Read once more after each delay, then give up.
        """
        self.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self.seen is not None and is_enough(self.seen):
                return
            self.read(delay_s=delay_s)


@dataclass(eq=False)
class Writing:
    """Sends the steps of a plan, and collects the errors of each step.

    `reader.seen` is the last known list. `free_calls` limits the number of
    simultaneous calls.
    """

    visibilities: VisibilityClient
    plan: ChangePlan
    free_calls: Semaphore
    sleep: Callable[[float], None]
    on_progress: Callable[[int, int], None]

    def __post_init__(self) -> None:
        plan = self.plan
        self.errors: dict[ChangeStep, list[ItemVisibilityError | None]] = {
            step: [] for step in plan.steps
        }
        self.reader = ListReader(
            self.visibilities, plan.item, self.sleep, seen=plan.current
        )
        self._calls = {
            Goal.VISIBLE: self.visibilities.add_visibility,
            Goal.NOT_VISIBLE: self.visibilities.remove_visibility,
        }
        self._answered_steps = 0
        self._lock = Lock()
        self._stops: list[ItemVisibilityError] = []
        """Errors that show that the service is down or refuses the client."""
        self._unknown_in_a_row = 0

    def send_list(self, *, is_held: IsHeld) -> None:
        """Send the whole list in one call and read it back. It is never sent twice.

        If the service keeps recipients that the sent list leaves out, the planned
        removals are then sent one by one. If the lock of the item was lost, nothing is
        sent, because another process can be changing the item.
        """
        if not is_held():
            self._record(self.plan.steps, NotSentError(NOT_ALONE, advice=SAVE_AGAIN))
            return

        # Send the list. An empty list is a call of its own.
        self.reader.forget()
        item = self.plan.item
        recipients = (self.plan.current | self.plan.added) - self.plan.removed
        if recipients:
            error = _try(self.visibilities.set_visibilities, item, sorted(recipients))
        else:
            error = _try(self.visibilities.remove_visibilities, item)

        # An accepted list says nothing about removals: the service may keep them.
        is_set = bool(recipients) and error is None
        additions = _of_goal(self.plan.steps, Goal.VISIBLE)
        removals = _of_goal(self.plan.steps, Goal.NOT_VISIBLE)
        self._record(additions, error)
        self._record(removals, UnknownOutcomeError(PERHAPS_KEPT) if is_set else error)
        if outcome_of(error) not in (Outcome.DONE, Outcome.UNKNOWN):
            self.reader.read()
            return

        # Read until the list shows the changes, or shows that the service merged them.
        def has_merged(seen: frozenset[str]) -> bool:
            return is_set and bool(additions) and self._unmet_in(seen) == removals

        def is_enough(seen: frozenset[str]) -> bool:
            return not self._unmet_in(seen) or has_merged(seen)

        self.reader.read_until(is_enough)

        # Remove singly what the service has kept.
        if self.reader.seen is not None and has_merged(self.reader.seen):
            for step in removals:
                if not _is_addressable(step):
                    self.errors[step] = [RefusedError(KEPT_BY_THE_SERVICE)]
        if is_set and self.send_singly():
            self.confirm()

    def send_singly(self) -> bool:
        """Send the missing steps that can be sent, additions first.

        Return False if there are none. If the service is clearly down or refuses the
        client, the remaining steps are not sent.
        """
        # Find the missing steps, and refuse those that no URL can carry.
        missing = () if self.reader.seen is None else self._unmet_in(self.reader.seen)
        steps = []
        for step in missing:
            if _is_addressable(step):
                if may_be_sent(self.errors[step]):
                    steps.append(step)
            elif not self.errors[step]:
                self._record([step], RefusedError(CANNOT_BE_SENT))
        if not steps:
            return False

        # Send the additions, then the removals. Stop when the service is down.
        self.reader.forget()
        self._stops.clear()
        self._unknown_in_a_row = 0
        for goal in Goal:
            waiting = deque(_of_goal(steps, goal))
            if len(waiting) == 1:
                self._send_from(waiting)
            elif waiting:
                self._send_at_once(waiting)
            if self._stops:
                first = self._stops[0]
                self._record(waiting, NotSentError(first.message, advice=first.advice))
        return True

    def _send_at_once(self, waiting: deque[ChangeStep]) -> None:
        # Each thread needs a copy of the context, which collects the calls of a save.
        workers = min(CALLS_AT_ONCE, len(waiting))
        with ThreadPoolExecutor(workers, thread_name_prefix="call") as pool:
            runs = [
                pool.submit(copy_context().run, self._send_from, waiting)
                for _ in range(workers)
            ]
        for run in runs:
            run.result()

    def _send_from(self, waiting: deque[ChangeStep]) -> None:
        try:
            while waiting:
                with self.free_calls:
                    with self._lock:
                        if self._stops or not waiting:
                            return
                        step = waiting.popleft()
                    error = _try(
                        self._calls[step.goal], self.plan.item, step.recipient_id
                    )

                # See whether the other steps are still worth sending.
                with self._lock:
                    if outcome_of(error) is Outcome.UNKNOWN:
                        self._unknown_in_a_row += 1
                    else:
                        self._unknown_in_a_row = 0
                    is_down = self._unknown_in_a_row >= UNKNOWN_IN_A_ROW
                    if error is not None and (is_down or _stops_others(error)):
                        self._stops.append(error)
                self._record([step], error)
        except BaseException:
            # The program ends, so nothing more is sent.
            waiting.clear()
            raise

    def confirm(self) -> None:
        """Read until no outcome can change. After each delay, send what is missing."""
        self.reader.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self._is_final():
                return
            self.reader.read(delay_s=delay_s)
            if self.send_singly():
                self.reader.read()

    def _is_final(self) -> bool:
        """True when the list is known, and no read or call would change an outcome."""
        seen = self.reader.seen
        if seen is None:
            return False
        for step, errors in self.errors.items():
            if is_met(step, seen):
                continue
            # A later read can show an accepted change, and explain a 404.
            can_change = (
                may_be_sent(errors)
                or None in errors
                or found_nothing_to_remove(step, errors)
            )
            if can_change:
                return False
        return True

    def _unmet_in(self, seen: frozenset[str]) -> tuple[ChangeStep, ...]:
        return tuple(step for step in self.plan.steps if not is_met(step, seen))

    def _record(
        self, steps: Iterable[ChangeStep], error: ItemVisibilityError | None
    ) -> None:
        with self._lock:
            for step in steps:
                if not self.errors[step]:
                    self._answered_steps += 1
                self.errors[step].append(error)
            self.on_progress(self._answered_steps, len(self.errors))


def _try(call: Callable[..., None], *arguments: object) -> ItemVisibilityError | None:
    """Make a call. Return its error, or None when it was accepted."""
    try:
        call(*arguments)
    except (IdentifierError, TokenError, CallError) as error:
        return error.with_traceback(None)
    return None


def _stops_others(error: ItemVisibilityError) -> bool:
    if isinstance(error, TokenError | NotSentError):
        return True
    if not isinstance(error, NotAllowedError) or error.problem is None:
        return False
    return error.problem.status == HTTPStatus.UNAUTHORIZED


def _of_goal(steps: Iterable[ChangeStep], goal: Goal) -> tuple[ChangeStep, ...]:
    return tuple(step for step in steps if step.goal is goal)


def _is_addressable(step: ChangeStep) -> bool:
    """True when the recipient id can be part of an address. Note N1."""
    return refusal(step.recipient_id, name="recipient") is None
