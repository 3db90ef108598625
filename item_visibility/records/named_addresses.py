"""Which service each environment named last, so that a change of its address is noticed and told."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, select, update

from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import environment_address as table
from item_visibility.records.ground.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class AddressChange:
    """An environment that names another service than `service_before`, since `changed_at`.

    `is_new` is true of a change that nobody noticed before; `is_told` of one that a person has read of.
    """

    service_before: str
    changed_at: datetime
    is_told: bool = False
    is_new: bool = False


class Addresses:
    """The service that each environment named when it was opened last."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def arrive(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Keep that the environment names this service now; when it came to another address last, if ever."""
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
        """The same, and nothing is kept."""
        with self._database.read() as connection:
            return _change(_row(connection, environment), service, at=at)

    def note_told(self, environment: str) -> None:
        """Keep that a person has read of the change."""
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
