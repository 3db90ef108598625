"""The connection report: us or them in a sentence, the steps behind it, and the exchanges of late."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.desk.connection.call_watch import CallWatch, OperationHour
from item_visibility.desk.connection.examination import CheckStep, Examination, Service, StepState
from item_visibility.desk.connection.us_or_them import Judgement, Situation, judge
from item_visibility.desk.redaction import redactor_for
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.fallback import or_else
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReport:
    """Everything that was tried, and what is known of the connection. It contains no secret and no token.

    Attributes:
        judgement: us or them, in one sentence.
        steps: what was tried, in order.
        has_answered: True when the service was asked in this very check, and answered.
        last_hour: the requests of the last hour in this process, by operation.
        calls: the last requests, the newest first.
        failures: the last requests that failed, the newest first.
    """

    environment: str
    made_at: datetime
    judgement: Judgement
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
    """Tells whether it is us or them. `clock` gives aware UTC times, `timer` counts seconds.

    `address_before` tells of an earlier address; `check_jobs` raises RecordsError when no job can run.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        environment: Environment,
        *,
        service: Service,
        records: ServiceRecords,
        watch: CallWatch,
        doorkeeper: Doorkeeper,
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
        self._doorkeeper = doorkeeper
        self._address_before = address_before
        self._check_jobs = check_jobs
        self._showcase = showcase
        self._clock = clock
        self._timer = timer

    def glance(self) -> Judgement:
        """Return us or them from the calls of late; nothing is asked. Raises SignInError and RoleError."""
        self._doorkeeper.admit(Role.VIEWER)
        return judge(Situation(calls=self._watch.recent_calls))

    def examine(self, item: ItemKey | None) -> ConnectionReport:
        """Check step by step what works between here and the service. A failure is a step, not an error.

        Reads one item: `item`, else the one used last, else the one that a demo opens with, else one that
        nobody has. So the service is always asked. Raises SignInError and RoleError.
        """
        self._doorkeeper.admit(Role.VIEWER)
        tried = Examination(timer=self._timer)
        environment = self._environment
        addresses = f"Service {environment.base_url}, tokens from {environment.auth_url}."
        tried.note("Addresses", f"{addresses}{self._address_before()}")
        tried.try_service(self._service, item or self._some_item())
        asked_at = self._clock()
        database_error = tried.attempt("Own database", self._database_words)
        situation = Situation(
            calls=self._watch.recent_calls,
            has_answered=tried.has_answered,
            error=tried.error,
            asked_at=asked_at,
            is_database_well=database_error is None,
        )
        report = ConnectionReport(
            environment=environment.name,
            made_at=self._clock(),
            judgement=judge(situation),
            steps=tuple(tried.steps),
            has_answered=tried.has_answered,
            last_hour=self._watch.last_hour,
            calls=self._watch.last_calls,
            failures=self._watch.last_failures,
        )
        return redactor_for(environment.credentials).value(report)

    def _some_item(self) -> ItemKey | None:
        return or_else(None, self._records.recents.newest) or self._showcase

    def _database_words(self) -> str:
        open_saves = len(self._records.history.unsettled())
        self._records.check_writing()
        self._check_jobs()
        return f"It answers; open saves: {open_saves}." if open_saves else "It answers; no save is open."
