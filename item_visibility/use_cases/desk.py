"""The entry point of the use cases: reads and saves one item, and leads to all others.

There is one desk per environment. All sessions of the process share it, and its methods
are thread-safe.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from item_visibility.access.access import Access
from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Role
from item_visibility.client.call_records import collected
from item_visibility.client.identifiers import ItemKey, check_addressable
from item_visibility.errors import NotPossibleError
from item_visibility.model.change import ChangeRequest
from item_visibility.model.read_item import ReadItem, SeenItem
from item_visibility.saving.item_reader import ItemReader
from item_visibility.saving.save_worker import SaveStatus, SaveWorker
from item_visibility.saving.settle_interrupted import InterruptedSaves
from item_visibility.settings import Environment
from item_visibility.storage.database_errors import or_else
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.coverage import ScanDesk
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.directory import DirectoryDesk, SetDesk
from item_visibility.use_cases.find_by_name import KnownNames
from item_visibility.use_cases.history import status_of
from item_visibility.use_cases.recent_calls import CallWatch
from item_visibility.use_cases.redaction import redactor_for
from item_visibility.use_cases.undo import Undo, undo_request

RECENT_ITEMS = 8
"""At most this many recent items are offered."""
_OPENED_ITEMS = 50
"""Recent items are taken from the last 50 items that a person opened.

Unknown items are left out.
"""
_INTERRUPTED_SHOWN = timedelta(days=1)


@dataclass(eq=False, repr=False, kw_only=True)
class Desk:
    """All use cases of one environment.

    `showcase` is the first item that a demo shows. `reader`, `worker` and
    `interrupted_saves` do not check the role. `close` waits for running saves and then
    closes everything. It may be called twice.
    """

    environment: Environment
    reader: ItemReader
    worker: SaveWorker
    interrupted_saves: InterruptedSaves
    bulk: BulkDesk
    scans: ScanDesk
    watch: CallWatch
    access: Access
    close: Callable[[], None]
    demo_controls: DemoControls | None = None
    showcase: ItemKey | None = None

    def __post_init__(self) -> None:
        self.records = self.reader.records
        self.clock = self.reader.clock
        self.service = self.reader.service
        self.names = KnownNames(self.records.directory)
        self.directory = DirectoryDesk(
            self.records.directory, self.access, self.environment
        )
        self.sets = SetDesk(
            self.records,
            access=self.access,
            clock=self.clock,
            environment=self.environment,
        )

    @property
    def is_locked(self) -> bool:
        """True when the current user cannot change anything here."""
        return self.environment.is_read_only or not self.access.allows(Role.EDITOR)

    @property
    def demo(self) -> DemoControls | None:
        """The controls of the bundled service.

        They change items, so only an admin of a demo has them.
        """
        if self.environment.is_read_only or not self.access.allows(Role.ADMIN):
            return None
        return self.demo_controls

    def save(self, request: ChangeRequest) -> SaveStatus:
        """Start the save in the background, for the current user.

        Each request key is saved only once.

        Raises SignInError, RoleError, ReadOnlyError, OtherEnvironmentError,
        IdentifierError and, after `close`, RecordsError. All other errors are in the
        result of the save.
        """
        # The request is the current user's, whoever made it.
        person = self.access.require(Role.EDITOR)
        redactor = redactor_for(self.environment.credentials)
        request = replace(
            request,
            person=person.name,
            person_key=person.key,
            role=person.role,
            reason=request.reason and redactor.text(request.reason),
        )

        # Refuse what must not be saved.
        self.environment.refuse_change_of(request.environment)
        self.environment.refuse_when_read_only()
        check_addressable(request.item.supplier, name="supplier")
        check_addressable(request.item.supplier_item_id, name="item")

        log_access(Event.CHANGE, person, item_count=1, request_id=request.key)
        return self.worker.submit(request)

    def read(self, item: ItemKey) -> ReadItem:
        """Read which recipients can see the item, and store the list.

        Raises SignInError, RoleError, IdentifierError, TokenError and CallError.
        """
        person = self.access.require(Role.VIEWER)
        with collected() as calls:
            read = self.reader.read(item)
        request_id = calls[-1].request_id if calls else ""
        log_access(Event.READ, person, item_count=1, request_id=request_id)
        return read

    def settle(self, item: ItemKey) -> bool:
        """Find out how an interrupted save of this item ended, by reading the item.

        Call this before `read`.

        Reads nothing and returns True while a save of the item is under way in this or
        another process.
        """
        self.access.require(Role.VIEWER)
        status = self.worker.latest(item)
        if status is not None and status.result is None:
            return True
        return bool(or_else(None, lambda: self.interrupted_saves.settle(item)))

    def undo(self, key: str, reading: ReadItem) -> Undo:
        """Return the request that undoes a recorded save.

        Raises NotPossibleError and RecordsError.
        """
        entry = self.records.history.entry(key)
        if entry is None:
            raise NotPossibleError(
                "This change is no longer in the history, so it cannot be undone.",
                advice="Change the recipients by hand.",
            )
        undo = undo_request(self.records.history, entry, reading)
        request = replace(undo.request, environment=self.environment.name)
        return replace(undo, request=request)

    def save_status(self, key: str) -> SaveStatus | None:
        """Return the status of a running or recorded save, or None."""
        status = self.worker.status(key)
        if status is not None:
            return status
        entry = or_else(None, lambda: self.records.history.entry(key))
        return None if entry is None else status_of(entry)

    def interrupted_save(self, item: ItemKey) -> SaveStatus | None:
        """Return the status of the item's newest save if it was interrupted.

        Return None if that was more than a day ago.
        """
        entry = or_else(None, lambda: self.records.history.latest(item))
        if entry is None or not entry.was_settled_later:
            return None
        if self.clock() - entry.started_at >= _INTERRUPTED_SHOWN:
            return None
        return status_of(entry)

    def items_of(self, supplier: str) -> tuple[SeenItem, ...]:
        """Return the known items of a supplier, with the lists that were last read.

        Raises RecordsError.
        """
        self.access.require(Role.VIEWER)
        return self.records.seen.all(supplier)

    def recent_items(self) -> tuple[ItemKey, ...]:
        """Return the known items that the current user opened last, newest first."""
        person = self.access.require(Role.VIEWER)
        recents = self.records.recents
        opened = or_else((), lambda: recents.latest(person.key, limit=_OPENED_ITEMS))
        known = self.names.known_items(opened)
        return tuple(item for item in opened if item in known)[:RECENT_ITEMS]

    def remember_use(self, item: ItemKey) -> None:
        """Record that the current user opened the item."""
        person = self.access.require(Role.VIEWER)
        now = self.clock()
        remember = self.records.recents.remember_use
        or_else(None, lambda: remember(person=person.key, item=item, used_at=now))
