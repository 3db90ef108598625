"""Wires what talks to the service: a client, and a saver on it."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime

from item_visibility.api.client import MAX_CONNECTIONS, VisibilityClient
from item_visibility.api.observing import Observer
from item_visibility.changes.listing import SetMeaning
from item_visibility.changes.save import Saver
from item_visibility.desk import DeskRecords
from item_visibility.desk_names import or_else
from item_visibility.settings import Environment


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


def open_client(
    environment: Environment,
    closing: ExitStack,
    *,
    on_call: Observer,
    sleep: Callable[[float], None] = time.sleep,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """A client with connections of its own, which `closing` closes."""
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


def saver_on(
    client: VisibilityClient, records: DeskRecords, *, sleep: Callable[[float], None] = time.sleep
) -> Saver:
    """A saver that keeps what it learns of the service."""

    def keep_fact(meaning: SetMeaning) -> None:
        fact, _, value = meaning.value.partition(" ")
        or_else(None, lambda: records.facts.observe(fact, value, observed_at=utc_now()))

    return Saver(client, records.history, clock=utc_now, sleep=sleep, on_fact=keep_fact)
