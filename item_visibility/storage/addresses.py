"""The last service of each environment, so that a change of address is noticed and reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Table, select, update

from item_visibility.storage.columns import AnyRow, ExactText, UtcTime, filled, keys, metadata
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
        latest = self._latest(environment)
        if not latest or latest[0].service != service:
            row = {"environment": environment, "service": service, "arrived_at": at, "is_read": False}
            self._database.put(table, row)
        return _change(latest, service, at=at)

    def look(self, environment: str, service: str, *, at: datetime) -> AddressChange | None:
        """Return the same as `arrive`, but record nothing."""
        return _change(self._latest(environment), service, at=at)

    def mark_read(self, environment: str) -> None:
        """Record that a person has read about the change."""
        self._database.change(update(table).where(table.c.environment == environment).values(is_read=True))

    def _latest(self, environment: str) -> Sequence[AnyRow]:
        """Return the current service and the one before."""
        query = select(table).where(table.c.environment == environment)
        return self._database.rows(query.order_by(table.c.arrived_at.desc()).limit(2))


def _change(latest: Sequence[AnyRow], service: str, *, at: datetime) -> AddressChange | None:
    if latest and latest[0].service != service:
        return AddressChange(latest[0].service, at, is_new=True)
    if len(latest) > 1:
        return AddressChange(latest[1].service, latest[0].arrived_at, latest[0].is_read)
    return None
