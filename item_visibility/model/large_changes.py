"""Decides which changes a person must confirm, and words the question."""

from dataclasses import dataclass

from item_visibility.errors import NotStartedError
from item_visibility.model.change import (
    ChangeKind,
    ChangeOperation,
    ChangePlan,
    ChangeRequest,
)
from item_visibility.model.words import many

LARGE_REMOVAL_SHARE = 0.5
"""Whoever removes more than this share of the recipients must type their number."""
LARGE_ADDITION = 100
"""More additions than this need a confirmation: the wrong list may be pasted."""
MAY_BE_LOST = (
    "If another program adds a recipient at the same moment, that addition may be lost."
)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The text of the dialog that asks for a confirmation.

    `count_to_type` is None if no number has to be typed.
    """

    title: str
    why: str
    count_to_type: int | None


def is_large_removal(*, before: int, removed: int, added: int) -> bool:
    """True when the change removes more than half of the recipients, or all."""
    leaves_nobody = before - removed + added == 0
    return removed > 0 and (leaves_nobody or removed > before * LARGE_REMOVAL_SHARE)


def confirmation_for(
    request: ChangeRequest, *, is_indirect: bool = False
) -> Confirmation | None:
    """Return the question to ask before this request is saved, or None.

    `is_indirect` is true for changes that the person did not enter one by one, such as
    those from a link.
    """
    if request.is_empty:
        return None

    # Only these changes need a confirmation.
    base = request.base or frozenset()
    added = len(request.add - base)
    removed = len(request.remove & base)
    is_undo = request.kind is ChangeKind.UNDO
    is_list = request.operation is not ChangeOperation.EDIT
    is_large = is_large_removal(before=len(base), removed=removed, added=added)
    is_long = added > LARGE_ADDITION
    if not (is_indirect or is_undo or is_list or is_large or is_long):
        return None

    reasons = []
    if is_large and request.wanted:
        reasons.append("That is more than half.")
    elif is_large:
        reasons.append("Nobody will see the item any more.")
    elif is_long:
        reasons.append(f"That is more than {LARGE_ADDITION} at once.")
    if is_list:
        reasons.append(MAY_BE_LOST)

    title = _title(request, len(base), added, removed)
    return Confirmation(
        title="Undo this change?" if is_undo else title,
        why=" ".join(reasons),
        count_to_type=removed if is_large else None,
    )


def _title(request: ChangeRequest, before: int, added: int, removed: int) -> str:
    if request.operation is ChangeOperation.REMOVE_ALL:
        return f"Remove all {many(before, 'recipient')}?"
    if request.operation is ChangeOperation.SET:
        return f"Set exactly to {many(len(request.wanted), 'recipient')}?"

    parts = []
    if removed:
        parts.append(f"remove {removed:,} of {many(before, 'recipient')}")
    if added:
        parts.append(f"add {many(added, 'recipient')}")
    changes = " and ".join(parts)
    return f"{changes[:1].upper()}{changes[1:]}?"


def is_confirmed(count: int | None, *, typed: str) -> bool:
    """True when the typed text is the count, or no count is required."""
    return not count or typed.strip() == str(count)


def reason_not_to_start(
    request: ChangeRequest, plan: ChangePlan
) -> NotStartedError | None:
    """Return the reason not to start this save, or None.

    The current list can differ from the list that the person saw. If somebody else has
    removed recipients, a small removal can now be a large one.
    """
    # A whole list replaces only the list that the person confirmed.
    base = request.base or frozenset()
    if request.operation is not ChangeOperation.EDIT and plan.current != base:
        return NotStartedError(
            "The list has changed since you confirmed it. Nothing was sent.",
            advice="Check the current list, and confirm again.",
        )

    # The person typed the number of a large removal.
    before = len(plan.current)
    removed = len(plan.removed)
    is_large = is_large_removal(before=before, removed=removed, added=len(plan.added))
    if is_large and request.confirmed_count != removed:
        return NotStartedError(
            f"This removes {removed} of the {many(before, 'recipient')} that can see"
            " the item now.",
            advice=f"To remove them, save again and type {removed}.",
        )

    # Somebody may have withdrawn the item on purpose.
    if request.base and not plan.current and plan.added:
        return NotStartedError(
            f"All recipients ({len(base)}) were removed after you opened the list.",
            advice="To make the item visible again, save again.",
        )
    return None
