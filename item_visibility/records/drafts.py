"""What each person has staged and not saved yet, kept from the first edit on."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.origin import BY_HAND, Origin
from item_visibility.changes.request import ChangeKind
from item_visibility.records.database import Database
from item_visibility.records.schema import draft as table
from item_visibility.records.types import digest
from item_visibility.records.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft against the list as it was read then, and when it was changed last."""

    draft: Draft
    updated_at: datetime


class Drafts:
    """The drafts of one service: each belongs to one person and one item."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def apply(self, before: Draft, after: Draft, *, person: str, updated_at: datetime) -> None:
        """Make the same change to the stored draft as from `before` to `after`; an empty draft goes.

        Only the difference counts: two windows of one person do not undo each other's staging. The
        list and the time of reading become those of `after`.
        """
        with self._database.write() as connection:
            stored = self._stored(connection, after.item, person=person)
            merged = _merged(before, after, stored.draft if stored else None)
            if merged.is_empty:
                connection.execute(delete(table).where(self._is(after.item, person=person)))
            else:
                row = self._row(merged, person=person) | {"updated_at": updated_at}
                connection.execute(insert_or_update(connection, table), row)

    def draft(self, item: ItemKey, *, person: str) -> StoredDraft | None:
        """The person's draft of the item; None when nothing is staged."""
        with self._database.read() as connection:
            return self._stored(connection, item, person=person)

    def latest(self, person: str, *, limit: int) -> tuple[StoredDraft, ...]:
        """The person's drafts, the one that was changed last first."""
        query = (
            select(table)
            .where(table.c.service == self._service, table.c.person == person)
            .order_by(table.c.updated_at.desc(), table.c.item_digest)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(_read(row) for row in connection.execute(query))

    def _stored(self, connection: Connection, item: ItemKey, *, person: str) -> StoredDraft | None:
        row = connection.execute(select(table).where(self._is(item, person=person))).first()
        return None if row is None else _read(row)

    def _is(self, item: ItemKey, *, person: str) -> ColumnElement[bool]:
        return and_(
            table.c.service == self._service,
            table.c.person == person,
            table.c.item_digest == digest(item.supplier, item.supplier_item_id),
        )

    def _row(self, draft: Draft, *, person: str) -> dict[str, object]:
        return {
            "service": self._service,
            "person": person,
            "item_digest": digest(draft.item.supplier, draft.item.supplier_item_id),
            "supplier": draft.item.supplier,
            "supplier_item_id": draft.item.supplier_item_id,
            "base_recipients": draft.base,
            "read_at": draft.read_at,
            "added": draft.add,
            "removed": draft.remove,
            "origin": _origin_as_text(draft.origin),
        }


def _merged(before: Draft, after: Draft, stored: Draft | None) -> Draft:
    """What is stored once the change is made."""
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


def _read(row: Row[tuple[object, ...]]) -> StoredDraft:
    draft = Draft(
        ItemKey(row.supplier, row.supplier_item_id),
        row.base_recipients,
        row.read_at,
        add=row.added,
        remove=row.removed,
        origin=_origin_from_text(row.origin),
    )
    return StoredDraft(draft, row.updated_at)


def _origin_as_text(origin: Origin) -> str:
    """Where it came from, as JSON; empty for what was done by hand."""
    if origin == BY_HAND:
        return ""
    recipients = origin.set_recipients
    return json.dumps(
        {
            "kind": origin.kind.value,
            "undo_of": origin.undo_of,
            "restored_from": origin.restored_from,
            "set_name": origin.set_name,
            "set_recipients": None if recipients is None else sorted(recipients),
        }
    )


def _origin_from_text(text: str) -> Origin:
    if not text:
        return BY_HAND
    stored = json.loads(text)
    recipients = stored["set_recipients"]
    return Origin(
        kind=ChangeKind(stored["kind"]),
        undo_of=stored["undo_of"],
        restored_from=stored["restored_from"],
        set_name=stored["set_name"],
        set_recipients=None if recipients is None else frozenset(recipients),
    )
