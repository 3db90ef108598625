"""One entry of the history, and the interface to the history that a save needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from item_visibility.saving.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.saving.plan import ChangePlan
from item_visibility.saving.request import ChangeKind, ChangeRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One recorded save, at the service with this address.

    The `base` of the request is the list as read just before the first write. While the save is open,
    `result` is None and every step is UNKNOWN or in place. `was_settled_later` is True for an interrupted
    save whose outcome was found by reading.

    An entry of kind OBSERVED is a change that was made elsewhere, after `seen_before_at` and
    before it ended. `person` is empty, because it is unknown who made it.
    """

    service: str
    request: ChangeRequest
    started_at: datetime
    steps: tuple[StepResult, ...]
    result: SaveResult | None = None
    was_settled_later: bool = False
    seen_before_at: datetime | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the save; None while it is open."""
        return None if self.result is None else self.result.verdict

    @property
    def is_undoable(self) -> bool:
        """True when the save changed something, and was made here."""
        is_done = any(result.outcome is Outcome.DONE for result in self.steps)
        return is_done and self.request.kind is not ChangeKind.OBSERVED


class SaveHistory(Protocol):
    """Records the saves at one service. Every method raises RecordsError when it cannot.

    `storage/history/recorded_saves.py` implements it in our own database.
    """

    def begin(self, request: ChangeRequest, plan: ChangePlan, *, started_at: datetime) -> HistoryEntry | None:
        """Record the intent and the list before the save durably, and return None.

        When a save with this key exists, return its entry and change nothing. A key whose save ended with
        nothing sent may be used again.
        """

    def settle(self, key: str, result: SaveResult) -> None:
        """Record the result of a save that has just ended. It replaces any earlier record."""

    def settle_open(self, key: str, result: SaveResult) -> bool:
        """Record the result found for an interrupted save; return False when it has one already."""

    def entry(self, key: str) -> HistoryEntry | None:
        """Return the save with this key, or None when there is none."""

    def unsettled(self) -> Sequence[HistoryEntry]:
        """Return the saves that were begun and never settled, oldest first."""
