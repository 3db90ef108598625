"""Wires bulk work: previews, jobs, and the desks that pages and the command line call."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from item_visibility.access.access import Access
from item_visibility.bootstrap.open_service import open_client
from item_visibility.client.call_records import CallRecord, Observer
from item_visibility.client.client import utc_now
from item_visibility.jobs.chunk import Tools
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.item_saver import ItemSaver
from item_visibility.jobs.preview import PreviewReader
from item_visibility.jobs.preview_runs import PreviewRuns
from item_visibility.jobs.runner import JobRunner, interruptible_sleep
from item_visibility.jobs.throttle import Throttle
from item_visibility.lists.damage import find_damage
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.save import Saver
from item_visibility.settings.settings import Environment
from item_visibility.storage.directory import Kind
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.bulk.jobs import BulkDesk
from item_visibility.use_cases.exports import ExportDesk
from item_visibility.use_cases.item_reader import ItemReader
from item_visibility.use_cases.known_names import KnownIdsOfDirectory, KnownNames

if TYPE_CHECKING:
    from item_visibility.jobs.work_queue import WorkQueue


def open_bulk(  # noqa: PLR0913  (one argument a collaborator)
    environment: Environment,
    records: ServiceRecords,
    *,
    dispatcher: JobDispatcher,
    on_call: Observer,
    access: Access,
    closing: ExitStack,
) -> tuple[BulkDesk, ExportDesk]:
    """Return the desks for pages and the command line. Previews and exports have their own connections."""
    client = open_client(environment, closing, on_call=on_call)
    items = ItemReader(client, records, clock=utc_now)
    reader = PreviewReader(
        records.jobs,
        client,
        remember=items.keep,
        clock=utc_now,
        timer=time.monotonic,
        concurrency=environment.concurrency,
    )
    bulk = BulkDesk(
        environment,
        store=records.jobs,
        history=records.search,
        previews=PreviewRuns(records.jobs, reader, clock=utc_now),
        dispatcher=dispatcher,
        find_damage=partial(find_damage, known=KnownIdsOfDirectory(records.directory)),
        access=access,
        clock=utc_now,
        names=KnownNames(records.directory),
    )
    closing.callback(bulk.close)
    return bulk, ExportDesk(known=records.directory[Kind.ITEM], read=items.read, access=access)


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
    """Return a dispatcher, which works on jobs once it is started.

    It has its own connections, so that a save on the item page never waits behind a job.
    """
    stopping = threading.Event()
    throttle = Throttle(environment.concurrency)

    def observe(call: CallRecord) -> None:
        on_call(call)
        throttle.observe(call)

    sleep = interruptible_sleep(stopping)
    client = open_client(
        environment,
        closing,
        on_call=observe,
        sleep=sleep,
        max_connections=environment.concurrency,
    )
    saver = Saver(client, records.history, clock=utc_now, sleep=sleep, calls_at_once=environment.concurrency)
    runner = JobRunner(
        Tools(
            store=records.jobs,
            saver=ItemSaver(saver, records.history),
            locks=locks,
            throttle=throttle,
            clock=utc_now,
            sleep=sleep,
            stopping=stopping,
        )
    )

    def open_queue() -> "WorkQueue":
        from item_visibility.jobs.work_queue import WorkQueue  # noqa: PLC0415  (loading DBOS takes half a second)

        return WorkQueue(f"bulk {environment.service} {environment.name}", runner, url=queue_url)

    dispatcher = JobDispatcher(runner, store=records.jobs, open_queue=open_queue, check=check_queue)
    closing.callback(dispatcher.close)
    return dispatcher
