"""Wires everything: settings in, a desk out. The only module that knows all others."""

import getpass
import logging
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from item_visibility.api.client import VisibilityClient
from item_visibility.api.http.transport import ClosedError, quiet_http_logs
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.saving.locks import ItemLocks, locks_of
from item_visibility.changes.saving.save import Saver
from item_visibility.changes.saving.save_worker import Follower, SaveWorker
from item_visibility.desk.address_change import AddressChange, AddressDesk
from item_visibility.desk.connection_check import CallWatch
from item_visibility.desk.demo import DemoControls, DemoSwitches
from item_visibility.desk.drafts import DraftDesk
from item_visibility.desk.parks import ParkDesk
from item_visibility.desk.sets import SetDesk
from item_visibility.desk.use_cases import Desk, DeskRecords
from item_visibility.errors import RecordsError, SettingsError
from item_visibility.jobs.chunk import StoppedError
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.runner import interruptible_sleep
from item_visibility.patience import SETTLE_AT_CLOSE_S
from item_visibility.records.directory.named_rows import Directory, Kind, NamedRow
from item_visibility.records.ground.connecting import queue_url
from item_visibility.records.ground.private_files import make_private_folder
from item_visibility.records.named_addresses import Addresses
from item_visibility.records.opening import open_records
from item_visibility.settings.values import Environment, Settings, sqlite_url
from item_visibility.wiring.open_bulk import open_bulk, open_dispatcher
from item_visibility.wiring.open_service import open_client, records_of, saver_on, utc_now
from item_visibility_service.embedded import EmbeddedService, start_embedded
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.sample.load import SHOWCASE, load_sample, sample_names
from item_visibility_service.service_settings import ServiceSettings, ServiceSettingsError, Switches
from item_visibility_service.storage.visibility_store import usable_at_start

logger = logging.getLogger(__name__)


def open_desk(settings: Settings, environment_name: str | None = None) -> Desk:
    """Open the desk of one environment, the first one for None. Close it after use.

    Saves that an earlier run of the program left open are settled in the background, and jobs go on. Raises
    SettingsError, and RecordsError when our own database cannot be used.
    """
    desk, settling, dispatcher = _open(settings, environment_name, find_address=Addresses.arrive)
    settling.start()
    if not desk.environment.is_read_only:
        dispatcher.start()
        try:
            dispatcher.check()
        except RecordsError as error:
            logger.warning("%s %s", error.message, error.advice)
    return desk


def open_desk_to_look(settings: Settings, environment_name: str | None = None) -> Desk:
    """Open the same desk to check the connection only. Saves that another process has open are left alone."""
    desk, _, _ = _open(settings, environment_name, find_address=Addresses.look)
    return desk


def person() -> str:
    """Return the name of the operating system's user; "unknown" where there is none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def make_folder(folder: Path) -> None:
    """Create the folder for our own files, and check that it can be written. SettingsError when not."""
    try:
        make_private_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SettingsError(
            f"The folder for this program's own files cannot be written: {folder} ({error.strerror}).",
            advice="Give this user the right to write there, or name another place for the database,"
            " such as ITEM_VISIBILITY_DATABASE_URL=sqlite:////path/to/records.sqlite.",
        ) from None


class Settling:
    """Settles, in a thread, the saves that were begun and never settled. Only reads.

    Once `is_stopped` is set, open saves stay open for the next run.
    """

    def __init__(
        self,
        saver: Saver,
        records: DeskRecords,
        *,
        locks: ItemLocks,
        followers: Iterable[Follower] = (),
        is_stopped: threading.Event,
    ) -> None:
        self._saver = saver
        self._followers = tuple(followers)
        self._records = records
        self._locks = locks
        self._is_stopped = is_stopped
        self._thread = threading.Thread(target=self._settle, name="settle", daemon=True)

    def start(self) -> None:
        """Start, and return at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop settling. Returns when the last read has ended, or after a few seconds."""
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join(SETTLE_AT_CLOSE_S)

    def _settle(self) -> None:
        try:
            with suppress(ClosedError, StoppedError):  # the program ends in the middle of a read
                self._settle_each()
        except RecordsError as error:
            logger.warning("Open saves could not be settled yet: %s", error.message)

    def _settle_each(self) -> None:
        for entry in self._records.history.unsettled():
            if self._is_stopped.is_set():
                return
            with self._locks.holding(entry.item):
                self._settle_one(entry.key)

    def _settle_one(self, key: str) -> None:
        """Settle the save, unless it has ended: another environment at the same service was making it."""
        entry = self._records.history.entry(key)
        if entry is not None and entry.ended_at is None:
            result = self._saver.settle_open(entry)
            for follower in self._followers:
                follower(entry.request, result)


class EmbeddedDemo(DemoControls):
    """The bundled service in this process."""

    def __init__(self, embedded: EmbeddedService) -> None:
        self._service = embedded.service

    def read_switches(self) -> DemoSwitches:
        """Return the current switches."""
        switches = self._service.switches
        return DemoSwitches(**{one.name: getattr(switches, one.name) for one in fields(DemoSwitches)})

    def set_switches(self, switches: DemoSwitches) -> None:
        """Set all switches. They take effect with the next call."""
        self._service.switches = replace(self._service.switches, **asdict(switches))

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient to the item and remove one, as somebody at another screen would."""
        self._service.someone_else_edits(Item(item.supplier, item.supplier_item_id))

    def reset(self) -> None:
        """Restore the sample data and the switches of a new demo."""
        self._service.switches = Switches()
        self._service.store.clear()
        load_sample(self._service.store)


