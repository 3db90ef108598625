"""The record of one recipient of one item: who changed it, when and why, and how it was seen last."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.row_values import item_digest
from item_visibility.storage.database.tables import history, history_step, recipient_list, seen_list
from item_visibility.storage.database.types import digest

_OF_ENTRY = ("key", "person", "kind", "reason", "verdict", "started_at", "ended_at", "seen_before_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStep:
    """One step of a save, with what its entry in the history says.

    While the save is open, `ended_at` and `verdict` are None and the outcome is unknown or in place. Of a
    change made elsewhere `seen_before_at` is the time before it, and `person` is empty.
    """

    key: str
    goal: Goal
    outcome: Outcome
    message: str
    person: str
    kind: ChangeKind
    reason: str
    verdict: Verdict | None
    started_at: datetime
    ended_at: datetime | None
    seen_before_at: datetime | None


@dataclass(frozen=True, slots=True)
class LastSeen:
    """The last read or save that showed the list, and whether the recipient could see the item."""

    seen_at: datetime
    could_see: bool


class PairSteps:
    """The steps of one service's history, looked up by item and recipient."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def newest(self, item: ItemKey, recipient_id: str, *, limit: int) -> tuple[PairStep, ...]:
        """Return the last steps about this recipient of this item, the newest first."""
        step = (history_step.c.goal, history_step.c.outcome, history_step.c.message)
        query = (
            select(*(history.c[name] for name in _OF_ENTRY), *step)
            .join(history_step, history_step.c.history_id == history.c.id)
            .where(
                history.c.service == self._service,
                history.c.item_digest == item_digest(item),
                history_step.c.recipient_digest == digest(recipient_id),
            )
            .order_by(history_step.c.started_at.desc(), history_step.c.history_id.desc())
            .limit(limit)
        )
        return tuple(PairStep(**row._mapping) for row in self._database.rows(query))  # noqa: SLF001  (SQLAlchemy's public name for it)

    def last_seen(self, item: ItemKey, recipient_id: str) -> LastSeen | None:
        """Return how the pair was seen last; None when it was not, or a change of ours is in doubt."""
        query = (
            select(seen_list.c.seen_at, seen_list.c.unsure, recipient_list.c.recipients)
            .join(recipient_list, recipient_list.c.digest == seen_list.c.list_digest)
            .where(seen_list.c.service == self._service, seen_list.c.item_digest == item_digest(item))
        )
        row = self._database.row(query)
        if row is None or recipient_id in row.unsure:
            return None
        return LastSeen(row.seen_at, recipient_id in row.recipients)
