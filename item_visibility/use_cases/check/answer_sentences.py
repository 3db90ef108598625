"""Can this recipient see this item? The answer is in words that can be read out on the telephone."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError, ItemVisibilityError, RecordsError
from item_visibility.lists.markets import market_name
from item_visibility.lists.numbers import (
    GLN_DIGITS,
    fits_check_digit,
    is_number,
    split_item_id,
)
from item_visibility.saving.in_words import many
from item_visibility.storage.directory import Directory, Kind
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.check.question.by_number import market_of
from item_visibility.use_cases.check.question.parts import Question
from item_visibility.use_cases.known_names import KnownNames

_THIS_RECIPIENT, _THE_ITEM = "this recipient", "the item"
_WITHOUT_MARKET = "Not known: the market is missing."
_OTHER_MARKET = "Not known: the question names another market than the item."
_UNCLEAR = "Not known yet: choose what is meant."
_HOW_TO_ASK = (
    "Name the item and the recipient, or paste the supplier, the item and the recipient in this order, "
    "or a link from this dashboard."
)


class CheckKind(StrEnum):
    """The kind of answer. Yes and no need an answer of the service for exactly what was asked."""

    YES = "yes"
    NO = "no"
    NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer:
    """The answer to one question.

    `item` and `recipient_id` are None if the question did not hold them. `answered_at` is when the
    service was read, or when reading failed. `sentence` calls recipient and item by their names, if known.
    `message` and `advice` say why the answer is not known; empty otherwise. `candidates` are known
    items that may be meant instead, and `instead` the answers for them. `listed` is the list that was read,
    None when none was, and `exchanges` are the requests that were made.
    """

    kind: CheckKind
    item: ItemKey | None
    recipient_id: str | None
    answered_at: datetime
    sentence: str
    message: str = ""
    advice: str = ""
    error: ItemVisibilityError | None = None
    listed: frozenset[str] | None = None
    exchanges: tuple[CallRecord, ...] = field(default=(), repr=False)
    candidates: tuple[ItemKey, ...] = ()
    instead: tuple["CheckAnswer", ...] = ()

    @property
    def is_asked(self) -> bool:
        """False when the service was not asked: a part is missing, or no request can name the item."""
        return self.item is not None and not isinstance(self.error, IdentifierError)

    @property
    def is_without_market(self) -> bool:
        """True when only the market is missing: the number is known here, in the markets of `instead`."""
        return self.sentence == _WITHOUT_MARKET

    @property
    def names_other_market(self) -> bool:
        """True when the question names another market than the item's id."""
        return self.sentence == _OTHER_MARKET


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """Our own knowledge about a question, apart from the service.

    `is_looked_up` is False when our own records could not be read. `recipient` and `item` are what an
    answer calls them. `other_market` names a market of the question that is not the item's; empty when
    there is none.
    """

    recipient: str = _THIS_RECIPIENT
    item: str = _THE_ITEM

    is_looked_up: bool = True
    is_without_market: bool = False
    is_item_known: bool
    is_recipient_known: bool
    other_market: str = ""
    candidates: tuple[ItemKey, ...] = ()

    @property
    def is_market_missing(self) -> bool:
        """True when the number is known here with markets only."""
        return self.is_without_market and bool(self.candidates)


def recognise(
    question: Question, item: ItemKey, recipient_id: str, *, directory: Directory, names: KnownNames
) -> Recognition:
    """Look up what is known here. Call it before the service is read, because a read makes more known."""
    own = market_of(item.supplier_item_id)
    market = _other_market(question, own)
    try:
        items = directory[Kind.ITEM].known([(item.supplier, item.supplier_item_id)])
        recipients = directory[Kind.RECIPIENT].known([(recipient_id,)])
    except RecordsError:
        return Recognition(
            is_looked_up=False, is_item_known=False, is_recipient_known=False, other_market=market
        )
    near = names.items_with_number(item.supplier_item_id, supplier=item.supplier)
    others = [one for one in near if one != item]
    named = [one for one in others if market_of(one.supplier_item_id) in question.markets]
    has_name = any(one.name for one in items.values())
    return Recognition(
        recipient=next((one.name for one in recipients.values() if one.name), _THIS_RECIPIENT),
        item=names.item_title(item) if has_name else _THE_ITEM,
        is_without_market=not own,
        is_item_known=bool(items),
        is_recipient_known=bool(recipients),
        other_market="" if named and not own else market,
        candidates=tuple(named or others),
    )


