"""The access token: requested once, shared by all calls, renewed in time. Spec: "Authentication"; Note N8.

Nothing here speaks HTTP: the source is given a function that calls the token endpoint.
"""

import math
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from http import HTTPStatus

from authlib.oauth2 import ClientAuth  # type: ignore[import-untyped]  # no types yet
from authlib.oauth2.rfc6749.parameters import (  # type: ignore[import-untyped]  # no types yet
    prepare_token_request,
)

from item_visibility import timeouts
from item_visibility.client.answers import CLIENT_REFUSALS, UNEXPECTED, Answer, Failure, parse_json
from item_visibility.client.operations import REQUEST_TOKEN, Request
from item_visibility.client.retry import retry_after_s
from item_visibility.client.secrets import KnownTokens, SecretText
from item_visibility.errors import TokenError, TokenRefusedError, TokenUnavailableError
from item_visibility.timeouts import LONGEST_RETRY_AFTER_S, LONGEST_TOKEN_LIFETIME_S


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client's credentials. Spec: "Authentication"."""

    client_id: str
    client_secret: str = field(repr=False)
    tokens: KnownTokens = field(default_factory=KnownTokens, repr=False, compare=False)
    """The tokens that were given for them."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A token as the endpoint gave it. `expires_in` is in seconds, None when it was not sent."""

    access_token: str = field(repr=False)
    expires_in: float | None


@dataclass(frozen=True, slots=True)
class NoToken:
    """The reason for a missing token. `pause_s` is the pause that the endpoint asks for before a retry."""

    error: type[TokenError]
    message: str
    advice: str
    pause_s: float = 0.0

    def as_error(self) -> TokenError:
        """Return a new error for each caller, so that no two share a traceback."""
        return self.error(self.message, advice=self.advice)


