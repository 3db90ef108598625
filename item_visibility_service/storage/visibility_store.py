"""The store: the recipients that can see each item. Spec: "Resources and their fields"; Note N14."""

import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.limits import MAX_RECIPIENTS
from item_visibility_service.service_settings import ServiceSettingsError
from item_visibility_service.storage.service_database import transaction
from item_visibility_service.storage.sqlite_reader import SqliteReader
from item_visibility_service.storage.visibility_tables import SIGNING_KEY, VISIBILITY

_OF_ITEM = (
    VISIBILITY.c.supplier == bindparam("of_supplier"),
    VISIBILITY.c.supplier_item_id == bindparam("of_supplier_item_id"),
)
_OF_RECIPIENT = VISIBILITY.c.recipient_id == bindparam("of_recipient_id")
_READ = select(VISIBILITY.c.recipient_id).where(*_OF_ITEM).order_by(VISIBILITY.c.recipient_id)
_FIND = select(VISIBILITY.c.recipient_id).where(*_OF_ITEM, _OF_RECIPIENT)
_REMOVE = delete(VISIBILITY).where(*_OF_ITEM, _OF_RECIPIENT)
_REMOVE_ALL = delete(VISIBILITY).where(*_OF_ITEM)
_ADD = insert(VISIBILITY)
_SIGNING_KEY = select(SIGNING_KEY.c.secret)
_LOCK_ITEM = select(
    func.pg_advisory_xact_lock(
        func.hashtext(bindparam("of_supplier")), func.hashtext(bindparam("of_supplier_item_id"))
    )
)
_COUNT = select(func.count()).select_from(VISIBILITY).where(*_OF_ITEM)
_WHOLE_STORE = Item(supplier="", supplier_item_id="")
"""Not a real item: its lock is for work on the whole store, such as filling it."""


class StoreUnavailableError(Exception):
    """The database cannot be reached, or is busy for too long."""


class ListFullError(Exception):
    """The item's list would exceed the recipient limit; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The actual changes of a call; both are empty when everything was already in place."""

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


