"""The last service of each environment, so that a change of address is noticed and reported."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Table, select, update

from item_visibility.storage.columns import ExactText, UtcTime, filled, keys, metadata
from item_visibility.storage.database import Database

table = Table(
    "environment_address",
    metadata,
    *keys(ExactText, "environment", "service"),
    *filled(UtcTime, "arrived_at"),
    *filled(Boolean, "is_read"),
    comment="The services that each environment named; the last one that arrived is the current one.",
)


@dataclass(frozen=True, slots=True)
class AddressChange:
    """A change of an environment's service at `changed_at`; before, it named `service_before`.

    `is_new` is true for a change not noticed before; `is_read` for one that a person has read about.
    """

    service_before: str
    changed_at: datetime
    is_read: bool = False
    is_new: bool = False


class Addresses:
    """The service that each environment named when it was last opened."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def arrive(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Record the environment's service; return its last change of address, or None if there was none."""
        change = self.look(environment, service, at=at)
        if change is None or change.is_new:
            row = {"environment": environment, "service": service, "arrived_at": at, "is_read": False}
            self._database.put(table, row)
        return change

    def look(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Return the same as `arrive`, but record nothing."""
        of_environment = select(table).where(table.c.environment == environment)
        rows = self._database.rows(of_environment.order_by(table.c.arrived_at.desc()).limit(2))
        if rows and rows[0].service != service:
            return AddressChange(rows[0].service, at, is_new=True)
        return AddressChange(rows[1].service, rows[0].arrived_at, rows[0].is_read) if len(rows) > 1 else None

    def mark_read(self, environment: str) -> None:
        """Record that a person has read about the change."""
        self._database.change(update(table).where(table.c.environment == environment).values(is_read=True))
