"""The confirmation of a large change: its thresholds, and the words that ask for it."""

from dataclasses import dataclass

from item_visibility.changes.in_words import many
from item_visibility.changes.plan import ChangePlan
from item_visibility.changes.request import SaveRequest

LARGE_REMOVAL_SHARE = 0.5
LARGE_ADDITION = 100
"""Adding more than this many at once is confirmed: perhaps the wrong list was pasted or copied."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The count that a person types before a large change is saved, and why it is asked for."""

    count: int
    question: str
    why: str
    is_removal: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """The reason why a save is not started, and what the person can do."""

    message: str
    advice: str


def is_large_removal(*, before: int, removed: int, added: int) -> bool:
    """True when nobody is left, or more than half of the earlier recipients are removed."""
    leaves_nobody = before - removed + added == 0
    return removed > 0 and (leaves_nobody or removed > before * LARGE_REMOVAL_SHARE)


def confirmation_of(*, before: int, removed: int, added: int) -> Confirmation | None:
    """Return the confirmation that this change needs, or None. A large removal is asked about first."""
    if is_large_removal(before=before, removed=removed, added=added):
        leaves_nobody = before - removed + added == 0
        why = "Nobody will see the item any more." if leaves_nobody else "That is more than half."
        return Confirmation(
            removed, f"Remove {removed:,} of {many(before, 'recipient')}?", why, is_removal=True
        )
    if added > LARGE_ADDITION:
        why = f"That is more than {LARGE_ADDITION} at once."
        return Confirmation(added, f"Add {added:,} recipients?", why, is_removal=False)
    return None


def is_confirmed(count: int | None, *, typed: str) -> bool:
    """True when the typed text is the count, or no count is to be typed."""
    return not count or typed.strip() == str(count)


def reason_to_hold(request: SaveRequest, plan: ChangePlan) -> Hold | None:
    """Return why this save must not start as it is, or None when it may.

    The plan is against the list as it is now, not as the person read it: somebody else's removals
    can turn a small removal into a large one.
    """
    before, removed = len(plan.current), len(plan.removed)
    is_large = is_large_removal(before=before, removed=removed, added=len(plan.added))
    if is_large and request.confirmed_count != removed:
        return Hold(
            f"This removes {removed} of the {many(before, 'recipient')} that can see the item now.",
            advice=f"If that is meant, save again, and type {removed}.",
        )
    if request.base and not plan.current and plan.added:
        return _emptied_meanwhile(request.base)
    return None


def _emptied_meanwhile(base: frozenset[str]) -> Hold:
    """Hold a save when somebody removed all recipients: perhaps the item is withdrawn on purpose.

    An addition would make it visible again behind their back. Typing a count confirms removals, not
    this. So the person is shown the empty list, and saving again against it goes through.
    """
    return Hold(
        f"All recipients ({len(base)}) were taken away since the list was read.",
        advice="What you staged is kept: save it again if the item is still to be visible.",
    )
