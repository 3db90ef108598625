"""What a person can do: the use cases. Pages call only this.

One desk serves one environment and all sessions of the process; every method may be called from
any thread. What can be raised stands in `item_visibility.errors`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.identifiers import ItemKey, path_segment
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import ChangeKind, SaveRequest
from item_visibility.changes.worker import SaveStatus, SaveWorker
from item_visibility.check import CheckAnswer, answer_from_error, answer_from_read, answer_incomplete
from item_visibility.connection import CallWatch, ConnectionReport, Examination, Service, fact_words
from item_visibility.desk_bulk import BulkDesk
from item_visibility.desk_copy import CopyDesk
from item_visibility.desk_demo import DemoControls
from item_visibility.desk_directory import DirectoryDesk
from item_visibility.desk_drafts import DraftDesk
from item_visibility.desk_export import ExportDesk
from item_visibility.desk_files import FileDesk
from item_visibility.desk_history import HistoryDesk, StagedUndo, is_newest
from item_visibility.desk_names import KnownId, KnownNames, or_else
from item_visibility.desk_parks import ParkDesk
from item_visibility.desk_sets import SetDesk
from item_visibility.errors import ItemVisibilityError
from item_visibility.paste import EnteredIds, read_entered
from item_visibility.question import Question, read_question
from item_visibility.records.directory import Directory
from item_visibility.records.directory_rows import DirectoryRows, Kind
from item_visibility.records.drafts import Drafts
from item_visibility.records.facts import ServiceFacts
from item_visibility.records.history import History
from item_visibility.records.history_search import HistorySearch
from item_visibility.records.jobs import Jobs
from item_visibility.records.parks import Parks
from item_visibility.records.recents import RecentItems
from item_visibility.records.recipient_sets import RecipientSets
from item_visibility.records.seen import Sighting
from item_visibility.settings import Environment

__all__ = ["Desk", "DeskRecords", "KnownId", "Reading", "StagedUndo"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Who can see an item, as the service said at `read_at`; None when nothing is recorded. Note N4."""

    item: ItemKey
    recipients: frozenset[str] | None
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskRecords:
    """Our own records of one environment."""

    history: History
    search: HistorySearch
    directory: Directory
    drafts: Drafts
    parks: Parks
    sets: RecipientSets
    directory_rows: Mapping[Kind, DirectoryRows]
    recents: RecentItems
    facts: ServiceFacts
    jobs: Jobs


