"""Words of advice about a reason, and the label of the one step that helps."""

from item_visibility.use_cases.why_not.reasons import NextStep, Reason, ReasonKind, WhyNot
from item_visibility.use_cases.why_not.telling import Telling

_K = ReasonKind
_ASK_NUMBER = "Ask the customer for the exact number, as text, not as a picture or from a spreadsheet."
_QUESTIONS = {
    _K.MARKET_MISSING: "Ask the customer for which market the item is.",
    _K.CANNOT_BE_ASKED: "Ask the customer for the exact number of the item.",
    _K.SUPPLIERS_NUMBER: "Ask the customer for the number of their own company.",
    _K.ITEMS_NUMBER: "Ask the customer for the number of their own company.",
    _K.DAMAGED: _ASK_NUMBER,
    _K.UNKNOWN_RECIPIENT: _ASK_NUMBER,
    _K.UNKNOWN_ITEM: "Ask the customer for the number of the item, with its market.",
}
_ADVICE = {
    _K.WRITTEN_OTHERWISE: "The service compares numbers character by character.",
    _K.REMOVED_ELSEWHERE: "Ask the supplier before you add it again.",
    _K.REMOVED: "It was removed on purpose: ask before you add it again.",
}
_LABELS = {
    NextStep.OPEN_JOB: "Open the job",
    NextStep.ASK_AGAIN: "Ask again",
    NextStep.EXAMINE: "Is it us or them?",
    NextStep.ASK_CUSTOMER: "",
}


def advice_in_words(reason: Reason, *, is_locked: bool) -> str:
    """Return what to do about it, where that is not a step on this page; empty when it is."""
    if reason.next_step is NextStep.ADD and is_locked:
        return "To give it access, ask an editor."
    if reason.next_step is NextStep.ASK_CUSTOMER:
        return _QUESTIONS[reason.kind]
    return _ADVICE.get(reason.kind, "")


def step_in_words(reason: Reason, why_not: WhyNot) -> str:
    """Return the label of the one step that helps; empty when the customer is to be asked."""
    if reason.next_step is NextStep.ADD:
        return f"Open the item to add {Telling(reason, why_not, str).it}"
    if reason.next_step is NextStep.ASK_INSTEAD:
        return f"Ask about {Telling(reason, why_not, str).instead}"
    return _LABELS[reason.next_step]
