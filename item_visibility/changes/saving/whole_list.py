"""Changes sent as a whole list: when there are very many, or when no path can carry an id. Note N3."""

from dataclasses import dataclass

from item_visibility.changes.plan import ChangeStep, Goal, is_met
from item_visibility.changes.saving.locks import IsHeld
from item_visibility.changes.saving.write_result import WriteResult, error_of_ours, result_of, try_write
from item_visibility.changes.saving.writing import Writing, is_addressable
from item_visibility.errors import NotSentError, RefusedError, UnknownOutcomeError
from item_visibility.timings_and_retries import LIST_TRIES

LIST_FROM_CHANGES = 1_000
"""From this many changes on, one list is sent instead of single calls.

A list can overwrite what somebody else changes between the read and the write; single calls
cannot. So a list is only sent when single calls would take most of a minute, and only when nobody
changed the list since the person read it.
"""

CANNOT_REMOVE = (
    "The service keeps the recipients that a list omits, and no address can name this one: "
    "it cannot be removed from here."
)
PERHAPS_KEPT = (
    "The service accepted a list without this recipient, and still shows it: "
    "it shows changes late, or keeps the recipients that a list omits."
)
NOT_ALONE = (
    "The dashboard lost the connection to its own database, so another dashboard may be changing this item: "
    "the list that this recipient needs was not sent."
)
SAVE_AGAIN = "Save again to send it."


def send_lists(writing: Writing, *, base: frozenset[str], is_held: IsHeld) -> None:
    """Send as a list what must or should go as one, and read back; single calls do the rest.

    After a list with an unknown outcome, the list is read before anything else is done. Recipients that a
    merging service kept stay unmet, so that single calls remove them. When the item is not held any more,
    no list is sent, as it could overwrite what another process does.
    """
    for _ in range(LIST_TRIES):
        change = _change_for_list(writing, base=base)
        if change is None:
            return
        if not is_held():
            writing.note(change.unaddressable, error_of_ours(NotSentError, NOT_ALONE, advice=SAVE_AGAIN))
            return
        if _send_list(writing, change) is not WriteResult.UNKNOWN:
            return


@dataclass(frozen=True, slots=True)
class _ListChange:
    """Steps that are sent together, on top of the list as just read."""

    seen: frozenset[str]
    steps: tuple[ChangeStep, ...]

    @property
    def additions(self) -> tuple[ChangeStep, ...]:
        return tuple(step for step in self.steps if step.goal is Goal.VISIBLE)

    @property
    def removals(self) -> tuple[ChangeStep, ...]:
        return tuple(step for step in self.steps if step.goal is Goal.NOT_VISIBLE)

    @property
    def unaddressable(self) -> tuple[ChangeStep, ...]:
        return tuple(step for step in self.steps if not is_addressable(step.recipient_id))

    @property
    def wanted(self) -> frozenset[str]:
        added = frozenset(step.recipient_id for step in self.additions)
        return (self.seen | added) - frozenset(step.recipient_id for step in self.removals)

    def is_met(self, seen: frozenset[str]) -> bool:
        return all(is_met(step, seen) for step in self.steps)

    def has_merged(self, seen: frozenset[str]) -> bool:
        """True when a read shows all that the list added, and all that it omitted."""
        is_after_the_write = bool(self.additions) and all(is_met(step, seen) for step in self.additions)
        return is_after_the_write and bool(self.removals) and not self.has_replaced_some(seen)

    def has_replaced_some(self, seen: frozenset[str]) -> bool:
        return any(is_met(step, seen) for step in self.removals)


def _change_for_list(writing: Writing, *, base: frozenset[str]) -> _ListChange | None:
    if writing.seen is None:
        return None
    steps = writing.unmet()
    if len(steps) < LIST_FROM_CHANGES or writing.seen != base:
        steps = tuple(step for step in steps if not is_addressable(step.recipient_id))
    return _ListChange(writing.seen, steps) if steps else None


def _send_list(writing: Writing, change: _ListChange) -> WriteResult:
    item, wanted = writing.plan.item, change.wanted
    if wanted:
        error = try_write(writing.visibilities.set_visibilities, item, sorted(wanted))
    else:
        error = try_write(writing.visibilities.remove_visibilities, item)
    result = result_of(error)
    if result in (WriteResult.REFUSED, WriteResult.NOT_FOUND, WriteResult.NOT_SENT):
        writing.note(change.unaddressable, error)
        writing.reader.read()
        return result
    # A list that was accepted says nothing yet about those that it omits: only a read does.
    writing.note(change.additions, error)
    is_unknown = wanted and error is None
    unknown = error_of_ours(UnknownOutcomeError, PERHAPS_KEPT)
    writing.note(change.removals, unknown if is_unknown else error)
    writing.reader.read_until(lambda seen: change.is_met(seen) or change.has_merged(seen))
    if is_unknown:
        _settle_removals(writing, change)
    return result


def _settle_removals(writing: Writing, change: _ListChange) -> None:
    """After a list that this service merged, refuse the removals that no single call can make."""
    if writing.seen is None or not change.has_merged(
        writing.seen
    ):  # a read that lags shows nothing of the list
        return
    for step in change.removals:
        if not is_addressable(step.recipient_id):
            writing.writes[step] = [error_of_ours(RefusedError, CANNOT_REMOVE)]
