"""Check step by step what works between here and the service, and report it on screen and as text."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import Protocol

from item_visibility.access.access import Access, Role
from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.client.operations import Visibilities
from item_visibility.client.token import AccessToken
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.in_words import many
from item_visibility.settings.settings import Environment
from item_visibility.storage.fallback import or_else
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.connection.call_watch import CallWatch, OperationHour
from item_visibility.use_cases.connection.us_or_them import Judgement, Situation, judge
from item_visibility.use_cases.redaction import redactor_for
from item_visibility.use_cases.ticket import Ticket, as_json, call_line, curl_commands, in_utc, one_line

PROBE = ItemKey("connection-test", "connection-test")
"""Read when no item is known: 200 and an empty 404 both show that the service answers. Note N4."""


class Service(Visibilities, Protocol):
    """The five operations, and what a test of the connection needs."""

    def request_token(self) -> AccessToken:
        """Request a new token from the token endpoint. Spec: "Authentication"."""


class StepState(StrEnum):
    """The outcome of a step."""

    OK = "OK"
    FAILED = "Failed"


_MARKS = {StepState.OK: "ok    ", StepState.FAILED: "FAILED"}


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of the examination."""

    name: str
    state: StepState
    summary: str
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReport:
    """The result of an examination. It contains no secret and no token.

    Attributes:
        addresses: the service and the token endpoint that were asked.
        has_answered: True when the service answered during this examination.
        last_hour: the requests of the last hour in this process, by operation.
        calls: the last requests, the newest first.
        failures: the last requests that failed, the newest first.
    """

    environment: str
    made_at: datetime
    judgement: Judgement
    addresses: str
    steps: tuple[CheckStep, ...]
    has_answered: bool
    last_hour: tuple[OperationHour, ...]
    calls: tuple[CallRecord, ...]
    failures: tuple[CallRecord, ...]

    @property
    def is_ok(self) -> bool:
        """True when the service has answered now, and no step failed."""
        return self.has_answered and all(step.state is not StepState.FAILED for step in self.steps)


class ConnectionDesk:
    """Decides whether it is us or them. `clock` returns aware UTC times, `timer` counts seconds.

    `address_before` names an earlier address; `check_jobs` raises RecordsError when no job can run.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        environment: Environment,
        *,
        service: Service,
        records: ServiceRecords,
        watch: CallWatch,
        access: Access,
        address_before: Callable[[], str],
        check_jobs: Callable[[], None],
        showcase: ItemKey | None,
        clock: Callable[[], datetime],
        timer: Callable[[], float],
    ) -> None:
        self._environment = environment
        self._service = service
        self._records = records
        self._watch = watch
        self._access = access
        self._address_before = address_before
        self._check_jobs = check_jobs
        self._showcase = showcase
        self._clock = clock
        self._timer = timer

    def glance(self) -> Judgement:
        """Return us or them from the recent calls; nothing is sent. Raises SignInError and RoleError."""
        self._access.require(Role.VIEWER)
        return judge(Situation(recent=self._watch.recent))

    def examine(self, item: ItemKey | None) -> ConnectionReport:
        """Check step by step what works between here and the service. A failure is a step, not an error.

        Reads one item: `item`, else the one used last, else the one that a demo opens with, else one that
        nobody has. So the service is always asked. Raises SignInError and RoleError.
        """
        self._access.require(Role.VIEWER)
        environment = self._environment
        token, error = self._attempt("Token", lambda: _token_words(self._service.request_token()))
        steps = [token]
        if error is None:
            item = item or or_else(None, self._records.recents.newest) or self._showcase
            read, error = self._attempt("One read", lambda: _read_words(self._service, item))
            steps.append(read)
        asked_at = self._clock()
        database, database_error = self._attempt("Own database", self._database_words)
        situation = Situation(
            recent=self._watch.recent,
            has_answered=error is None,
            error=error,
            asked_at=asked_at,
            is_database_well=database_error is None,
        )
        addresses = f"Service {environment.base_url}, tokens from {environment.auth_url}."
        report = ConnectionReport(
            environment=environment.name,
            made_at=self._clock(),
            judgement=judge(situation),
            addresses=f"{addresses}{self._address_before()}",
            steps=(*steps, database),
            has_answered=error is None,
            last_hour=self._watch.last_hour,
            calls=self._watch.last_calls,
            failures=self._watch.last_failures,
        )
        return redactor_for(environment.credentials).value(report)

    def _attempt(self, name: str, action: Callable[[], str]) -> tuple[CheckStep, ItemVisibilityError | None]:
        """Run the action and return it as a step, with its error if it failed."""
        started_s, failure = self._timer(), None
        try:
            summary, state = action(), StepState.OK
        except ItemVisibilityError as error:
            summary, state = f"{error.message} {error.advice}".rstrip(), StepState.FAILED
            failure = error.with_traceback(None)
        return CheckStep(name, state, summary, round((self._timer() - started_s) * 1000)), failure

    def _database_words(self) -> str:
        open_saves = len(self._records.history.unsettled())
        self._records.check_writing()
        self._check_jobs()
        return f"It answers; open saves: {open_saves}." if open_saves else "It answers; no save is open."


def _token_words(token: AccessToken) -> str:
    if token.expires_in is None:
        return "A token was given; how long it lives was not said."
    return f"A token was given; it lives for {token.expires_in:.0f} s."


def _read_words(service: Service, item: ItemKey | None) -> str:
    """Read the item, or one that nobody has when it is None or no request can carry its ids. Note N1."""
    if item is None or any(refusal(part, name="") for part in (item.supplier, item.supplier_item_id)):
        service.get_visibilities(PROBE)
        return f"The service answered, asked about an item that nobody has ({PROBE.supplier})."
    recipients = service.get_visibilities(item)
    if recipients is None:
        return "The service answered: nothing is recorded for the item."
    return f"The service answered: {many(len(recipients), 'recipient')} can see the item."


def report_ticket(report: ConnectionReport, *, base_url: str) -> Ticket:
    """Return the report for a ticket. Times are in UTC."""
    text = "\n".join(map(one_line, report_lines(report)))
    return Ticket(text, curl_commands(report.calls, base_url=base_url), as_json(asdict(report)))


def report_lines(report: ConnectionReport) -> Iterator[str]:
    """Return the report line by line, the sentence first. Times are in UTC."""
    yield report.judgement.sentence(in_utc)
    if report.judgement.advice:
        yield report.judgement.advice
    yield f"{report.environment}, examined at {in_utc(report.made_at)}"
    yield report.addresses
    width = max(len(step.name) for step in report.steps)
    for step in report.steps:
        yield f"  {_MARKS[step.state]}  {step.name:<{width}}  {step.summary} ({step.duration_ms} ms)"
    yield from _titled("The last hour, in this process:", [_hour_line(hour) for hour in report.last_hour])
    yield from _titled("The last exchanges:", [call_line(call) for call in report.calls])
    older = [call_line(call) for call in report.failures if call not in report.calls]
    yield from _titled("Failures before them:", older)


def time_words(seconds: float) -> str:
    """Return a duration in words, in milliseconds below a second."""
    if not isfinite(seconds):
        return "over a minute"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _titled(title: str, lines: list[str]) -> list[str]:
    return ["", title, *(f"  {line}" for line in lines)] if lines else []


def _hour_line(hour: OperationHour) -> str:
    half, most, nearly_all = map(time_words, hour.within_s)
    return (
        f"{hour.operation}: {hour.count} calls, {hour.failed} failed; "
        f"50 % within {half}, 95 % within {most}, 99 % within {nearly_all}"
    )
