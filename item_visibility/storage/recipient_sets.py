"""Recipient sets: named lists of recipients that can be added together."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from item_visibility.errors import NotPossibleError
from item_visibility.model.folding import comparable
from item_visibility.storage.database import Database
from item_visibility.storage.rows import (
    AnyRow,
    digest,
    insert_new,
    read_value,
    values_of,
)
from item_visibility.storage.schema import recipient_set


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A recipient set, with the person and time of its last change."""

    name: str
    recipients: frozenset[str]
    updated_at: datetime
    updated_by: str


class RecipientSets:
    """The recipient sets of one service.

    The names of two sets must differ in more than case and diacritics, so that people
    can distinguish them. A method that raises NotPossibleError changes nothing.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service
        self._is_here = recipient_set.c.service == service

    def all(self) -> tuple[StoredSet, ...]:
        """Return all sets in alphabetical order, ignoring case and diacritics."""
        query = sa.select(recipient_set).where(self._is_here)
        rows = self._database.rows(query.order_by(recipient_set.c.folded_name))
        return tuple(read_value(StoredSet, recipient_set, row) for row in rows)

    def open(self, name: str) -> StoredSet:
        """Return the set with exactly this name, or raise NotPossibleError."""
        query = sa.select(recipient_set).where(self._is(name))
        return _stored_set(self._database.row(query))

    def make(self, made: StoredSet) -> None:
        """Save a new set."""
        with self._database.write() as connection:
            self._add(connection, made)

    def change(  # noqa: PLR0913  (one argument for each fact)
        self,
        name: str,
        *,
        new_name: str = "",
        add: frozenset[str] = frozenset(),
        remove: frozenset[str] = frozenset(),
        updated_at: datetime,
        updated_by: str,
    ) -> StoredSet:
        """Rename the set if a name is given, change its recipients, and return it."""
        query = sa.select(recipient_set).where(self._is(name))
        with self._database.write() as connection:
            stored = _stored_set(connection.execute(query.with_for_update()).first())
            recipients = (stored.recipients | add) - remove
            changed = StoredSet(new_name or name, recipients, updated_at, updated_by)

            # The name is part of the key, so a renamed set is a new row.
            if new_name:
                connection.execute(sa.delete(recipient_set).where(self._is(name)))
                self._add(connection, changed)
            else:
                values = values_of(changed, recipient_set)
                connection.execute(
                    sa.update(recipient_set).where(self._is(name)).values(values)
                )
        return changed

    def delete(self, name: str) -> StoredSet:
        """Delete a set, and return it."""
        deletion = sa.delete(recipient_set).where(self._is(name))
        with self._database.write() as connection:
            row = connection.execute(deletion.returning(recipient_set)).first()
            return _stored_set(row)

    def _add(self, connection: sa.Connection, new: StoredSet) -> None:
        name = comparable(new.name)
        row = {"service": self._service, "digest": digest(name), "folded_name": name}
        statement = insert_new(connection, recipient_set).values(
            row | values_of(new, recipient_set)
        )
        if connection.scalar(statement.returning(recipient_set.c.digest)) is None:
            raise NotPossibleError(
                "A recipient set already has this name, perhaps with other capitals"
                " or accents.",
                advice="Nothing was changed. Choose another name.",
            )

    def _is(self, name: str) -> sa.ColumnElement[bool]:
        is_alike = recipient_set.c.digest == digest(comparable(name))
        return sa.and_(self._is_here, is_alike, recipient_set.c.name == name)


def _stored_set(row: AnyRow | None) -> StoredSet:
    if row is None:
        raise NotPossibleError(
            "This recipient set is no longer there: somebody deleted or renamed it.",
            advice="Nothing was changed. Choose another set.",
        )
    return read_value(StoredSet, recipient_set, row)
