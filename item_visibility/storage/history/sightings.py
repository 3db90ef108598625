"""The lists as last seen, so that a read can reveal changes made elsewhere. Note N13."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, exists, select

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.columns import (
    AnyRow,
    Values,
    digest,
    insert_new,
    insert_or_update,
    item_digest,
    item_values,
    list_digest,
)
from item_visibility.storage.history.entries import put_list, put_steps
from item_visibility.storage.history.tables import history, recipient_list, seen_list
from item_visibility.timeouts import LAGGING_REPLICA, READ_LAG, SIGHTING_FRESH


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A list from one read: requested at `asked_at`, received at `seen_at`."""

    item: ItemKey
    recipients: frozenset[str]
    asked_at: datetime
    seen_at: datetime


class SeenLists:
    """The list of each item at one service, as the last read or save showed it.

    If a later read differs, the list was changed elsewhere. The change goes into the history as OBSERVED,
    with the two times between which it happened. A read counts for nothing while a save of ours
    is open, shortly after one, and if it is older than the known list. Nor does it count for a recipient
    whose change by us is in doubt. A list as before the last change may come from a replica that lags: two
    replicas that answer in turn show one change, not many. Such a list is accepted and recorded once the
    last recorded list has not been seen for a while.
    """

    def __init__(self, *, service: str) -> None:
        self._service = service

    def note_read(self, connection: Connection, sighting: Sighting) -> None:
        """Save the list, and any changes made elsewhere since it was last seen."""
        row = self._row(connection, sighting.item)
        if self._is_telling(connection, row, sighting):
            before_digest = None
            if row is not None:
                known = _agreeing(row.recipients, sighting.recipients, row.unsure)
                self._put_observed(connection, sighting, known, seen_before_at=row.seen_at)
                is_as_told = row.list_digest == list_digest(sighting.recipients)
                before_digest = row.before_digest if is_as_told else row.list_digest
            self._put(connection, sighting, before_digest=before_digest)

    def new_among(self, connection: Connection, sightings: Sequence[Sighting]) -> tuple[Sighting, ...]:
        """Return the sightings that are not noted: their list is new, or was last noted too long ago."""
        known = self._known(connection, sightings)
        return tuple(one for one in sightings if not _is_fresh(known.get(item_digest(one.item)), one))

    def note_reads(self, connection: Connection, sightings: Sequence[Sighting]) -> None:
        """Save many lists and changes made elsewhere; one by one only for lists that may have changed.

        In one order, whoever saves: of two that lock the same rows in turn, PostgreSQL ends one.
        """
        known = self._known(connection, sightings)
        open_items = self._open_items(connection, sightings)
        plain: list[Sighting] = []
        for one in sorted(sightings, key=lambda one: item_digest(one.item)):
            key = item_digest(one.item)
            if key not in open_items and _is_as_before(known.get(key), one):
                plain.append(one)
            else:
                self.note_read(connection, one)
        if plain:
            lists = {list_digest(one.recipients): one.recipients for one in plain}
            new_lists = [
                {"digest": key, "recipients": recipients} for key, recipients in sorted(lists.items())
            ]
            connection.execute(insert_new(connection, recipient_list), new_lists)
            rows = [self._seen_again(one, known.get(item_digest(one.item))) for one in plain]
            connection.execute(insert_or_update(connection, seen_list), rows)

    def lock(self, connection: Connection, item: ItemKey) -> None:
        """Keep others from noting this item until the transaction ends.

        Call it before you write lists and note an item: of two that wait for each other, one fails.
        """
        connection.execute(select(seen_list.c.seen_at).where(self._is(item)).with_for_update())

    def note_save(self, connection: Connection, result: SaveResult) -> None:
        """Save the list that a save of ours left, and any changes made elsewhere while it ran."""
        ours = frozenset(step.step.recipient_id for step in result.steps)
        before = result.before or frozenset()
        left = (before | frozenset(result.added)) - frozenset(result.removed)
        seen = left if result.after is None else result.after
        sighting = Sighting(
            item=result.item, recipients=seen, asked_at=result.ended_at, seen_at=result.ended_at
        )
        self._put_observed(
            connection, sighting, _agreeing(left, seen, ours), seen_before_at=result.started_at
        )
        unsure = frozenset(step.step.recipient_id for step in result.steps if step.outcome is Outcome.UNKNOWN)
        before_digest = list_digest(before)
        self._put(connection, sighting, saved_at=result.ended_at, unsure=unsure, before_digest=before_digest)

    def _is(self, item: ItemKey) -> ColumnElement[bool]:
        is_item = seen_list.c.item_digest == item_digest(item)
        return and_(seen_list.c.service == self._service, is_item)

    def _row(self, connection: Connection, item: ItemKey) -> AnyRow | None:
        """Return the known list, locked: no other process changes it until the transaction ends."""
        return connection.execute(
            select(seen_list, recipient_list.c.recipients)
            .join(recipient_list, recipient_list.c.digest == seen_list.c.list_digest)
            .where(self._is(item))
            .with_for_update(of=seen_list)
        ).first()

    def _is_telling(self, connection: Connection, row: AnyRow | None, sighting: Sighting) -> bool:
        """True when the list can be compared with the known one."""
        is_item = history.c.item_digest == item_digest(sighting.item)
        is_open = and_(history.c.service == self._service, is_item, history.c.ended_at.is_(None))
        if connection.scalar(select(exists().where(is_open))):
            return False
        if row is None:
            return True
        is_older = sighting.asked_at < row.seen_at
        return (
            not is_older
            and not _is_back(row, sighting)
            and (row.saved_at is None or sighting.asked_at >= row.saved_at + READ_LAG)
        )

    def _put(self, connection: Connection, sighting: Sighting, **columns: object) -> None:
        put_list(connection, sighting.recipients)
        connection.execute(insert_or_update(connection, seen_list), self._values(sighting) | columns)

    def _seen_again(self, sighting: Sighting, row: AnyRow | None) -> Values:
        return self._values(sighting) | {"before_digest": None if row is None else row.before_digest}

    def _values(self, sighting: Sighting) -> Values:
        return item_values(sighting.item) | {
            "service": self._service,
            "item_digest": item_digest(sighting.item),
            "list_digest": list_digest(sighting.recipients),
            "seen_at": sighting.seen_at,
            "saved_at": None,
            "unsure": frozenset(),
        }

    def _known(self, connection: Connection, sightings: Sequence[Sighting]) -> dict[str, AnyRow]:
        """Return the known lists of these items, by item digest."""
        is_one = seen_list.c.item_digest.in_([item_digest(one.item) for one in sightings])
        rows = connection.execute(select(seen_list).where(seen_list.c.service == self._service, is_one))
        return {row.item_digest: row for row in rows}

    def _open_items(self, connection: Connection, sightings: Sequence[Sighting]) -> set[str]:
        """Return the digests of the items with an open save."""
        is_one = history.c.item_digest.in_([item_digest(one.item) for one in sightings])
        is_open = and_(history.c.service == self._service, history.c.ended_at.is_(None))
        return set(connection.scalars(select(history.c.item_digest).where(is_open, is_one)))

    def _put_observed(
        self,
        connection: Connection,
        sighting: Sighting,
        known: frozenset[str],
        *,
        seen_before_at: datetime,
    ) -> None:
        """Add an entry for changes made elsewhere between two sightings; none if nothing changed."""
        item, seen = sighting.item, sighting.recipients
        plan = plan_changes(item, current=known, add=seen - known, remove=known - seen)
        if plan.is_empty:
            return
        before_digest, after_digest = put_list(connection, known), put_list(connection, seen)
        times = (seen_before_at.isoformat(), sighting.seen_at.isoformat())
        row = item_values(item) | {
            "service": self._service,
            "key": digest("observed", item_digest(item), before_digest, after_digest, *times),
            "item_digest": item_digest(item),
            "kind": ChangeKind.OBSERVED,
            "verdict": Verdict.VERIFIED,
            "started_at": sighting.seen_at,
            "ended_at": sighting.seen_at,
            "seen_before_at": seen_before_at,
            "before_digest": before_digest,
            "after_digest": after_digest,
        }
        row_id = connection.scalar(insert_new(connection, history).values(row).returning(history.c.id))
        if row_id is not None:
            steps = [StepResult(step, Outcome.DONE) for step in plan.steps]
            put_steps(connection, row_id, steps, started_at=sighting.seen_at)


def _is_fresh(row: AnyRow | None, sighting: Sighting) -> bool:
    """True when nothing new is seen, and the known list is fresh."""
    if row is None or row.list_digest != list_digest(sighting.recipients):
        return False
    return bool(sighting.seen_at - row.seen_at < SIGHTING_FRESH)


def _is_back(row: AnyRow, sighting: Sighting) -> bool:
    """True when the list is again as before the last change, and was seen as changed a short while ago."""
    seen = list_digest(sighting.recipients)
    is_again = seen == row.before_digest and seen != row.list_digest
    return bool(is_again and sighting.asked_at < row.seen_at + LAGGING_REPLICA)


def _is_as_before(row: AnyRow | None, sighting: Sighting) -> bool:
    """True when the list is new, or the same as in the last read: nothing was changed elsewhere."""
    if row is None:
        return True
    was_read = row.saved_at is None and not row.unsure and sighting.asked_at >= row.seen_at
    return bool(was_read and row.list_digest == list_digest(sighting.recipients))


def _agreeing(known: frozenset[str], seen: frozenset[str], on: frozenset[str]) -> frozenset[str]:
    """Return the known list, but take these recipients from the seen list."""
    return (known - on) | (seen & on)
