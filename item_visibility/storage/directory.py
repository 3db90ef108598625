"""The directory: the known suppliers, items and recipients, with their names."""

from collections.abc import Collection, Iterable, Sequence
from threading import Lock

import sqlalchemy as sa

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Ids, Kind, NameRow, Names
from item_visibility.storage.database import Database
from item_visibility.storage.rows import (
    Values,
    batches,
    digest,
    insert_into,
    insert_new,
    insert_or_update,
)
from item_visibility.storage.schema import (
    directory_version,
    known_id,
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
