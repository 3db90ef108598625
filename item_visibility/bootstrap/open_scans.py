"""Wires the scans: readers with connections of their own, so that no person waits behind them."""

import threading
from contextlib import ExitStack

from item_visibility.access.access import Access
from item_visibility.bootstrap.open_service import open_client
from item_visibility.client.call_records import CallRecord, Observer
from item_visibility.client.client import utc_now
from item_visibility.jobs.runner import interruptible_sleep
from item_visibility.jobs.throttle import Throttle
from item_visibility.scans.people_first import PeopleFirst
from item_visibility.scans.scan_reader import READS_AT_ONCE, ScanReader
from item_visibility.scans.scan_runs import ScanRuns
from item_visibility.settings.settings import Environment
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.coverage.scan_desk import ScanDesk
from item_visibility.use_cases.item_reader import ItemReader


def open_scans(
    environment: Environment,
    records: ServiceRecords,
    *,
    on_call: Observer,
    access: Access,
    closing: ExitStack,
) -> ScanDesk:
    """Return the scans of an environment."""
    throttle = Throttle(min(READS_AT_ONCE, environment.concurrency))
    stopping = threading.Event()

    def observe(call: CallRecord) -> None:
        on_call(call)
        throttle.observe(call)

    client = open_client(
        environment,
        closing,
        on_call=observe,
        sleep=interruptible_sleep(stopping),
        max_connections=throttle.capacity,
    )
    items = ItemReader(client, records, clock=utc_now)
    people = PeopleFirst()
    reader = ScanReader(
        records.scans, client, keep=items.keep_scanned, throttle=throttle, people=people, clock=utc_now
    )
    runs = ScanRuns(records.scans, reader, clock=utc_now)
    closing.callback(runs.close)
    closing.callback(stopping.set)
    return ScanDesk(runs, people=people, access=access)
