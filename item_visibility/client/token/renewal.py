"""The access token: requested once, shared by all calls, renewed in time. Spec: "Authentication"; Note N8.

Nothing here speaks HTTP: the source is given a function that calls the token endpoint.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from item_visibility import timings_and_retries
from item_visibility.client.http.masking import KnownTokens
from item_visibility.errors import TokenError, TokenUnavailableError


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
    lifetime_s = timings_and_retries.TOKEN_UNKNOWN_LIFETIME_S if expires_in is None else expires_in
    least_s, most_s = timings_and_retries.SHORTEST_TOKEN_LEEWAY_S, timings_and_retries.LONGEST_TOKEN_LEEWAY_S
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
            self._quiet_until = self._clock() + timings_and_retries.TOKEN_REFUSAL_PAUSE_S

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
            self._no_token_until = self._clock() + max(
                timings_and_retries.TOKEN_FAILURE_PAUSE_S, outcome.pause_s
            )
            return outcome
        self._is_replacement = self._refused_serial == self._serial
        self._is_accepted = False
        self._no_token = None
        self._serial += 1
        self._useful_until = started_s + useful_s(outcome.expires_in)
        self._token = AccessToken(outcome.access_token, self._serial, outcome.expires_in)
        return self._token
