"""The client of the Item Visibilities service: one method for each operation."""

import random
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Self

from item_visibility.client.addresses import (
    STRAIGHT,
    Route,
    check_auth_url,
    check_base_url,
)
from item_visibility.client.answers import UNKNOWN_OUTCOME, Failure, Result, Success
from item_visibility.client.call_records import Observer, ignore
from item_visibility.client.http_calls import (
    BaseTransport,
    BearerAuth,
    HttpCalls,
    RecordingTransport,
    utc_now,
)
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.network import MAX_CONNECTIONS, Network
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
    Request,
    item_request,
    recipient_request,
    recipients_array,
)
from item_visibility.client.retry import LAST_ATTEMPT_WITHIN_S, Attempts, RetryBudget
from item_visibility.client.token import (
    AccessToken,
    ClientCredentials,
    TokenSource,
    token_request,
)
from item_visibility.errors import TokenError


class VisibilityClient:
    """Reads and changes which recipients can see an item. Thread-safe.

    Close the client after use, or use it in a `with` block. The specification defines
    `base_url` and `auth_url`. An unsafe address raises SettingsError.

    Every method can raise IdentifierError (an id cannot be sent; nothing was sent),
    TokenError (there is no access token; nothing was applied) and CallError (the call
    failed).

    `route` sets additional certificates and a proxy. `on_call` is called with a record
    of each request, and `on_token` with each new token. `transport`, `sleep`, `clock`,
    `now` and `chance` replace the network, time and randomness in tests.
    """

    def __init__(  # noqa: PLR0913  (four required values; the others have defaults)
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
        on_token: Callable[[str], None] = ignore,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._base_url = check_base_url(base_url)
        credentials = ClientCredentials(client_id, client_secret)
        self._token_request = token_request(check_auth_url(auth_url), credentials)
        network = transport or Network(route, max_connections, clock)
        self._http = HttpCalls(RecordingTransport(network, on_call, clock, now))
        self._on_token = on_token
        self._tokens = TokenSource(self._fetch_token, clock=clock, now=now)
        self._auth = BearerAuth(self._tokens)
        self._budget = RetryBudget()
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._chance = chance

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections. Later calls raise an error."""
        self._http.close()

    def get_visibilities(self, item: ItemKey) -> frozenset[str] | None:
        """Return the recipients that can see the item.

        If nothing is recorded for the item, the service answers 404 without a body, and
        the result is None. Spec: "Endpoints"; Note N4.
        """
        return self._call(item_request(GET_VISIBILITIES, self._base_url, item))

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the recipients of the item.

        The specification does not say whether recipients missing from the list are
        removed. A request with unknown outcome is not retried automatically. Spec:
        "Endpoints"; Notes N3, N17.
        """
        body = recipients_array(recipients)
        self._call(item_request(SET_VISIBILITIES, self._base_url, item, body))

    def remove_visibilities(self, item: ItemKey) -> None:
        """Remove all recipients of the item.

        A request with unknown outcome is not retried automatically. Spec: "Endpoints";
        Note N17.
        """
        self._call(item_request(REMOVE_VISIBILITIES, self._base_url, item))

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Make the item visible to one recipient. Spec: "Endpoints"."""
        self._call(
            recipient_request(ADD_VISIBILITY, self._base_url, item, recipient_id)
        )

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Remove the visibility of the item for one recipient.

        If `is_outcome_unknown` is True in a NotFoundError, an earlier attempt may have
        removed the visibility. Spec: "Endpoints"; Note N5.
        """
        self._call(
            recipient_request(REMOVE_VISIBILITY, self._base_url, item, recipient_id)
        )

    def request_token(self) -> AccessToken:
        """Request a new token, to test the connection. Spec: "Authentication".

        If this fails, the current token is still used.
        """
        return self._tokens.requested()

    def _call(self, request: Request) -> frozenset[str] | None:
        """Send the request, and retry it if that is safe and useful. Note N17.

        Return the recipients of a read.
        """
        last_s = self._clock() + LAST_ATTEMPT_WITHIN_S
        attempts = Attempts(request.operation)
        while True:
            number = attempts.count + 1
            try:
                result = self._http.send(request, self._auth, attempt=number)
            except TokenError as error:
                if not attempts.is_outcome_unknown:
                    raise
                failure = Failure(UNKNOWN_OUTCOME, error.message.removesuffix("."))
                raise attempts.error(failure) from None
            if isinstance(result, Success):
                self._budget.succeed(attempts.count)
                return result.recipients

            attempts = attempts.with_failure(result)
            wait_s = attempts.wait_s(result, chance=self._chance(), now=self._now())
            if (
                wait_s is None
                or self._clock() + wait_s > last_s
                or not self._budget.spend()
            ):
                raise attempts.error(result)
            self._sleep(wait_s)

    def _fetch_token(self) -> Result:
        result = self._http.send(self._token_request)
        if isinstance(result, Success):
            self._on_token(result.access_token)
        return result
