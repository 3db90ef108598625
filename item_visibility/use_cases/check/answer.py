"""Find out whether a recipient can see an item, and if not, why.

The list of the item is read from the service. The reason is found in our own records: the kinds in
`ReasonKind` are checked in order, and the first kind that applies is returned.
"""

import string
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from item_visibility.access.access import Event, Person, Role, log_access
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError, ItemVisibilityError
from item_visibility.lists.gs1_and_markets import (
    GTIN_DIGITS,
    doubts,
    fits_check_digit,
    is_gln,
    is_trade_number,
    with_one_slip,
    without_separators,
    writing,
)
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind, Operation
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Kind
from item_visibility.storage.history import PairStep
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.timeouts import READ_LAG
from item_visibility.use_cases.check.question import Question, number_and_market
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames

_READS_AT_ONCE = 8
_MOST_OTHER_ITEMS = 5
"""To explain a single answer, at most this many other items are read. For several answers, none are read."""
_MOST_STEPS, _MOST_NEAR = 20, 5
_SHORTEST, _LONGEST = 6, 60
"""Similar ids are searched only between these lengths. Two short ids often differ in one digit by chance."""
_FEW = 3
"""If more similar ids than this are on the list, they are a series of numbers and not typing errors."""
_PACKAGE_DIGITS = 14
_GONE = frozenset({Outcome.DONE, Outcome.UNKNOWN})


class AnswerKind(StrEnum):
    """The kind of answer. YES and NO are only given if the list of the item could be read."""

    YES = "Yes"
    NO = "No"
    PENDING = "Removed here, still shown"
    NOT_KNOWN = "Not known"


