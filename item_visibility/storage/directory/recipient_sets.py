"""Recipient sets: recipients under a name of ours, such as "Retailers DE"."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, and_, delete, select

from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.row_values import AnyRow, read_value, values_of
from item_visibility.storage.database.tables import recipient_set as table
from item_visibility.storage.database.types import digest
from item_visibility.storage.database.upsert import insert_or_update
from item_visibility.storage.directory.find import typed_name


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A recipient set, with the person and time of its last change."""

    name: str
    recipients: frozenset[str]
    updated_at: datetime
    updated_by: str


class RecipientSets:
    """The recipient sets of one service.

    No two have names that differ only in case and diacritics: a person could not tell them apart.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def names(self) -> tuple[str, ...]:
        """Return the names of all sets, in alphabetical order without regard to case and diacritics."""
        with self._database.read() as connection:
            return tuple(connection.scalars(self._in_order(table.c.name)))

    def named(self, name: str) -> StoredSet | None:
        """Return the set with exactly this name; None when there is none."""
        with self._database.read() as connection:
            return self._stored(connection, name)

    def all(self) -> tuple[StoredSet, ...]:
        """Return every set with its recipients, in alphabetical order."""
        return tuple(map(_read, self._database.rows(self._in_order(table))))

    def make(self, made: StoredSet) -> bool:
        """Save a new set; return False, with no change, if its name or one that looks like it is taken."""
        with self._database.write() as connection:
            if self._alike(connection, made.name):
                return False
            self._put(connection, made)
        return True

    def change(
        self,
        name: str,
        *,
        add: frozenset[str] = frozenset(),
        remove: frozenset[str] = frozenset(),
        updated_at: datetime,
        updated_by: str,
    ) -> StoredSet | None:
        """Add and remove recipients of a set; return the new set, or None if it is gone.

        Recipients that somebody else added in the meantime stay.
        """
        with self._database.write() as connection:
            stored = self._stored(connection, name)
            if stored is None:
                return None
            changed = StoredSet(name, (stored.recipients | add) - remove, updated_at, updated_by)
            self._put(connection, changed)
        return changed

    def rename(self, name: str, new_name: str, *, updated_at: datetime, updated_by: str) -> bool:
        """Rename the set; return False if it is gone, or if the new name or one like it is taken."""
        with self._database.write() as connection:
            stored = self._stored(connection, name)
            if stored is None or self._alike(connection, new_name) - {name}:
                return False
            connection.execute(delete(table).where(self._is(name)))
            self._put(connection, StoredSet(new_name, stored.recipients, updated_at, updated_by))
        return True

    def delete(self, name: str) -> StoredSet | None:
        """Delete a set; return it as it was, or None if it was already gone."""
        with self._database.write() as connection:
            stored = self._stored(connection, name)
            connection.execute(delete(table).where(self._is(name)))
        return stored

    def _stored(self, connection: Connection, name: str) -> StoredSet | None:
        row = connection.execute(select(table).where(self._is(name))).first()
        return None if row is None else _read(row)

    def _alike(self, connection: Connection, name: str) -> set[str]:
        same = select(table.c.name).where(self._is_here(), table.c.folded_name == typed_name(name))
        return set(connection.scalars(same))

    def _put(self, connection: Connection, made: StoredSet) -> None:
        keys = {"service": self._service, "digest": digest(made.name), "folded_name": typed_name(made.name)}
        connection.execute(insert_or_update(connection, table), keys | values_of(made, table))

    def _in_order(self, what: Table | Column[str]) -> Select[tuple[object, ...]]:
        return select(what).where(self._is_here()).order_by(table.c.folded_name, table.c.name)

    def _is(self, name: str) -> ColumnElement[bool]:
        return and_(self._is_here(), table.c.digest == digest(name))

    def _is_here(self) -> ColumnElement[bool]:
        return table.c.service == self._service


def _read(row: AnyRow) -> StoredSet:
    return read_value(StoredSet, table, row)