def _other_market(question: Question, own: str) -> str:
    """Return the name of a market in the question that is not the item's; empty when there is none."""
    others = sorted(market_name(code) for code in question.markets if code != own)
    return others[0] if others else ""


def is_like_a_recipient(recipient_id: str, *, item: ItemKey) -> bool:
    """True for a GLN with a correct check digit that is not the item's number."""
    parts = split_item_id(item.supplier_item_id)
    number = parts.number if parts else item.supplier_item_id
    is_gln = len(recipient_id) == GLN_DIGITS and is_number(recipient_id) and fits_check_digit(recipient_id)
    return is_gln and recipient_id.lstrip("0") != number.lstrip("0")


def answer_from_read(read: ReadItem, *, recipient_id: str, recognition: Recognition) -> CheckAnswer:
    """Answer yes or no from the service's list; 404 and an empty list read the same. Note N4.

    No needs both item and recipient to be recognised. An item is recognised if it is known here or has
    recipients in the service. A recipient is recognised if it is known here or is a GLN.
    """
    item, recipients = read.item, read.recipients
    answer = partial(CheckAnswer, item=item, recipient_id=recipient_id, answered_at=read.read_at)
    if recognition.other_market:
        market = recognition.other_market
        return answer(
            kind=CheckKind.NOT_KNOWN,
            sentence=_OTHER_MARKET,
            message=f"No item of this number is known here for {market}."
            if recognition.is_without_market
            else f"It names {market}; the item's id does not end with that market.",
            advice="Ask again with the id of the item for that market.",
            candidates=recognition.candidates,
        )
    if recipient_id in (recipients or frozenset()):
        return answer(
            kind=CheckKind.YES, sentence=f"Yes, {recognition.recipient} can see {recognition.item}."
        )
    is_recipient = recognition.is_recipient_known or is_like_a_recipient(recipient_id, item=item)
    if not recipients and not recognition.is_item_known:
        why = f"The service has nothing recorded for this item. {_why(recognition, 'item')}"
        is_misread = not recognition.is_market_missing
        return answer(
            kind=CheckKind.NOT_KNOWN,
            sentence="Not known: the item may be misread." if is_misread else _WITHOUT_MARKET,
            message=why if is_misread else "",
            advice="Compare supplier, number and market with what the customer wrote." if is_misread else "",
            candidates=recognition.candidates,
        )
    if not is_recipient:
        seen = (
            f"is not among the {many(len(recipients), 'recipient')} that can see the item"
            if recipients
            else "cannot see it"
        )
        return answer(
            kind=CheckKind.NOT_KNOWN,
            sentence="Not known: the recipient may be misread.",
            message=f"This id {seen}. {_why(recognition, 'recipient')}",
            advice="Compare the recipient's number with what the customer wrote.",
        )
    who, what = recognition.recipient, recognition.item
    if recipients:
        return answer(kind=CheckKind.NO, sentence=f"No, {who} cannot see {what}; others can.")
    return answer(kind=CheckKind.NO, sentence=f"No, {who} cannot see {what}: nothing is recorded for it.")


def _why(recognition: Recognition, name: str) -> str:
    if not recognition.is_looked_up:
        return f"It could not be read whether the {name} is known here."
    return f"The {name} is not known here."


def answer_from_error(
    item: ItemKey, *, recipient_id: str, error: ItemVisibilityError, at: datetime
) -> CheckAnswer:
    """Answer that it is not known, and why the service could not be read."""
    return CheckAnswer(
        kind=CheckKind.NOT_KNOWN,
        item=item,
        recipient_id=recipient_id,
        answered_at=at,
        sentence="Not known: the list could not be read.",
        message=error.message,
        advice=error.advice,
        error=error,
    )


def answer_incomplete(question: Question, *, at: datetime) -> CheckAnswer:
    """Answer that it is not known, and which of the three ids are missing."""
    is_choice = any(doubt.choices for doubt in question.doubts)
    return CheckAnswer(
        kind=CheckKind.NOT_KNOWN,
        item=None,
        recipient_id=question.recipient_id,
        answered_at=at,
        sentence=_UNCLEAR if is_choice else "Not known: the question is not complete.",
        message="" if is_choice else question.missing_words,
        advice="" if is_choice else _HOW_TO_ASK,
    )
