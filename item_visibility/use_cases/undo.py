"""The request that undoes a recorded save."""

from dataclasses import dataclass

from item_visibility.client.identifiers import refusal
from item_visibility.model.change import (
    ChangeKind,
    ChangeRequest,
    Goal,
    is_met,
    recipients_of,
)
from item_visibility.model.outcome import HistoryEntry, Outcome
from item_visibility.model.read_item import ReadItem
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
    steps = [result.step for result in entry.steps if result.outcome is Outcome.DONE]
    changed_again = [
        step
        for step in steps
        if step.recipient_id in changed_since or not is_met(step, reading.listed)
    ]
    undone = [step for step in steps if step not in changed_again]

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
