"""Is it us or them? Checks, step by step, what works between here and the service."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from item_visibility.api.identifiers import ItemKey, refusal
from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import Visibilities
from item_visibility.api.token.renewal import AccessToken
from item_visibility.changes.in_words import many
from item_visibility.desk.connection.call_watch import CallWatch, RecentCalls
from item_visibility.errors import ItemVisibilityError
from item_visibility.records.facts import ServiceFact

MAX_SKEW_S = 30
"""From here on clocks that differ make tokens look expired, or not valid yet."""

PROBE = ItemKey("connection-test", "connection-test")
"""Read where no item is known: 200 and an empty 404 both show that the service answers. Note N4."""


class Service(Visibilities, Protocol):
    """The five operations, and a token request to test the connection."""

    def request_token(self) -> AccessToken:
        """Request a new token from the token endpoint. Spec: "Authentication"."""


class StepState(StrEnum):
    """The outcome of a step. A step that was only noted is neither good nor bad."""

    OK = "OK"
    FAILED = "Failed"
    NOTED = "Noted"


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One thing that was tried, or is known, or happened at a time.

    `duration_ms` is None where it would say nothing.
    """

    name: str
    state: StepState
    summary: str
    duration_ms: int | None = None
    happened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """Everything that was tried, in order. Contains no secret and no token.

    `has_answered` is True when the service was asked in this very check, and answered.
    """

    environment: str
    made_at: datetime
    steps: tuple[CheckStep, ...]
    has_answered: bool
    recent: RecentCalls

    @property
    def is_ok(self) -> bool:
        """True when the service has answered now, and no step failed."""
        return self.has_answered and all(step.state is not StepState.FAILED for step in self.steps)

    @property
    def headline(self) -> str:
        """The state of the connection, in a sentence or two."""
        if not self.is_ok:
            return "Not everything works: see the steps marked as failed."
        if self.recent.last is None:
            return "Everything works."
        failed, total = self.recent.failed, self.recent.total
        last = call_words(self.recent.last)
        return f"It works now, but {failed} of the last {total} calls failed. Last problem: {last}."


class Examination:
    """Tries one thing after the other and keeps the steps. An error becomes a failed step."""

    def __init__(self, *, timer: Callable[[], float]) -> None:
        self._timer = timer
        self.steps: list[CheckStep] = []
        self.has_answered = False

    def attempt(self, name: str, action: Callable[[], str]) -> bool:
        """Run the action, and keep its summary and duration. Return False when it failed."""
        started_s = self._timer()
        try:
            summary, state = action(), StepState.OK
        except ItemVisibilityError as error:
            summary, state = f"{error.message} {error.advice}".rstrip(), StepState.FAILED
        duration_ms = round((self._timer() - started_s) * 1000)
        self.steps.append(CheckStep(name, state, summary, duration_ms))
        return state is StepState.OK

    def note(self, name: str, summary: str, state: StepState = StepState.NOTED) -> None:
        """Add a step for a known fact, without trying anything."""
        self.steps.append(CheckStep(name, state, summary))

    def try_service(self, service: Service, item: ItemKey | None) -> None:
        """Ask for a token, then read the item once, or an item that nobody has.

        Without a token nothing is read.
        """
        has_token = self.attempt("Token", lambda: _token_words(service.request_token()))
        if not has_token:
            self.note("One read", "Not tried: without a token no call is made.", StepState.FAILED)
        elif item is None or not _is_addressable(item):
            self.has_answered = self.attempt(
                "One read", lambda: _probe_words(service.get_visibilities(PROBE))
            )
        else:
            self.has_answered = self.attempt("One read", lambda: _read_words(service.get_visibilities(item)))

    def note_watched(self, watch: CallWatch) -> None:
        """Add steps for what the requests so far have shown."""
        self._note_skew(watch.skew_s)
        last = watch.last_problem
        if last is None:
            self.note("Last problem", "None since this program was started.")
        else:
            step = CheckStep("Last problem", StepState.NOTED, call_words(last), happened_at=last.sent_at)
            self.steps.append(step)

    def _note_skew(self, skew_s: float | None) -> None:
        if skew_s is None:
            self.note("Clocks", "Not compared: the service has not said its time.")
            return
        side = "ahead of" if skew_s > 0 else "behind"
        words = f"The service's clock is {abs(skew_s):.0f} s {side} ours."
        if abs(skew_s) < 1:
            words = "The service's clock and ours agree."
        self.note("Clocks", words, StepState.OK if abs(skew_s) <= MAX_SKEW_S else StepState.FAILED)


def call_words(call: CallRecord) -> str:
    """Return what came of a request, in words."""
    return f"{call.operation}: {call.failure or f'status {call.status}'}"


def fact_words(facts: tuple[ServiceFact, ...]) -> str:
    """Return what was seen of the service, in words."""
    told = "; ".join(f"{seen.fact} {seen.value}, seen {seen.observed_at:%Y-%m-%d}" for seen in facts)
    return told or "Nothing yet: it is learned from saves."


def _is_addressable(item: ItemKey) -> bool:
    """True when a request can carry the ids of the item. Note N1."""
    return not any(refusal(part, name="") for part in (item.supplier, item.supplier_item_id))


def _token_words(token: AccessToken) -> str:
    if token.expires_in is None:
        return "A token was given; how long it lives was not said."
    return f"A token was given; it lives for {token.expires_in:.0f} s."


def _probe_words(_recipients: frozenset[str] | None) -> str:
    return f"The service answered, asked about an item that nobody has ({PROBE.supplier})."


def _read_words(recipients: frozenset[str] | None) -> str:
    if recipients is None:
        return "The service answered: nothing is recorded for the item."
    return f"The service answered: {many(len(recipients), 'recipient')} can see the item."
