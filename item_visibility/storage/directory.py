"""The directory of names, the recipient sets, and each person's recent items."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from threading import Lock

import sqlalchemy as sa

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.storage.column_types import (
    DIGEST,
    ITEM,
    ROW_ID,
    AnyRow,
    ExactText,
    RecipientSet,
    UtcTime,
    Values,
    batches,
    digest,
    filled,
    insert_into,
    insert_new,
    insert_or_update,
    item_values,
    keys,
    metadata,
    one_of,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.database import Database
from item_visibility.storage.name_search import Ids, NameRow, Names, comparable


class Kind(StrEnum):
    """The kinds of id for which the directory has names."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"


known_id = sa.Table(
    "known_id",
    metadata,
    *keys(ROW_ID, "number"),
    *filled(one_of(Kind), "kind"),
    *filled(ExactText, "service", "supplier", "own_id", "name", "market"),
    *filled(DIGEST, "digest"),
    *filled(sa.BigInteger, "version"),
    sa.UniqueConstraint("service", "kind", "digest"),
    sa.Index("ix_known_id_version", "service", "kind", "version"),
    sa.Index("ix_known_id_supplier", "service", "kind", "supplier"),
    comment="Known ids with their names. Only an item has a supplier. `version` is "
    "from the last change.",
)

directory_version = sa.Table(
    "directory_version",
    metadata,
    *keys(ExactText, "service", "kind"),
    *filled(sa.BigInteger, "version", "removed_at"),
    comment="`version` grows with each change of known ids. `removed_at` is its "
    "value at the last removal.",
)

recent_item = sa.Table(
    "recent_item",
    metadata,
    *keys(ExactText, "service", "person"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM),
    *filled(UtcTime, "used_at"),
)

recipient_set = sa.Table(
    "recipient_set",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "digest"),
    *filled(ExactText, "name", "folded_name", "updated_by"),
    *filled(RecipientSet, "recipients"),
    *filled(UtcTime, "updated_at"),
    comment="Recipient sets. `digest` is the digest of the folded name, so no two "
    "sets have the same name.",
)


class DirectoryRows:
    """The known ids of one kind at one service, with their names.

    An unknown id can still be correct.

    The names are cached in memory. Each access reads the rows that have changed since
    the cached version, so that all processes see the same names.
    """

    def __init__(self, database: Database, *, service: str, kind: Kind) -> None:
        self._database = database
        self._service = service
        self._kind = kind
        self._is_here = sa.and_(known_id.c.service == service, known_id.c.kind == kind)
        self._names = Names({})
        self._lock = Lock()

    def current(self) -> Names:
        """Return the current names."""
        columns = (
            known_id.c[name] for name in ("supplier", "own_id", "name", "market")
        )
        first = 0 if self._kind is Kind.ITEM else 1
        with self._lock, self._database.read() as connection:
            held, version = self._cached(connection)
            if version != held.version:
                is_new = known_id.c.version > held.version
                found = connection.execute(
                    sa.select(*columns).where(self._is_here, is_new)
                )
                changed = {
                    (row := NameRow(tuple(some[first:2]), *some[2:])).ids: row
                    for some in found
                }
                held = Names({**held.by_ids, **changed}, version=version)
            self._names = held
        return held

    def put(self, rows: Iterable[NameRow]) -> None:
        """Save these rows, replacing earlier values. If that fails, no row is saved."""
        if new := list(rows):
            with self._database.write() as connection:
                connection.execute(
                    insert_or_update(connection, known_id),
                    self._values(connection, new),
                )

    def remember(self, wanted: Iterable[Ids]) -> None:
        """Add the ids that are missing. If all are known, nothing is written.

        The cached names are not updated here, because a job can add very many ids.
        """
        with self._database.read() as connection:
            held, _ = self._cached(connection)
            by_digest = {digest(*ids): ids for ids in wanted if ids not in held.by_ids}
            for some in batches(tuple(by_digest)):
                known = sa.select(known_id.c.digest).where(
                    self._is_here, known_id.c.digest.in_(some)
                )
                for found in connection.scalars(known):
                    del by_digest[found]
        if by_digest:
            with self._database.write() as connection:
                values = self._values(
                    connection, [NameRow(ids) for ids in by_digest.values()]
                )
                connection.execute(insert_new(connection, known_id), values)

    def forget(self, wanted: Iterable[Ids]) -> None:
        """Remove these rows. An id that is used again later is added without a name."""
        if digests := [digest(*ids) for ids in wanted]:
            with self._database.write() as connection:
                self._next_version(connection, is_removal=True)
                for some in batches(digests):
                    connection.execute(
                        sa.delete(known_id).where(
                            self._is_here, known_id.c.digest.in_(some)
                        )
                    )

    def _cached(self, connection: sa.Connection) -> tuple[Names, int]:
        """Return the cached names and the version in the database.

        If a later version removed rows, return no names.
        """
        is_it = sa.and_(
            directory_version.c.service == self._service,
            directory_version.c.kind == self._kind,
        )
        stored = connection.execute(sa.select(directory_version).where(is_it)).first()
        version, removed_at = (stored.version, stored.removed_at) if stored else (0, 0)
        is_stale = version < self._names.version or self._names.version < removed_at
        return Names({}) if is_stale else self._names, version

    def _values(
        self, connection: sa.Connection, rows: Sequence[NameRow]
    ) -> list[Values]:
        of_all = {
            "service": self._service,
            "kind": self._kind,
            "version": self._next_version(connection),
        }
        return [
            of_all
            | {
                "supplier": row.ids[0] if self._kind is Kind.ITEM else "",
                "own_id": row.ids[-1],
            }
            | {"digest": digest(*row.ids), "name": row.name, "market": row.market}
            for row in rows
        ]

    def _next_version(
        self, connection: sa.Connection, *, is_removal: bool = False
    ) -> int:
        """Return a new version, and lock it until the transaction ends."""
        following = directory_version.c.version + 1
        values = {"version": following} | (
            {"removed_at": following} if is_removal else {}
        )
        row = {
            "service": self._service,
            "kind": self._kind,
            "version": 1,
            "removed_at": int(is_removal),
        }
        insertion = insert_into(connection, directory_version).values(row)
        statement = insertion.on_conflict_do_update(
            index_elements=["service", "kind"], set_=values
        )
        version: int = connection.scalars(
            statement.returning(directory_version.c.version)
        ).one()
        return version


