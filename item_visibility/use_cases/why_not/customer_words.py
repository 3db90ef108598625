"""Words for the customer: two or three sentences to copy, without the names of colleagues or of others."""

from item_visibility.use_cases.check.answer_sentences import CheckAnswer, CheckKind
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind, WhyNot
from item_visibility.use_cases.why_not.telling import Telling, When

CANNOT_KNOW = (
    '"Can see" is what the service records. Whether the recipient subscribed to the item, whether the data '
    "was delivered, and whether it is right, this service cannot know."
)
_ELSEWHERE = "Subscription and delivery are not part of this answer."
_K = ReasonKind
_CHECK_RECIPIENT = "Please check the recipient's number: we do not know it as it was given to us."
_CHECK_ITEM = "Please check the item's number and its market: we do not know it as it was given to us."
_NOT_YET = "It is not made visible at present."
_LOOK = "We look into it."
_TOLD = {
    **dict.fromkeys((_K.NOT_READ,), "The service did not answer us. Please ask again later."),
    **dict.fromkeys((_K.CANNOT_BE_ASKED, _K.UNKNOWN_ITEM, _K.ITEM_MISTYPED), _CHECK_ITEM),
    **dict.fromkeys((_K.ITEM_WRITTEN_OTHERWISE, _K.KNOWN_PACKAGE, _K.OTHER_PACKAGE), _CHECK_ITEM),
    **dict.fromkeys((_K.SUPPLIER_MISTYPED, _K.KNOWN_SUPPLIER, _K.OTHER_SUPPLIER), _CHECK_ITEM),
    **dict.fromkeys((_K.RECIPIENT_MISTYPED, _K.KNOWN_RECIPIENT, _K.UNKNOWN_RECIPIENT), _CHECK_RECIPIENT),
    **dict.fromkeys((_K.DAMAGED, _K.SUPPLIERS_NUMBER, _K.ITEMS_NUMBER, _K.EXCHANGED), _CHECK_RECIPIENT),
    **dict.fromkeys((_K.WRITTEN_OTHERWISE, _K.LIST_MISTYPED), f"The number is recorded differently. {_LOOK}"),
    **dict.fromkeys((_K.ADDING, _K.ADDED), "It is being made visible. Please look again in a few minutes."),
    **dict.fromkeys((_K.ADD_REFUSED, _K.ADD_UNCERTAIN, _K.NOT_SENT), f"{_NOT_YET} {_LOOK}"),
    **dict.fromkeys((_K.JOB, _K.NOT_ADDED, _K.NO_LIST), _NOT_YET),
    _K.MARKET_MISSING: "Please tell us for which market the item is.",
}


def customer_words(why_not: WhyNot, answer: CheckAnswer, *, when: When) -> str:
    """Return what to tell the customer about this answer."""
    telling = Telling(why_not.first, why_not, when)
    who, what, at = telling.asked_recipient, telling.asked_item, when(answer.answered_at)
    if answer.kind is CheckKind.NO:
        so = f"{who} cannot see {what}, as of {at}."
    else:
        asked = f" (asked {at})" if answer.is_asked else ""
        so = f"We cannot say yet whether {who} can see {what}{asked}."
    return " ".join((so, _why(why_not.first, telling), _ELSEWHERE))


def _why(reason: Reason, telling: Telling) -> str:
    """Return the reason as the customer may know it."""
    if reason.kind in {_K.OTHER_MARKET, _K.KNOWN_MARKET}:
        can = "It can see" if reason.sees else "We know"
        market = f" for {telling.market}" if telling.market else ""
        return f"{can} the item{market} ({telling.item.supplier_item_id})."
    if told := _TOLD.get(reason.kind):
        return told
    return f"It was withdrawn on {telling.event[0]}."
