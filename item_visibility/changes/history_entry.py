"""One entry of the history, and what a save asks of the history."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.origin import is_whole
from item_visibility.changes.outcome import OthersChanges, SaveResult, StepResult, Verdict
from item_visibility.changes.plan import ChangePlan, Goal
from item_visibility.changes.request import ChangeKind, SaveRequest


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One recorded save, at the service with this address.

    While it is open, `verdict` and `ended_at` are None and every step is UNKNOWN.

    `before` is the list as read just before the first write, `after` the list as read after the
    last one; None when there was no such read. `was_settled_later` is True for an interrupted save
    whose outcome was found by reading.

    An entry of kind OBSERVED is a change that was made elsewhere, after `seen_before_at` and
    before `ended_at`. Nobody knows by whom, so `person` is empty.
    """

    key: str
    service: str
    item: ItemKey
    person: str
    reason: str
    kind: ChangeKind
    undo_of: str | None
    started_at: datetime
    ended_at: datetime | None
    before: frozenset[str] | None
    after: frozenset[str] | None
    verdict: Verdict | None
    steps: tuple[StepResult, ...]
    others: OthersChanges = field(default_factory=OthersChanges)
    message: str = ""
    advice: str = ""
    restored_from: str | None = None
    set_name: str | None = None
    set_recipients: frozenset[str] | None = None
    was_settled_later: bool = False
    seen_before_at: datetime | None = None

    @property
    def request(self) -> SaveRequest:
        """The person's request, against the list as read just before the first write."""
        return SaveRequest(
            key=self.key,
            item=self.item,
            base=self.before,
            add=self._asked(Goal.VISIBLE),
            remove=self._asked(Goal.NOT_VISIBLE),
            person=self.person,
            reason=self.reason,
            kind=self.kind,
            undo_of=self.undo_of,
            restored_from=self.restored_from,
            set_name=self.set_name,
            set_recipients=self.set_recipients,
        )

    @property
    def result(self) -> SaveResult | None:
        """The result of the save; None while it is open."""
        if self.verdict is None or self.ended_at is None:
            return None
        return SaveResult(
            item=self.item,
            verdict=self.verdict,
            steps=self.steps,
            others=self.others,
            before=self.before,
            after=self.after,
            started_at=self.started_at,
            ended_at=self.ended_at,
            message=self.message,
            advice=self.advice,
        )

    @property
    def took_whole_set(self) -> bool:
        """True when the list that it names was taken as a whole; False when part of it was skipped."""
        request = self.request
        return is_whole(
            self.set_recipients or frozenset(),
            before=self.before or frozenset(),
            add=request.add,
            remove=request.remove,
        )

    def _asked(self, goal: Goal) -> frozenset[str]:
        return frozenset(result.step.recipient_id for result in self.steps if result.step.goal is goal)


class SaveHistory(Protocol):
    """Records the saves at one service. Every method raises RecordsError when it cannot.

    `records/history/recorded_saves.py` is the one that does, in our own database.
    """

    def begin(self, request: SaveRequest, plan: ChangePlan, *, started_at: datetime) -> HistoryEntry | None:
        """Record the intent and the list before the save durably, and return None.

        When the key was begun before, return that entry and change nothing. A key whose save ended
        with nothing sent may be begun again.
        """

    def settle(self, key: str, result: SaveResult) -> None:
        """Record the result from whoever made the save; it replaces any earlier record."""

    def settle_open(self, key: str, result: SaveResult) -> bool:
        """Record the result found for an interrupted save; return False when it is settled already."""

    def entry(self, key: str) -> HistoryEntry | None:
        """Return the save with this key, or None when there is none."""

    def unsettled(self) -> Sequence[HistoryEntry]:
        """Return the saves that were begun and never settled, oldest first."""
