"""Staged changes, stored from the first edit on."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, func, or_, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import BY_HAND, Origin
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import (
    AnyRow,
    item_digest,
    item_values,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.records.database.tables import draft as table
from item_visibility.records.database.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft against the list as it was then read, with the time of its last change and its owner.

    `staged_by` is the name of the person who changed it last; empty where nobody signs in.
    """

    draft: Draft
    updated_at: datetime
    owner: str = ""
    staged_by: str = ""


class Drafts:
    """The drafts of one service, one row for each owner and item.

    An owner is a browser, until people sign in. `taken_over_at` is the time when another owner last took
    a draft over. An owner who does not know that time holds a draft that now belongs to the other.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def apply(  # noqa: PLR0913  (one argument a fact)
        self,
        before: Draft,
        after: Draft,
        *,
        owner: str,
        updated_at: datetime,
        taken_over_at: datetime | None = None,
        staged_by: str = "",
    ) -> bool:
        """Apply the change from `before` to `after` to the stored draft; delete it if it is then empty.

        Only the difference counts, so two windows of one owner do not undo each other's staging. The
        list and the time of reading become those of `after`. Returns False and changes nothing when
        the draft was taken over at another time than the owner knows of.
        """
        with self._database.write() as connection:
            row = self._row_of(connection, after.item, owner=owner)
            if row is not None and row.taken_over_at != taken_over_at:
                return False
            merged = _merged(before, after, None if row is None else _read(row).draft)
            self._replace(connection, row, merged, owner=owner, updated_at=updated_at, staged_by=staged_by)
        return True

    def settle(self, before: Draft, after: Draft, *, owner: str, updated_at: datetime) -> None:
        """Remove saved changes from the stored draft, even if it was taken over in the meantime."""
        with self._database.write() as connection:
            row = self._row_of(connection, after.item, owner=owner)
            merged = _merged(before, after, None if row is None else _read(row).draft)
            staged_by = "" if row is None else row.staged_by
            self._replace(connection, row, merged, owner=owner, updated_at=updated_at, staged_by=staged_by)

    def draft(self, item: ItemKey, *, owner: str) -> StoredDraft | None:
        """Return the owner's draft of the item; None when nothing is staged."""
        with self._database.read() as connection:
            row = connection.execute(select(table).where(self._is(item, owner=owner), _IS_STAGED)).first()
        return None if row is None else _read(row)

    def taken_over_at(self, item: ItemKey, *, owner: str) -> datetime | None:
        """Return the time when another owner took over this owner's draft of the item; None if nobody did."""
        with self._database.read() as connection:
            query = select(table.c.taken_over_at).where(self._is(item, owner=owner))
            found: datetime | None = connection.scalar(query)
        return found

    def latest(self, owner: str, *, limit: int) -> tuple[StoredDraft, ...]:
        """Return the owner's drafts, the last changed first."""
        return self._find(table.c.owner == owner, limit=limit)

    def of_others(self, owner: str, *, item: ItemKey | None = None, limit: int) -> tuple[StoredDraft, ...]:
        """Return the drafts of all others, for one item or all items, the last changed first."""
        is_wanted = table.c.owner != owner
        if item is not None:
            is_wanted = and_(is_wanted, table.c.item_digest == item_digest(item))
        return self._find(is_wanted, limit=limit)

    def count(self) -> int:
        """Return how many items are staged, each owner's counted apart."""
        query = select(func.count().label("drafts")).where(table.c.service == self._service, _IS_STAGED)
        return sum(row.drafts for row in self._database.rows(query))

    def take_over(
        self, wanted: StoredDraft, *, owner: str, taken_over_at: datetime, staged_by: str = ""
    ) -> bool:
        """Give another owner's whole draft to this owner, and end the other's.

        Returns False and changes nothing when the draft is no longer as wanted, or when this owner has
        something staged on the item: drafts are never mixed.
        """
        item = wanted.draft.item
        with self._database.write() as connection:
            theirs = self._row_of(connection, item, owner=wanted.owner)
            mine = self._row_of(connection, item, owner=owner)
            is_there = theirs is not None and _read(theirs) == wanted
            is_free = mine is None or _read(mine).draft.is_empty
            if not is_there or not is_free:
                return False
            told = None if mine is None else mine.taken_over_at
            row = self._row(wanted.draft, owner=owner)
            row |= {"updated_at": wanted.updated_at, "taken_over_at": told, "staged_by": staged_by}
            self._put(connection, row)
            nothing = self._row(wanted.draft.discarded(), owner=wanted.owner)
            self._put(connection, nothing | {"updated_at": taken_over_at, "taken_over_at": taken_over_at})
        return True

    def _replace(  # noqa: PLR0913  (the same)
        self,
        connection: Connection,
        row: AnyRow | None,
        draft: Draft,
        *,
        owner: str,
        updated_at: datetime,
        staged_by: str,
    ) -> None:
        """Replace the row with the draft. Delete an empty draft, unless it was ever taken over."""
        taken_over_at = None if row is None else row.taken_over_at
        if draft.is_empty and taken_over_at is None:
            connection.execute(delete(table).where(self._is(draft.item, owner=owner)))
        else:
            told = {"updated_at": updated_at, "taken_over_at": taken_over_at, "staged_by": staged_by}
            self._put(connection, self._row(draft, owner=owner) | told)

    def _put(self, connection: Connection, row: dict[str, object]) -> None:
        connection.execute(insert_or_update(connection, table), row)

    def _find(self, is_wanted: ColumnElement[bool], *, limit: int) -> tuple[StoredDraft, ...]:
        query = (
            select(table)
            .where(table.c.service == self._service, is_wanted, _IS_STAGED)
            .order_by(table.c.updated_at.desc(), table.c.item_digest)
            .limit(limit)
        )
        return tuple(map(_read, self._database.rows(query)))

    def _row_of(self, connection: Connection, item: ItemKey, *, owner: str) -> AnyRow | None:
        """Return the owner's row of the item; no other process changes it until the transaction ends."""
        return connection.execute(select(table).where(self._is(item, owner=owner)).with_for_update()).first()

    def _is(self, item: ItemKey, *, owner: str) -> ColumnElement[bool]:
        return and_(
            table.c.service == self._service,
            table.c.owner == owner,
            table.c.item_digest == item_digest(item),
        )

    def _row(self, draft: Draft, *, owner: str) -> dict[str, object]:
        return {
            "service": self._service,
            "owner": owner,
            "item_digest": item_digest(draft.item),
            **item_values(draft.item),
            "base_recipients": draft.base,
            "read_at": draft.read_at,
            "added": draft.add,
            "removed": draft.remove,
            **values_of(draft.origin, table),
        }


_IS_STAGED = or_(table.c.added != frozenset(), table.c.removed != frozenset())


def _merged(before: Draft, after: Draft, stored: Draft | None) -> Draft:
    """Return the draft to store once the change is applied."""
    add = stored.add if stored else frozenset()
    remove = stored.remove if stored else frozenset()
    newly_added, newly_removed = after.add - before.add, after.remove - before.remove
    add = (add - (before.add - after.add) - newly_removed) | newly_added
    remove = (remove - (before.remove - after.remove) - newly_added) | newly_removed
    is_all_ours = (add, remove) == (after.add, after.remove)
    return Draft(
        after.item,
        after.base,
        after.read_at,
        add=add,
        remove=remove,
        origin=after.origin if is_all_ours else BY_HAND,
    )


def _read(row: AnyRow) -> StoredDraft:
    draft = Draft(
        read_item_key(row),
        row.base_recipients,
        row.read_at,
        add=row.added,
        remove=row.removed,
        origin=read_value(Origin, table, row),
    )
    return StoredDraft(draft, row.updated_at, row.owner, row.staged_by)
