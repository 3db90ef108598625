"""Check the connection to the service step by step, and report the result."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime

from item_visibility.access.people import Role
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.client.token import AccessToken
from item_visibility.errors import ItemVisibilityError
from item_visibility.model.words import many, one_line
from item_visibility.storage.database_errors import or_else
from item_visibility.use_cases.check.answer import in_utc
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.recent_calls import OperationHour
from item_visibility.use_cases.redaction import redactor_for
from item_visibility.use_cases.ticket import Ticket, as_json, call_line, curl_commands
from item_visibility.use_cases.us_or_them import (
    SET_CLOCKS,
    Judgement,
    clock_fault,
    judge_connection,
)

PROBE = ItemKey("connection-test", "connection-test")
"""An item that does not exist.

Any answer about it shows that the service works. Note N4.
"""

_MARKS = {True: "ok    ", False: "FAILED", None: "?     "}


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of the check. `is_ok` is None if the result is not known."""

    name: str
    is_ok: bool | None
    summary: str
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReport:
    """The result of a check.

    `calls` are the last requests and the last failed requests, newest first.
    """

    environment: str
    made_at: datetime
    judgement: Judgement
    addresses: str
    steps: tuple[CheckStep, ...]
    last_hour: tuple[OperationHour, ...]
    calls: tuple[CallRecord, ...]

    @property
    def is_ok(self) -> bool:
        """True when no step failed."""
        return all(step.is_ok is not False for step in self.steps)


def examine(desk: Desk, item: ItemKey | None) -> ConnectionReport:
    """Check the token, one read, the clocks and our own database.

    Without `item`, the check reads the item that was used last, or the first item of a
    demo, or `PROBE`. Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)

    # Ask the service. Without a token, no read is possible.
    with collected() as calls:
        token, error = _attempt(
            "Token", lambda: _token_words(desk.service.request_token())
        )
        steps = [token]
        if error is None:
            last_used = _last_used(desk)
            read, error = _attempt(
                "One read", lambda: _read_words(desk.service, item or last_used)
            )
            steps.append(read)

    # Compare the clocks. The last answer with a time counts.
    clocks = [call.clock_ahead_s for call in calls if call.clock_ahead_s is not None]
    ahead_s = clocks[-1] if clocks else None
    steps.append(_clock_step(ahead_s))

    database, database_error = _attempt("Own database", lambda: _database_words(desk))
    steps.append(database)

    environment = desk.environment
    report = ConnectionReport(
        environment=environment.name,
        made_at=desk.clock(),
        judgement=judge_connection(
            desk.watch.recent,
            error=error,
            is_database_well=database_error is None,
            clock_ahead_s=ahead_s,
        ),
        addresses=(
            f"Service {environment.base_url}, tokens from {environment.auth_url}."
        ),
        steps=tuple(steps),
        last_hour=desk.watch.last_hour,
        calls=desk.watch.exchanges,
    )
    return redactor_for(environment.credentials).value(report)


def _last_used(desk: Desk) -> ItemKey | None:
    recent = or_else((), lambda: desk.records.recents.latest(None, limit=1))
    return recent[0] if recent else desk.showcase


def _attempt(
    name: str, action: Callable[[], str]
) -> tuple[CheckStep, ItemVisibilityError | None]:
    started_s = time.monotonic()
    failure = None
    try:
        summary = action()
    except ItemVisibilityError as error:
        summary = f"{error.message} {error.advice}".rstrip()
        failure = error.with_traceback(None)

    duration_ms = round((time.monotonic() - started_s) * 1000)
    return CheckStep(name, failure is None, summary, duration_ms), failure


def _clock_step(ahead_s: float | None) -> CheckStep:
    is_ok: bool | None
    if fault := clock_fault(ahead_s):
        is_ok = False
        summary = f"{fault[0].upper()}{fault[1:]}. {SET_CLOCKS}"
    elif ahead_s is not None:
        is_ok = True
        summary = "Our clock and theirs agree."
    else:
        is_ok = None
        summary = "Not known: no answer to this check contained a time."
    return CheckStep("Clocks", is_ok, summary, duration_ms=0)


def _database_words(desk: Desk) -> str:
    unfinished = len(desk.records.history.open_saves())
    desk.records.check_writing()
    desk.bulk.dispatcher.check()
    return f"It works. Unfinished saves: {unfinished}."


def _token_words(token: AccessToken) -> str:
    if token.expires_in is None:
        return "Received a token of unknown lifetime."
    return f"Received a token that is valid for {token.expires_in:.0f} s."


def _read_words(service: VisibilityClient, item: ItemKey | None) -> str:
    if item is None or not _can_be_sent(item):
        service.get_visibilities(PROBE)
        return f"The service answered a request for a test item ({PROBE.supplier})."

    recipients = service.get_visibilities(item) or frozenset()
    return (
        f"The service answered: {many(len(recipients), 'recipient')} can see the item."
    )


def _can_be_sent(item: ItemKey) -> bool:
    return not any(
        refusal(id_, name="") for id_ in (item.supplier, item.supplier_item_id)
    )


def report_ticket(report: ConnectionReport, *, base_url: str) -> Ticket:
    """Return the report as a ticket."""
    return Ticket(
        text="\n".join(map(one_line, report_lines(report))),
        curl=curl_commands(report.calls, base_url=base_url),
        json=as_json(asdict(report)),
    )


def report_lines(report: ConnectionReport) -> Iterator[str]:
    """Yield the lines of the report. Times are in UTC."""
    yield report.judgement.sentence(in_utc)
    if report.judgement.advice:
        yield report.judgement.advice
    yield f"{report.environment}, examined at {in_utc(report.made_at)}"
    yield report.addresses

    width = max(len(step.name) for step in report.steps)
    for step in report.steps:
        mark = _MARKS[step.is_ok]
        yield f"  {mark}  {step.name:<{width}}  {step.summary} ({step.duration_ms} ms)"

    if report.last_hour:
        yield ""
        yield "The last hour, in this process:"
    for hour in report.last_hour:
        half, most, nearly_all = map(time_words, hour.within_s)
        yield (
            f"  {hour.operation}: {many(hour.count, 'call')}, {hour.failed} failed; "
            f"50 % within {half}, 95 % within {most}, 99 % within {nearly_all}"
        )

    if report.calls:
        yield ""
        yield "The last exchanges:"
    for call in report.calls:
        yield f"  {call_line(call)}"


def time_words(seconds: float) -> str:
    """Format a duration, such as "250 ms" or "1.5 s"."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
