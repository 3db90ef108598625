"""The changes that undo a recorded save, or a job with its retries."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.model.change import (
    ChangeKind,
    ChangeRequest,
    ChangeStep,
    Goal,
    is_met,
    recipients_of,
)
from item_visibility.model.job import BulkItem
from item_visibility.model.outcome import UNDOABLE, HistoryEntry, Outcome
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import many
from item_visibility.storage.history import History


@dataclass(frozen=True, slots=True)
class Undo:
    """The request that undoes a save, and the recipients that it does not change.

    `left_alone` are recipients that were changed again after the save. `not_restorable`
    are ids that no request can contain.
    """

    request: ChangeRequest
    left_alone: tuple[str, ...]
    not_restorable: tuple[str, ...]


def undo_request(history: History, entry: HistoryEntry, reading: ReadItem) -> Undo:
    """Return the request that undoes a save, given the current list.

    The request gets the same key in every window, so a save is undone only once. After
    an undo that failed in part, the next request gets another key. Raises RecordsError.
    """
    # Leave alone what was changed again after the save.
    changed_since = history.changed_since(entry.request.key)
    changed_again = [
        step
        for step in entry.undoable_steps
        if step.recipient_id in changed_since or not is_met(step, reading.listed)
    ]
    undone = [step for step in entry.undoable_steps if step not in changed_again]

    # A whole list can contain ids that no path can. An undo is sent one id at a time.
    sendable = [
        step for step in undone if refusal(step.recipient_id, name="recipient") is None
    ]
    not_sendable = [step for step in undone if step not in sendable]

    earlier = history.count_undos(entry)
    number = f"-{earlier + 1}" if earlier else ""
    return Undo(
        request=ChangeRequest(
            key=f"undo-{entry.request.key}{number}",
            item=entry.request.item,
            base=reading.recipients,
            add=recipients_of(sendable, Goal.NOT_VISIBLE),
            remove=recipients_of(sendable, Goal.VISIBLE),
            person="",
            kind=ChangeKind.UNDO,
            undo_of=entry.request.key,
        ),
        left_alone=tuple(step.recipient_id for step in changed_again),
        not_restorable=tuple(step.recipient_id for step in not_sendable),
    )


def undo_items(
    saves: Iterable[tuple[HistoryEntry, frozenset[str]]],
) -> tuple[tuple[BulkItem, ...], str]:
    """Return the changes that undo a job and its retries.

    The second value is a message about recipients that are left alone, or empty.
    `saves` pairs each save with those recipients of its item that were changed again
    after the save. The saves of an item must be in the order in which they were made.
    """
    # Leave alone what was changed again after the job.
    undone = defaultdict[ItemKey, list[ChangeStep]](list)
    left_alone: list[ItemKey] = []
    for (item, step), is_still_ours in _changes_of_job(saves).items():
        if is_still_ours:
            undone[item].append(step)
        else:
            left_alone.append(item)

    message = ""
    if left_alone:
        recipients = many(len(left_alone), "recipient")
        items = many(len(set(left_alone)), "item")
        message = (
            f"Not undone: {recipients} of {items}, because they were changed again"
            " after the job."
        )
    changes = [
        BulkItem(
            item=item,
            add=recipients_of(steps, Goal.NOT_VISIBLE),
            remove=recipients_of(steps, Goal.VISIBLE),
        )
        for item, steps in undone.items()
    ]
    return tuple(changes), message


def _changes_of_job(
    saves: Iterable[tuple[HistoryEntry, frozenset[str]]],
) -> dict[tuple[ItemKey, ChangeStep], bool]:
    """Map each change of a job to whether nobody changed it again afterwards.

    Several saves together show more than each one alone: a change whose outcome was
    unknown was made if a later attempt found it in place. The changes of a save that
    was interrupted are included, because they may have been made.
    """
    changes: dict[tuple[ItemKey, ChangeStep], bool] = {}
    unknown: dict[tuple[ItemKey, ChangeStep], bool] = {}
    for entry, changed_again in saves:
        for result in entry.steps:
            change = (entry.request.item, result.step)
            is_ours = result.step.recipient_id not in changed_again
            is_unknown = result.outcome is Outcome.UNKNOWN
            is_interrupted = is_unknown and entry.verdict is None
            is_found = result.outcome is Outcome.IN_PLACE and change in unknown

            if result.outcome in UNDOABLE or is_interrupted or is_found:
                is_still_ours = is_ours and (not is_found or unknown[change])
                changes[change] = changes.get(change, False) or is_still_ours
            if is_unknown:
                unknown[change] = is_ours
    return changes