class Directory(dict[Kind, DirectoryRows]):
    """Maps each kind of id to the rows of that kind, for one service."""

    def __init__(self, database: Database, *, service: str) -> None:
        super().__init__(
            (kind, DirectoryRows(database, service=service, kind=kind)) for kind in Kind
        )

    def remember(
        self, items: Collection[ItemKey], recipients: Iterable[str] = ()
    ) -> None:
        """Add those items, suppliers and recipients that are not known yet."""
        self[Kind.SUPPLIER].remember((item.supplier,) for item in items)
        self[Kind.ITEM].remember(
            (item.supplier, item.supplier_item_id) for item in items
        )
        self[Kind.RECIPIENT].remember((one,) for one in recipients)


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A recipient set, with the person and time of its last change."""

    name: str
    recipients: frozenset[str]
    updated_at: datetime
    updated_by: str


class RecipientSets:
    """The recipient sets of one service.

    A method that raises NotPossibleError changes nothing.

    The names of two sets must differ in more than case and diacritics, so that people
    can distinguish them.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service
        self._is_here = recipient_set.c.service == service

    def all(self) -> tuple[StoredSet, ...]:
        """Return all sets in alphabetical order, ignoring case and diacritics."""
        query = (
            sa.select(recipient_set)
            .where(self._is_here)
            .order_by(recipient_set.c.folded_name)
        )
        rows = self._database.rows(query)
        return tuple(read_value(StoredSet, recipient_set, row) for row in rows)

    def open(self, name: str) -> StoredSet:
        """Return the set with exactly this name.

        Raises NotPossibleError when it does not exist.
        """
        return _stored_set(
            self._database.row(sa.select(recipient_set).where(self._is(name)))
        )

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
            return _stored_set(
                connection.execute(deletion.returning(recipient_set)).first()
            )

    def _add(self, connection: sa.Connection, new: StoredSet) -> None:
        name = comparable(new.name)
        row = {"service": self._service, "digest": digest(name), "folded_name": name}
        statement = insert_new(connection, recipient_set).values(
            row | values_of(new, recipient_set)
        )
        if connection.scalar(statement.returning(recipient_set.c.digest)) is None:
            raise NotPossibleError(
                "A recipient set already has this name, perhaps with other capitals "
                "or accents.",
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


class RecentItems:
    """The items that each person used at one service."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def remember_use(self, *, person: str, item: ItemKey, used_at: datetime) -> None:
        """Record that the person used this item at this time."""
        row = item_values(self._service, item) | {"person": person, "used_at": used_at}
        self._database.put(recent_item, row)

    def latest(self, person: str | None, *, limit: int) -> tuple[ItemKey, ...]:
        """Return the items that this person used last, newest first.

        None means everybody.
        """
        query = sa.select(recent_item).where(recent_item.c.service == self._service)
        if person is not None:
            query = query.where(recent_item.c.person == person)
        order = (recent_item.c.used_at.desc(), recent_item.c.item_digest)
        return tuple(
            map(read_item_key, self._database.rows(query.order_by(*order).limit(limit)))
        )
