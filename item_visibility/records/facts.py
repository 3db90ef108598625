"""What was seen of the service where the specification is silent, such as whether a set replaces. Note N3."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import service_fact
from item_visibility.records.ground.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class ServiceFact:
    """One thing seen of the service, and when it was seen last."""

    fact: str
    value: str
    observed_at: datetime


class ServiceFacts:
    """What was seen of one service: the latest of each fact."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def observe(self, fact: str, value: str, *, observed_at: datetime) -> None:
        """Keep what was seen, in place of what was seen before."""
        row = {
            "service": self._service,
            "fact": fact,
            "value": value,
            "observed_at": observed_at,
        }
        with self._database.write() as connection:
            connection.execute(insert_or_update(connection, service_fact), row)

    def all(self) -> tuple[ServiceFact, ...]:
        """Every fact, by name."""
        query = (
            select(service_fact).where(service_fact.c.service == self._service).order_by(service_fact.c.fact)
        )
        with self._database.read() as connection:
            return tuple(
                ServiceFact(row.fact, row.value, row.observed_at) for row in connection.execute(query)
            )
