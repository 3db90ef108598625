"""Opens the desk of an environment: creates its parts and connects them."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from item_visibility.access.access import Access
from item_visibility.access.people import Person, machine_user
from item_visibility.bootstrap.demo import (
    SHOWN_FIRST,
    put_invented_names,
    put_past,
    start_demo,
)
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
from item_visibility.saving.item_reader import ItemReader
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import SaveWorker
from item_visibility.saving.settle_interrupted import InterruptedSaves
from item_visibility.settings import Environment, Settings, make_folder, sqlite_url
from item_visibility.storage.database import queue_url
from item_visibility.storage.open_records import open_records, open_records_or_unusable
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.storage.sign_outs import SignOuts
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.coverage import ScanDesk
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames
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
    environment, metrics = settings.environment(environment_name), metrics or Metrics()
    closing = ExitStack()  # closes the parts in the reverse order
    with ExitStack() as on_failure:
        on_failure.callback(closing.close)
        if environment.is_demo or settings.database_url.startswith(
            sqlite_url(settings.data_folder)
        ):
            make_folder(settings.data_folder)
        embedded = None
        if environment.is_demo:
            embedded = start_demo(settings.data_folder, closing)
            environment = replace(
                environment, base_url=embedded.base_url, auth_url=embedded.auth_url
            )
        open_database = open_records_or_unusable if use is Use.EXAMINE else open_records
        database = open_database(settings.database_url)
        closing.callback(database.close)
        access = Access(
            person, clock=utc_now, sign_outs=SignOuts(database), is_shown=is_shown
        )
        records = ServiceRecords(
            database, service=environment.service, environment=environment.name
        )
        if embedded is not None:
            put_invented_names(records.directory)
        watch = CallWatch(utc_now)

        def observe(call: CallRecord) -> None:
            watch.observe(call)
            metrics.count_call(environment.name, call)

        open_client = partial(_open_client, environment, closing, observe)

        def open_engine(width: int) -> Engine:
            is_closing = threading.Event()
            engine = Engine(
                open_client(is_closing, width),
                width,
                clock=utc_now,
                stopping=is_closing,
            )
            closing.callback(engine.close)
            return engine

        stopping = threading.Event()
        sleep = interruptible_sleep(stopping)
        client = open_client(stopping)
        saver = Saver(client, records.history, clock=utc_now, sleep=sleep)
        followers = (KnownNames(records.directory).update_after_save,)
        interrupted_saves = InterruptedSaves(
            saver,
            records.history,
            database.locks,
            environment.service,
            sleep,
            followers,
        )
        count_save = partial(metrics.count_save, environment.name)
        worker = SaveWorker(
            saver,
            interrupted_saves.holding,
            clock=utc_now,
            followers=(*followers, count_save),
        )
        closing.callback(worker.close, cut=partial(_cut, client, stopping))
        closing.callback(interrupted_saves.stop)
        width = environment.concurrency
        engine = open_engine(width)
        jobs_sleep = interruptible_sleep(engine.stopping)
        job_saver = Saver(
            engine.service,
            records.history,
            clock=utc_now,
            sleep=jobs_sleep,
            calls_at_once=width,
        )
        runner = JobRunner(
            engine=engine,
            store=records.jobs,
            saver=job_saver,
            hold=interrupted_saves.holding,
        )
        name, url = (
            f"bulk {environment.service} {environment.name}",
            queue_url(settings.database_url),
        )
        dispatcher = (
            CommandWorker(runner)
            if use in {Use.COMMAND, Use.LOOK}
            else JobDispatcher(
                runner,
                open_queue=partial(_open_queue, name, runner, url),
                check=database.check_queue,
            )
        )
        closing.callback(dispatcher.close)
        # previews, scans and exports read outside the queue: docs/decisions/dbos.md
        # explains why
        reading, scanning = (
            open_engine(width),
            open_engine(min(SCAN_READS_AT_ONCE, width)),
        )
        desk = Desk(
            environment=environment,
            reader=ItemReader(client, records, clock=utc_now),
            worker=worker,
            settle_saves=interrupted_saves.settle,
            bulk=BulkDesk(
                environment,
                engine=reading,
                records=records,
                dispatcher=dispatcher,
                access=access,
            ),
            scans=ScanDesk(engine=scanning, records=records, access=access),
            watch=watch,
            access=access,
            close=closing.close,
            demo_controls=None
            if embedded is None
            else DemoControls(embedded.service, access),
            showcase=None if embedded is None else SHOWN_FIRST,
        )
        if use in {Use.WORK, Use.COMMAND}:
            _begin_work(environment, records, interrupted_saves, dispatcher)
        on_failure.pop_all()
    return desk


def _open_client(
    environment: Environment,
    closing: ExitStack,
    on_call: Observer,
    stopping: threading.Event,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client.

    Once `stopping` is set, the client no longer waits before a retry.
    """
    client = VisibilityClient(
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
    closing.callback(client.close)
    return client


def _cut(client: VisibilityClient, stopping: threading.Event) -> None:
    stopping.set()
    client.close()


def _open_queue(name: str, runner: JobRunner, url: str) -> "WorkQueue":
    # Loading DBOS takes half a second.
    from item_visibility.jobs.work_queue import WorkQueue  # noqa: PLC0415

    return WorkQueue(name, runner, url=url)


def _begin_work(
    environment: Environment,
    records: ServiceRecords,
    interrupted_saves: InterruptedSaves,
    dispatcher: JobDispatcher | CommandWorker,
) -> None:
    if environment.is_demo and not environment.is_read_only:
        with (
            ExitStack() as closing
        ):  # before `interrupted_saves` starts, which would settle these saves
            put_past(
                records, _open_client(environment, closing, ignore, threading.Event())
            )
    interrupted_saves.start()
    if isinstance(dispatcher, JobDispatcher) and not environment.is_read_only:
        dispatcher.start()
        try:
            dispatcher.check()
        except RecordsError as error:
            logger.warning("%s %s", error.message, error.advice)
