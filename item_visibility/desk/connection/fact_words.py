"""Questions that the specification leaves open, and the answers that were seen from this service.

Learned from ordinary traffic only, never by probing. Each answer stands with the call that showed it last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from item_visibility.api.operations import OPERATIONS
from item_visibility.records.facts import ServiceFact

NOT_SEEN = "Not seen yet"
REPLACES, MERGES = "it replaces the old one", "it keeps the recipients that it omits"
NOT_FOUND, EMPTY_LIST = "404, not found", "an empty list"
SORTED, NOT_SORTED = "in ascending order", "in another order"
ONCE, TWICE = "each recipient stands once", "some recipients stand twice"
AT_ONCE, LATE = "the change", "the old list for a while"
SAID, NOT_SAID = "the token endpoint says it", "the token endpoint does not say it"


class OpenPoint(StrEnum):
    """A question that the specification leaves open."""

    SET = "set"
    EMPTY = "empty"
    ORDER = "order"
    DUPLICATES = "duplicates"
    LAG = "lag"
    REMOVE_MISSING = "remove missing"
    ADD_PRESENT = "add present"
    TOKEN = "token"  # noqa: S105  (a word, no password)
    STATUS = "status"


_QUESTIONS = {
    OpenPoint.SET: (
        "A whole list that is set",
        "Seen when a list is set that omits recipients and adds some.",
    ),
    OpenPoint.EMPTY: ("A read of an item that no recipient can see", "Seen when such an item is read."),
    OpenPoint.ORDER: ("Order of a list", "Seen when a list of five or more is read."),
    OpenPoint.DUPLICATES: ("Recipients in a list", "Seen when a list of two or more is read."),
    OpenPoint.LAG: ("A read just after a change shows", "Seen when a save is read back."),
    OpenPoint.REMOVE_MISSING: (
        "Removing who cannot see the item",
        "Seen when a removal comes twice, or after somebody else's.",
    ),
    OpenPoint.ADD_PRESENT: (
        "Adding who can see the item already",
        "Seen when an addition comes twice, or after somebody else's.",
    ),
    OpenPoint.TOKEN: ("Lifetime of a token", "Seen when a token is given."),
}


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A question, its answer in words, and the call that showed it; None when it was not seen yet."""

    question: str
    answer: str
    evidence: ServiceFact | None


@lru_cache(maxsize=256)
def status_fact(operation: str, status: object = "") -> str:
    """Return the fact that an operation was answered with this status: each status is a fact of its own."""
    return f"{OpenPoint.STATUS} {operation} {status}"


def told_facts(seen: Sequence[ServiceFact]) -> tuple[ToldFact, ...]:
    """Return every question with its answer, from the values that were seen, the newest first."""
    known = [
        _told(question, hint, [one for one in seen if one.fact == fact])
        for fact, (question, hint) in _QUESTIONS.items()
    ]
    statuses = [
        _told_statuses(
            operation.name, [one for one in seen if one.fact.startswith(status_fact(operation.name))]
        )
        for operation in OPERATIONS
    ]
    return (*known, *statuses)


def _told(question: str, hint: str, seen: list[ServiceFact]) -> ToldFact:
    """The newest answer is the one that holds; an older one that differs is told with its day."""
    if not seen:
        return ToldFact(question, f"{NOT_SEEN}. {hint}", None)
    newest, *older = seen
    before = ", ".join(f"{one.value} on {one.observed_at:%Y-%m-%d}" for one in older)
    note = f" ({newest.note})" if newest.note else ""
    return ToldFact(question, f"{newest.value}{note}{before and f'; before: {before}'}", newest)


def _told_statuses(operation: str, seen: list[ServiceFact]) -> ToldFact:
    question = f"Statuses of {operation}"
    if not seen:
        return ToldFact(question, f"{NOT_SEEN}.", None)
    return ToldFact(question, ", ".join(sorted(one.value for one in seen)), seen[0])
