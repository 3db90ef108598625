"""The journal of saves: what was meant to be changed is on record before the first write."""

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
    """One save on record, at the service of this address.

    While it is open, `verdict` and `ended_at` are None and every step is UNKNOWN.

    `before` is the list as read just before the first write, `after` the list as read after the
    last one; None where there was no such read. `was_settled_later` is true of a save that was
    interrupted, and whose end was found by reading.

    An entry of kind OBSERVED tells of a change that was made elsewhere, after `seen_before_at` and
    before `ended_at`; nobody knows by whom, so `person` is empty.
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
        """What the person asked for, against the list as read just before the first write."""
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
        """How the save ended; None while it is open."""
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
        """True when the list that it names was taken as a whole; False when a part of it was left out."""
        request = self.request
        return is_whole(
            self.set_recipients or frozenset(),
            before=self.before or frozenset(),
            add=request.add,
            remove=request.remove,
        )

    def _asked(self, goal: Goal) -> frozenset[str]:
        return frozenset(result.step.recipient_id for result in self.steps if result.step.goal is goal)


class Journal(Protocol):
    """Keeps the saves at one service. Every method raises RecordsError when it cannot."""

    def begin(self, request: SaveRequest, plan: ChangePlan, *, started_at: datetime) -> HistoryEntry | None:
        """Make the intent and the list before durable, and return None.

        Returns the entry that is in the way when the key was begun before, and changes nothing.
        A key whose save ended with nothing sent may be begun again.
        """

    def settle(self, key: str, result: SaveResult) -> None:
        """Record how a save ended: the word of the one who did it, whatever stands there."""

    def settle_open(self, key: str, result: SaveResult) -> bool:
        """Record how an interrupted save was found; False when it is settled already."""

    def entry(self, key: str) -> HistoryEntry | None:
        """The save with this key; None when there is none."""

    def unsettled(self) -> Sequence[HistoryEntry]:
        """The saves that were begun and never settled, oldest first."""
