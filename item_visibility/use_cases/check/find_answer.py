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
from functools import cached_property

from item_visibility.access.access import Event, Person, Role, log_access
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
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import ChangeKind, Goal, Operation
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Kind
from item_visibility.storage.history import PairStep
from item_visibility.storage.name_search import NameRow
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
_MOST_STEPS, _MOST_NEAR = 20, 5
_SHORTEST, _LONGEST = 6, 60
"""Only ids within these lengths are compared with others.

Short ids often differ in one digit by chance.
"""
_FEW = 3
"""More similar ids than this are a series of numbers, not typing errors."""
_PACKAGE_DIGITS = 14
_GONE = frozenset({Outcome.DONE, Outcome.UNKNOWN})


def answer_questions(desk: Desk, questions: Sequence[Question]) -> tuple[Answer, ...]:
    """Answer the questions. Each item is read once. Raises SignInError and RoleError.

    If there is only one question, similar items are read too, to explain the answer.
    """
    person, names = desk.access.require(Role.VIEWER), desk.names.held()
    reads = _read_all(
        desk, person, {one.item for one in questions if one.item and one.recipient_id}
    )
    cases = [
        _Case(desk, person, names, one, reads, may_read=len(questions) == 1)
        for one in questions
    ]
    return tuple(one.answer() for one in cases)


def _read_all(
    desk: Desk, person: Person, items: Collection[ItemKey]
) -> dict[ItemKey, Read]:
    """Read the items in parallel, and log who read them."""

    def read_one(item: ItemKey) -> Read:
        with collected() as made:
            try:
                read = desk.reader.read(item)
            except ItemVisibilityError as error:
                return Read(desk.clock(), None, error, tuple(made))
        return Read(read.read_at, read.recipients or frozenset(), None, tuple(made))

    with ThreadPoolExecutor(_READS_AT_ONCE) as pool:
        reads = {one: pool.submit(copy_context().run, read_one, one) for one in items}
        found = {item: read.result() for item, read in reads.items()}
    if count := sum(one.listed is not None for one in found.values()):
        request_id = next(
            (call.request_id for one in found.values() for call in one.exchanges), ""
        )
        log_access(Event.READ, person, item_count=count, request_id=request_id)
    return found