class _FindAddress(Protocol):
    """Finds out whether an environment has a new address. May record the answer or not."""

    def __call__(
        self, addresses: Addresses, environment: str, service: str, /, *, at: datetime
    ) -> AddressChange | None:
        """Return the last address change; None when the address never changed."""


def _open(
    settings: Settings, environment_name: str | None, *, find_address: _FindAddress
) -> tuple[Desk, Settling, JobDispatcher]:
    """Wire a desk, and the parts still to be started. On an error, close what was opened."""
    closing = ExitStack()
    with ExitStack() as on_failure:
        on_failure.callback(closing.close)
        wired = _wire(settings, settings.environment(environment_name), closing, find_address=find_address)
        on_failure.pop_all()
    return wired


def _wire(
    settings: Settings, environment: Environment, closing: ExitStack, *, find_address: _FindAddress
) -> tuple[Desk, Settling, JobDispatcher]:
    """Build the desk with all its parts. `closing` closes each of them, the last one first."""
    quiet_http_logs()
    if environment.is_demo or settings.database_url.startswith(sqlite_url(settings.data_folder)):
        make_folder(settings.data_folder)
    embedded = _start_demo(settings.data_folder, environment, closing) if environment.is_demo else None
    if embedded is not None:
        environment = replace(environment, base_url=embedded.base_url, auth_url=embedded.auth_url)
    database = open_records(settings.database_url)
    closing.callback(database.close)
    records = records_of(database, environment)
    addresses = Addresses(database)
    change = find_address(addresses, environment.name, environment.service, at=utc_now())
    if embedded is not None:
        _put_sample_names(records.directory)
    watch = CallWatch(utc_now)
    stopping = threading.Event()
    sleep = interruptible_sleep(stopping)
    client = open_client(environment, closing, on_call=watch.observe, sleep=sleep)
    drafts = DraftDesk(records.drafts, clock=utc_now)
    parks = ParkDesk(records.parks, records.history, clock=utc_now)
    saver = saver_on(client, records, sleep=sleep)
    followers = (drafts.settle, parks.settle)
    locks = locks_of(environment.service)
    worker = SaveWorker(saver, locks, clock=utc_now, followers=followers)
    closing.callback(worker.close, cut=partial(_cut, client, stopping))
    settling = Settling(saver, records, locks=locks, followers=followers, is_stopped=threading.Event())
    closing.callback(settling.stop)
    dispatcher = open_dispatcher(
        environment,
        records,
        queue_url=queue_url(settings.database_url),
        check_queue=database.check_queue,
        locks=locks,
        on_call=watch.observe,
        closing=closing,
    )
    bulk, exports = open_bulk(
        environment, records, dispatcher=dispatcher, on_call=watch.observe, person=person, closing=closing
    )
    desk = Desk(
        environment,
        service=client,
        worker=worker,
        records=records,
        drafts=drafts,
        parks=parks,
        sets=SetDesk(records.sets, person=person, clock=utc_now),
        bulk=bulk,
        exports=exports,
        address=AddressDesk(change, note_told=partial(addresses.note_told, environment.name)),
        watch=watch,
        person=person,
        clock=utc_now,
        timer=time.monotonic,
        on_close=closing.close,
        demo=None if embedded is None else EmbeddedDemo(embedded),
        showcase=None if embedded is None else ItemKey(*SHOWCASE),
    )
    return desk, settling, dispatcher


def _cut(client: VisibilityClient, stopping: threading.Event) -> None:
    """End the waits between calls at once, and drop the calls that wait for an answer."""
    stopping.set()
    client.close()


def _start_demo(folder: Path, environment: Environment, closing: ExitStack) -> EmbeddedService:
    credentials = environment.credentials
    try:
        embedded = start_embedded(
            ServiceSettings(
                database_url=sqlite_url(folder / "demo-service.sqlite"),
                client_id=credentials.client_id,
                client_secret=credentials.client_secret,
            )
        )
        closing.callback(embedded.stop)
        with usable_at_start():
            load_sample(embedded.service.store)
    except (ServiceSettingsError, OSError) as error:
        raise SettingsError(
            f"The bundled service of the demo could not be started: {error}",
            advice=f"Look at demo-service.sqlite in {folder}; without that file the demo begins afresh.",
        ) from None
    return embedded


def _put_sample_names(directory: Directory) -> None:
    names = sample_names()
    directory[Kind.SUPPLIER].put([NamedRow((supplier,), name) for supplier, name in names.suppliers])
    directory[Kind.ITEM].put(
        [NamedRow((supplier, item), name, market) for supplier, item, name, market in names.items]
    )
    directory[Kind.RECIPIENT].put(
        [NamedRow((recipient_id,), name) for recipient_id, name in names.recipients]
    )
