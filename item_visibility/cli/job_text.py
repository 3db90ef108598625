"""The plan of a job, its outcome, and the errors of a list, as lines of text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from item_visibility.cli.desired_list import Drift
from item_visibility.cli.terminal import printable
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.claim import Claim, claim_of_job
from item_visibility.saving.in_words import many
from item_visibility.saving.job import ROW_WORDS, Job, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.jobs.preview_rows import PreviewSummary
from item_visibility.use_cases.bulk.results import ResultRow

MOST_LINES = 50
_MOST_IDS = 10
_CLAIMS = {
    Claim.PARTLY: "Not done: {why}.",
    Claim.NOT_KNOWN: "Not known whether all of it is done: {why}.",
    Claim.NOTHING_CHANGED: "Nothing was changed: {why}.",
}


def plan_lines(drifts: Iterable[Drift], summary: PreviewSummary) -> Iterator[str]:
    """Yield the changes, item by item, and the totals."""
    left_alone = 0
    for drift in drifts:
        left_alone += drift.left_alone
        if not drift.is_so:
            yield _item_words(drift.item)
            yield from _changes(drift)
    yield (
        f"{many(summary.items, 'item')}: {summary.nothing_to_do:,} as the list says,"
        f" {summary.changing:,} to be changed, {summary.refused:,} refused."
    )
    yield (
        f"Recipients to add: {summary.add:,}; to remove: {summary.remove:,};"
        f" as the list says: {summary.in_place:,}."
    )
    if left_alone:
        yield f"Not named by the list: {many(left_alone, 'recipient')}, left alone."
    if summary.removals_to_confirm:
        yield (
            f"LARGE REMOVALS: {many(summary.removals_to_confirm, 'recipient')} would be taken away"
            f" from {many(summary.large_removals, 'item')}."
        )


def result_lines(job: Job, failed: Sequence[ResultRow]) -> Iterator[str]:
    """Yield the outcomes of a job's rows; `failed` are the first of those that are not as asked."""
    for row in failed:
        recipient = "" if row.recipient_id is None else f" / {printable(row.recipient_id)}"
        how = f"{ROW_WORDS[row.outcome]}. {printable(row.message)}"
        yield f"{_item_words(row.item)}{recipient}: {how}".rstrip()
    if job.failed > len(failed):
        yield f"… and {job.failed - len(failed):,} more."
    ended = Counter(job.outcomes)
    told = [f"{ended[outcome]:,} {ROW_WORDS[outcome]}" for outcome in Outcome if ended[outcome]]
    told += [f"{many(job.skipped, 'row')} skipped"] if job.skipped else []
    items = many(job.item_count, "item")
    yield f"{job.ended_items:,} of {items}: {', '.join(told) or 'no row has ended'}."


def claim_line(job: Job) -> str:
    """Return the last line: the claim that can be made about a job."""
    if claim_of_job(job) is Claim.VERIFIED:
        return f"Verified: {what_is_so(job)}"
    why = "not every row is as asked" if job.state is JobState.ENDED else f"the job is {job.state.value}"
    return printable(f"{_CLAIMS[claim_of_job(job)].format(why=why)} {job.message}".rstrip())


def what_is_so(job: Job) -> str:
    """Say what a read has shown: all is as asked, or all but the rows skipped as asked."""
    if not job.skipped:
        return "everything is as the list says."
    return f"the rows that were taken are as the list says. Skipped, as asked: {many(job.skipped, 'row')}."


def complaint_lines(complaints: Sequence[str]) -> Iterator[str]:
    """Yield the complaints about a list."""
    yield from map(printable, complaints[:MOST_LINES])
    if len(complaints) > MOST_LINES:
        yield f"… and {len(complaints) - MOST_LINES:,} more."


def _item_words(item: ItemKey) -> str:
    return f"{printable(item.supplier)} / {printable(item.supplier_item_id)}"


def _changes(drift: Drift) -> Iterator[str]:
    for word, ids in (("add", drift.add), ("remove", drift.remove)):
        if ids:
            more = f", and {len(ids) - _MOST_IDS:,} more" if len(ids) > _MOST_IDS else ""
            yield f"    {word:8}{', '.join(map(printable, ids[:_MOST_IDS]))}{more}"
    if drift.refusal:
        yield f"    refused {printable(drift.refusal)}"
