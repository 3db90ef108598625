"""Calls, the ways they can fail, and the readings of the specification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
)
from tests.support.thorough import this_is_thorough


class FaultKind(StrEnum):
    """The fifteen ways in which a call can fail."""

    RESET_BEFORE = "reset before applying"
    RESET_AFTER = "reset after applying"
    HANG_BEFORE = "hang before applying"
    HANG_AFTER = "hang after applying"
    ERROR_500_BEFORE = "500 before applying"
    ERROR_500_AFTER = "500 after applying"
    BAD_GATEWAY_HTML = "502 with HTML, not applied"
    UNAVAILABLE_SECONDS = "503 with Retry-After in seconds, not applied"
    TOO_MANY_DATE = "429 with Retry-After as a date, not applied"
    GATEWAY_TIMEOUT_AFTER = "504 after applying"
    TRUNCATED = "a body cut short, after applying"
    HTML_200 = "200 with HTML, after applying"
    REDIRECT_302 = "302 to a login page, after applying"
    BODY_204 = "204 with a body, after applying"
    BAD_REQUEST_400 = "400, not applied"

    @property
    def is_applied(self) -> bool:
        """True when the call takes effect despite its bad answer."""
        return self in _APPLIED


_APPLIED = frozenset(
    {
        FaultKind.RESET_AFTER,
        FaultKind.HANG_AFTER,
        FaultKind.ERROR_500_AFTER,
        FaultKind.GATEWAY_TIMEOUT_AFTER,
        FaultKind.TRUNCATED,
        FaultKind.HTML_200,
        FaultKind.REDIRECT_302,
        FaultKind.BODY_204,
    }
)
EVERY_FAULT = tuple(FaultKind)
OPERATION_BY_SHAPE = {
    (operation.method, 4 if operation.thing == "recipient" else 2): operation.name
    for operation in (
        GET_VISIBILITIES,
        SET_VISIBILITIES,
        REMOVE_VISIBILITIES,
        ADD_VISIBILITY,
        REMOVE_VISIBILITY,
    )
}
"""The name of each operation, by its method and the number of segments in its path."""
OPERATIONS = tuple(OPERATION_BY_SHAPE.values())


@dataclass(frozen=True, slots=True)
class Semantics:
    """One reading of what the specification leaves open. Notes N3, N4, N5."""

    put_merges: bool = False
    missing_is_404: bool = False
    empty_is_404: bool = True

    def __str__(self) -> str:
        put = "merges" if self.put_merges else "replaces"
        missing = "404" if self.missing_is_404 else "204"
        return f"put {put}, missing {missing}, empty {'404' if self.empty_is_404 else '[]'}"


STANDARD = Semantics()
EVERY_SEMANTICS = tuple(Semantics(*switches) for switches in product((False, True), repeat=3))
FOUR_SEMANTICS = tuple(semantics for semantics in EVERY_SEMANTICS if semantics.empty_is_404)


@dataclass(frozen=True, slots=True)
class Call:
    """One call as received. `number` counts the calls of this operation on these ids, from 1."""

    operation: str
    supplier: str
    supplier_item_id: str
    recipient_id: str | None
    recipients: tuple[str, ...] | None
    raw_path: bytes
    number: int


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One call and its outcome, logged before it is answered."""

    call: Call
    fault: FaultKind | None
    is_applied: bool


FaultChoice = Callable[[Call], FaultKind | None]


def no_fault(_call: Call) -> FaultKind | None:
    """Let every call succeed."""
    return None


def fail_times(kind: FaultKind, times: int, *, operation: str | None = None) -> FaultChoice:
    """Fail the first `times` calls of each (operation, ids), of one operation or of all."""

    def choose(call: Call) -> FaultKind | None:
        return kind if call.number <= times and operation in (None, call.operation) else None

    return choose


def faults_in_turn(readings: Sequence[Semantics], *, one_in: int) -> list[tuple[str, FaultKind, Semantics]]:
    """Return every fault of every operation, each in one of so many readings, in turn.

    `--thorough` returns them in all readings.
    """
    return [
        (operation, fault, reading)
        for (at, operation), (by, fault) in product(enumerate(OPERATIONS), enumerate(EVERY_FAULT))
        for number, reading in enumerate(readings)
        if this_is_thorough() or number % one_in == (at + by) % one_in
    ]
