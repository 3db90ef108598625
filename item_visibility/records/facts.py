"""Observed behaviour of the service that the specification leaves open, such as "set replaces". Note N3."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import read_value, values_of
from item_visibility.records.database.tables import service_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFact:
    """One value of a fact about the service, with the call that showed it last, as evidence.

    `note` says more about that call, such as a number of seconds; empty when there is nothing to say.
    """

    fact: str
    value: str
    note: str = ""
    operation: str
    request_id: str
    observed_at: datetime


class ServiceFacts:
    """The observed facts about one service: each value that was seen is kept, with its last call."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def observe(self, seen: ServiceFact) -> None:
        """Save an observed value, replacing the evidence of the same value."""
        self._database.put(service_fact, {"service": self._service} | values_of(seen, service_fact))

    def all(self) -> tuple[ServiceFact, ...]:
        """Return every value that was seen, the newest first."""
        are_here = service_fact.c.service == self._service
        newest_first = (service_fact.c.observed_at.desc(), service_fact.c.fact)
        rows = self._database.rows(select(service_fact).where(are_here).order_by(*newest_first))
        return tuple(read_value(ServiceFact, service_fact, row) for row in rows)
