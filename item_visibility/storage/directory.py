"""The directory of names, the recipient sets, and each person's recent items."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

import sqlalchemy as sa

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.model.folding import comparable
from item_visibility.model.known_ids import Ids, Kind, NameRow, Names
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
    comment=(
        "Known ids with their names. Only an item has a supplier. `version` is from"
        " the last change."
    ),
)

directory_version = sa.Table(
    "directory_version",
    metadata,
    *keys(ExactText, "service", "kind"),
    *filled(sa.BigInteger, "version", "removed_at"),
    comment=(
        "`version` grows with each change of known ids. `removed_at` is its value at"
        " the last removal."
    ),
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
    comment=(
        "Recipient sets. `digest` is the digest of the folded name, so no two sets"
        " have the same name."
    ),
)


class DirectoryRows:
    """The known ids of one kind at one service, with their names.

    An id that is missing here can still be correct.

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
        columns = [
            known_id.c[name] for name in ("supplier", "own_id", "name", "market")
        ]
        with self._lock, self._database.read() as connection:
            names, version = self._cached(connection)
            if version != names.version:
                # Read only the rows that have changed since the cached version.
                is_new = known_id.c.version > names.version
                query = sa.select(*columns).where(self._is_here, is_new)
                by_ids = dict(names.by_ids)
                for supplier, own_id, name, market in connection.execute(query):
                    ids = (supplier, own_id) if self._kind is Kind.ITEM else (own_id,)
                    by_ids[ids] = NameRow(ids, name, market)
                names = Names(by_ids, version=version)
            self._names = names
        return names

    def put(self, rows: Iterable[NameRow]) -> None:
        """Save these rows, replacing earlier values. If that fails, no row is saved."""
        new = list(rows)
        if not new:
            return
        with self._database.write() as connection:
            values = self._values(connection, new)
            connection.execute(insert_or_update(connection, known_id), values)

    def remember(self, wanted: Iterable[Ids]) -> None:
        """Add the ids that are missing. If all are known, nothing is written.

        The cached names are not updated here, because a job can add very many ids.
        """
        # Leave out the ids that are in the cache, then those in the database.
        with self._database.read() as connection:
            names, _ = self._cached(connection)
            missing = {digest(*ids): ids for ids in wanted if ids not in names.by_ids}
            for batch in batches(tuple(missing)):
                stored = sa.select(known_id.c.digest).where(
                    self._is_here, known_id.c.digest.in_(batch)
                )
                for key in connection.scalars(stored):
                    del missing[key]
        if not missing:
            return

        rows = [NameRow(ids) for ids in missing.values()]
        with self._database.write() as connection:
            values = self._values(connection, rows)
            connection.execute(insert_new(connection, known_id), values)

    def forget(self, wanted: Iterable[Ids]) -> None:
        """Remove these rows. An id that is used again later is added without a name."""
        digests = [digest(*ids) for ids in wanted]
        if not digests:
            return
        with self._database.write() as connection:
            self._next_version(connection, is_removal=True)
            for batch in batches(digests):
                is_wanted = known_id.c.digest.in_(batch)
                connection.execute(sa.delete(known_id).where(self._is_here, is_wanted))

    def _cached(self, connection: sa.Connection) -> tuple[Names, int]:
        """Return the cached names and the version in the database.

        If a later version removed rows, return no names.
        """
        is_it = sa.and_(
            directory_version.c.service == self._service,
            directory_version.c.kind == self._kind,
        )
        stored = connection.execute(sa.select(directory_version).where(is_it)).first()
        version = stored.version if stored else 0
        removed_at = stored.removed_at if stored else 0

        # Newer rows can be added to the cache, but it cannot tell which were removed.
        is_stale = version < self._names.version or self._names.version < removed_at
        return Names({}) if is_stale else self._names, version

    def _values(
        self, connection: sa.Connection, rows: Sequence[NameRow]
    ) -> list[Values]:
        version = self._next_version(connection)
        return [
            {
                "service": self._service,
                "kind": self._kind,
                "version": version,
                "supplier": row.ids[0] if self._kind is Kind.ITEM else "",
                "own_id": row.ids[-1],
                "digest": digest(*row.ids),
                "name": row.name,
                "market": row.market,
            }
            for row in rows
        ]

    def _next_version(
        self, connection: sa.Connection, *, is_removal: bool = False
    ) -> int:
        """Return a new version, and lock it until the transaction ends."""
        # The row for the first change.
        row = {
            "service": self._service,
            "kind": self._kind,
            "version": 1,
            "removed_at": int(is_removal),
        }
        insertion = insert_into(connection, directory_version).values(row)

        # The new values of an existing row.
        following = directory_version.c.version + 1
        values = {"version": following}
        if is_removal:
            values["removed_at"] = following
        statement = insertion.on_conflict_do_update(
            index_elements=["service", "kind"], set_=values
        ).returning(directory_version.c.version)

        version: int = connection.scalars(statement).one()
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
        self[Kind.RECIPIENT].remember((recipient_id,) for recipient_id in recipients)


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

    def change(
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
        """Return the items that this person or, for None, everybody used last.

        The newest comes first.
        """
        query = sa.select(recent_item).where(recent_item.c.service == self._service)
        if person is not None:
            query = query.where(recent_item.c.person == person)
        query = query.order_by(recent_item.c.used_at.desc(), recent_item.c.item_digest)
        rows = self._database.rows(query.limit(limit))
        return tuple(read_item_key(row) for row in rows)
