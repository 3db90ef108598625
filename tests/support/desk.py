"""A desk on a recording fake, with its own database and a fake job dispatcher.

    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        status = kit.save(a_request(ITEM, add={"C"}))

Afterwards, a test checks the calls (`kit.fake.writes`) and the fake's state
(`kit.fake.recipients_of`).
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import NullPool, create_engine, inspect

from item_visibility.access.access import Access
from item_visibility.access.people import Person, Role
from item_visibility.bootstrap.assemble import Parts, assemble
from item_visibility.client import operations
from item_visibility.client.call_records import CallRecord, ignore, observe
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import Operation, item_request, recipient_request
from item_visibility.client.token import AccessToken, ClientCredentials
from item_visibility.errors import ItemVisibilityError, RecordsError, TokenError
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.model.change import ChangeRequest
from item_visibility.model.job import JobOrigin
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.saving.save_worker import SaveStatus, SaveWorker
from item_visibility.settings import Environment
from item_visibility.storage.directory import Directory
from item_visibility.storage.open_records import open_records
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.recent_calls import CallWatch
from tests.support.databases import sqlite_records
from tests.support.fake_visibilities import FakeCall, FakeVisibilities
from tests.support.waiting import WITHIN_S

ITEM = ItemKey("4000001000005", "04012345678901:276")
OTHER_ITEM = ItemKey("4000001000005", "04012345678918:040")
PERSON = "ann"
ANN = Person(subject=PERSON, name=PERSON, role=Role.ADMIN)
TEST_ENVIRONMENT = Environment(
    name="test",
    base_url="https://api.example.com/v1",
    auth_url="https://login.example.com",
    credentials=ClientCredentials("us", "never-shown"),
)
SAVED_WITHIN_S = 60.0
OPERATION_BY_NAME = {
    operation.name: operation
    for operation in vars(operations).values()
    if isinstance(operation, Operation)
}

_Truth = TypeVar("_Truth")


class FakeService(FakeVisibilities):
    """The recording fake with a token endpoint.

    While `token_error` is set, token requests raise it.

    Each call leaves a call record, as calls of the real client do.
    """

    token_error: TokenError | None = None
    expires_in: float | None = 300.0

    def _run(
        self, call: FakeCall, change: Callable[[frozenset[str]], frozenset[str] | None]
    ) -> None:
        error: ItemVisibilityError | None = None
        try:
            super()._run(call, change)
        except ItemVisibilityError as caught:
            error = caught
            raise
        finally:
            observe(self._record_of(call, error), ignore)

    def _record_of(
        self, call: FakeCall, error: ItemVisibilityError | None
    ) -> CallRecord:
        operation = OPERATION_BY_NAME[call.operation]
        base_url = TEST_ENVIRONMENT.base_url
        if call.recipient_id is None:
            request = item_request(operation, base_url, call.item)
        else:
            request = recipient_request(
                operation, base_url, call.item, call.recipient_id
            )
        status = 200 if operation.is_read else 204
        problem = getattr(error, "problem", None)
        if problem is not None:
            status = problem.status
        return CallRecord(
            operation.name,
            status,
            request_id="f00d",
            took_s=0.034,
            method=operation.method,
            path=request.path,
            problem=problem,
            sent_at=self.time.now() - timedelta(milliseconds=34),
        )

    def request_token(self) -> AccessToken:
        if self.token_error is not None:
            raise self.token_error
        return AccessToken(value="never-shown", expires_in=self.expires_in)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskKit:
    """A desk and the parts that it was built from."""

    desk: Desk
    fake: FakeService

    @property
    def runner(self) -> JobRunner:
        return self.desk.bulk.dispatcher.runner

    @property
    def records(self) -> ServiceRecords:
        return self.desk.records

    @property
    def worker(self) -> SaveWorker:
        return self.desk.worker

    @property
    def watch(self) -> CallWatch:
        return self.desk.watch

    @property
    def access(self) -> Access:
        return self.desk.access

    def save(self, request: ChangeRequest) -> SaveStatus:
        return saved_on(self.desk, request)


@contextmanager
def open_kit(  # noqa: PLR0913  (each is a part that some test replaces)
    folder: Path,
    items: Mapping[ItemKey, Iterable[str]] | None = None,
    *,
    environment: Environment = TEST_ENVIRONMENT,
    fake: FakeService | None = None,
    dispatcher: "FakeDispatcher | None" = None,
    database_url: str = "",
    person: Callable[[], Person] = lambda: ANN,
    is_shown: Callable[[], bool] = lambda: True,
) -> Iterator[DeskKit]:
    """Open a desk on these items, with its records in `folder`.

    Opening a folder again acts as a restart.

    With `database_url`, the records are in that database instead.
    """
    fake = fake or FakeService(items)
    hands = fake.time
    dispatcher = dispatcher or FakeDispatcher()

    def pause(_event: threading.Event, delay_s: float) -> None:
        hands.sleep(delay_s)

    with ExitStack() as on_close:
        url = database_url or sqlite_records(folder / "records.sqlite")
        database = open_records(url)
        on_close.callback(database.close)
        parts = Parts(
            environment=environment,
            database=database,
            client=fake,
            applying=Engine(fake, 1, clock=hands.now, pause=pause),
            reading=Engine(fake, 8, clock=hands.now, pause=pause),
            scanning=Engine(fake, 8, clock=hands.now),
            open_dispatcher=dispatcher.work_for,
            watch=CallWatch(hands.now),
            person=person,
            is_shown=is_shown,
            clock=hands.now,
            sleep=hands.sleep,
            close=on_close.close,
            calls_at_once=1,
        )
        desk = assemble(parts)
        on_close.callback(desk.worker.close)
        on_close.callback(parts.reading.close)
        on_close.callback(parts.scanning.close)
        yield DeskKit(desk=desk, fake=fake)


def saved_on(desk: Desk, request: ChangeRequest) -> SaveStatus:
    """Save the request in the environment of the desk, and wait until the end."""
    desk.save(replace(request, environment=desk.environment.name))
    return wait_until(lambda: _ended(desk.save_status(request.key), request.key))


def ended_save(worker: SaveWorker, key: str) -> SaveStatus:
    return wait_until(lambda: _ended(worker.status(key), key))


def wait_until(condition: Callable[[], _Truth | None]) -> _Truth:
    """Wait until the condition returns something true, and return that.

    Fail after a timeout.
    """
    ends_at = time.monotonic() + SAVED_WITHIN_S
    while time.monotonic() < ends_at:
        truth = condition()
        if truth:
            return truth
        time.sleep(0.01)
    raise AssertionError("the condition did not become true in time")


def _ended(status: SaveStatus | None, key: str) -> SaveStatus | None:
    is_it = (
        status is not None and status.request.key == key and status.result is not None
    )
    return status if is_it else None


def break_records(folder: Path) -> None:
    url = sqlite_records(folder / "records.sqlite")
    with create_engine(
        url, isolation_level="AUTOCOMMIT", poolclass=NullPool
    ).connect() as connection:
        for name in inspect(connection).get_table_names():
            connection.exec_driver_sql(f'DROP TABLE IF EXISTS "{name}"')


def a_request(  # noqa: PLR0913  (one argument per fact)
    item: ItemKey,
    *,
    key: str = "key-1",
    base: Iterable[str] = (),
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    environment: str = TEST_ENVIRONMENT.name,
) -> ChangeRequest:
    return ChangeRequest(
        key=key,
        item=item,
        base=frozenset(base),
        add=frozenset(add),
        remove=frozenset(remove),
        person=PERSON,
        role=Role.EDITOR,
        environment=environment,
    )


def run_job(runner: JobRunner, key: str) -> None:
    """Run a job until nothing is left to do, as the work queue does."""
    while runner.run_chunk(key):
        pass


class FakeDispatcher:
    """A dispatcher that only stores the keys of jobs, and runs none.

    A test sets its answers.
    """

    trouble = ""
    origin = JobOrigin.BULK_PAGE
    runner: JobRunner

    def __init__(self) -> None:
        self.notified: list[str] = []
        self.working_on = ""
        self.refusal: RecordsError | None = None

    def work_for(self, runner: JobRunner) -> Self:
        self.runner = runner
        return self

    def notify(self, job_key: str) -> None:
        self.notified.append(job_key)

    def is_at_work(self, job_key: str) -> bool:
        return job_key == self.working_on

    def claim(self, job_key: str) -> None:
        """Do nothing: no other process is there."""

    def check(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class ThreadDispatcher(FakeDispatcher):
    """A dispatcher that runs each job in a thread, as soon as it is notified."""

    def __init__(self) -> None:
        super().__init__()
        self._threads: list[threading.Thread] = []

    def notify(self, job_key: str) -> None:
        """Start a thread for the job, and return at once."""
        thread = threading.Thread(
            target=run_job, args=(self.runner, job_key), daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def is_at_work(self, job_key: str) -> bool:
        return self.runner.engine.is_at_work(job_key)

    def close(self) -> None:
        """Start no more items, and wait for running jobs."""
        self.runner.engine.stop_all()
        self.wait()

    def wait(self) -> None:
        for thread in self._threads:
            thread.join(WITHIN_S)


def put_names(
    directory: Directory,
    *,
    suppliers: Iterable[tuple[str, str]] = (),
    items: Iterable[tuple[ItemKey, str, str]] = (),
    recipients: Iterable[tuple[str, str]] = (),
) -> None:
    """Store names of suppliers, items (with market and name) and recipients."""
    directory[Kind.SUPPLIER].put(
        [NameRow((supplier,), name) for supplier, name in suppliers]
    )
    directory[Kind.ITEM].put(
        [
            NameRow((item.supplier, item.supplier_item_id), name, market)
            for item, market, name in items
        ]
    )
    directory[Kind.RECIPIENT].put(
        [NameRow((recipient_id,), name) for recipient_id, name in recipients]
    )
