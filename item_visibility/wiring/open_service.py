"""Wires the parts of one service: a client, and a saver on it and our records."""

import time
from collections.abc import Callable
from contextlib import ExitStack

from item_visibility.api.client import MAX_CONNECTIONS, VisibilityClient, utc_now
from item_visibility.api.observing import Observer
from item_visibility.changes.saving.listing import SetMeaning
from item_visibility.changes.saving.save import Saver
from item_visibility.records.fallback import or_else
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment


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
        route=environment.route,
        on_call=on_call,
        known_tokens=credentials.tokens,
        sleep=sleep,
        max_connections=max_connections,
    )
    closing.callback(client.close)
    return client


def saver_on(
    client: VisibilityClient, records: ServiceRecords, *, sleep: Callable[[float], None] = time.sleep
) -> Saver:
    """Return a saver that keeps what it learns of the service."""

    def keep_fact(meaning: SetMeaning) -> None:
        fact, _, value = meaning.value.partition(" ")
        or_else(None, lambda: records.facts.observe(fact, value, observed_at=utc_now()))

    return Saver(client, records.history, clock=utc_now, sleep=sleep, on_fact=keep_fact)
