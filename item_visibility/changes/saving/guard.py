"""The checks that may stop a save before anything is sent."""

from dataclasses import dataclass

from item_visibility.changes.plan import ChangePlan
from item_visibility.changes.request import SaveRequest


@dataclass(frozen=True, slots=True)
class Hold:
    """The reason why a save is not started, and what the person can do.

    `confirm_count` is the count to type, None when typing a count does not help.
    """

    message: str
    advice: str
    confirm_count: int | None = None


def reason_to_hold(request: SaveRequest, plan: ChangePlan) -> Hold | None:
    """Return why this save must not start as it is, or None when it may.

    The plan is against the list as it is now, not as the person read it: somebody else's removals
    can turn a small removal into a large one.
    """
    if plan.is_large_removal and request.confirmed_count != len(plan.removed):
        return _large_removal(plan)
    if request.base and not plan.current and plan.added:
        return _emptied_meanwhile(request)
    return None


def _large_removal(plan: ChangePlan) -> Hold:
    removed, before = len(plan.removed), len(plan.current)
    return Hold(
        f"This takes away {removed} of the {before} recipients that can see the item now.",
        advice=f"If that is meant, type {removed} to confirm, and save again.",
        confirm_count=removed,
    )


def _emptied_meanwhile(request: SaveRequest) -> Hold:
    """Hold a save when somebody removed all recipients: perhaps the item is withdrawn on purpose.

    An addition would make it visible again behind their back. Typing a count confirms removals, not
    this. So the person is shown the empty list, and saving again against it goes through.
    """
    return Hold(
        f"All recipients ({len(request.base or ())}) were taken away since the list was read.",
        advice="What you staged is kept: save it again if the item is still to be visible.",
    )
