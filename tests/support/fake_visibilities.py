"""The five operations without a network: a fake that follows the specification and
records the calls.

    fake = FakeVisibilities({ITEM: {"A", "B"}})
    fake.faults.append(Fault("addVisibility", unknown_outcome(), is_applied=True))

Afterwards, a test checks the calls (`calls`, `writes`) and the fake's state
(`recipients_of`).
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product

from item_visibility.client.identifiers import ItemKey, check_addressable
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
)
from item_visibility.errors import (
    CallError,
    ItemVisibilityError,
    NotAllowedError,
    NotFoundError,
    NotSentError,
    ProblemDetail,
    RefusedError,
    TokenUnavailableError,
    UnexpectedAnswerError,
    UnknownOutcomeError,
)
from tests.support.waiting import HandClock

START = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Semantics:
    """One way to answer the open questions of the specification. Notes N3, N4, N5."""

    put_merges: bool = False
    missing_is_404: bool = False
    empty_is_404: bool = True

    def __str__(self) -> str:
        put = "merges" if self.put_merges else "replaces"
        missing = "404" if self.missing_is_404 else "204"
        empty = "404" if self.empty_is_404 else "[]"
        return f"put {put}, missing {missing}, empty {empty}"


STANDARD = Semantics()
EVERY_SEMANTICS = tuple(
    Semantics(*switches) for switches in product((False, True), repeat=3)
)
FOUR_SEMANTICS = tuple(
    semantics for semantics in EVERY_SEMANTICS if semantics.empty_is_404
)


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A call of one operation."""

    operation: str
    item: ItemKey
    recipient_id: str | None = None
    recipients: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of the next call of an operation, for one recipient or, with None, for
    any.
    """

    operation: str
    error: ItemVisibilityError
    is_applied: bool = False
    recipient_id: str | None = None


def refused(status: int = 400, *, is_outcome_unknown: bool = False) -> CallError:
    """Return the error of a refused call; nothing was applied, unless an earlier
    attempt had an unknown outcome.
    """
    kinds = {404: NotFoundError, 401: NotAllowedError, 403: NotAllowedError}
    kind = kinds.get(status, RefusedError)
    message = f"The service refused it ({status})."
    return _error(kind, message, status, is_outcome_unknown=is_outcome_unknown)


def unknown_outcome() -> CallError:
    """Return the error of a broken service, which may have applied the call."""
    return _error(
        UnknownOutcomeError, "The service did not answer.", 500, is_outcome_unknown=True
    )


def unexpected_answer() -> CallError:
    return _error(
        UnexpectedAnswerError,
        "The service's answer makes no sense.",
        200,
        is_outcome_unknown=True,
    )


def not_sent() -> CallError:
    return NotSentError("The service cannot be reached.", advice="Try again later.")


def no_token() -> TokenUnavailableError:
    return TokenUnavailableError("There is no access token.", advice="Try again later.")


def _error(
    kind: type[CallError],
    message: str,
    status: int,
    *,
    is_outcome_unknown: bool = False,
) -> CallError:
    return kind(
        message,
        advice="Ask support.",
        problem=ProblemDetail(status, "A title", request_id="f00d"),
        is_outcome_unknown=is_outcome_unknown,
    )


def do_nothing(_call: FakeCall) -> None:
    """Do nothing: the default for `before_call`."""


class FakeVisibilities:
    """A fake that stores items in memory and answers as its semantics say.

    Notes N3, N4, N5, N11.

    A call uses up the first of the `faults` that fits it. `before_call` is called
    before each call; a test can make another user's change there. Reads show the state
    of `lag_s` seconds ago.
    """

    def __init__(
        self,
        items: Mapping[ItemKey, Iterable[str]] | None = None,
        *,
        semantics: Semantics = STANDARD,
        lag_s: float = 0,
    ) -> None:
        self.semantics = semantics
        self.lag_s = lag_s
        self.time = HandClock(START)
        self.calls: list[FakeCall] = []
        self.faults: list[Fault] = []
        self.before_call: Callable[[FakeCall], None] = do_nothing
        self._lock = threading.RLock()
        self._states: dict[ItemKey, list[tuple[datetime, frozenset[str]]]] = {}
        long_ago = datetime.min.replace(tzinfo=UTC)
        for item, recipients in (items or {}).items():
            self._states[item] = [(long_ago, frozenset(recipients))]

    @property
    def writes(self) -> list[FakeCall]:
        return [call for call in self.calls if call.operation != GET_VISIBILITIES.name]

    def recipients_of(self, item: ItemKey) -> frozenset[str]:
        return self._states[item][-1][1] if item in self._states else NOBODY

    def put(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the item's recipients, as another user could do."""
        with self._lock:
            states = self._states.setdefault(item, [])
            # Without a lag, reads never show an earlier state.
            if not self.lag_s:
                states.clear()
            states.append((self.time.now(), frozenset(recipients)))

    def get_visibilities(self, item: ItemKey) -> frozenset[str] | None:
        self._run(FakeCall(GET_VISIBILITIES.name, item), lambda _current: None)
        seen = self._seen(item)
        if not seen and self.semantics.empty_is_404:
            return None
        return seen

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        wanted = tuple(recipients)
        call = FakeCall(SET_VISIBILITIES.name, item, recipients=wanted)
        merges = self.semantics.put_merges
        self._run(
            call, lambda current: (current if merges else NOBODY) | frozenset(wanted)
        )

    def remove_visibilities(self, item: ItemKey) -> None:
        self._run(FakeCall(REMOVE_VISIBILITIES.name, item), self._without_all)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        check_addressable(recipient_id, name="recipient")
        self._run(
            FakeCall(ADD_VISIBILITY.name, item, recipient_id),
            lambda current: current | {recipient_id},
        )

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        check_addressable(recipient_id, name="recipient")
        self._run(
            FakeCall(REMOVE_VISIBILITY.name, item, recipient_id),
            lambda current: self._without(current, recipient_id),
        )

    def _without(self, current: frozenset[str], recipient_id: str) -> frozenset[str]:
        if self.semantics.missing_is_404 and recipient_id not in current:
            raise refused(404)
        return current - {recipient_id}

    def _without_all(self, current: frozenset[str]) -> frozenset[str]:
        if self.semantics.missing_is_404 and not current:
            raise refused(404)
        return NOBODY

    def _run(
        self, call: FakeCall, change: Callable[[frozenset[str]], frozenset[str] | None]
    ) -> None:
        check_addressable(call.item.supplier, name="supplier")
        check_addressable(call.item.supplier_item_id, name="item")
        with self._lock:
            self.calls.append(call)
            self.before_call(call)
            fault = self._take_fault(call)
            if fault is None or fault.is_applied:
                changed = change(self.recipients_of(call.item))
                if changed is not None:
                    self.put(call.item, changed)
        if fault is not None:
            raise fault.error

    def _take_fault(self, call: FakeCall) -> Fault | None:
        for fault in self.faults:
            fits_recipient = fault.recipient_id in (None, call.recipient_id)
            if fault.operation == call.operation and fits_recipient:
                self.faults.remove(fault)
                return fault
        return None

    def _seen(self, item: ItemKey) -> frozenset[str]:
        """Return the state of `lag_s` seconds ago, or an empty one without a state."""
        visible_from = self.time.now() - timedelta(seconds=self.lag_s)
        seen = NOBODY
        for since, recipients in self._states.get(item, []):
            if since <= visible_from:
                seen = recipients
        return seen
