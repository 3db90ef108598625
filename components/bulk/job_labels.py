"""The bulk page's words for states, outcomes, kinds of lists and the time left."""

from collections.abc import Sequence

from item_visibility.saving.bulk import BulkAction
from item_visibility.saving.in_words import many
from item_visibility.saving.job import FAILED, Job, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.bulk.results import ResultRow

STATES = {
    JobState.READING: "Preview is being read",
    JobState.PREVIEWED: "Previewed, not applied",
    JobState.QUEUED: "Waiting its turn",
    JobState.RUNNING: "Running",
    JobState.WAITING: "Waiting for the service",
    JobState.PAUSED: "Paused",
    JobState.CANCELLED: "Cancelled",
    JobState.ENDED: "Ended",
}
_OUTCOMES = {
    Outcome.DONE: "Verified",
    Outcome.REFUSED: "Refused",
    Outcome.UNKNOWN: "Not confirmed",
    Outcome.NOT_SENT: "Not sent",
}
_ADDS = frozenset({BulkAction.ADD, BulkAction.SET})
ACTIONS = {
    BulkAction.ADD: "Add",
    BulkAction.REMOVE: "Remove",
    BulkAction.SET: "Set exactly",
    BulkAction.WITHDRAW: "Withdraw all",
}
_MINUTE_S, _HOUR_S = 60, 3600
_MINUTES_FROM_S = 90


def results(job: Job) -> str:
    """Return how a job's rows ended, in numbers. They add up to the number of rows, where that is given."""
    added = job.outcomes.get(Outcome.DONE, 0) - job.removed
    numbers = {
        "added and confirmed": added,
        "removed and confirmed": job.removed,
        "already had it": job.already_with,
        "already without it": job.already_without,
    }
    numbers |= {label.lower(): job.outcomes.get(one, 0) for one, label in _OUTCOMES.items() if one in FAILED}
    numbers |= {"skipped": job.skipped, "repeated in the list": job.repeated}
    counts = " · ".join(f"{count:,} {label}" for label, count in numbers.items() if count)
    is_partly = job.failed or job.skipped or job.repeated
    return f"{many(job.rows, 'row')}: {counts}" if is_partly else counts


def outcome_words(row: ResultRow) -> str:
    """Return how a row ended, and of one that needed no call how it was before."""
    if row.outcome is Outcome.IN_PLACE:
        return "Already had it" if row.action in _ADDS else "Already without it"
    return _OUTCOMES[row.outcome]


def time_left(samples: Sequence[tuple[float, int]], *, total: int) -> str:
    """Return the speed and the time left, from pairs (seconds, done so far); empty when not known."""
    (first_s, first), (last_s, last) = samples[0], samples[-1]
    if last_s <= first_s or last <= first:
        return ""
    rate = (last - first) / (last_s - first_s)
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"  # noqa: PLR2004  (one digit for small numbers)
    return f"{shown} a second · {_remaining((total - last) / rate)}"


def _remaining(seconds: float) -> str:
    if seconds >= _HOUR_S:
        return f"about {seconds / _HOUR_S:.1f} hours left"
    if seconds >= _MINUTES_FROM_S:
        return f"about {round(seconds / _MINUTE_S)} minutes left"
    return "about a minute left" if seconds >= _MINUTE_S / 2 else "less than half a minute left"
