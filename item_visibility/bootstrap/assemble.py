"""Connects the parts of a desk. It opens nothing, and starts nothing.

`open_desk` passes real resources, and the tests pass fakes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.access.access import Access
from item_visibility.access.people import Person
from item_visibility.client.client import VisibilityClient
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.command_worker import CommandWorker
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine
from item_visibility.saving.item_reader import ItemReader
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import Follower, SaveWorker
from item_visibility.saving.send_and_verify import CALLS_AT_ONCE
from item_visibility.saving.settle_interrupted import InterruptedSaves
from item_visibility.settings import Environment
from item_visibility.storage.database import Database
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.storage.sign_outs import SignOuts
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.coverage import ScanDesk
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames
from item_visibility.use_cases.recent_calls import CallWatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a desk is assembled from.

    `clock` returns aware UTC times; `sleep` takes seconds. `person` and `is_shown` are
    described in `Access`.
    """

    environment: Environment
    database: Database
    client: VisibilityClient
    """Reads and saves single items."""
    applying: Engine
    """Applies jobs."""
    reading: Engine
    """Reads items for previews and exports.

    It does not wait for a job, and is not part of the work queue:
    docs/decisions/dbos.md explains why.
    """
    scanning: Engine
    """Reads items for scans."""
    open_dispatcher: Callable[[JobRunner], JobDispatcher | CommandWorker]
    watch: CallWatch
    person: Callable[[], Person]
    is_shown: Callable[[], bool]
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    close: Callable[[], None]
    """Closes the desk and its resources."""
    followers: tuple[Follower, ...] = ()
    """Called after each save of a single item."""
    calls_at_once: int = CALLS_AT_ONCE
    """The saves of single items change at most this many recipients at once."""


def assemble(parts: Parts) -> Desk:
    """Return a desk with these parts."""
    environment = parts.environment
    database = parts.database
    records = ServiceRecords(
        database, service=environment.service, environment=environment.name
    )
    access = Access(
        parts.person,
        clock=parts.clock,
        sign_outs=SignOuts(database),
        is_shown=parts.is_shown,
    )

    # Saves of single items.
    saver = Saver(
        parts.client,
        records.history,
        clock=parts.clock,
        sleep=parts.sleep,
        calls_at_once=parts.calls_at_once,
    )
    update_names = KnownNames(records.directory).update_after_save
    interrupted_saves = InterruptedSaves(
        saver,
        records.history,
        database.locks,
        environment.service,
        parts.sleep,
        followers=(update_names,),
    )
    worker = SaveWorker(
        saver,
        interrupted_saves.holding,
        clock=parts.clock,
        followers=(update_names, *parts.followers),
    )

    # Jobs.
    runner = JobRunner(
        engine=parts.applying,
        store=records.jobs,
        saver=Saver(
            parts.applying.service,
            records.history,
            clock=parts.clock,
            sleep=parts.applying.sleep,
            calls_at_once=parts.applying.width,
        ),
        hold=interrupted_saves.holding,
    )
    bulk = BulkDesk(
        environment,
        engine=parts.reading,
        records=records,
        dispatcher=parts.open_dispatcher(runner),
        access=access,
    )

    return Desk(
        environment=environment,
        reader=ItemReader(parts.client, records, clock=parts.clock),
        worker=worker,
        interrupted_saves=interrupted_saves,
        bulk=bulk,
        scans=ScanDesk(engine=parts.scanning, records=records, access=access),
        watch=parts.watch,
        access=access,
        close=parts.close,
    )
