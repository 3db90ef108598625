"""Requests the access token, shares it among all calls and renews it.

Spec: "Authentication"; Note N8.

This is the only module that uses Authlib. Authlib builds the request but does not send
it, because its errors would contain the request with the secret.
"""

import json
import threading
from base64 import b64encode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote, quote_plus

from authlib.oauth2 import ClientAuth  # type: ignore[import-untyped]  # no types yet
from authlib.oauth2.rfc6749 import parameters  # type: ignore[import-untyped]  # the same

from item_visibility.client.addresses import TOKEN_PATH
from item_visibility.client.answers import CLIENT_REFUSALS, Failure, Result, json_object
from item_visibility.client.operations import REQUEST_TOKEN, Request
from item_visibility.client.retry import LONGEST_RETRY_AFTER_S, retry_after_s
from item_visibility.errors import TokenError, TokenRefusedError, TokenUnavailableError

TOKEN_UNKNOWN_LIFETIME_S = 300.0
"""The assumed lifetime if the endpoint sends none. Note N8."""

LONGEST_TOKEN_LEEWAY_S = 30.0
SHORTEST_TOKEN_LEEWAY_S = 2.0
"""A token is renewed 2 to 30 seconds before it expires, because lifetimes are rounded
and clocks differ."""

TOKEN_FAILURE_PAUSE_S = 1.0
"""After a failed token request, calls fail for this long without requesting a token."""

TOKEN_REFUSAL_PAUSE_S = 30.0
"""If the service refuses a token and its replacement, no token is requested for this
long."""

