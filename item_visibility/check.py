"""Can this recipient see this item? The answer in words that can be read out on the telephone."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from item_visibility.api.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.question import Question


class CheckKind(StrEnum):
    """What is known: only an answer of the service is a yes or a no."""

    YES = "yes"
    NO = "no"
    NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer:
    """The answer to one question.

    `item` and `recipient_id` are None where the question did not hold them. `answered_at` is when
    the service was read, or when it was found that it could not be. `sentence` holds fixed words
    only, no identifier. `message` and `advice` say why the answer is not known; empty otherwise.
    """

    kind: CheckKind
    item: ItemKey | None
    recipient_id: str | None
    answered_at: datetime
    sentence: str
    message: str = ""
    advice: str = ""
    error: ItemVisibilityError | None = None


def answer_from_read(
    item: ItemKey, *, recipient_id: str, recipients: frozenset[str] | None, read_at: datetime
) -> CheckAnswer:
    """Yes or no, from the list that the service gave; 404 and an empty list read the same. Note N4."""
    if recipient_id in (recipients or frozenset()):
        kind, sentence = CheckKind.YES, "Yes, this recipient can see the item."
    elif recipients:
        kind, sentence = CheckKind.NO, "No, this recipient cannot see the item; others can."
    else:
        kind, sentence = CheckKind.NO, "No, this recipient cannot see the item: nothing is recorded for it."
    return CheckAnswer(
        kind=kind, item=item, recipient_id=recipient_id, answered_at=read_at, sentence=sentence
    )


def answer_from_error(
    item: ItemKey, *, recipient_id: str, error: ItemVisibilityError, at: datetime
) -> CheckAnswer:
    """Not known: the service could not be read, and why."""
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
    """Not known: the question does not hold all three, and which are missing."""
    return CheckAnswer(
        kind=CheckKind.NOT_KNOWN,
        item=None,
        recipient_id=question.recipient_id,
        answered_at=at,
        sentence="Not known: the question is not complete.",
        message=question.missing_words,
        advice="Paste the supplier, the item and the recipient in this order, or a link from this dashboard.",
    )
