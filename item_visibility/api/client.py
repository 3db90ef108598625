"""The client of the Item Visibilities service: one method for each operation."""

import random
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Self

from item_visibility.api import requests
from item_visibility.api.address_checks import check_auth_url, check_base_url
from item_visibility.api.calls import Calls
from item_visibility.api.http.certificates import Certificate
from item_visibility.api.http.masking import KnownTokens, SecretText
from item_visibility.api.http.route import STRAIGHT, Route
from item_visibility.api.http.transport import BaseTransport, Http
from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import EndObserver, Observer, ignore
from item_visibility.api.operations import Visibilities
from item_visibility.api.token.bearer import BearerAuth
from item_visibility.api.token.fetching import fetch_token
from item_visibility.api.token.oauth import token_request
from item_visibility.api.token.renewal import AccessToken, ClientCredentials, TokenSource

MAX_CONNECTIONS = 32


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class VisibilityClient(Visibilities):
    """Reads and changes which recipients can see an item. Thread-safe; close it, or use it in a `with`.

    `base_url` and `auth_url` are the specification's placeholders; an unsafe address raises
    SettingsError. Every method raises IdentifierError before anything is sent, TokenError when
    there is no access token and nothing was applied, and CallError when the call did not succeed.

    Everything else has a default; `timings_and_retries` says how often and how long it tries. `route`
    names certificates and a proxy. `on_call` is called with a record of every request, `on_end` with those
    of each call when it ends. `known_tokens` learn each token. `transport`, `sleep`, `clock`, `now` and
    `chance` replace the network, time and randomness.
    """

    def __init__(  # noqa: PLR0913  (four facts, and defaults by name)
        self,
        base_url: str,
        auth_url: str,
        client_id: str,
        client_secret: str,
        *,
        route: Route = STRAIGHT,
        transport: BaseTransport | None = None,
        max_connections: int = MAX_CONNECTIONS,
        on_call: Observer = ignore,
        on_end: EndObserver = ignore,
        known_tokens: KnownTokens | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
        chance: Callable[[], float] = random.random,
    ) -> None:
        client_secret = SecretText(client_secret)
        self._base_url = check_base_url(base_url)
        self._http = Http(transport=transport, max_connections=max_connections, clock=clock, route=route)
        request = token_request(check_auth_url(auth_url), ClientCredentials(client_id, client_secret))
        tokens = known_tokens or KnownTokens()
        fetch = partial(fetch_token, self._http, request, now=now, on_call=on_call, tokens=tokens)
        self._tokens = TokenSource(fetch, clock=clock)
        auth = BearerAuth(self._tokens, self._http)
        self._calls = Calls(
            auth=auth, on_call=on_call, on_end=on_end, clock=clock, now=now, sleep=sleep, chance=chance
        )

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificates that were shown, where the addresses are https. Spec: "Versioning"; Note N16."""
        return self._http.certificates.all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections. No call may follow."""
        self._http.close()

    def get_visibilities(self, item: ItemKey) -> frozenset[str] | None:
        """Return the recipients that can see the item, None for an empty 404. Spec: "Endpoints"; Note N4."""
        return self._calls.run(requests.get_visibilities(self._base_url, item))

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the recipients of the item from a list. The specification does not say whether others stay.

        Not sent again when its outcome is unknown: read first. Spec: "Endpoints"; Notes N3, N17.
        """
        self._calls.run(requests.set_visibilities(self._base_url, item, recipients))

    def remove_visibilities(self, item: ItemKey) -> None:
        """Remove all recipients of the item.

        Not sent again when its outcome is unknown: read first. Spec: "Endpoints"; Note N17.
        """
        self._calls.run(requests.remove_visibilities(self._base_url, item))

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Make the item visible for one recipient. Spec: "Endpoints"."""
        self._calls.run(requests.add_visibility(self._base_url, item, recipient_id))

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Remove the visibility of the item for one recipient.

        NotFoundError with `was_ambiguous` says that an earlier attempt may have removed it.
        Spec: "Endpoints"; Note N5.
        """
        self._calls.run(requests.remove_visibility(self._base_url, item, recipient_id))

    def request_token(self) -> AccessToken:
        """Request a new token, to test the connection. Spec: "Authentication".

        If this fails, TokenError says why, and calls go on with the token in use.
        """
        return self._tokens.requested()