FORM = "application/x-www-form-urlencoded"
TOKENS_KNOWN = 16
ASK_ADMINISTRATOR = (
    "Ask whoever runs this dashboard to check the client id, the client secret and the"
    " token address."
)
TRY_LATER = (
    "Try again in a minute; if this continues, ask whoever runs the token service."
)
_REFUSAL_CODES = frozenset(
    {
        "invalid_client",
        "invalid_request",
        "invalid_scope",
        "unauthorized_client",
        "unsupported_grant_type",
    }
)
"""Only these codes of RFC 6749 are shown. Other texts may contain the secret."""


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client's credentials, and its last tokens. Spec: "Authentication"."""

    client_id: str
    client_secret: str = field(repr=False)
    tokens: deque[str] = field(
        default_factory=lambda: deque(maxlen=TOKENS_KNOWN), repr=False, compare=False
    )


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token.

    `expires_in` is its lifetime in seconds, or None if the endpoint sent none.
    `is_replacement` is True when the token was requested because the service refused
    the previous token.
    """

    value: str = field(repr=False)
    expires_in: float | None
    requested_at_s: float = 0.0
    is_replacement: bool = False


def token_request(auth_url: str, credentials: ClientCredentials) -> Request:
    """Build a token request with the credentials as form fields.

    Spec: "Authentication"; Note N9.
    """
    client = ClientAuth(
        credentials.client_id, credentials.client_secret, "client_secret_post"
    )
    url, headers, body = client.prepare(
        REQUEST_TOKEN.method,
        auth_url + TOKEN_PATH,
        {"Content-Type": FORM, "Accept": "application/json"},
        parameters.prepare_token_request("client_credentials"),
    )
    return Request(
        REQUEST_TOKEN, url, headers=tuple(headers.items()), body=body.encode("ascii")
    )


def token_error(failure: Failure) -> TokenError:
    """Return the error for a failed token request."""
    message = f"The token endpoint gave no token: {failure.fact}."
    answer = failure.answer
    if answer is None:
        was_sent = failure.meaning.is_outcome_unknown
        advice = TRY_LATER if was_sent else failure.meaning.advice
        return TokenUnavailableError(message, advice=advice)

    code = json_object(answer).get("error")
    is_refused_200 = answer.status == HTTPStatus.OK and code is not None
    if answer.status in CLIENT_REFUSALS or is_refused_200:
        is_code = isinstance(code, str) and code in _REFUSAL_CODES
        reason = f" ({code})" if is_code else ""
        message = f"The token endpoint refused this client{reason}."
        return TokenRefusedError(message, advice=ASK_ADMINISTRATOR)

    is_wrong_address = answer.status in {HTTPStatus.OK, HTTPStatus.NOT_FOUND}
    advice = ASK_ADMINISTRATOR if is_wrong_address else TRY_LATER
    return TokenUnavailableError(message, advice=advice)


def useful_s(expires_in: float | None) -> float:
    """Return how long a token with this lifetime is used, in seconds. Note N8."""
    lifetime_s = TOKEN_UNKNOWN_LIFETIME_S if expires_in is None else expires_in
    leeway_s = max(SHORTEST_TOKEN_LEEWAY_S, lifetime_s / 10)
    return lifetime_s - min(leeway_s, LONGEST_TOKEN_LEEWAY_S, lifetime_s / 2)


@dataclass(eq=False)
class TokenSource:
    """Provides the access token, and makes at most one token request at a time.

    Thread-safe. Calls that need a token during a token request wait for this request,
    and share its result. `fetch` sends one request to the endpoint. `clock` returns
    monotonic seconds.
    """

    fetch: Callable[[], Result]
    clock: Callable[[], float]
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._token: AccessToken | None = None
        self._refused: AccessToken | None = None
        self._failure: Failure | None = None
        self._failure_counts_until = 0.0
        self.accepted: AccessToken | None = None
        """The last token that the service accepted."""

    def current(self) -> AccessToken:
        """Return a valid token, or raise TokenError. Spec: "Authentication"."""
        token = self._token
        if token is not None and self._is_useful(token):
            return token
        return self._obtain()

    def requested(self) -> AccessToken:
        """Request a new token and return it.

        If this fails, the current token stays in use.
        """
        return self._obtain(other_than=self._token)

    def other_than(self, refused: AccessToken) -> AccessToken:
        """Return a token to use instead of this one, which the service refused."""
        if self._token is refused:
            self._refused = refused
        return self._obtain(other_than=refused)

    def may_replace(self, token: AccessToken) -> bool:
        """True when a new token should be requested if the service refuses this one."""
        is_proven = not token.is_replacement or token is self.accepted
        return is_proven or self.clock() >= token.requested_at_s + TOKEN_REFUSAL_PAUSE_S

    def _is_useful(self, token: AccessToken) -> bool:
        is_young = self.clock() < token.requested_at_s + useful_s(token.expires_in)
        return is_young and token is not self._refused

    def _obtain(self, *, other_than: AccessToken | None = None) -> AccessToken:
        with self._lock:
            # Use what another call has obtained, or share its failure.
            token = self._token
            now_s = self.clock()
            if token is not None and token is not other_than and self._is_useful(token):
                return token
            if self._failure is not None and now_s < self._failure_counts_until:
                raise token_error(self._failure)

            # Request a token. Its lifetime counts from before the request.
            result = self.fetch()
            if isinstance(result, Failure):
                self._failure = result
                self._failure_counts_until = self.clock() + self._pause_s(result)
                raise token_error(result)
            self._failure = None
            self._token = AccessToken(
                result.access_token,
                result.expires_in,
                requested_at_s=now_s,
                is_replacement=token is not None and token is self._refused,
            )
            return self._token

    def _pause_s(self, failure: Failure) -> float:
        """Return for how long calls share this failure."""
        if failure.answer is None:
            return TOKEN_FAILURE_PAUSE_S
        required_s = retry_after_s(failure.answer, now=self.now())
        return max(TOKEN_FAILURE_PAUSE_S, min(required_s, LONGEST_RETRY_AFTER_S))


def spellings(secret: str) -> frozenset[str]:
    """Return all spellings of a secret.

    They are: unchanged, encoded for addresses and forms, in JSON, and in base64.
    """
    plain = secret.encode("utf-8", "surrogatepass")
    return frozenset(
        {
            secret,
            quote(plain),
            quote(plain, safe=""),
            quote_plus(plain),
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            b64encode(plain).decode("ascii").rstrip("="),
            urlsafe_b64encode(plain).decode("ascii").rstrip("="),
        }
    )
