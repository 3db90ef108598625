"""Wires jobs, previews, exports and scans: what works through many items, with its own connections."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from item_visibility.access.access import Access
from item_visibility.bootstrap.open_service import open_client
from item_visibility.client.call_records import CallRecord, Observer
from item_visibility.client.client import VisibilityClient, utc_now
from item_visibility.jobs.dispatcher import JobDispatcher, JobRunner
from item_visibility.jobs.engine import Engine, interruptible_sleep
from item_visibility.jobs.item_saver import Tools
from item_visibility.jobs.reading import PreviewTask
from item_visibility.jobs.throttle import PeopleFirst, Throttle
from item_visibility.lists.damage import find_damage
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.save import Saver
from item_visibility.settings.settings import Environment
from item_visibility.storage.directory import Kind
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.bulk.jobs import BulkDesk
from item_visibility.use_cases.bulk.lists import ListReader
from item_visibility.use_cases.coverage import ScanDesk
from item_visibility.use_cases.exports import ExportDesk
from item_visibility.use_cases.item_reader import ItemReader
from item_visibility.use_cases.known_names import KnownNames

if TYPE_CHECKING:
    from item_visibility.jobs.work_queue import WorkQueue

SCAN_READS_AT_ONCE = 8
"""The limit of reads at the same time, of all scans together."""


def open_bulk(  # noqa: PLR0913  (one argument a collaborator)
    environment: Environment,
    records: ServiceRecords,
    *,
    dispatcher: JobDispatcher,
    on_call: Observer,
    access: Access,
    closing: ExitStack,
) -> tuple[BulkDesk, ExportDesk]:
    """Return the desks for many items. They read outside the queue: docs/decisions/dbos.md says why."""
    engine, client = _open_reading(environment, environment.concurrency, on_call=on_call, closing=closing)
    items = ItemReader(client, records, clock=utc_now)
    bulk = BulkDesk(
        environment,
        store=records.jobs,
        history=records.search,
        engine=engine,
        preview=lambda key: PreviewTask(key, records.jobs, client, remember=items.keep, clock=utc_now),
        dispatcher=dispatcher,
        lists=ListReader(partial(find_damage, known=KnownNames(records.directory))),
        access=access,
        clock=utc_now,
        names=KnownNames(records.directory),
    )
    exports = ExportDesk(
        known=records.directory[Kind.ITEM],
        engine=engine,
        service=client,
        remember=items.keep,
        access=access,
        clock=utc_now,
    )
    return bulk, exports


def open_scans(
    environment: Environment,
    records: ServiceRecords,
    *,
    on_call: Observer,
    access: Access,
    closing: ExitStack,
) -> ScanDesk:
    """Return the scans of an environment."""
    people = PeopleFirst()
    width = min(SCAN_READS_AT_ONCE, environment.concurrency)
    engine, client = _open_reading(
        environment, width, on_call=on_call, closing=closing, give_way=people.give_way
    )
    items = ItemReader(client, records, clock=utc_now)
    return ScanDesk(
        records, engine, client, remember=items.keep_scanned, people=people, access=access, clock=utc_now
    )


def open_dispatcher(  # noqa: PLR0913  (one argument a collaborator)
    environment: Environment,
    records: ServiceRecords,
    *,
    queue_url: str,
    check_queue: Callable[[], None],
    locks: ItemLocks,
    on_call: Observer,
    closing: ExitStack,
) -> JobDispatcher:
    """Return a dispatcher, which works on jobs once it is started."""
    stopping = threading.Event()
    throttle = Throttle(environment.concurrency)
    client = _open_client(environment, throttle, stopping, on_call=on_call, closing=closing)
    sleep = interruptible_sleep(stopping)
    saver = Saver(client, records.history, clock=utc_now, sleep=sleep, calls_at_once=environment.concurrency)
    tools = Tools(store=records.jobs, service=client, saver=saver, history=records.history, locks=locks)
    runner = JobRunner(Engine(client, throttle, clock=utc_now), tools, clock=utc_now, stopping=stopping)

    def open_queue() -> "WorkQueue":
        from item_visibility.jobs.work_queue import WorkQueue  # noqa: PLC0415  (loading DBOS takes half a second)

        return WorkQueue(f"bulk {environment.service} {environment.name}", runner, url=queue_url)

    dispatcher = JobDispatcher(runner, store=records.jobs, open_queue=open_queue, check=check_queue)
    closing.callback(dispatcher.close)
    return dispatcher


def _open_reading(
    environment: Environment,
    width: int,
    *,
    on_call: Observer,
    closing: ExitStack,
    give_way: Callable[[], None] = lambda: None,
) -> tuple[Engine, VisibilityClient]:
    """Return an engine that reads `width` items at once, and its client."""
    stopping, throttle = threading.Event(), Throttle(width)
    client = _open_client(environment, throttle, stopping, on_call=on_call, closing=closing)
    engine = Engine(client, throttle, clock=utc_now, give_way=give_way)
    closing.callback(engine.close)
    closing.callback(stopping.set)
    return engine, client


def _open_client(
    environment: Environment,
    throttle: Throttle,
    stopping: threading.Event,
    *,
    on_call: Observer,
    closing: ExitStack,
) -> VisibilityClient:
    """Return a client whose calls the throttle follows, and whose waits end when work is to stop."""

    def observe(call: CallRecord) -> None:
        on_call(call)
        throttle.observe(call)

    return open_client(
        environment,
        closing,
        on_call=observe,
        sleep=interruptible_sleep(stopping),
        max_connections=throttle.capacity,
    )
