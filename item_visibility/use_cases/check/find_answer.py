"""Find out whether a recipient can see an item, and if not, why.

The list of the item is read from the service. The reason is found in our own records:
the kinds in `ReasonKind` are checked in order, and the first kind that applies is
returned.
"""

import string
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain

from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Person, Role
from item_visibility.client.call_records import collected
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
from item_visibility.model.change import ChangeKind, ChangeOperation, Goal
from item_visibility.model.job import BulkItem, Job
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.model.outcome import Outcome, Verdict
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.history import PairStep
from item_visibility.timeouts import READ_LAG
from item_visibility.use_cases.check.answer import (
    Answer,
    AnswerKind,
    Read,
    Reason,
    ReasonKind,
)
from item_visibility.use_cases.check.question import Question, number_and_market
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames

_READS_AT_ONCE = 8
_MOST_STEPS = 20
_MOST_NEAR = 5
_SHORTEST = 6
_LONGEST = 60
"""Only ids within these lengths are compared with others.

Short ids often differ in one digit by chance.
"""
_FEW = 3
"""More similar ids than this are a series of numbers, not typing errors."""
_PACKAGE_DIGITS = 14
_GONE = frozenset({Outcome.DONE, Outcome.UNKNOWN})
_EXPLAINING = {
    Goal.VISIBLE: frozenset(Outcome) - {Outcome.IN_PLACE},
    Goal.NOT_VISIBLE: _GONE,
}
"""The outcomes that explain why a recipient is not listed."""


def answer_questions(desk: Desk, questions: Sequence[Question]) -> tuple[Answer, ...]:
    """Answer the questions. Each item is read once. Raises SignInError and RoleError.

    If there is only one question, similar items are read too, to explain the answer.
    """
    person = desk.access.require(Role.VIEWER)
    names = desk.names.held()
    items = {
        question.item
        for question in questions
        if question.item and question.recipient_id
    }
    reads = _read_all(desk, person, items)
    may_read = len(questions) == 1
    return tuple(
        _Case(desk, person, names, question, reads, may_read).answer()
        for question in questions
    )


def _read_all(
    desk: Desk, person: Person, items: Collection[ItemKey]
) -> dict[ItemKey, Read]:
    """Read the items in parallel, and log who read them."""

    def read_one(item: ItemKey) -> Read:
        with collected() as calls:
            try:
                read = desk.reader.read(item)
            except ItemVisibilityError as error:
                return Read(desk.clock(), None, error, tuple(calls))
        return Read(read.read_at, read.recipients or frozenset(), None, tuple(calls))

    with ThreadPoolExecutor(_READS_AT_ONCE) as pool:
        running = {
            item: pool.submit(copy_context().run, read_one, item) for item in items
        }
        reads = {item: future.result() for item, future in running.items()}

    count = sum(read.listed is not None for read in reads.values())
    if count:
        calls = chain.from_iterable(read.exchanges for read in reads.values())
        request_id = next((call.request_id for call in calls), "")
        log_access(Event.READ, person, item_count=count, request_id=request_id)
    return reads


