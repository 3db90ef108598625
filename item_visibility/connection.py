"""Is it us or them? What works between here and the service, step by step."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import Visibilities
from item_visibility.api.token import AccessToken
from item_visibility.errors import ItemVisibilityError
from item_visibility.records.facts import ServiceFact

MAX_SKEW_S = 30
"""From here on clocks that differ make tokens look expired, or not valid yet."""

_NOT_FOUND = 404
_FIRST_ERROR = 300


class Service(Visibilities, Protocol):
    """The five operations, and a token for a test of the connection."""

    def request_token(self) -> AccessToken:
        """A token that the token endpoint gives now. Spec: "Authentication"."""


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One thing that was tried. `duration_ms` is None where time says nothing."""

    name: str
    is_ok: bool
    summary: str
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """Everything that was tried, in order. No secret and no token is in it."""

    environment: str
    made_at: datetime
    steps: tuple[CheckStep, ...]

    @property
    def is_ok(self) -> bool:
        """True when every step was well."""
        return all(step.is_ok for step in self.steps)


class CallWatch:
    """Watches every request of a client: the service's clock, and the last problem. Thread-safe."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._skew_s: float | None = None
        self._last_problem = ""

    def observe(self, call: CallRecord) -> None:
        """Take notice of one request."""
        now = self._now()
        with self._lock:
            if call.server_date is not None:
                self._skew_s = (call.server_date - now).total_seconds()
            if _is_problem(call):
                answer = call.failure or f"status {call.status}"
                self._last_problem = f"{call.operation}: {answer}, {now:%Y-%m-%d %H:%M:%S} UTC"

    @property
    def skew_s(self) -> float | None:
        """How far the service's clock is ahead of ours, in seconds; None before its first answer."""
        with self._lock:
            return self._skew_s

    @property
    def last_problem(self) -> str:
        """The last request that did not succeed, in words; empty when all did."""
        with self._lock:
            return self._last_problem


class Examination:
    """Tries one thing after the other and keeps the steps; an error becomes a step that is not well."""

    def __init__(self, *, timer: Callable[[], float]) -> None:
        self._timer = timer
        self.steps: list[CheckStep] = []

    def attempt(self, name: str, action: Callable[[], str]) -> bool:
        """Do it, and keep what it says and how long it took; False when it failed."""
        started_s = self._timer()
        try:
            summary, is_ok = action(), True
        except ItemVisibilityError as error:
            summary, is_ok = f"{error.message} {error.advice}".rstrip(), False
        duration_ms = round((self._timer() - started_s) * 1000)
        self.steps.append(CheckStep(name, is_ok, summary, duration_ms))
        return is_ok

    def note(self, name: str, summary: str, *, is_ok: bool) -> None:
        """Keep what is known without trying anything."""
        self.steps.append(CheckStep(name, is_ok, summary))

    def try_service(self, service: Service, item: ItemKey | None) -> None:
        """Ask for a token, then read the item once; without a token, or an item, nothing is read."""
        has_token = self.attempt("Token", lambda: _token_words(service.request_token()))
        if not has_token:
            self.note("One read", "Not tried: without a token no call is made.", is_ok=False)
        elif item is None:
            self.note("One read", "Not tried: no item is known yet. Open one on the item page.", is_ok=True)
        else:
            self.attempt("One read", lambda: _read_words(service.get_visibilities(item)))

    def note_watched(self, watch: CallWatch) -> None:
        """Keep what the requests so far have shown."""
        self._note_skew(watch.skew_s)
        self.note("Last problem", watch.last_problem or "None since this program was started.", is_ok=True)

    def _note_skew(self, skew_s: float | None) -> None:
        if skew_s is None:
            self.note("Clocks", "Not compared: the service has not said its time.", is_ok=True)
            return
        side = "ahead of" if skew_s > 0 else "behind"
        words = f"The service's clock is {abs(skew_s):.0f} s {side} ours."
        if abs(skew_s) < 1:
            words = "The service's clock and ours agree."
        self.note("Clocks", words, is_ok=abs(skew_s) <= MAX_SKEW_S)


def fact_words(facts: tuple[ServiceFact, ...]) -> str:
    """What was seen of the service, in words."""
    told = "; ".join(f"{seen.fact} {seen.value}, seen {seen.observed_at:%Y-%m-%d}" for seen in facts)
    return told or "Nothing yet: it is learned from saves."


def _is_problem(call: CallRecord) -> bool:
    is_empty_item = call.operation == "getVisibilities" and call.status == _NOT_FOUND
    return call.status is None or (call.status >= _FIRST_ERROR and not is_empty_item)


def _token_words(token: AccessToken) -> str:
    if token.expires_in is None:
        return "A token was given; how long it lives was not said."
    return f"A token was given; it lives for {token.expires_in:.0f} s."


def _read_words(recipients: frozenset[str] | None) -> str:
    if recipients is None:
        return "The service answered: nothing is recorded for the item."
    return f"The service answered: {len(recipients)} recipients can see the item."