class Store:
    """The visibilities of all items. Every method is one transaction, and safe from any thread.

    Raises StoreUnavailableError. `is_local` is True when an answer takes microseconds, so that
    handing a call to another thread would cost more than the call.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reader = SqliteReader(engine) if engine.dialect.name == "sqlite" else None
        self.is_local = self._reader is not None

    def recipients(self, item: Item) -> tuple[str, ...]:
        """Return all recipients that can see the item, sorted. Note N10."""
        if self._reader is not None:
            with _translated():
                return self._reader.recipients(item)
        with self._reading() as connection:
            return _recipients(connection, item)

    def replace(self, item: Item, recipients: frozenset[str]) -> Change:
        """Make these the recipients of the item, and no others. Note N3."""
        with self._changing(item) as connection:
            present = frozenset(_recipients(connection, item))
            change = Change(added=recipients - present, removed=present - recipients)
            _remove(connection, item, change.removed)
            _add(connection, item, change.added)
            return change

    def merge(self, item: Item, recipients: frozenset[str]) -> Change:
        """Add these to the recipients of the item; raises ListFullError. Note N3."""
        with self._changing(item) as connection:
            present = _recipients(connection, item)
            change = Change(added=recipients.difference(present))
            _check_room(len(present) + len(change.added))
            _add(connection, item, change.added)
            return change

    def add(self, item: Item, recipient_id: str) -> Change:
        """Make the item visible for one recipient; raises ListFullError."""
        with self._changing(item) as connection:
            if connection.scalar(_FIND, _row(item, recipient_id, prefix="of_")) is not None:
                return Change()
            _check_room(1 + (connection.scalar(_COUNT, _key(item)) or 0))
            change = Change(added=frozenset({recipient_id}))
            _add(connection, item, change.added)
            return change

    def remove(self, item: Item, recipient_id: str) -> Change:
        """Remove the visibility of the item for one recipient."""
        with self._changing(item) as connection:
            removed = connection.execute(_REMOVE, _row(item, recipient_id, prefix="of_"))
            return Change(removed=frozenset({recipient_id} if removed.rowcount else ()))

    def remove_all(self, item: Item) -> Change:
        """Remove all visibilities of the item."""
        with self._changing(item) as connection:
            change = Change(removed=frozenset(_recipients(connection, item)))
            connection.execute(_REMOVE_ALL, _key(item))
            return change

    def load(self, visibilities: Mapping[Item, frozenset[str]]) -> None:
        """Fill the store if it is empty; otherwise change nothing."""
        with self._changing(_WHOLE_STORE) as connection:
            if connection.scalar(select(VISIBILITY.c.supplier).limit(1)) is None:
                rows = [
                    _row(item, recipient_id)
                    for item, recipients in visibilities.items()
                    for recipient_id in recipients
                ]
                connection.execute(_ADD, rows)

    def clear(self) -> None:
        """Remove every visibility of every item."""
        with self._changing(_WHOLE_STORE) as connection:
            connection.execute(delete(VISIBILITY))

    def signing_key(self) -> str:
        """Return the key that signs access tokens, created by the first call on a new database."""
        with self._reading() as connection:
            known: str | None = connection.scalar(_SIGNING_KEY)
        return known or self._first_signing_key()

    def check(self) -> None:
        """Raise StoreUnavailableError unless the database answers."""
        with self._reading() as connection:
            connection.execute(_SIGNING_KEY)

    def close(self) -> None:
        """Close all connections."""
        if self._reader is not None:
            self._reader.close()
        self._engine.dispose()

    def _first_signing_key(self) -> str:
        with self._changing(_WHOLE_STORE) as connection:  # another process may have been quicker
            known: str | None = connection.scalar(_SIGNING_KEY)
            return known or _new_signing_key(connection)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _changing(self, item: Item) -> Iterator[Connection]:
        """Open a transaction in which nobody else can change the item."""
        with _translated(), transaction(self._engine) as connection:
            if not self.is_local:  # SQLite has one writer at a time anyway
                connection.execute(_LOCK_ITEM, _key(item))
            yield connection


@contextmanager
def usable_at_start() -> Iterator[None]:
    """Raise ServiceSettingsError if the store fails while the service starts."""
    try:
        yield
    except StoreUnavailableError as error:
        raise ServiceSettingsError(
            f"The database opened, but it cannot be used ({error}). Nothing is served."
        ) from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError, sqlite3.OperationalError) as error:
        raise StoreUnavailableError(type(error).__name__) from error


def _check_room(count: int) -> None:
    if count > MAX_RECIPIENTS:
        raise ListFullError


def _recipients(connection: Connection, item: Item) -> tuple[str, ...]:
    return tuple(connection.scalars(_READ, _key(item)))


def _add(connection: Connection, item: Item, recipients: frozenset[str]) -> None:
    if recipients:
        connection.execute(_ADD, [_row(item, recipient_id) for recipient_id in sorted(recipients)])


def _remove(connection: Connection, item: Item, recipients: frozenset[str]) -> None:
    if recipients:
        rows = [_row(item, recipient_id, prefix="of_") for recipient_id in sorted(recipients)]
        connection.execute(_REMOVE, rows)


def _key(item: Item) -> dict[str, str]:
    return {"of_supplier": item.supplier, "of_supplier_item_id": item.supplier_item_id}


def _row(item: Item, recipient_id: str, *, prefix: str = "") -> dict[str, str]:
    return {
        f"{prefix}supplier": item.supplier,
        f"{prefix}supplier_item_id": item.supplier_item_id,
        f"{prefix}recipient_id": recipient_id,
    }


def _new_signing_key(connection: Connection) -> str:
    secret = secrets.token_urlsafe(32)
    connection.execute(insert(SIGNING_KEY), {"only": 1, "secret": secret})
    return secret
