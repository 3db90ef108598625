"""The reasons why a recipient cannot see an item: their order in one table, and what to do about each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.use_cases.why_not.near_numbers import IN_ORDER, Slip


class ReasonKind(StrEnum):
    """A possible reason."""

    NOT_READ = "the list could not be read"
    CANNOT_BE_ASKED = "the item's number cannot be sent"
    ADDING = "it is being added"
    WRITTEN_OTHERWISE = "the list holds the number in another writing"
    ITEM_WRITTEN_OTHERWISE = "the item is known in another writing"
    JOB = "a job is to add it"
    REMOVED = "it was removed here"
    TAKEN_BACK = "its addition was taken back"
    REMOVED_ELSEWHERE = "it was removed elsewhere"
    ADD_REFUSED = "an addition was refused"
    ADD_UNCERTAIN = "an addition was not confirmed"
    NOT_SENT = "an addition was not sent"
    ADDED = "it was just added"
    EXCHANGED = "parts of the question are exchanged"
    OTHER_MARKET = "it can see the item of another market"
    OTHER_SUPPLIER = "it can see the item of another supplier"
    OTHER_PACKAGE = "it can see the item in another package"
    LIST_MISTYPED = "the list holds the number with a slip"
    RECIPIENT_MISTYPED = "a recipient of the list was probably meant"
    SUPPLIER_MISTYPED = "another supplier was probably meant"
    MARKET_MISSING = "the market is missing"
    KNOWN_MARKET = "the item is known in another market"
    ITEM_MISTYPED = "another item was probably meant"
    KNOWN_PACKAGE = "the item is known in another package"
    KNOWN_SUPPLIER = "the item is known of another supplier"
    SUPPLIERS_NUMBER = "the number is the supplier's"
    ITEMS_NUMBER = "the number is the item's"
    DAMAGED = "the number is damaged"
    KNOWN_RECIPIENT = "a known recipient was probably meant"
    NO_LIST = "the item has no list"
    NOT_ADDED = "its addition is not on record"
    UNKNOWN_RECIPIENT = "the recipient is not known"
    UNKNOWN_ITEM = "the item is not known"


_K = ReasonKind
_EVENTS = (
    *(_K.JOB, _K.REMOVED, _K.TAKEN_BACK, _K.REMOVED_ELSEWHERE),
    *(_K.ADD_REFUSED, _K.ADD_UNCERTAIN, _K.NOT_SENT, _K.ADDED),
)
ORDER: tuple[tuple[ReasonKind, ...], ...] = (
    (_K.NOT_READ,),
    (_K.ADDING,),
    (_K.MARKET_MISSING,),
    (_K.WRITTEN_OTHERWISE,),
    (_K.ITEM_WRITTEN_OTHERWISE,),
    (_K.CANNOT_BE_ASKED,),
    _EVENTS,
    (_K.EXCHANGED,),
    (_K.OTHER_MARKET,),
    (_K.OTHER_SUPPLIER,),
    (_K.OTHER_PACKAGE,),
    (_K.LIST_MISTYPED,),
    (_K.RECIPIENT_MISTYPED,),
    (_K.SUPPLIER_MISTYPED,),
    (_K.KNOWN_MARKET,),
    (_K.ITEM_MISTYPED,),
    (_K.KNOWN_PACKAGE,),
    (_K.KNOWN_SUPPLIER,),
    (_K.SUPPLIERS_NUMBER, _K.ITEMS_NUMBER),
    (_K.DAMAGED,),
    (_K.KNOWN_RECIPIENT,),
    (_K.UNKNOWN_ITEM,),
    (_K.UNKNOWN_RECIPIENT,),
    (_K.NO_LIST,),
    (_K.NOT_ADDED,),
)
"""The most probable first. Events of this very pair stand in one row: there the newest is first."""
_ABOUT_ITEM = frozenset(
    {
        *(_K.ITEM_WRITTEN_OTHERWISE, _K.ITEM_MISTYPED, _K.SUPPLIER_MISTYPED, _K.EXCHANGED),
        *(_K.OTHER_MARKET, _K.OTHER_SUPPLIER, _K.OTHER_PACKAGE),
        *(_K.KNOWN_MARKET, _K.KNOWN_SUPPLIER, _K.KNOWN_PACKAGE),
    }
)
_ABOUT_MARKETS = frozenset({_K.OTHER_MARKET, _K.KNOWN_MARKET})
_IDLE_BESIDE = {
    _K.NOT_ADDED: frozenset({*_EVENTS, _K.ADDING}),
    _K.NO_LIST: frozenset({*_EVENTS, _K.ADDING}),
    _K.UNKNOWN_ITEM: _ABOUT_ITEM,
    _K.KNOWN_SUPPLIER: frozenset({_K.EXCHANGED}),
}
"""Reasons that say only that there is no other, each with those beside which it is not given."""
_RANK = {kind: rank for rank, row in enumerate(ORDER) for kind in row}
_SAID_BY_ANSWER = {
    *(_K.NOT_READ, _K.CANNOT_BE_ASKED, _K.MARKET_MISSING),
    *(_K.NO_LIST, _K.UNKNOWN_ITEM, _K.UNKNOWN_RECIPIENT),
}


class NextStep(StrEnum):
    """The one thing to do about a reason."""

    ADD = "open the item with the recipient under Add recipients"
    OPEN_JOB = "open the job"
    ASK_INSTEAD = "ask about what was probably meant"
    ASK_AGAIN = "ask again"
    EXAMINE = "is it us or them?"
    ASK_CUSTOMER = "ask the customer"


_NEXT = {
    **dict.fromkeys((_K.ADDING, _K.ADDED), NextStep.ASK_AGAIN),
    **dict.fromkeys((_K.UNKNOWN_ITEM, _K.UNKNOWN_RECIPIENT, _K.DAMAGED), NextStep.ASK_CUSTOMER),
    **dict.fromkeys((_K.SUPPLIERS_NUMBER, _K.ITEMS_NUMBER), NextStep.ASK_CUSTOMER),
    **dict.fromkeys((_K.MARKET_MISSING, _K.CANNOT_BE_ASKED), NextStep.ASK_CUSTOMER),
    _K.NOT_READ: NextStep.EXAMINE,
    _K.JOB: NextStep.OPEN_JOB,
    **dict.fromkeys(
        (_K.REMOVED, _K.TAKEN_BACK, _K.REMOVED_ELSEWHERE, _K.ADD_REFUSED, _K.ADD_UNCERTAIN, _K.NOT_SENT),
        NextStep.ADD,
    ),
    **dict.fromkeys((_K.LIST_MISTYPED, _K.NO_LIST, _K.NOT_ADDED), NextStep.ADD),
}
"""For any other reason: ask about what was probably meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason. Fields that it does not have are empty or None.

    `at` is when it happened; of a change made elsewhere `since` is the last time before it, of a list that
    could not be read the time when it was seen last. `who` did it and `why`, in their words; `origin` is the
    kind of their save. `item` and `recipient_id` are the ids that were probably meant, and `slip` says
    how they differ; `sees` is True when the service said that this can be seen. `key` is that of a save or
    a job, `title` and `state` are a job's, `verdict` a save's; `message` says why something was refused.
    """

    kind: ReasonKind
    at: datetime | None = None
    since: datetime | None = None
    who: str = ""
    why: str = ""
    origin: ChangeKind | None = None
    item: ItemKey | None = None
    recipient_id: str | None = None
    slip: Slip | None = None
    sees: bool = False
    key: str = ""
    title: str = ""
    state: JobState | None = None
    verdict: Verdict | None = None
    message: str = ""

    @property
    def is_said_by_answer(self) -> bool:
        """True when it says no more than the answer itself."""
        return self.kind in _SAID_BY_ANSWER and self.since is None

    @property
    def next_step(self) -> NextStep:
        """The one step that helps."""
        return _NEXT.get(self.kind, NextStep.ASK_INSTEAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """The reasons for one answer, the most probable first; never empty. The names in them are here.

    `is_looked_up` is False when our own records could not be read: then what happened here is not known.
    """

    item: ItemKey
    recipient_id: str
    reasons: tuple[Reason, ...]
    is_looked_up: bool = True
    recipient_names: Mapping[str, str] = field(default_factory=dict)
    item_titles: Mapping[ItemKey, str] = field(default_factory=dict)
    supplier_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def first(self) -> Reason:
        """The most probable reason."""
        return self.reasons[0]

    @property
    def others(self) -> tuple[Reason, ...]:
        """The others, without those that the answer says: a missing market is answered for each market."""
        are_markets_said = self.first.kind is _K.MARKET_MISSING
        said = _ABOUT_MARKETS if are_markets_said else frozenset[ReasonKind]()
        return tuple(one for one in self.reasons[1:] if not one.is_said_by_answer and one.kind not in said)


def without_idle(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return the reasons without those that say only that there is no other."""
    found = tuple(reasons)
    kinds = {one.kind for one in found}
    idle = {kind for kind, others in _IDLE_BESIDE.items() if kinds & others}
    return tuple(one for one in found if one.kind not in idle)


def in_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return the most probable first; of one row of the table the newest, then the smallest slip."""
    return tuple(sorted(reasons, key=_sort_key))


def _sort_key(reason: Reason) -> tuple[int, float, int, bool]:
    newest = -reason.at.timestamp() if reason.at else 0.0
    slip = IN_ORDER.index(reason.slip) if reason.slip else 0
    return _RANK[reason.kind], newest, slip, not reason.sees
