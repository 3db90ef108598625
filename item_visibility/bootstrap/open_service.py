"""Wires a client of one service, with connections of its own."""

import time
from collections.abc import Callable
from contextlib import ExitStack

from item_visibility.client.call_records import Observer
from item_visibility.client.client import MAX_CONNECTIONS, VisibilityClient
from item_visibility.settings.settings import Environment


def open_client(
    environment: Environment,
    closing: ExitStack,
    *,
    on_call: Observer,
    sleep: Callable[[float], None] = time.sleep,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client with its own connections, which `closing` closes."""
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
