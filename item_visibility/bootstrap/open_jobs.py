"""Wires clients, and jobs, previews, exports and scans, each with connections of its own."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from item_visibility.access.access import Access
from item_visibility.client.call_records import Observer
from item_visibility.client.client import MAX_CONNECTIONS, VisibilityClient, utc_now
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine, interruptible_sleep
from item_visibility.jobs.reading import ItemReader, PeopleFirst
from item_visibility.saving.save import Saver
from item_visibility.saving.writing import HoldItem
from item_visibility.settings.settings import Environment
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.coverage import ScanDesk

if TYPE_CHECKING:
    from item_visibility.jobs.work_queue import WorkQueue

SCAN_READS_AT_ONCE = 8
"""The limit of reads at the same time, of all scans together."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What all parts of a desk share. `on_call` is called after each request; `closing` closes every part."""

    environment: Environment
    records: ServiceRecords
    access: Access
    on_call: Observer
    closing: ExitStack


def open_client(
    environment: Environment,
    closing: ExitStack,
    *,
    on_call: Observer,
    stopping: threading.Event,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client with connections of its own. Its waits end when `stopping` is set."""
    credentials = environment.credentials
    client = VisibilityClient(
        environment.base_url,
        environment.auth_url,
        credentials.client_id,
        credentials.client_secret,
        route=environment.route,
        on_call=on_call,
        known_tokens=credentials.tokens,
        sleep=interruptible_sleep(stopping),
        max_connections=max_connections,
    )
    closing.callback(client.close)
    return client


def open_bulk(parts: Parts, dispatcher: JobDispatcher) -> BulkDesk:
    """Return the bulk jobs. They and exports read outside the queue: docs/decisions/dbos.md says why."""
    environment, access = parts.environment, parts.access
    engine = _open_engine(parts, environment.concurrency)
    reader = ItemReader(engine.service, parts.records, clock=utc_now)
    return BulkDesk(environment, engine=engine, reader=reader, dispatcher=dispatcher, access=access)


def open_scans(parts: Parts) -> ScanDesk:
    """Return the scans of an environment."""
    people = PeopleFirst()
    width = min(SCAN_READS_AT_ONCE, parts.environment.concurrency)
    engine = _open_engine(parts, width, give_way=people.give_way)
    reader = ItemReader(engine.service, parts.records, clock=utc_now)
    return ScanDesk(engine=engine, reader=reader, people=people, access=parts.access)


def open_dispatcher(
    parts: Parts, *, queue_url: str, check_queue: Callable[[], None], hold: HoldItem
) -> JobDispatcher:
    """Return a dispatcher, which works on jobs once it is started."""
    environment, records = parts.environment, parts.records
    width = environment.concurrency
    engine = _open_engine(parts, width)
    sleep = interruptible_sleep(engine.stopping)
    saver = Saver(engine.service, records.history, clock=utc_now, sleep=sleep, calls_at_once=width)
    runner = JobRunner(engine=engine, store=records.jobs, saver=saver, hold=hold)

    def open_queue() -> "WorkQueue":
        from item_visibility.jobs.work_queue import WorkQueue  # noqa: PLC0415  (loading DBOS takes half a second)

        return WorkQueue(f"bulk {environment.service} {environment.name}", runner, url=queue_url)

    dispatcher = JobDispatcher(runner, open_queue=open_queue, check=check_queue)
    parts.closing.callback(dispatcher.close)
    return dispatcher


def _open_engine(parts: Parts, width: int, *, give_way: Callable[[], None] = lambda: None) -> Engine:
    """Return an engine that works on `width` items at once, with a client of its own."""
    stopping = threading.Event()
    client = open_client(
        parts.environment, parts.closing, on_call=parts.on_call, stopping=stopping, max_connections=width
    )
    engine = Engine(client, width, clock=utc_now, stopping=stopping, give_way=give_way)
    parts.closing.callback(engine.close)
    return engine
