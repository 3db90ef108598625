"""The last service of each environment, so that a change of address is noticed and reported."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, select, update

from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import environment_address as table
from item_visibility.records.ground.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class AddressChange:
    """A change of an environment's service at `changed_at`; before, it named `service_before`.

    `is_new` is true for a change not noticed before; `is_told` for one that a person has read about.
    """

    service_before: str
    changed_at: datetime
    is_told: bool = False
    is_new: bool = False


class Addresses:
    """The service that each environment named when it was last opened."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def arrive(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Record the environment's service; return its last change of address, or None if there was none."""
        with self._database.read() as connection:
            row = _row(connection, environment)
        change = _change(row, service, at=at)
        if row is None or row.service != service:
            new = {
                "environment": environment,
                "service": service,
                "service_before": change.service_before if change else None,
                "changed_at": change.changed_at if change else None,
                "is_told": False,
            }
            with self._database.write() as connection:
                connection.execute(insert_or_update(connection, table), new)
        return change

    def look(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Return the same as `arrive`, but record nothing."""
        with self._database.read() as connection:
            return _change(_row(connection, environment), service, at=at)

    def note_told(self, environment: str) -> None:
        """Record that a person has read about the change."""
        with self._database.write() as connection:
            connection.execute(update(table).where(table.c.environment == environment).values(is_told=True))


def _row(connection: Connection, environment: str) -> Row[tuple[object, ...]] | None:
    return connection.execute(select(table).where(table.c.environment == environment)).first()


def _change(row: Row[tuple[object, ...]] | None, service: str, *, at: datetime) -> AddressChange | None:
    if row is None:
        return None
    if row.service != service:
        return AddressChange(row.service, at, is_new=True)
    return (
        None if row.service_before is None else AddressChange(row.service_before, row.changed_at, row.is_told)
    )
