"""Why can they not see it? At most ten reasons, in one table: the first that applies is the reason."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError, ItemVisibilityError
from item_visibility.lists.numbers import (
    GLN_DIGITS,
    doubts,
    fits_check_digit,
    is_number,
    is_trade_number,
    writing,
)
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind, Operation
from item_visibility.storage.directory import Kind
from item_visibility.storage.fallback import or_else
from item_visibility.storage.history.search import PairStep
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.timeouts import READ_LAG
from item_visibility.use_cases.check.near_ids import near_among, near_texts
from item_visibility.use_cases.check.question import trade_number
from item_visibility.use_cases.known_names import KnownNames

_MOST_STEPS, _MOST_NEAR, _MOST_SUPPLIERS = 20, 5, 20
_PACKAGE_DIGITS = 14
_GONE = frozenset({Outcome.DONE, Outcome.UNKNOWN})


class ReasonKind(StrEnum):
    """The reasons, in the order in which they are tried. Of several changes the newest counts."""

    NOT_READ = "could not be read"
    UNDER_WAY = "a save or a job is under way"
    ALL_REMOVED = "everything was removed"
    ADD_FAILED = "an addition from here did not work"
    REMOVED = "removed here"
    REMOVED_ELSEWHERE = "removed elsewhere"
    NEAR_RECIPIENT = "a nearly equal recipient is on the list"
    OTHER_ITEM = "another market or package of the item is visible"
    UNKNOWN_ID = "the item or the recipient is not known"
    NEVER_ADDED = "never added here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason. Fields that it does not have are empty.

    `at` is when it happened; a change made elsewhere happened after `since`. Of a list that could not be read
    `since` is when it was seen last, and `could_see` what it said then. `person` did it, and `why` is their
    reason. `key` is that of the save in the history, or of the job with the title `job`. `items` and
    `recipients` may be meant instead: they are on the list, or visible, or known. `message` says why
    something failed, or what is wrong with an id.
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
class Case:
    """A question with what was known before the read, and what was read: all that a reason is found from."""

    item: ItemKey
    recipient_id: str
    is_item_known: bool
    is_recipient_known: bool
    listed: frozenset[str] | None = None
    error: ItemVisibilityError | None = None
    at: datetime | None = None
    steps: tuple[PairStep, ...] = ()

    @property
    def is_item_sure(self) -> bool:
        """True when the item is known here or has recipients."""
        return bool(self.listed) or self.is_item_known

    @property
    def is_recipient_sure(self) -> bool:
        """True when the recipient is known here, or is a GLN that is not the item's number."""
        one, item = self.recipient_id, trade_number(self.item.supplier_item_id)
        is_gln = len(one) == GLN_DIGITS and is_number(one) and fits_check_digit(one)
        return self.is_recipient_known or (is_gln and one.lstrip("0") != item.lstrip("0"))

    @property
    def last(self) -> PairStep | None:
        """The newest step after which the recipient is not on the list."""
        outcomes = {Goal.VISIBLE: frozenset(Outcome) - {Outcome.IN_PLACE}, Goal.NOT_VISIBLE: _GONE}
        return next((one for one in self.steps if one.outcome in outcomes[one.goal]), None)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Finds the reason for an answer in our own records. `read` returns who can see another item."""

    records: ServiceRecords
    names: KnownNames
    read: Callable[[ItemKey], frozenset[str] | None]

    def reason(self, case: Case) -> Reason:
        """Return the first reason that applies; when none does, the recipient was never added here."""
        steps = or_else(None, lambda: self._steps(case))
        case = replace(case, steps=steps or ())
        table = (
            self._not_read,
            self._under_way,
            self._all_removed,
            self._by_last_step,
            self._near_recipient,
            self._other_item,
            self._unknown_id,
        )
        for find in table:
            if reason := or_else(None, partial(find, case)):
                return reason
        if steps is None:
            return Reason(kind=ReasonKind.NOT_READ, message="What was changed here could not be read.")
        return Reason(kind=ReasonKind.NEVER_ADDED)

    def pending_removal(self, case: Case) -> Reason | None:
        """Return the removal from here that a read has not shown yet; None when there is none."""
        steps = or_else((), lambda: self._steps(case))
        last, before = [*(one for one in steps if one.outcome in _GONE), None, None][:2]
        if last and before and last.kind is ChangeKind.OBSERVED and last.seen_before_at == before.ended_at:
            last = before  # no read between the two has shown the removal
        is_ours = last is not None and last.goal is Goal.NOT_VISIBLE and last.kind is not ChangeKind.OBSERVED
        if last is None or not is_ours or case.at is None:
            return None
        is_open = last.ended_at is None or case.at - last.ended_at < READ_LAG
        is_doubtful = last.outcome is Outcome.UNKNOWN or last.verdict is Verdict.NOT_CONFIRMED
        return _of_step(ReasonKind.REMOVED, last) if is_open or is_doubtful else None

    def _steps(self, case: Case) -> tuple[PairStep, ...]:
        return self.records.search.steps(case.item, case.recipient_id, limit=_MOST_STEPS)

    def _not_read(self, case: Case) -> Reason | None:
        if case.error is None or isinstance(case.error, IdentifierError):
            return None
        found = or_else(dict[ItemKey, SeenItem](), partial(self.records.seen.lists, [case.item]))
        seen = found.get(case.item)
        if seen is None or case.recipient_id in seen.unsure:
            return Reason(kind=ReasonKind.NOT_READ, message=case.error.message)
        return Reason(
            kind=ReasonKind.NOT_READ,
            message=case.error.message,
            since=seen.seen_at,
            could_see=case.recipient_id in (seen.recipients or ()),
        )

    def _under_way(self, case: Case) -> Reason | None:
        if case.last and case.last.ended_at is None:
            return _of_step(ReasonKind.UNDER_WAY, case.last)
        for job, intent in self.records.jobs.unfinished(case.item):
            is_begun = job.state not in {JobState.READING, JobState.PREVIEWED}
            if is_begun and case.recipient_id in (intent.exactly or intent.add):
                return Reason(
                    kind=ReasonKind.UNDER_WAY,
                    at=job.started_at or job.created_at,
                    person=job.person,
                    why=job.reason,
                    key=job.key,
                    job=job.title,
                )
        return None

    def _all_removed(self, case: Case) -> Reason | None:
        """Everything was removed, whether or not the recipient was on the list."""
        if case.last is None:
            entry = None if case.listed else self.records.history.latest(case.item)
        else:
            entry = self.records.history.entry(case.last.key) if case.last.goal is not Goal.VISIBLE else None
        if entry is None or entry.request.operation is not Operation.REMOVE_ALL or not entry.is_undoable:
            return None
        request = entry.request
        return Reason(
            kind=ReasonKind.ALL_REMOVED,
            at=entry.started_at,
            person=request.person,
            why=request.reason,
            key=request.key,
        )

    def _by_last_step(self, case: Case) -> Reason | None:
        if case.last is None:
            return None
        is_elsewhere = case.last.kind is ChangeKind.OBSERVED
        removed = ReasonKind.REMOVED_ELSEWHERE if is_elsewhere else ReasonKind.REMOVED
        kind = ReasonKind.ADD_FAILED if case.last.goal is Goal.VISIBLE else removed
        return _of_step(kind, case.last)

    def _near_recipient(self, case: Case) -> Reason | None:
        """A recipient of the list: the same number in another writing, or one with a slip in either."""
        near = near_among(case.recipient_id, case.listed or frozenset())
        if case.is_recipient_sure:
            own = writing(case.recipient_id)
            near = tuple(
                one
                for one in near
                if writing(one) == own or (is_trade_number(one) and not fits_check_digit(one))
            )
        return Reason(kind=ReasonKind.NEAR_RECIPIENT, recipients=near) if near else None

    def _other_item(self, case: Case) -> Reason | None:
        for item in self._others(case)[:_MOST_NEAR]:
            if case.recipient_id in (self.read(item) or ()):
                return Reason(kind=ReasonKind.OTHER_ITEM, items=(item,))
        return None

    def _unknown_id(self, case: Case) -> Reason | None:
        own_id = case.item.supplier_item_id
        if not case.is_item_sure:
            suppliers = (case.item.supplier,) if case.item.supplier else self.names.some_ids(Kind.SUPPLIER)
            texts = near_texts(own_id)
            pairs = (ItemKey(one, text) for one in suppliers[:_MOST_SUPPLIERS] for text in texts)
            near = sorted(
                self.names.known_items(pairs),
                key=lambda one: (texts.index(one.supplier_item_id), one.supplier),
            )
            items = tuple(dict.fromkeys([*self._others(case), *near]))[:_MOST_NEAR]
            message = case.error.message if case.error else _wrong(own_id)
            return Reason(kind=ReasonKind.UNKNOWN_ID, items=items, message=message)
        if not case.is_recipient_sure:
            texts = near_texts(case.recipient_id)
            known = sorted(self.names.known_recipients(texts), key=texts.index)
            message = _wrong(case.recipient_id)
            return Reason(kind=ReasonKind.UNKNOWN_ID, recipients=tuple(known)[:_MOST_NEAR], message=message)
        return None

    def _others(self, case: Case) -> list[ItemKey]:
        """Return the known items of the same number: other markets, packages and suppliers, in this order."""
        own, number = case.item, trade_number(case.item.supplier_item_id)
        core = number.zfill(_PACKAGE_DIGITS)[1:-1] if is_trade_number(number) else ""
        packages = self.names.find(Kind.ITEM, core, supplier=own.supplier or None).choices if core else ()
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
