"""A saver on a fake service, with a history in memory."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.model.change import (
    ChangeOperation,
    ChangePlan,
    ChangeRequest,
    is_met,
)
from item_visibility.model.outcome import (
    HistoryEntry,
    Outcome,
    SaveResult,
    Verdict,
    steps_begun,
)
from item_visibility.saving.save import Saver
from tests.support.desk import a_request
from tests.support.fake_visibilities import (
    FakeCall,
    FakeVisibilities,
    Fault,
    no_token,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

ITEM = ItemKey("4000001000005", "04012345678901:276")
OTHER_ITEM = ItemKey("4000001000005", "04012345678901:040")


def ask(  # noqa: PLR0913  (each test gives only two or three)
    *,
    base: Iterable[str] = (),
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    key: str = "key-1",
    item: ItemKey = ITEM,
    confirmed_count: int | None = None,
    operation: ChangeOperation = ChangeOperation.EDIT,
) -> ChangeRequest:
    request = a_request(item, key=key, base=base, add=add, remove=remove)
    return replace(
        request, person="ada", confirmed_count=confirmed_count, operation=operation
    )


class MemoryHistory:
    """A history in memory. While `error` is set, every method raises it."""

    def __init__(self, error: RecordsError | None = None) -> None:
        self.entries: dict[str, HistoryEntry] = {}
        self.error = error

    def begin(
        self, request: ChangeRequest, plan: ChangePlan, *, started_at: datetime
    ) -> HistoryEntry | None:
        self._fail()
        known = self.entries.get(request.key)
        if known is not None and known.verdict is not Verdict.NOTHING_SENT:
            return known
        self.entries[request.key] = HistoryEntry(
            service="http://127.0.0.1/v1",
            request=replace(request, base=plan.current),
            started_at=started_at,
            steps=steps_begun(plan),
        )
        return None

    def record_result(
        self, key: str, result: SaveResult, *, is_late: bool = False
    ) -> None:
        self._fail()
        if not (is_late and self.entries[key].verdict is not None):
            self.entries[key] = replace(
                self.entries[key], steps=result.steps, result=result
            )

    def entry(self, key: str) -> HistoryEntry | None:
        self._fail()
        return self.entries.get(key)

    def open_saves(self) -> tuple[HistoryEntry, ...]:
        return tuple(entry for entry in self.entries.values() if entry.verdict is None)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


class Bench:
    """A saver with everything that it uses. By default, it sends one call at a time."""

    def __init__(
        self,
        fake: FakeVisibilities,
        history: MemoryHistory | None = None,
        *,
        calls_at_once: int = 1,
    ) -> None:
        self.fake = fake
        self.history = history or MemoryHistory()
        self.saver = Saver(
            fake,
            self.history,
            clock=fake.time.now,
            sleep=fake.time.sleep,
            calls_at_once=calls_at_once,
        )

    def save(self, request: ChangeRequest) -> SaveResult:
        return self.saver.save(request)


def bench(*recipients: str) -> Bench:
    return Bench(FakeVisibilities({ITEM: recipients}))


def outcomes(result: SaveResult) -> dict[str, Outcome]:
    return {step.step.recipient_id: step.outcome for step in result.steps}


def asked(fake: FakeVisibilities) -> list[tuple[str, str | tuple[str, ...] | None]]:
    return [
        (call.operation, call.recipient_id or call.recipients) for call in fake.writes
    ]


def fail_read_backs(fake: FakeVisibilities) -> None:
    """Let reads before a write succeed, and reads after a write fail."""
    fake.before_call = lambda _call: (
        fake.faults.append(Fault("getVisibilities", unknown_outcome()))
        if fake.writes
        else None
    )


ErrorFactory = Callable[[], ItemVisibilityError]
GET = "getVisibilities"
WRITES = ("addVisibility", "removeVisibility", "setVisibilities", "removeVisibilities")
FOR_GOOD = 99
LONGER_THAN_ANYBODY_WAITS_S = 86_400.0


def gateway_refuses() -> ItemVisibilityError:
    """Return a 401, although the token is new."""
    return refused(401)


def refused_after_unknown() -> ItemVisibilityError:
    return refused(404, is_outcome_unknown=True)


FAILURES: tuple[tuple[ErrorFactory, bool], ...] = (
    (unknown_outcome, False),
    (unknown_outcome, True),
    (unexpected_answer, False),
    (unexpected_answer, True),
    (refused_after_unknown, False),
    (refused_after_unknown, True),
    (refused, False),
    (not_sent, False),
    (no_token, False),
    (gateway_refuses, False),
)
"""The ways in which a write fails, and whether the write is applied."""
FAILURE_IDS = [
    f"{error.__name__} {'made' if is_applied else 'lost'}"
    for error, is_applied in FAILURES
]
READS_AFTER: dict[str, tuple[float, list[ErrorFactory]]] = {
    "right": (0, []),
    "a moment late": (1, []),
    "late": (LONGER_THAN_ANYBODY_WAITS_S, []),
    "first lost": (0, [unknown_outcome]),
    "lost": (0, [unknown_outcome] * FOR_GOOD),
    "another's": (0, [unexpected_answer] * FOR_GOOD),
    "without a token": (0, [no_token] * FOR_GOOD),
}
"""How reads behave after a write: the lag in seconds, and the errors."""


def spoil(
    fake: FakeVisibilities, failure: tuple[ErrorFactory, bool], times: int, reads: str
) -> None:
    """Let this many writes of each kind fail, and reads after a write behave so."""
    error, is_applied = failure
    fake.faults = [
        Fault(operation, error(), is_applied=is_applied)
        for operation in WRITES
        for _ in range(times)
    ]
    fake.lag_s = READS_AFTER[reads][0]
    lost = READS_AFTER[reads][1].copy()

    def lose(call: FakeCall) -> None:
        if call.operation == GET and fake.writes and lost:
            fake.faults.append(Fault(GET, lost.pop()()))

    fake.before_call = lose


def broken_promises(result: SaveResult, truth: frozenset[str]) -> list[str]:
    """Return the statements of a result that are not true of the service."""
    is_so = {step.step: is_met(step.step, truth) for step in result.steps}
    said = {
        "verified, but not so": result.verdict is Verdict.VERIFIED
        and not all(is_so.values()),
        "verified, but not read": result.verdict is Verdict.VERIFIED
        and result.after is None
        and any(step.attempts for step in result.steps),
        "differs, but all is so": result.verdict is Verdict.DIFFERS
        and all(is_so.values()),
        "nothing changed, but something was": result.is_unchanged
        and any(
            is_so[step.step]
            for step in result.steps
            if step.outcome is not Outcome.IN_PLACE
        ),
    }
    for step in result.steps:
        claims_so = step.outcome in (Outcome.DONE, Outcome.IN_PLACE)
        claims_not = step.outcome in (Outcome.REFUSED, Outcome.NOT_SENT)
        said[f"{step.step} {step.outcome}"] = (claims_so and not is_so[step.step]) or (
            claims_not and is_so[step.step]
        )
    return [word for word, is_broken in said.items() if is_broken]
