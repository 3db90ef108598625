"""Wires the parts of one service: a client, its records, and a saver on both."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime

from item_visibility.api.client import MAX_CONNECTIONS, VisibilityClient
from item_visibility.api.observing import Observer
from item_visibility.changes.saving.listing import SetMeaning
from item_visibility.changes.saving.save import Saver
from item_visibility.desk.fallback import or_else
from item_visibility.desk.use_cases import DeskRecords
from item_visibility.records.opening import Records
from item_visibility.settings.values import Environment


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def open_client(
    environment: Environment,
    closing: ExitStack,
    *,
    on_call: Observer,
    sleep: Callable[[float], None] = time.sleep,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client with connections of its own, which `closing` closes."""
    credentials = environment.credentials
    client = VisibilityClient(
        environment.base_url,
        environment.auth_url,
        credentials.client_id,
        credentials.client_secret,
        on_call=on_call,
        sleep=sleep,
        max_connections=max_connections,
    )
    closing.callback(client.close)
    return client


def records_of(records: Records, environment: Environment) -> DeskRecords:
    """Return our own records of the environment's service, and of no other."""
    service = environment.service
    return DeskRecords(
        history=records.history(service=service),
        search=records.history_search(service=service),
        directory=records.directory(service=service),
        drafts=records.drafts(service=service),
        parks=records.parks(service=service),
        sets=records.recipient_sets(service=service),
        directory_rows=records.directory_rows(service=service),
        recents=records.recent_items(service=service),
        facts=records.service_facts(service=service),
        jobs=records.jobs(service=service, environment=environment.name),
    )


def saver_on(
    client: VisibilityClient, records: DeskRecords, *, sleep: Callable[[float], None] = time.sleep
) -> Saver:
    """Return a saver that keeps what it learns of the service."""

    def keep_fact(meaning: SetMeaning) -> None:
        fact, _, value = meaning.value.partition(" ")
        or_else(None, lambda: records.facts.observe(fact, value, observed_at=utc_now()))

    return Saver(client, records.history, clock=utc_now, sleep=sleep, on_fact=keep_fact)
