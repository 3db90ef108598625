"""Observed behaviour of the service that the specification leaves open, such as "set replaces". Note N3."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import read_value
from item_visibility.records.database.tables import service_fact


@dataclass(frozen=True, slots=True)
class ServiceFact:
    """One observed fact about the service, with the time when it was last seen."""

    fact: str
    value: str
    observed_at: datetime


class ServiceFacts:
    """The observed facts about one service, with the latest value of each."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def observe(self, fact: str, value: str, *, observed_at: datetime) -> None:
        """Save an observed value, replacing the earlier one."""
        row = {"service": self._service, "fact": fact, "value": value, "observed_at": observed_at}
        self._database.put(service_fact, row)

    def all(self) -> tuple[ServiceFact, ...]:
        """Return every fact, by name."""
        are_here = service_fact.c.service == self._service
        rows = self._database.rows(select(service_fact).where(are_here).order_by(service_fact.c.fact))
        return tuple(read_value(ServiceFact, service_fact, row) for row in rows)