@dataclass(frozen=True)
class _Case:
    """One question, and the data for its answer.

    `reads` are the items that were read so far. If `may_read` is True, similar items
    may be read to explain the answer.
    """

    desk: Desk
    person: Person
    names: KnownNames
    question: Question
    reads: dict[ItemKey, Read]
    may_read: bool

    @cached_property
    def item(self) -> ItemKey:
        ids = self.question.ids
        return ItemKey(ids.get(Kind.SUPPLIER, ""), ids.get(Kind.ITEM, ""))

    @cached_property
    def recipient_id(self) -> str:
        return self.question.recipient_id or ""

    @cached_property
    def read(self) -> Read:
        read = self.reads.get(self.item) if self.recipient_id else None
        return read or Read(self.desk.clock())

    @cached_property
    def is_item_sure(self) -> bool:
        """True when the item is known here or has recipients."""
        return bool(self.read.listed or self.names.known_items([self.item]))

    @cached_property
    def is_recipient_sure(self) -> bool:
        """True when the recipient is known here, or its id is a GLN.

        The number of the item itself does not count as a GLN.
        """
        own_id = self.recipient_id
        item_number, _ = number_and_market(self.item.supplier_item_id)
        is_other = own_id.lstrip("0") != item_number.lstrip("0")
        if is_gln(own_id) and is_other:
            return True
        return self.names.is_known(Kind.RECIPIENT, own_id)

    @cached_property
    def steps(self) -> tuple[PairStep, ...] | None:
        """The recorded changes of this item and recipient, newest first.

        None if they could not be read.
        """
        history = self.desk.records.history
        return or_else(
            None, lambda: history.steps(self.item, self.recipient_id, limit=_MOST_STEPS)
        )

    def answer(self) -> Answer:
        kind, reason = self._kind_and_reason()
        ids = self.question.ids
        supplier = self.item.supplier
        rows = {
            part: self.names.chosen(part, ids.get(part, ""), supplier=supplier)
            for part in Kind
        }
        return Answer(
            question=self.question, kind=kind, read=self.read, rows=rows, reason=reason
        )

    def _kind_and_reason(self) -> tuple[AnswerKind, Reason | None]:
        is_complete = {Kind.ITEM, Kind.RECIPIENT} <= self.question.ids.keys()
        if self.question.doubts or not is_complete:
            return AnswerKind.NOT_KNOWN, None

        if self.recipient_id in (self.read.listed or ()):
            reason = self._pending_removal()
            return (AnswerKind.REMOVED_HERE if reason else AnswerKind.YES), reason

        # A "no" about a mistyped id would be wrong, so it needs known ids.
        reason = next(self._reasons())
        is_read = self.read.listed is not None
        if is_read and self.is_item_sure and self.is_recipient_sure:
            return AnswerKind.NO, reason
        return AnswerKind.NOT_KNOWN, reason

    def _pending_removal(self) -> Reason | None:
        """Return the last removal made here, if the service may not show it yet."""
        steps = [step for step in self.steps or () if step.outcome in _GONE]
        if not steps:
            return None

        # The first read after our removal may still show the old list. It is recorded
        # as an addition made elsewhere, so look at the removal before it.
        last = steps[0]
        if (
            last.kind is ChangeKind.OBSERVED
            and len(steps) > 1
            and last.seen_before_at == steps[1].ended_at
        ):
            last = steps[1]

        if last.goal is not Goal.NOT_VISIBLE or last.kind is ChangeKind.OBSERVED:
            return None
        if (
            last.ended_at is None
            or self.read.at - last.ended_at < READ_LAG
            or last.outcome is Outcome.UNKNOWN
            or last.verdict is Verdict.NOT_CONFIRMED
        ):
            return _of_step(ReasonKind.REMOVED, last)
        return None

    def _reasons(self) -> Iterator[Reason]:
        """Yield the reasons that apply, in the order of `ReasonKind`."""
        error = self.read.error
        if error and not isinstance(error, IdentifierError):
            yield self._not_read(error)
        yield from self._under_way()
        yield from self._recorded_changes()
        if near := self._near_recipients():
            yield self._of_recipients(ReasonKind.NEAR_RECIPIENT, near)
        others = self._others()
        yield from self._similar_items(others)
        yield from self._unknown_ids(others)
        if self.steps is None:
            yield Reason(
                kind=ReasonKind.NOT_READ,
                message="The history of the item could not be read.",
            )
        yield Reason(kind=ReasonKind.NEVER_ADDED)

    def _not_read(self, error: ItemVisibilityError) -> Reason:
        values: dict[str, object] = {}
        seen = self.desk.records.seen
        last = or_else(None, lambda: seen.lists([self.item]).get(self.item))
        if last is not None and self.recipient_id not in last.unsure:
            could_see = self.recipient_id in (last.recipients or ())
            values["since"] = last.seen_at
            values["could"] = "could" if could_see else "could not"
        return Reason(kind=ReasonKind.NOT_READ, values=values, message=error.message)

    @cached_property
    def _last_step(self) -> PairStep | None:
        """The last addition that did not work, or removal that possibly worked."""
        for step in self.steps or ():
            if step.outcome in _EXPLAINING[step.goal]:
                return step
        return None

    def _under_way(self) -> Iterator[Reason]:
        """Yield the save and the jobs that have not ended yet."""
        last = self._last_step
        if last and last.ended_at is None:
            yield _of_step(ReasonKind.UNDER_WAY, last)

        for job, intent in self._unfinished_jobs():
            if self.recipient_id in (intent.exactly or intent.add):
                yield Reason(
                    kind=ReasonKind.UNDER_WAY,
                    values={
                        "work": f"The bulk job “{job.title}”",
                        "person": job.person,
                    },
                    why=job.reason,
                    key=job.key,
                )

    def _unfinished_jobs(self) -> Iterator[tuple[Job, BulkItem]]:
        """Yield the jobs that will change the item.

        The interrupted job of a command may never do so.
        """
        bulk = self.desk.bulk
        for job, intent in or_else((), lambda: bulk.store.unfinished(self.item)):
            if or_else(None, partial(bulk.is_interrupted, job)) is False:
                yield job, intent

    def _recorded_changes(self) -> Iterator[Reason]:
        """Yield recorded changes that explain why the recipient is not listed."""
        # A save that removed all recipients counts, even if this one was not listed.
        history = self.desk.records.history
        last = self._last_step
        entry = None
        if last is None and not self.read.listed:
            entry = or_else(None, lambda: history.latest(self.item))
        elif last and last.goal is Goal.NOT_VISIBLE:
            entry = or_else(None, lambda: history.entry(last.key))
        if (
            entry
            and entry.request.operation is ChangeOperation.REMOVE_ALL
            and entry.is_undoable
        ):
            yield Reason(
                kind=ReasonKind.ALL_REMOVED,
                values={"person": entry.request.person, "at": entry.started_at},
                why=entry.request.reason,
                key=entry.request.key,
            )

        if last is None:
            return
        if last.goal is Goal.VISIBLE:
            yield _of_step(ReasonKind.ADD_FAILED, last)
        elif last.kind is ChangeKind.OBSERVED:
            yield _of_step(ReasonKind.REMOVED_ELSEWHERE, last)
        else:
            yield _of_step(ReasonKind.REMOVED, last)

    def _similar_items(self, others: Sequence[NameRow]) -> Iterator[Reason]:
        """Yield similar items that the recipient can see."""
        similar = {ItemKey(*row.ids): row for row in others[:_MOST_NEAR]}
        if self.may_read:
            unread = similar.keys() - self.reads.keys()
            self.reads.update(_read_all(self.desk, self.person, unread))
        for item, row in similar.items():
            read = self.reads.get(item)
            if read and self.recipient_id in (read.listed or ()):
                yield Reason(kind=ReasonKind.OTHER_ITEM, near=(row,))

    def _unknown_ids(self, others: Sequence[NameRow]) -> Iterator[Reason]:
        """Yield the ids of the question that may be wrong, with similar known ids."""
        if not self.is_item_sure:
            supplier = self.item.supplier
            own_id = self.item.supplier_item_id
            near = [*others]
            for text in near_texts(own_id):
                rows = self.names.items_with_id(text)
                near += [row for row in rows if supplier in {"", row.ids[0]}]
            error = self.read.error
            yield Reason(
                kind=ReasonKind.UNKNOWN_ID,
                near=tuple(dict.fromkeys(near))[:_MOST_NEAR],
                message=error.message if error else _wrong(own_id),
            )

        if not self.is_recipient_sure:
            recipients = [
                text
                for text in near_texts(self.recipient_id)
                if self.names.is_known(Kind.RECIPIENT, text)
            ]
            message = _wrong(self.recipient_id)
            yield self._of_recipients(ReasonKind.UNKNOWN_ID, recipients, message)

    def _near_recipients(self) -> list[str]:
        """Return listed recipients with this id in another spelling, or mistyped."""
        own_id = self.recipient_id
        listed = self.read.listed or frozenset()

        # For speed, look only at listed ids that have more than one spelling.
        plain = without_separators(own_id)
        candidates = (
            listed_id
            for listed_id in listed
            if not listed_id.isdigit() or listed_id[0] == "0" or listed_id == plain
        )
        wanted = writing(own_id)
        same = sorted(
            listed_id
            for listed_id in candidates
            if listed_id != own_id and writing(listed_id) == wanted
        )
        if same:
            return same

        # Next to a sure id, a listed id counts only if its check digit is wrong.
        slips = [text for text in near_texts(own_id) if text in listed]
        if self.is_recipient_sure:
            slips = [
                text
                for text in slips
                if is_trade_number(text) and not fits_check_digit(text)
            ]
        return slips if len(slips) <= _FEW else []

    def _others(self) -> list[NameRow]:
        """Return similar known items: other markets, then packages, then suppliers."""
        supplier = self.item.supplier
        own_id = self.item.supplier_item_id
        same_number = self.names.items_with_number(own_id)

        # The numbers of an item's packages differ in the first and the last digit.
        number, _ = number_and_market(own_id)
        core = number.zfill(_PACKAGE_DIGITS)[1:-1] if is_trade_number(number) else ""
        packages = self.names.find(Kind.ITEM, core, supplier=supplier or None).choices

        of_supplier = [
            row for row in (*same_number, *packages) if row.ids[0] == supplier
        ]
        distinct = dict.fromkeys((*of_supplier, *same_number))
        return [row for row in distinct if row.ids != (supplier, own_id)]

    def _of_recipients(
        self, kind: ReasonKind, recipients: Sequence[str], message: str = ""
    ) -> Reason:
        near = tuple(
            self.names.chosen(Kind.RECIPIENT, recipient)
            for recipient in recipients[:_MOST_NEAR]
        )
        return Reason(
            kind=kind,
            values={"number": self.recipient_id},
            near=near,
            near_kind=Kind.RECIPIENT,
            message=message,
        )


def _of_step(kind: ReasonKind, step: PairStep) -> Reason:
    return Reason(
        kind=kind,
        values={
            "work": "A save",
            "person": step.person or "Somebody",
            "at": step.started_at,
            "since": step.seen_before_at,
            "outcome": step.outcome,
        },
        why=step.reason,
        message=step.message,
    )


def _wrong(identifier: str) -> str:
    """Return the first possible mistake in an id as the beginning of a sentence."""
    mistakes = doubts(identifier)
    return f"{mistakes[0][0].upper()}{mistakes[0][1:]}" if mistakes else ""


def near_texts(identifier: str) -> tuple[str, ...]:
    """Return other spellings of an id, then all ids that are one typing error away."""
    plain = without_separators(identifier)
    number, _ = number_and_market(plain)
    if not _SHORTEST <= len(number) <= _LONGEST:
        return ()

    numbers = [number]
    if number.isdigit():
        significant = number.lstrip("0")
        numbers += [significant.zfill(digits) for digits in GTIN_DIGITS]
    numbers += with_one_slip(number, string.digits)

    market = plain[len(number) :]
    texts = dict.fromkeys(f"{similar}{market}" for similar in numbers)
    return tuple(text for text in texts if text != identifier)
