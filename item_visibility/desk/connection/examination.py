"""Checks, step by step, what works between here and the service."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from item_visibility.api.identifiers import ItemKey, refusal
from item_visibility.api.operations import Visibilities
from item_visibility.api.token.renewal import AccessToken
from item_visibility.changes.in_words import many
from item_visibility.errors import ItemVisibilityError

PROBE = ItemKey("connection-test", "connection-test")
"""Read where no item is known: 200 and an empty 404 both show that the service answers. Note N4."""


class Service(Visibilities, Protocol):
    """The five operations, and what a test of the connection needs."""

    def request_token(self) -> AccessToken:
        """Request a new token from the token endpoint. Spec: "Authentication"."""


class StepState(StrEnum):
    """The outcome of a step. A step that was only noted is neither good nor bad."""

    OK = "OK"
    FAILED = "Failed"
    NOTED = "Noted"


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One thing that was tried, or is known.

    `duration_ms` is None where it would say nothing.
    """

    name: str
    state: StepState
    summary: str
    duration_ms: int | None = None


class Examination:
    """Tries one thing after the other and keeps the steps. An error becomes a failed step.

    `has_answered` is True once the service answered, and `error` says why it did not.
    """

    def __init__(self, *, timer: Callable[[], float]) -> None:
        self._timer = timer
        self.steps: list[CheckStep] = []
        self.has_answered = False
        self.error: ItemVisibilityError | None = None

    def attempt(self, name: str, action: Callable[[], str]) -> ItemVisibilityError | None:
        """Run the action, and keep its summary and duration. Return its error, None when it went well."""
        started_s = self._timer()
        failure = None
        try:
            summary, state = action(), StepState.OK
        except ItemVisibilityError as error:
            summary, state = f"{error.message} {error.advice}".rstrip(), StepState.FAILED
            failure = error.with_traceback(None)
        duration_ms = round((self._timer() - started_s) * 1000)
        self.steps.append(CheckStep(name, state, summary, duration_ms))
        return failure

    def note(self, name: str, summary: str, state: StepState = StepState.NOTED) -> None:
        """Add a step for a known fact, without trying anything."""
        self.steps.append(CheckStep(name, state, summary))

    def try_service(self, service: Service, item: ItemKey | None) -> None:
        """Ask for a token, then read the item once, or an item that nobody has.

        Without a token nothing is read.
        """
        self.error = self.attempt("Token", lambda: _token_words(service.request_token()))
        if self.error is not None:
            self.note("One read", "Not tried: without a token no call is made.", StepState.FAILED)
            return
        read, words = (
            (PROBE, _probe_words) if item is None or not _is_addressable(item) else (item, _read_words)
        )
        self.error = self.attempt("One read", lambda: words(service.get_visibilities(read)))
        self.has_answered = self.error is None


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
