"""What a screen or a command may say about a save or a job.

"Nothing was changed" is claimed only when that is known of every requested change.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from item_visibility.saving.in_words import done_in_words, named
from item_visibility.saving.job import NOT_BEGUN, Job, JobState
from item_visibility.saving.outcome import Outcome, SaveResult, Verdict
from item_visibility.saving.plan import Goal


class Claim(StrEnum):
    """The claim about all requested changes together."""

    VERIFIED = "verified"
    """A read shows all of it."""
    PARTLY = "partly"
    """The outcome of each change is known, and not all were made."""
    NOT_KNOWN = "not known"
    """The outcome of at least one change is unknown."""
    NOTHING_CHANGED = "nothing changed"
    """No change was made, and that is known."""


_UNTOUCHED = frozenset({Outcome.IN_PLACE, Outcome.REFUSED, Outcome.NOT_SENT})
_ROWS_UNTOUCHED = frozenset({Outcome.IN_PLACE, Outcome.REFUSED, Outcome.NOT_SENT})
_SENT_AND_NOT_SHOWN = "sent, but the service still shows the old list"
_SENT_AND_NOT_READ = "sent, but the list could not be read afterwards"
_NOT_KNOWN = "it is not known which changes were saved"


def claim_of(result: SaveResult) -> Claim:
    """Return the claim for a save that ended."""
    outcomes = {step.outcome for step in result.steps}
    if result.verdict is Verdict.VERIFIED:
        return Claim.VERIFIED
    if result.verdict is Verdict.NOT_CONFIRMED or Outcome.UNKNOWN in outcomes:
        return Claim.NOT_KNOWN
    return Claim.NOTHING_CHANGED if outcomes <= _UNTOUCHED else Claim.PARTLY


def claim_words(result: SaveResult, names: Mapping[str, str]) -> str:
    """Return the claim in words, without its time and without the reason, which is the result's message.

    Recipients are called by their `names`.
    """
    done = done_in_words(result.added, result.removed, names)
    counts = Counter(step.outcome for step in result.steps)
    match claim_of(result):
        case Claim.VERIFIED if done:
            return " · ".join((done, *_already(result)))
        case Claim.VERIFIED:
            return "Nothing to change: this is already the list"
        case Claim.PARTLY:
            not_made = (Outcome.REFUSED, Outcome.NOT_SENT)
            return " · ".join((done, *(f"{counts[one]} {one}" for one in not_made if counts[one])))
        case Claim.NOTHING_CHANGED:
            return "Nothing was changed"
    return f"Not confirmed: {_not_confirmed(result, done, names)}"


def _not_confirmed(result: SaveResult, done: str, names: Mapping[str, str]) -> str:
    if result.after is None:
        return _SENT_AND_NOT_READ if any(step.attempts for step in result.steps) else _NOT_KNOWN
    if not done:
        return _SENT_AND_NOT_SHOWN
    open_ids = [step.step.recipient_id for step in result.steps if step.outcome is Outcome.UNKNOWN]
    return f"{_SENT_AND_NOT_SHOWN} for {named(open_ids, names)} · {done}"


def _already(result: SaveResult) -> list[str]:
    """Return how many of the requested changes needed no call."""
    goals = Counter(step.step.goal for step in result.steps if step.outcome is Outcome.IN_PLACE)
    words = ((Goal.VISIBLE, "already had it"), (Goal.NOT_VISIBLE, "already without it"))
    return [f"{goals[goal]} {word}" for goal, word in words if goals[goal]]


def claim_of_job(job: Job) -> Claim:
    """Return the claim for a job in its current state.

    For a stopped job, nobody knows the outcome of what was in progress.
    """
    outcomes = {outcome for outcome, count in job.outcomes.items() if count}
    if job.is_verified:
        return Claim.VERIFIED
    if job.state in NOT_BEGUN or job.started_at is None:
        return Claim.NOTHING_CHANGED
    if job.state is not JobState.ENDED or Outcome.UNKNOWN in outcomes:
        return Claim.NOT_KNOWN
    return Claim.NOTHING_CHANGED if outcomes <= _ROWS_UNTOUCHED else Claim.PARTLY
