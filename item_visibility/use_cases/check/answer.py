"""Can this recipient see this item? The answers to questions, each from a read of this moment."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from item_visibility.access.access import Access, Role
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.storage.directory import Kind
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.check.question import Question, read_link, read_questions
from item_visibility.use_cases.check.why_not import Case, Reason, WhyNot
from item_visibility.use_cases.known_names import KnownNames

_READS_AT_ONCE = 8
_MOST_OTHER_ITEMS = 5
"""The limit of other items that are read to explain one answer. To explain one of many, none is read."""


class AnswerKind(StrEnum):
    """The kind of answer. Yes and no need a list that the service gave for exactly this question."""

    YES = "Yes"
    NO = "No"
    PENDING = "Removed here, still shown"
    NOT_KNOWN = "Not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question.

    `answered_at` is when the list was read or could not be read. `listed` is the list, None without one.
    `reason` says why it is no plain yes. `recipient`, `title` and `supplier` are names, or ids without
    a name; `names` are those of what `reason` names.
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
    """The list of an item, or the error of reading it, with the requests for it."""

    listed: frozenset[str] | None
    at: datetime
    error: ItemVisibilityError | None
    exchanges: tuple[CallRecord, ...]


@dataclass(frozen=True, kw_only=True)
class CheckDesk:
    """Reads questions and answers them. It changes nothing. Every method raises SignInError and RoleError."""

    records: ServiceRecords
    names: KnownNames
    read_item: Callable[[ItemKey], ReadItem]
    access: Access
    clock: Callable[[], datetime]

    def read(self, text: str) -> tuple[Question, ...]:
        """Return the questions of a text, at most one more than `MOST_QUESTIONS`; never none."""
        self.access.require(Role.VIEWER)
        return read_questions(text, names=self.names)

    def read_link(self, parts: dict[Kind, str]) -> Question:
        """Return the question of a link."""
        self.access.require(Role.VIEWER)
        return read_link(parts, names=self.names)

    def answer(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        """Answer the questions. Each item is read once, now."""
        self.access.require(Role.VIEWER)
        reads = self._read_all({one.item for one in questions if one.item and one.recipient_id})
        most_reads = len(reads) + (_MOST_OTHER_ITEMS if len(questions) == 1 else 0)

        def recipients_of(item: ItemKey) -> frozenset[str] | None:
            if item not in reads and len(reads) < most_reads:
                reads.update(self._read_all({item}))
            return reads[item].listed if item in reads else None

        why_not = WhyNot(self.records, self.names, recipients_of)
        return tuple(self._answer(one, reads, why_not) for one in questions)

    def _answer(self, question: Question, reads: dict[ItemKey, _Read], why_not: WhyNot) -> Answer:
        supplier, recipient_id = question.supplier or "", question.recipient_id or ""
        item = question.item or ItemKey(supplier, question.supplier_item_id or "")
        answer = Answer(
            question=question,
            kind=AnswerKind.NOT_KNOWN,
            answered_at=self.clock(),
            recipient=self.names.recipient_names([recipient_id]).get(recipient_id, recipient_id),
            title=self.names.item_title(item) if question.item else item.supplier_item_id,
            supplier=self.names.supplier_name(supplier) or supplier,
        )
        if question.doubts or not {Kind.ITEM, Kind.RECIPIENT}.isdisjoint(question.missing):
            return answer
        read = reads.get(item) or _Read(None, answer.answered_at, None, ())
        case = Case(
            item=item,
            recipient_id=recipient_id,
            is_item_known=self.names.is_known_item(item),
            is_recipient_known=self.names.is_known(Kind.RECIPIENT, recipient_id),
            listed=read.listed,
            error=read.error,
            at=read.at,
        )
        if recipient_id in (read.listed or ()):
            reason = why_not.pending_removal(case)
            kind = AnswerKind.PENDING if reason else AnswerKind.YES
        else:
            reason = why_not.reason(case)
            is_no = read.listed is not None and case.is_item_sure and case.is_recipient_sure
            kind = AnswerKind.NO if is_no else AnswerKind.NOT_KNOWN
        return replace(
            answer,
            kind=kind,
            answered_at=read.at,
            reason=reason,
            listed=read.listed,
            error=read.error,
            exchanges=read.exchanges,
            names=self._names_in(reason, supplier) if reason else {},
        )

    def _names_in(self, reason: Reason, supplier: str) -> dict[str | ItemKey, str]:
        names: dict[str | ItemKey, str] = dict(self.names.recipient_names(reason.recipients).items())
        for item, title in self.names.item_titles(reason.items).items():
            other = self.names.supplier_name(item.supplier) or item.supplier
            names[item] = title if item.supplier == supplier else f"{title} of {other}"
        return names

    def _read_all(self, items: Iterable[ItemKey]) -> dict[ItemKey, _Read]:
        with ThreadPoolExecutor(_READS_AT_ONCE) as pool:
            reads = {one: pool.submit(copy_context().run, self._read_one, one) for one in items}
            return {item: read.result() for item, read in reads.items()}

    def _read_one(self, item: ItemKey) -> _Read:
        with collected() as made:
            try:
                read = self.read_item(item)
            except ItemVisibilityError as error:
                return _Read(None, self.clock(), error, made.records)
        return _Read(read.recipients or frozenset(), read.read_at, None, made.records)
