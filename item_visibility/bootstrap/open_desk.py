"""Opens the desk of an environment: database, clients, and the service of a demo.

Everything that is opened here is closed with the desk.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from item_visibility.access.people import Person, machine_user
from item_visibility.bootstrap.assemble import Parts, assemble
from item_visibility.bootstrap.demo import put_past, set_up_demo, start_demo
from item_visibility.bootstrap.metrics import Metrics
from item_visibility.client.call_records import CallRecord, Observer, ignore
from item_visibility.client.client import VisibilityClient
from item_visibility.client.http_calls import utc_now
from item_visibility.client.network import MAX_CONNECTIONS
from item_visibility.errors import RecordsError
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.command_worker import CommandWorker
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine, interruptible_sleep
from item_visibility.settings import Environment, Settings, make_folder, sqlite_url
from item_visibility.storage.database import Database, queue_url
from item_visibility.storage.open_records import open_records, open_records_or_unusable
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.recent_calls import CallWatch

if TYPE_CHECKING:
    from item_visibility.jobs.work_queue import WorkQueue

SCAN_READS_AT_ONCE = 8
"""All scans together read at most this many items at the same time."""

logger = logging.getLogger(__name__)


class Use(Enum):
    """The purpose for which a desk is opened."""

    WORK = auto()
    """For a dashboard.

    Jobs of the Bulk page continue; interrupted saves are settled in the background.
    """
    COMMAND = auto()
    """For a command that changes items.

    It applies only its own jobs. Interrupted saves are settled.
    """
    LOOK = auto()
    """For a command that only reads. Jobs and interrupted saves are left alone."""
    EXAMINE = auto()
    """For checking the connection, even while our own database cannot be used."""


def open_desk(  # noqa: PLR0913  (each decides how a desk is used)
    settings: Settings,
    environment_name: str | None = None,
    *,
    person: Callable[[], Person] = machine_user,
    is_shown: Callable[[], bool] = lambda: True,
    metrics: Metrics | None = None,
    use: Use = Use.WORK,
) -> Desk:
    """Open the desk of an environment, by default the first. Close the desk after use.

    `person` returns the current user, or raises SignInError. `is_shown` returns True if
    the current window shows this environment; otherwise every change is refused.
    Opening raises SettingsError, and also RecordsError if our own database cannot be
    used.
    """
    environment = settings.environment(environment_name)
    metrics = metrics or Metrics()
    at_close = ExitStack()  # closes in the reverse order
    with ExitStack() as on_failure:
        on_failure.callback(at_close.close)

        # Start the service of a demo, and open the database.
        if environment.is_demo or settings.database_url.startswith(
            sqlite_url(settings.data_folder)
        ):
            make_folder(settings.data_folder)
        embedded = None
        if environment.is_demo:
            embedded = start_demo(settings.data_folder, at_close)
            environment = replace(
                environment, base_url=embedded.base_url, auth_url=embedded.auth_url
            )
        open_database = open_records_or_unusable if use is Use.EXAMINE else open_records
        database = open_database(settings.database_url)
        at_close.callback(database.close)

        # Open the clients. Each engine has its own, so that none waits for another.
        watch = CallWatch(utc_now)
        observe = _observer(environment, watch, metrics)
        stopping = threading.Event()
        client = _open_client(environment, observe, stopping)
        at_close.callback(client.close)
        width = environment.concurrency
        applying = _open_engine(environment, observe, width)
        reading = _open_engine(environment, observe, width)
        scanning = _open_engine(environment, observe, min(SCAN_READS_AT_ONCE, width))

        # Connect all parts.
        desk = assemble(
            Parts(
                environment=environment,
                database=database,
                client=client,
                applying=applying,
                reading=reading,
                scanning=scanning,
                open_dispatcher=partial(
                    _open_dispatcher, use, environment, database, settings.database_url
                ),
                watch=watch,
                person=person,
                is_shown=is_shown,
                clock=utc_now,
                sleep=interruptible_sleep(stopping),
                close=at_close.close,
                followers=(partial(metrics.count_save, environment.name),),
            )
        )

        # At the end, stop the work first: scans, previews, jobs, then saves.
        at_close.callback(desk.worker.close, cut=partial(_cut, client, stopping))
        at_close.callback(desk.interrupted_saves.stop)
        at_close.callback(_close_engine, applying)
        at_close.callback(desk.bulk.dispatcher.close)
        at_close.callback(_close_engine, reading)
        at_close.callback(_close_engine, scanning)

        if embedded is not None:
            set_up_demo(desk, embedded)
        if use in {Use.WORK, Use.COMMAND}:
            _begin_work(desk)
        on_failure.pop_all()
    return desk


def _observer(
    environment: Environment, watch: CallWatch, metrics: Metrics
) -> Callable[[CallRecord], None]:
    def observe(call: CallRecord) -> None:
        watch.observe(call)
        metrics.count_call(environment.name, call)

    return observe


def _open_client(
    environment: Environment,
    on_call: Observer,
    stopping: threading.Event,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client.

    Once `stopping` is set, the client no longer waits before a retry.
    """
    return VisibilityClient(
        environment.base_url,
        environment.auth_url,
        environment.credentials.client_id,
        environment.credentials.client_secret,
        route=environment.route,
        on_call=on_call,
        on_token=environment.credentials.tokens.append,
        sleep=interruptible_sleep(stopping),
        max_connections=max_connections,
    )


def _cut(client: VisibilityClient, stopping: threading.Event) -> None:
    stopping.set()
    client.close()


def _open_engine(environment: Environment, on_call: Observer, width: int) -> Engine:
    """Return an engine with a client of its own."""
    stopping = threading.Event()
    client = _open_client(environment, on_call, stopping, width)
    return Engine(client, width, clock=utc_now, stopping=stopping)


def _close_engine(engine: Engine) -> None:
    engine.close()
    engine.service.close()


def _open_dispatcher(
    use: Use,
    environment: Environment,
    database: Database,
    database_url: str,
    runner: JobRunner,
) -> JobDispatcher | CommandWorker:
    if use in {Use.COMMAND, Use.LOOK}:
        return CommandWorker(runner)
    name = f"bulk {environment.service} {environment.name}"
    url = queue_url(database_url)
    return JobDispatcher(
        runner,
        open_queue=partial(_open_queue, name, runner, url),
        check=database.check_queue,
    )


def _open_queue(name: str, runner: JobRunner, url: str) -> "WorkQueue":
    # Loading DBOS takes half a second.
    from item_visibility.jobs.work_queue import WorkQueue  # noqa: PLC0415

    return WorkQueue(name, runner, url=url)


def _begin_work(desk: Desk) -> None:
    environment = desk.environment
    if environment.is_demo and not environment.is_read_only:
        # Put the past before `interrupted_saves` starts, which would settle its saves.
        with closing(_open_client(environment, ignore, threading.Event())) as client:
            put_past(desk.records, client)
    desk.interrupted_saves.start()

    dispatcher = desk.bulk.dispatcher
    if isinstance(dispatcher, JobDispatcher) and not environment.is_read_only:
        dispatcher.start()
        try:
            dispatcher.check()
        except RecordsError as error:
            logger.warning("%s %s", error.message, error.advice)
