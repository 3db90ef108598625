"""The last service of each environment, so that a change of address is noticed and reported."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Table, select, update

from item_visibility.storage.columns import AnyRow, ExactText, UtcTime, filled, keys, metadata, optional
from item_visibility.storage.database import Database

table = Table(
    "environment_address",
    metadata,
    *keys(ExactText, "environment"),
    *filled(ExactText, "service"),
    *optional(ExactText, "service_before"),
    *optional(UtcTime, "changed_at"),
    *filled(Boolean, "is_read"),
    comment="Which service each environment named last, and which one before.",
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
        row = self._row(environment)
        change = _change(row, service, at=at)
        if row is None or row.service != service:
            new = {
                "environment": environment,
                "service": service,
                "service_before": change.service_before if change else None,
                "changed_at": change.changed_at if change else None,
                "is_read": False,
            }
            self._database.put(table, new)
        return change

    def look(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Return the same as `arrive`, but record nothing."""
        return _change(self._row(environment), service, at=at)

    def mark_read(self, environment: str) -> None:
        """Record that a person has read about the change."""
        self._database.change(update(table).where(table.c.environment == environment).values(is_read=True))

    def _row(self, environment: str) -> AnyRow | None:
        return self._database.row(select(table).where(table.c.environment == environment))


def _change(row: AnyRow | None, service: str, *, at: datetime) -> AddressChange | None:
    if row is None:
        return None
    if row.service != service:
        return AddressChange(row.service, at, is_new=True)
    if row.service_before is None:
        return None
    return AddressChange(row.service_before, row.changed_at, row.is_read)