class Desk:
    """Everything that the screens do, for one environment.

    Attributes:
        environment: which service this is, with its addresses.
        demo: the switches of the bundled service; None outside a demo.
        showcase: the item that a demo opens with; None outside a demo.
        person: who works here, as the history says it.
        drafts: what was staged and not saved yet, browser by browser.
        parks: items that were withdrawn, and can be restored.
        copies: other items, to take their recipients over.
        history: what was changed, when and by whom.
        sets: recipients under names of ours.
        directory: names of suppliers, items and recipients.
        files: names and sets from files and into files.
        bulk: many items at once.
        exports: who can see many items, as a file.
    """

    def __init__(  # noqa: PLR0913  (wired in one place, from all its parts)
        self,
        environment: Environment,
        *,
        service: Service,
        worker: SaveWorker,
        records: DeskRecords,
        drafts: DraftDesk,
        parks: ParkDesk,
        sets: SetDesk,
        bulk: BulkDesk,
        exports: ExportDesk,
        watch: CallWatch,
        person: Callable[[], str],
        clock: Callable[[], datetime],
        timer: Callable[[], float],
        on_close: Callable[[], None],
        demo: DemoControls | None = None,
        showcase: ItemKey | None = None,
    ) -> None:
        self.environment = environment
        self.demo = demo
        self.showcase = showcase
        self.person = person
        self.drafts = drafts
        self.parks = parks
        self.history = HistoryDesk(records.history, records.search)
        self.sets = sets
        self.bulk = bulk
        self.directory = DirectoryDesk(records.directory_rows)
        self.files = FileDesk(records.directory_rows, sets)
        self.exports = exports
        self._service = service
        self._worker = worker
        self._records = records
        self._names = KnownNames(records.directory)
        self.copies = CopyDesk(
            self._names, read=lambda item: self.read(item).recipients or frozenset(), clock=clock
        )
        self._watch = watch
        self._clock = clock
        self._timer = timer
        self._on_close = on_close

    def read(self, item: ItemKey) -> Reading:
        """All recipients that can see the item, read now. Item and recipients are known from then on.

        What the list shows to be changed elsewhere goes into the history.
        Raises IdentifierError before anything is sent, TokenError and CallError.
        """
        asked_at = self._clock()
        reading = self._read(item)
        self.history.note_read(
            Sighting(
                item=item,
                recipients=reading.recipients or frozenset(),
                asked_at=asked_at,
                seen_at=reading.read_at,
            )
        )
        if reading.recipients:
            self._names.remember(item, reading.recipients)
        return reading

    def save(self, request: SaveRequest) -> SaveStatus:
        """Hand the changes to the worker and come back at once; the same key is saved once.

        Raises ReadOnlyError in an environment that refuses writing, IdentifierError for an item
        that cannot be addressed, RecordsError when what is to be parked cannot be kept first. Everything
        else is told by the status when the save has ended.
        """
        self.environment.refuse_when_read_only()
        path_segment(request.item.supplier, name="supplier")
        path_segment(request.item.supplier_item_id, name="item")
        if request.kind is ChangeKind.PARK:
            self.parks.snapshot(request)
        status = self._worker.submit(request)
        self._names.remember(request.item, request.add)
        return status

    def latest_save(self, item: ItemKey) -> SaveStatus | None:
        """The newest save of the item, running or ended, also a job's or of another run of the program."""
        status = self._worker.latest(item)
        ended = None if status is None else status.result
        if status is not None and ended is None:
            return status
        recorded = self.history.latest_save(item)
        if recorded is None or (ended is not None and is_newest(ended, recorded)):
            return status
        return self._worker.status(recorded.request.key) or recorded

    def save_status(self, key: str) -> SaveStatus | None:
        """The save that was asked for with this key, running or ended; None when it is not known."""
        status = self._worker.status(key)
        return status if status is not None else self.history.save_status(key)

    def undo_of(self, draft: Draft, status: SaveStatus) -> StagedUndo:
        """The draft with the opposite of what an ended save did, on top of what is staged. Sends nothing."""
        return self.history.undo_of(draft, status)

    def find_suppliers(self, text: str, *, limit: int = 20) -> tuple[KnownId, ...]:
        """Known suppliers whose id or name fits what was typed; nothing typed fits all. Note N15."""
        return self._names.find_suppliers(text, limit=limit)

    def find_items(self, supplier: str, text: str, *, limit: int = 20) -> tuple[KnownId, ...]:
        """Known items of the supplier whose id or name fits what was typed. Note N15."""
        return self._names.find_items(supplier, text, limit=limit)

    def is_known_supplier(self, supplier: str) -> bool:
        """True when the supplier was used or imported here. Note N15."""
        return self._names.is_known_supplier(supplier)

    def is_known_item(self, item: ItemKey) -> bool:
        """True when the item was used or imported here. Note N15."""
        return self._names.is_known_item(item)

    def supplier_name(self, supplier: str) -> str:
        """The supplier's name; empty when none is known. Note N15."""
        return self._names.supplier_name(supplier)

    def item_name(self, item: ItemKey) -> str:
        """The item's name; empty when none is known. Note N15."""
        return self._names.item_name(item)

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """The names of those recipients that have one. Note N15."""
        return self._names.recipient_names(recipient_ids)

    def read_recipients(
        self, text: str, *, there: frozenset[str] = frozenset(), as_numbers: frozenset[str] = frozenset()
    ) -> EnteredIds:
        """The recipients that a person entered, and the texts that are taken only when the person says so."""
        return read_entered(text, self._names, there=there, as_numbers=as_numbers)

    def recent_items(self, owner: str, *, limit: int = 10) -> tuple[ItemKey, ...]:
        """The items that were used last in this browser, newest first."""
        return or_else((), lambda: self._records.recents.latest(owner, limit=limit))

    def remember_use(self, owner: str, item: ItemKey) -> None:
        """Make the item the most recent one of this browser."""
        now = self._clock()
        or_else(None, lambda: self._records.recents.remember_use(person=owner, item=item, used_at=now))

    def read_question(self, text: str) -> Question:
        """Supplier, item and recipient, as far as the pasted text holds them. Sends nothing."""
        return read_question(text, known=self._names)

    def check(self, question: Question) -> CheckAnswer:
        """Whether the recipient can see the item, read now; why it is not known when it cannot be read."""
        item, recipient_id = question.item, question.recipient_id
        if item is None or recipient_id is None:
            return answer_incomplete(question, at=self._clock())
        try:
            reading = self.read(item)
        except ItemVisibilityError as error:
            return answer_from_error(item, recipient_id=recipient_id, error=error, at=self._clock())
        return answer_from_read(
            item, recipient_id=recipient_id, recipients=reading.recipients, read_at=reading.read_at
        )

    def examine(self, item: ItemKey | None) -> ConnectionReport:
        """What works between here and the service, step by step; what fails is a step, not an error.

        Reads `item` once, or else the item that was used last, or the one that a demo opens with.
        """
        examination = Examination(timer=self._timer)
        environment = self.environment
        addresses = f"Service {environment.base_url}, tokens from {environment.auth_url}."
        examination.note("Addresses", addresses, is_ok=True)
        examination.try_service(self._service, item or self._some_item())
        examination.note_watched(self._watch)
        examination.attempt("Own database", self._database_words)
        examination.attempt("Seen of the service", lambda: fact_words(self._records.facts.all()))
        return ConnectionReport(environment.name, self._clock(), tuple(examination.steps))

    def check_records(self) -> None:
        """Raise RecordsError unless our own database answers."""
        self._records.directory.supplier("")

    def close(self) -> None:
        """Wait for the saves that are running, then let go of everything; a second call does nothing."""
        self._on_close()

    def _read(self, item: ItemKey) -> Reading:
        recipients = self._service.get_visibilities(item)
        return Reading(item, recipients, self._clock())

    def _some_item(self) -> ItemKey | None:
        return or_else(None, self._records.recents.newest) or self.showcase

    def _database_words(self) -> str:
        open_saves = len(self._records.history.unsettled())
        return f"It answers; open saves: {open_saves}." if open_saves else "It answers; no save is open."