INTERRUPTED = NoToken(TokenUnavailableError, "The token request was interrupted.", "Try again.")


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token in use. `serial` numbers the tokens of one source from 1.

    `expires_in` is the lifetime that the endpoint sent, in seconds; None when it sent none.
    """

    value: str = field(repr=False)
    serial: int
    expires_in: float | None


def useful_s(expires_in: float | None) -> float:
    """Return how many seconds after its request a token is used. Note N8."""
    lifetime_s = timeouts.TOKEN_UNKNOWN_LIFETIME_S if expires_in is None else expires_in
    least_s, most_s = timeouts.SHORTEST_TOKEN_LEEWAY_S, timeouts.LONGEST_TOKEN_LEEWAY_S
    return lifetime_s - min(most_s, max(least_s, lifetime_s / 10), lifetime_s / 2)


class TokenSource:
    """Gives every call a valid token, with at most one token request at a time. Thread-safe.

    Calls that find no token wait for the request in progress and share its token or its failure.
    `fetch` calls the endpoint once; `clock` counts seconds and never goes back.
    """

    def __init__(self, fetch: Callable[[], Grant | NoToken], *, clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.RLock()
        self._settled = threading.Condition(self._lock)
        self._flights = 0
        self._is_fetching = False
        self._token: AccessToken | None = None
        self._serial = 0
        self._useful_until = 0.0
        self._refused_serial = -1
        self._is_replacement = False
        self._is_accepted = False
        self._quiet_until = 0.0
        self._no_token: NoToken | None = None
        self._no_token_until = 0.0

    def current(self) -> AccessToken:
        """Return a valid token; raise TokenError when there is none. Spec: "Authentication"."""
        return self._newer_than(self._refused_serial)

    def requested(self) -> AccessToken:
        """Request a new token and return it. The token in use is kept when that fails."""
        return self._newer_than(self._serial)

    def may_replace(self, refused: AccessToken) -> bool:
        """True when another token may help in place of one that the service refused. Note N8.

        False when the refused token had itself replaced a refused one: tokens are then not the problem.
        """
        with self._lock:
            return refused.serial != self._serial or self._may_replace()

    def newer_than(self, refused: AccessToken) -> AccessToken:
        """Return another token than this one; raise TokenError when there is none."""
        return self._newer_than(refused.serial)

    def accepted(self, token: AccessToken) -> None:
        """Note that the service accepted the token."""
        with self._lock:
            if token.serial == self._serial:
                self._is_accepted = True

    def refused(self, token: AccessToken) -> None:
        """Note that the service refused the token although it had replaced another."""
        with self._lock:
            if token.serial == self._serial:
                self._fall_quiet_if_useless()

    def _may_replace(self) -> bool:
        self._fall_quiet_if_useless()
        if self._clock() < self._quiet_until:
            return False
        self._refused_serial = self._serial
        return True

    def _fall_quiet_if_useless(self) -> None:
        """Request no tokens for a while when a replacement token was never accepted."""
        if self._is_replacement and not self._is_accepted:
            self._is_replacement = False
            self._quiet_until = self._clock() + timeouts.TOKEN_REFUSAL_PAUSE_S

    def _newer_than(self, serial: int) -> AccessToken:
        has_waited = False
        with self._lock:
            while True:
                if self._token and self._token.serial > serial and self._clock() < self._useful_until:
                    return self._token
                if self._no_token and (has_waited or self._clock() < self._no_token_until):
                    raise self._no_token.as_error()
                if not self._is_fetching:
                    break
                self._settled.wait_for(partial(self._has_settled, self._flights))
                has_waited = True
            self._is_fetching = True
        return self._fetch_for_all()

    def _has_settled(self, flight: int) -> bool:
        return self._flights != flight

    def _fetch_for_all(self) -> AccessToken:
        started_s = self._clock()
        outcome: Grant | NoToken = INTERRUPTED
        try:
            outcome = self._fetch()
        finally:
            with self._lock:
                self._is_fetching = False
                self._flights += 1
                settled = self._settle(outcome, started_s)
                self._settled.notify_all()
        if isinstance(settled, NoToken):
            raise settled.as_error()
        return settled

    def _settle(self, outcome: Grant | NoToken, started_s: float) -> AccessToken | NoToken:
        """Keep the endpoint's answer. A token's lifetime counts from the start of its request."""
        if isinstance(outcome, NoToken):
            self._no_token = outcome
            self._no_token_until = self._clock() + max(timeouts.TOKEN_FAILURE_PAUSE_S, outcome.pause_s)
            return outcome
        self._is_replacement = self._refused_serial == self._serial
        self._is_accepted = False
        self._no_token = None
        self._serial += 1
        self._useful_until = started_s + useful_s(outcome.expires_in)
        self._token = AccessToken(outcome.access_token, self._serial, outcome.expires_in)
        return self._token


TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105  (a path, no password)
FORM = "application/x-www-form-urlencoded"
ERROR_CODES = frozenset(
    {"invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "unauthorized_client"}
    | {"unsupported_grant_type"}
)
_SAID_OF_AN_ACCOUNT = "invalid_request"
_SAID_OF_MUCH = "unauthorized_client"
"""Keycloak 26 says the first of a client whose own account is disabled. It says the second of a wrong secret,
and of a client that may not have an account: which of both, only its text tells."""

ASK_ADMINISTRATOR = "Ask whoever set this up to check the client id, the client secret and the token address."
ASK_TO_ENABLE = (
    "Ask whoever runs the token service to enable this client's own account (its service account)."
)
ASK_TO_CHECK_OR_ALLOW = (
    "Ask whoever set this up to check the client secret; if it is right, ask whoever runs the token service"
    " whether this client may sign in by itself (client credentials)."
)
_ADVICE = {_SAID_OF_AN_ACCOUNT: ASK_TO_ENABLE, _SAID_OF_MUCH: ASK_TO_CHECK_OR_ALLOW}
TRY_LATER = "Try again in a minute; if it stays so, ask whoever runs the token service."
_UNUSABLE = "its answer holds no token that can be used"


def token_request(auth_url: str, credentials: ClientCredentials) -> Request:
    """Build a token request: client credentials grant, form fields. Spec: "Authentication"; Note N9."""
    client = ClientAuth(credentials.client_id, credentials.client_secret, "client_secret_post")
    url, headers, body = client.prepare(
        REQUEST_TOKEN.method,
        auth_url + TOKEN_PATH,
        {"Content-Type": FORM, "Accept": "application/json"},
        prepare_token_request("client_credentials"),
    )
    return Request(REQUEST_TOKEN, url, headers=tuple(headers.items()), body=body.encode("ascii"))


def fetch_token(
    send: Callable[[], Answer | Failure],
    *,
    now: Callable[[], datetime],
    record: Callable[[Answer | Failure, Grant | Failure | None], object],
) -> Grant | NoToken:
    """Send the request once and return the token, or the reason why there is none.

    The endpoint's `Retry-After` counts up to 60 s. Note N12. `record` gets the answer with its meaning; of a
    refusal only the status.
    """
    answer = send()
    if isinstance(answer, Failure):
        record(answer, None)
        message = f"The token endpoint gave no token: {answer.fact}."
        was_sent = answer.meaning.may_be_applied
        return NoToken(TokenUnavailableError, message, TRY_LATER if was_sent else answer.meaning.advice)
    pause_s = min(retry_after_s(answer, now=now()), LONGEST_RETRY_AFTER_S)
    outcome = read_token_answer(answer, pause_s=pause_s)
    if isinstance(outcome, Grant):
        record(answer, outcome)
    else:
        record(answer, Failure(UNEXPECTED, _UNUSABLE) if answer.status == HTTPStatus.OK else None)
    return outcome


def read_token_answer(answer: Answer, *, pause_s: float) -> Grant | NoToken:
    """Return the token from the endpoint's answer, or the reason for none. Spec: "Authentication"; Note N8.

    None of the endpoint's text is passed on: it may repeat what was sent.
    """
    if answer.status not in CLIENT_REFUSALS | {HTTPStatus.OK}:
        return NoToken(
            TokenUnavailableError,
            f"The token endpoint answered {answer.status} instead of giving a token.",
            ASK_ADMINISTRATOR if answer.status == HTTPStatus.NOT_FOUND else TRY_LATER,
            pause_s=pause_s,
        )
    members = None if answer.is_cut else parse_json(answer.body)
    members = members if isinstance(members, dict) else {}
    if answer.status != HTTPStatus.OK or "error" in members:
        return _refused(members.get("error"))
    return _read_grant(members)


def _read_grant(members: dict[str, object]) -> Grant | NoToken:
    access_token = members.get("access_token")
    token_type = members.get("token_type", "Bearer")
    if not isinstance(access_token, str) or not re.fullmatch(r"[\x21-\x7e]+", access_token):
        return _unusable()
    if not isinstance(token_type, str) or token_type.lower() != "bearer":
        return _unusable()
    return Grant(SecretText(access_token), _read_lifetime(members.get("expires_in")))


def _read_lifetime(value: object) -> float | None:
    """Return the seconds in `expires_in`, which may be text; None when it is not a lifetime."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        lifetime_s = float(value)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(lifetime_s) or lifetime_s <= 0:
        return None
    return min(lifetime_s, LONGEST_TOKEN_LIFETIME_S)


def _refused(code: object) -> NoToken:
    known = code if isinstance(code, str) and code in ERROR_CODES else ""
    said = f" ({known})" if known else ""
    return NoToken(
        TokenRefusedError,
        f"The token endpoint refused this client{said}.",
        _ADVICE.get(known, ASK_ADMINISTRATOR),
    )


def _unusable() -> NoToken:
    return NoToken(
        TokenUnavailableError,
        "The token endpoint's answer holds no token that can be used.",
        ASK_ADMINISTRATOR,
    )