class ReasonKind(StrEnum):
    """The possible reasons, in the order in which they are checked."""

    NOT_READ = "could not be read"
    UNDER_WAY = "a save or a job is under way"
    ALL_REMOVED = "everything was removed"
    ADD_FAILED = "an addition in this dashboard failed"
    REMOVED = "removed here"
    REMOVED_ELSEWHERE = "removed elsewhere"
    NEAR_RECIPIENT = "a similar recipient is on the list"
    OTHER_ITEM = "another market or package of the item is visible"
    UNKNOWN_ID = "the item or the recipient is not known"
    NEVER_ADDED = "never added here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason. Fields that do not apply to its kind are empty.

    Attributes:
        at: when the change was made. A change made elsewhere was made between `since` and `at`.
        since: see `at`. If the list could not be read, the time at which it was last read.
        could_see: whether the recipient could see the item at `since`.
        person, why: who made the change, and the reason that this person entered.
        key: the key of the save in the history, or of the job.
        job: the title of the job.
        items, recipients: similar ids that may be meant instead.
        message: why something failed, or what is wrong with an id.
    """

    kind: ReasonKind
    at: datetime | None = None
    since: datetime | None = None
    person: str = ""
    why: str = ""
    key: str = ""
    job: str = ""
    outcome: Outcome | None = None
    could_see: bool = False
    items: tuple[ItemKey, ...] = ()
    recipients: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question.

    Attributes:
        answered_at: when the list of the item was requested.
        recipient, title, supplier: the names of the recipient, the item and the supplier. If one has no name,
            its id.
        reason: why the answer is not YES.
        listed: the list of the item; None if it could not be read.
        error: why the list could not be read.
        exchanges: the requests to the service.
        names: the names of the items and recipients in `reason`.
    """

    question: Question
    kind: AnswerKind
    answered_at: datetime
    recipient: str
    title: str
    supplier: str
    reason: Reason | None = None
    listed: frozenset[str] | None = None
    error: ItemVisibilityError | None = None
    exchanges: tuple[CallRecord, ...] = field(default=(), repr=False)
    names: dict[str | ItemKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Read:
    """The result of reading an item: its list or an error, and the requests that were sent."""

    at: datetime
    listed: frozenset[str] | None = None
    error: ItemVisibilityError | None = None
    exchanges: tuple[CallRecord, ...] = ()


def answer_questions(desk: Desk, questions: Sequence[Question]) -> tuple[Answer, ...]:
    """Answer the questions. Each item is read once. Raises SignInError and RoleError."""
    person = desk.access.require(Role.VIEWER)
    reads = _read_all(desk, person, {one.item for one in questions if one.item and one.recipient_id})
    most_reads = len(reads) + (_MOST_OTHER_ITEMS if len(questions) == 1 else 0)

    def recipients_of(item: ItemKey) -> frozenset[str]:
        if item not in reads and len(reads) < most_reads:
            reads.update(_read_all(desk, person, {item}))
        return (reads[item].listed if item in reads else None) or frozenset()

    known = desk.names.held()
    return tuple(_answer(desk, known, one, reads, recipients_of) for one in questions)


def _answer(
    desk: Desk,
    known: KnownNames,
    question: Question,
    reads: dict[ItemKey, _Read],
    recipients_of: Callable[[ItemKey], frozenset[str]],
) -> Answer:
    supplier, recipient_id = question.supplier or "", question.recipient_id or ""
    item = question.item or ItemKey(supplier, question.supplier_item_id or "")
    read = (reads.get(item) if recipient_id else None) or _Read(desk.clock())
    answer = Answer(
        question=question,
        kind=AnswerKind.NOT_KNOWN,
        answered_at=read.at,
        recipient=known.recipient_names([recipient_id]).get(recipient_id, recipient_id),
        title=known.item_title(item) if question.item else item.supplier_item_id,
        supplier=known.supplier_name(supplier) or supplier,
        listed=read.listed,
        error=read.error,
        exchanges=read.exchanges,
    )
    if question.doubts or not {Kind.ITEM, Kind.RECIPIENT}.isdisjoint(question.missing):
        return answer
    case = _Case(desk.records, known, recipients_of, item, recipient_id, read)
    if recipient_id in (read.listed or ()):
        reason = case.pending_removal()
        kind = AnswerKind.PENDING if reason else AnswerKind.YES
    else:
        reason = case.reason()
        is_no = read.listed is not None and case.is_item_sure and case.is_recipient_sure
        kind = AnswerKind.NO if is_no else AnswerKind.NOT_KNOWN
    recipients, items = (reason.recipients, reason.items) if reason else ((), ())
    names: dict[str | ItemKey, str] = dict(known.recipient_names(recipients).items())
    for other, title in known.item_titles(items).items():
        name = known.supplier_name(other.supplier) or other.supplier
        names[other] = title if other.supplier == supplier else f"{title} of {name}"
    return replace(answer, kind=kind, reason=reason, names=names)


def _read_all(desk: Desk, person: Person, items: Iterable[ItemKey]) -> dict[ItemKey, _Read]:
    """Read the items in parallel, and log who read them."""

    def read_one(item: ItemKey) -> _Read:
        with collected() as made:
            try:
                read = desk.reader.read(item)
            except ItemVisibilityError as error:
                return _Read(desk.clock(), None, error, tuple(made))
        return _Read(read.read_at, read.recipients or frozenset(), None, tuple(made))

    with desk.scans.people.waiting(), ThreadPoolExecutor(_READS_AT_ONCE) as pool:
        reads = {one: pool.submit(copy_context().run, read_one, one) for one in items}
        found = {item: read.result() for item, read in reads.items()}
    if count := sum(one.listed is not None for one in found.values()):
        request_id = next((call.request_id for one in found.values() for call in one.exchanges), "")
        log_access(Event.READ, person, item_count=count, request_id=request_id)
    return found


@dataclass(frozen=True)
class _Case:
    """Finds the reason for one answer. `recipients_of` returns the list of another item."""

    records: ServiceRecords
    names: KnownNames
    recipients_of: Callable[[ItemKey], frozenset[str]]
    item: ItemKey
    recipient_id: str
    read: _Read

    @cached_property
    def is_item_sure(self) -> bool:
        """True when the item is known here or has recipients."""
        return bool(self.read.listed or self.names.known_items([self.item]))

    @cached_property
    def is_recipient_sure(self) -> bool:
        """True when the recipient is known here, or its id is a GLN that is not the number of the item."""
        one, (item, _) = self.recipient_id, number_and_market(self.item.supplier_item_id)
        is_other = one.lstrip("0") != item.lstrip("0")
        return (is_gln(one) and is_other) or self.names.is_known(Kind.RECIPIENT, one)

    @cached_property
    def steps(self) -> tuple[PairStep, ...] | None:
        """The recorded changes of this item and recipient, newest first; None when they could not be read."""
        search = self.records.search
        return or_else(None, lambda: search.steps(self.item, self.recipient_id, limit=_MOST_STEPS))

    @cached_property
    def last(self) -> PairStep | None:
        """The newest change that can explain why the recipient is not on the list.

        This is an addition that did not work, or a removal that worked or may have worked.
        """
        outcomes = {Goal.VISIBLE: frozenset(Outcome) - {Outcome.IN_PLACE}, Goal.NOT_VISIBLE: _GONE}
        return next((one for one in self.steps or () if one.outcome in outcomes[one.goal]), None)

    def reason(self) -> Reason:
        """Return the first reason that applies, or NEVER_ADDED."""
        finders = (
            self._not_read,
            self._under_way,
            self._all_removed,
            self._by_last_step,
            self._near_recipient,
            self._other_item,
            self._unknown_id,
        )
        for find in finders:
            if reason := or_else(None, find):
                return reason
        if self.steps is None:
            return Reason(kind=ReasonKind.NOT_READ, message="The history of the item could not be read.")
        return Reason(kind=ReasonKind.NEVER_ADDED)

    def pending_removal(self) -> Reason | None:
        """Return the removal of this recipient from here, if the service may not show it yet, or None."""
        last, before = [*(one for one in self.steps or () if one.outcome in _GONE), None, None][:2]
        if last and before and last.kind is ChangeKind.OBSERVED and last.seen_before_at == before.ended_at:
            last = before  # no read between the two showed the removal
        if last is None or last.goal is not Goal.NOT_VISIBLE or last.kind is ChangeKind.OBSERVED:
            return None
        is_open = last.ended_at is None or self.read.at - last.ended_at < READ_LAG
        is_doubtful = last.outcome is Outcome.UNKNOWN or last.verdict is Verdict.NOT_CONFIRMED
        return _of_step(ReasonKind.REMOVED, last) if is_open or is_doubtful else None

    def _not_read(self) -> Reason | None:
        error = self.read.error
        if error is None or isinstance(error, IdentifierError):
            return None
        reason = Reason(kind=ReasonKind.NOT_READ, message=error.message)
        found = or_else(dict[ItemKey, SeenItem](), lambda: self.records.seen.lists([self.item]))
        seen = found.get(self.item)
        if seen is None or self.recipient_id in seen.unsure:
            return reason
        could_see = self.recipient_id in (seen.recipients or ())
        return replace(reason, since=seen.seen_at, could_see=could_see)

    def _under_way(self) -> Reason | None:
        if self.last and self.last.ended_at is None:
            return _of_step(ReasonKind.UNDER_WAY, self.last)
        for job, intent in self.records.jobs.unfinished(self.item):
            is_begun = job.state not in {JobState.READING, JobState.PREVIEWED}
            if is_begun and self.recipient_id in (intent.exactly or intent.add):
                at = job.started_at or job.created_at
                found = Reason(kind=ReasonKind.UNDER_WAY, at=at, person=job.person, why=job.reason)
                return replace(found, key=job.key, job=job.title)
        return None

    def _all_removed(self) -> Reason | None:
        """Find a save that removed all recipients, even if this recipient was not among them."""
        history, entry = self.records.history, None
        if self.last is None and not self.read.listed:
            entry = history.latest(self.item)
        elif self.last is not None and self.last.goal is Goal.NOT_VISIBLE:
            entry = history.entry(self.last.key)
        if entry is None or entry.request.operation is not Operation.REMOVE_ALL or not entry.is_undoable:
            return None
        by, at = entry.request, entry.started_at
        return Reason(kind=ReasonKind.ALL_REMOVED, at=at, person=by.person, why=by.reason, key=by.key)

    def _by_last_step(self) -> Reason | None:
        if self.last is None:
            return None
        is_elsewhere = self.last.kind is ChangeKind.OBSERVED
        removed = ReasonKind.REMOVED_ELSEWHERE if is_elsewhere else ReasonKind.REMOVED
        return _of_step(ReasonKind.ADD_FAILED if self.last.goal is Goal.VISIBLE else removed, self.last)

    def _near_recipient(self) -> Reason | None:
        """Find recipients on the list whose id is another spelling of this id, or has one typing error."""
        own, listed = self.recipient_id, self.read.listed or frozenset()
        plain, wanted = without_separators(own), writing(own)
        odd = (one for one in listed if not one.isdigit() or one[0] == "0" or one == plain)
        near = sorted(one for one in odd if one != own and writing(one) == wanted)
        if not near:
            slips = [one for one in near_texts(own) if one in listed]
            if self.is_recipient_sure:
                slips = [one for one in slips if is_trade_number(one) and not fits_check_digit(one)]
            near = slips if len(slips) <= _FEW else []
        return Reason(kind=ReasonKind.NEAR_RECIPIENT, recipients=tuple(near)) if near else None

    def _other_item(self) -> Reason | None:
        for item in self._others[:_MOST_NEAR]:
            if self.recipient_id in self.recipients_of(item):
                return Reason(kind=ReasonKind.OTHER_ITEM, items=(item,))
        return None

    def _unknown_id(self) -> Reason | None:
        reason, error = Reason(kind=ReasonKind.UNKNOWN_ID), self.read.error
        supplier, own_id = self.item.supplier, self.item.supplier_item_id
        if not self.is_item_sure:
            near = [one for text in near_texts(own_id) for one in self.names.items_with_id(text)]
            near = [*self._others, *(one for one in near if supplier in {"", one.supplier})]
            message = error.message if error else _wrong(own_id)
            return replace(reason, items=tuple(dict.fromkeys(near))[:_MOST_NEAR], message=message)
        if not self.is_recipient_sure:
            texts = near_texts(self.recipient_id)
            known = self.names.known_recipients(texts)
            recipients = tuple(one for one in texts if one in known)[:_MOST_NEAR]
            return replace(reason, recipients=recipients, message=_wrong(self.recipient_id))
        return None

    @cached_property
    def _others(self) -> list[ItemKey]:
        """Similar known items: first in other markets, then in other packages, then of other suppliers."""
        own, (number, _) = self.item, number_and_market(self.item.supplier_item_id)
        core = number.zfill(_PACKAGE_DIGITS)[1:-1] if is_trade_number(number) else ""
        packages = self.names.find(Kind.ITEM, core, supplier=own.supplier or None).choices
        same = self.names.items_with_number(number) or self.names.items_with_id(own.supplier_item_id)
        found = [
            *(one for one in same if one.supplier == own.supplier),
            *(ItemKey(*one.ids) for one in packages if one.ids[0] == own.supplier),
            *same,
        ]
        return [one for one in dict.fromkeys(found) if one != own]


def _of_step(kind: ReasonKind, step: PairStep) -> Reason:
    return Reason(
        kind=kind,
        at=step.started_at,
        since=step.seen_before_at,
        person=step.person,
        why=step.reason,
        key=step.key,
        outcome=step.outcome,
        message=step.message,
    )


def _wrong(identifier: str) -> str:
    return next((f"{words[0].upper()}{words[1:]}" for words in doubts(identifier)), "")


def near_texts(identifier: str) -> tuple[str, ...]:
    """Return the other spellings of an id, and then all ids that differ from it by one typing error."""
    plain = without_separators(identifier)
    number, _ = number_and_market(plain)
    if not _SHORTEST <= len(number) <= _LONGEST:
        return ()
    padded = [number.lstrip("0").zfill(digits) for digits in GTIN_DIGITS if number.isdigit()]
    texts = (number, *padded, *with_one_slip(number, string.digits))
    found = dict.fromkeys(f"{one}{plain[len(number) :]}" for one in texts)
    return tuple(one for one in found if one != identifier)