@dataclass(frozen=True)
class _Case:
    """One question, and the data for its answer.

    `reads` are the items that were read so far.

    If `may_read` is True, similar items may be read to explain the answer.
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
        one, (item, _) = (
            self.recipient_id,
            number_and_market(self.item.supplier_item_id),
        )
        is_other = one.lstrip("0") != item.lstrip("0")
        return (is_gln(one) and is_other) or self.names.is_known(Kind.RECIPIENT, one)

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
        kind, reason, ids = AnswerKind.NOT_KNOWN, None, self.question.ids
        if {Kind.ITEM, Kind.RECIPIENT} <= ids.keys() and not self.question.doubts:
            if self.recipient_id in (self.read.listed or ()):
                reason = self._pending_removal()
                kind = AnswerKind.REMOVED_HERE if reason else AnswerKind.YES
            else:
                reason = next(self._reasons())
                is_sure = (
                    self.read.listed is not None
                    and self.is_item_sure
                    and self.is_recipient_sure
                )
                kind = AnswerKind.NO if is_sure else AnswerKind.NOT_KNOWN
        rows = {
            one: self.names.chosen(one, ids.get(one, ""), supplier=self.item.supplier)
            for one in Kind
        }
        return Answer(
            question=self.question, kind=kind, read=self.read, rows=rows, reason=reason
        )

    def _pending_removal(self) -> Reason | None:
        """Return the last removal made here, if the service may not show it yet."""
        last, before = [
            *(one for one in self.steps or () if one.outcome in _GONE),
            None,
            None,
        ][:2]
        if (
            last
            and before
            and last.kind is ChangeKind.OBSERVED
            and last.seen_before_at == before.ended_at
        ):
            last = before  # no read between the two changes showed the removal
        if (
            last is None
            or last.goal is not Goal.NOT_VISIBLE
            or last.kind is ChangeKind.OBSERVED
        ):
            return None
        is_open = last.ended_at is None or self.read.at - last.ended_at < READ_LAG
        is_doubtful = (
            last.outcome is Outcome.UNKNOWN or last.verdict is Verdict.NOT_CONFIRMED
        )
        return _of_step(ReasonKind.REMOVED, last) if is_open or is_doubtful else None

    def _reasons(self) -> Iterator[Reason]:
        """Yield the reasons that apply, in the order of `ReasonKind`."""
        error, seen = self.read.error, self.desk.records.seen
        if error and not isinstance(error, IdentifierError):
            values: dict[str, object] = {}
            last = or_else(None, lambda: seen.lists([self.item]).get(self.item))
            if last is not None and self.recipient_id not in last.unsure:
                could = (
                    "could"
                    if self.recipient_id in (last.recipients or ())
                    else "could not"
                )
                values = {"since": last.seen_at, "could": could}
            yield Reason(kind=ReasonKind.NOT_READ, values=values, message=error.message)
        yield from self._recorded_reasons()
        yield from self._similar_ids()
        if self.steps is None:
            yield Reason(
                kind=ReasonKind.NOT_READ,
                message="The history of the item could not be read.",
            )
        yield Reason(kind=ReasonKind.NEVER_ADDED)

    def _recorded_reasons(self) -> Iterator[Reason]:
        """Yield recorded changes that explain why the recipient is not listed."""
        records = self.desk.records
        # the newest of these: an addition that did not work, or a removal that worked
        # or may have worked
        outcomes = {
            Goal.VISIBLE: frozenset(Outcome) - {Outcome.IN_PLACE},
            Goal.NOT_VISIBLE: _GONE,
        }
        last = next(
            (one for one in self.steps or () if one.outcome in outcomes[one.goal]), None
        )
        if last and last.ended_at is None:
            yield _of_step(ReasonKind.UNDER_WAY, last)
        for job, intent in or_else((), lambda: records.jobs.unfinished(self.item)):
            if self.recipient_id in (intent.exactly or intent.add):
                values = {"work": f"The bulk job “{job.title}”", "person": job.person}
                yield Reason(
                    kind=ReasonKind.UNDER_WAY,
                    values=values,
                    why=job.reason,
                    key=job.key,
                )
        # The save that removed all recipients, even if this recipient was not among
        # them.
        entry = None
        if last is None and not self.read.listed:
            entry = or_else(None, lambda: records.history.latest(self.item))
        elif last and last.goal is Goal.NOT_VISIBLE:
            entry = or_else(None, lambda: records.history.entry(last.key))
        if (
            entry
            and entry.request.operation is Operation.REMOVE_ALL
            and entry.is_undoable
        ):
            by, removed = (
                entry.request,
                {"person": entry.request.person, "at": entry.started_at},
            )
            yield Reason(
                kind=ReasonKind.ALL_REMOVED, values=removed, why=by.reason, key=by.key
            )
        if last:
            is_elsewhere = last.kind is ChangeKind.OBSERVED
            kind = ReasonKind.REMOVED_ELSEWHERE if is_elsewhere else ReasonKind.REMOVED
            yield _of_step(
                ReasonKind.ADD_FAILED if last.goal is Goal.VISIBLE else kind, last
            )

    def _similar_ids(self) -> Iterator[Reason]:
        """Yield similar recipients and items, which may be meant instead."""
        if near := self._near_recipients():
            yield self._of_recipients(ReasonKind.NEAR_RECIPIENT, near)
        others = self._others()
        similar = {ItemKey(*row.ids): row for row in others[:_MOST_NEAR]}
        if self.may_read:
            self.reads.update(
                _read_all(self.desk, self.person, similar.keys() - self.reads.keys())
            )
        for item, row in similar.items():
            if item in self.reads and self.recipient_id in (
                self.reads[item].listed or ()
            ):
                yield Reason(kind=ReasonKind.OTHER_ITEM, near=(row,))
        supplier, own_id = self.item.supplier, self.item.supplier_item_id
        if not self.is_item_sure:
            known = [
                one
                for text in near_texts(own_id)
                for one in self.names.items_with_id(text)
            ]
            known = [*others, *(one for one in known if supplier in {"", one.ids[0]})]
            message = self.read.error.message if self.read.error else _wrong(own_id)
            near_items = tuple(dict.fromkeys(known))[:_MOST_NEAR]
            yield Reason(kind=ReasonKind.UNKNOWN_ID, near=near_items, message=message)
        if not self.is_recipient_sure:
            texts = [
                one
                for one in near_texts(self.recipient_id)
                if self.names.is_known(Kind.RECIPIENT, one)
            ]
            yield self._of_recipients(
                ReasonKind.UNKNOWN_ID, texts, _wrong(self.recipient_id)
            )

    def _near_recipients(self) -> list[str]:
        """Return listed recipients with this id in another spelling, or mistyped."""
        own, listed = self.recipient_id, self.read.listed or frozenset()
        plain, wanted = without_separators(own), writing(own)
        odd = (
            one for one in listed if not one.isdigit() or one[0] == "0" or one == plain
        )
        if near := sorted(one for one in odd if one != own and writing(one) == wanted):
            return near
        slips = [one for one in near_texts(own) if one in listed]
        if self.is_recipient_sure:
            slips = [
                one
                for one in slips
                if is_trade_number(one) and not fits_check_digit(one)
            ]
        return slips if len(slips) <= _FEW else []

    def _others(self) -> list[NameRow]:
        """Return similar known items: other markets, then packages, then suppliers."""
        supplier, own_id = self.item.supplier, self.item.supplier_item_id
        number, _ = number_and_market(own_id)
        core = number.zfill(_PACKAGE_DIGITS)[1:-1] if is_trade_number(number) else ""
        packages = self.names.find(Kind.ITEM, core, supplier=supplier or None).choices
        same = self.names.items_with_number(own_id)
        found = dict.fromkeys(
            (*(one for one in (*same, *packages) if one.ids[0] == supplier), *same)
        )
        return [one for one in found if one.ids != (supplier, own_id)]

    def _of_recipients(
        self, kind: ReasonKind, recipients: Sequence[str], message: str = ""
    ) -> Reason:
        near = tuple(
            self.names.chosen(Kind.RECIPIENT, one) for one in recipients[:_MOST_NEAR]
        )
        values = {"number": self.recipient_id}
        return Reason(
            kind=kind,
            values=values,
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
    return next((f"{words[0].upper()}{words[1:]}" for words in doubts(identifier)), "")


def near_texts(identifier: str) -> tuple[str, ...]:
    """Return other spellings of an id, then all ids that are one typing error away."""
    plain = without_separators(identifier)
    number, _ = number_and_market(plain)
    if not _SHORTEST <= len(number) <= _LONGEST:
        return ()
    padded = [
        number.lstrip("0").zfill(digits) for digits in GTIN_DIGITS if number.isdigit()
    ]
    texts = (number, *padded, *with_one_slip(number, string.digits))
    found = dict.fromkeys(f"{one}{plain[len(number) :]}" for one in texts)
    return tuple(one for one in found if one != identifier)
