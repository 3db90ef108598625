"""Saves on record: their state, and the undo of each: exactly what it did and nobody changed since."""

from dataclasses import dataclass

from item_visibility.client.identifiers import refusal
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, SaveResult, Verdict
from item_visibility.saving.plan import Goal, is_met, recipients_of
from item_visibility.saving.request import ChangeKind, ChangeRequest, Origin
from item_visibility.saving.save_worker import SaveState, SaveStatus
from item_visibility.storage.history.search import HistorySearch
from item_visibility.storage.seen_lists import ReadItem

_LOST_END = "The end of this save is not recorded: it is not known which changes were saved."
_LOST_END_ADVICE = "Read the list again to see how it stands; then save what is still missing."


@dataclass(frozen=True, slots=True)
class Undo:
    """The request that undoes a save, and the recipients that it does not touch.

    `left_alone` were changed again since. `not_restorable` have an id that no address can carry.
    """

    request: ChangeRequest
    left_alone: tuple[str, ...]
    not_restorable: tuple[str, ...]


def undo_request(search: HistorySearch, entry: HistoryEntry, reading: ReadItem) -> Undo:
    """Return the opposite of a save that has ended, against the list just read. Sends nothing.

    Recipients changed after the save are left alone, even if they are again as the save left them. The key
    is the entry's, so that two windows undo it once; an undo that failed in part has used its key up.
    Raises RecordsError when the history cannot be read.
    """
    changed = search.changed_since(entry.request.key)
    done = [result.step for result in entry.steps if result.outcome is Outcome.DONE]
    earlier = search.count_undos(entry)
    current = reading.recipients or frozenset()
    is_still_so = {step: step.recipient_id not in changed and is_met(step, current) for step in done}
    undone = [step for step in done if is_still_so[step]]
    sendable = [step for step in undone if refusal(step.recipient_id, name="recipient") is None]
    return Undo(
        request=ChangeRequest(
            key=f"undo-{entry.request.key}{f'-{earlier + 1}' if earlier else ''}",
            item=entry.request.item,
            base=reading.recipients,
            add=recipients_of(sendable, Goal.NOT_VISIBLE),
            remove=recipients_of(sendable, Goal.VISIBLE),
            person="",
            origin=Origin(kind=ChangeKind.UNDO, undo_of=entry.request.key),
        ),
        left_alone=tuple(step.recipient_id for step in done if not is_still_so[step]),
        not_restorable=tuple(step.recipient_id for step in undone if step not in sendable),
    )


def status_of(entry: HistoryEntry) -> SaveStatus:
    """Return the ended save of the entry. It is not confirmed if its end is not on record."""
    result = entry.result or SaveResult(
        item=entry.request.item,
        verdict=Verdict.NOT_CONFIRMED,
        steps=entry.steps,
        before=entry.request.base,
        started_at=entry.started_at,
        ended_at=entry.started_at,
        message=_LOST_END,
        advice=_LOST_END_ADVICE,
    )
    total = len(result.steps)
    return SaveStatus(entry.request, SaveState.ENDED, total, total, result)
