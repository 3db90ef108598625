"""Fifteen faults, five operations, every reading of the specification: what the client says is true."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import httpx
import pytest

from item_visibility import CallError, ItemKey, NotSentError, RefusedError, VisibilityClient
from tests.support.fault_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    EVERY_FAULT,
    EVERY_SEMANTICS,
    FaultKind,
    FaultService,
    Semantics,
    fail_times,
    faults_in_turn,
)
from tests.support.plain_http import NO_TLS

pytestmark = pytest.mark.contract


class ImpatientTransport(httpx.BaseTransport):
    """A transport that waits `patience_s` for the answers to the first `times` of equal calls."""

    def __init__(self, patience_s: float, *, times: int) -> None:
        self._patience_s = patience_s
        self._times = times
        self._sent: Counter[tuple[str, bytes]] = Counter()
        self._network = httpx.HTTPTransport(trust_env=False, verify=NO_TLS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request."""
        call = (request.method, request.url.raw_path)
        self._sent[call] += 1
        if request.method != "POST" and self._sent[call] <= self._times:
            request.extensions["timeout"]["read"] = self._patience_s
        return self._network.handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        self._network.close()


HANG_S = 0.5
PATIENCE_S = 0.25
HANGING = {FaultKind.HANG_BEFORE, FaultKind.HANG_AFTER}
BEFORE = frozenset({"here", "other"})
CALLS: dict[str, Callable[[VisibilityClient, ItemKey], object]] = {
    "getVisibilities": lambda client, item: client.get_visibilities(item),
    "setVisibilities": lambda client, item: client.set_visibilities(item, ["here", "new"]),
    "removeVisibilities": lambda client, item: client.remove_visibilities(item),
    "addVisibility": lambda client, item: client.add_visibility(item, "new"),
    "removeVisibility": lambda client, item: client.remove_visibility(item, "here"),
}
NUMBERS = count()
VALUES = {"getVisibilities": BEFORE}
PASSING_FAULTS = sorted(set(EVERY_FAULT) - {FaultKind.BAD_REQUEST_400, FaultKind.REDIRECT_302})
CASES = faults_in_turn(EVERY_SEMANTICS, one_in=8)
BLIND_REPEATS_FORBIDDEN = {"setVisibilities", "removeVisibilities"}


@dataclass(frozen=True, slots=True)
class Told:
    """The client's answer, and the facts behind it."""

    value: object
    error: CallError | None
    after: frozenset[str]
    sent: int
    applied: int

    @property
    def says_done(self) -> bool:
        """True when the client says that it succeeded."""
        return self.error is None

    @property
    def says_nothing_changed(self) -> bool:
        """True when the client says for certain that nothing was applied."""
        is_certain = isinstance(self.error, RefusedError | NotSentError)
        return is_certain and self.error is not None and not self.error.was_ambiguous


def expected_after(operation: str, semantics: Semantics) -> frozenset[str]:
    """The item's recipients once the operation was applied."""
    return {
        "getVisibilities": BEFORE,
        "setVisibilities": BEFORE | {"new"} if semantics.put_merges else frozenset({"here", "new"}),
        "removeVisibilities": frozenset[str](),
        "addVisibility": BEFORE | {"new"},
        "removeVisibility": BEFORE - {"here"},
    }[operation]


@pytest.fixture(scope="module")
def service() -> Iterator[FaultService]:
    """One service for all cases; each case begins with a filled item."""
    with FaultService(hang_s=HANG_S, retry_after_s=0) as service:
        yield service


def client_of(service: FaultService, fault: FaultKind, times: int) -> VisibilityClient:
    """A client of its own, with a full retry budget, that waits long only for answers that come."""
    return VisibilityClient(
        service.base_url,
        service.auth_url,
        CLIENT_ID,
        CLIENT_SECRET,
        transport=ImpatientTransport(PATIENCE_S, times=times if fault in HANGING else 0),
        sleep=lambda _: None,
    )


def run(service: FaultService, operation: str, fault: FaultKind, times: int, semantics: Semantics) -> Told:
    """Make one call on a new item against a service that fails so often, and look what is true then."""
    item = ItemKey("S/1", f"I {next(NUMBERS)}")
    service.begin(semantics, fail_times(fault, times))
    service.fill(item.supplier, item.supplier_item_id, BEFORE)
    value, error = None, None
    with client_of(service, fault, times) as client:
        try:
            value = CALLS[operation](client, item)
        except CallError as caught:
            error = caught
    entries = [
        entry for entry in service.asked(operation) if entry.call.supplier_item_id == item.supplier_item_id
    ]
    after = service.recipients_of(item.supplier, item.supplier_item_id)
    return Told(value, error, after, len(entries), sum(entry.is_applied for entry in entries))


@pytest.mark.parametrize("times", [1, 99], ids=["once", "always"])
@pytest.mark.parametrize(("operation", "fault", "semantics"), CASES, ids=str)
def test_what_the_client_says_is_true(
    service: FaultService, operation: str, fault: FaultKind, semantics: Semantics, times: int
) -> None:
    """Never "done" that is not, never "nothing changed" that is not, no whole list sent twice blindly."""
    told = run(service, operation, fault, times, semantics)
    assert not told.says_done or told.after == expected_after(operation, semantics)
    assert not told.says_nothing_changed or told.applied == 0
    assert not (operation in BLIND_REPEATS_FORBIDDEN and told.applied > 1)
    assert not told.says_done or told.value == VALUES.get(operation)
    assert told.sent <= 4


@pytest.mark.parametrize("fault", PASSING_FAULTS)
def test_a_fault_that_passes_does_not_stop_an_addition(service: FaultService, fault: FaultKind) -> None:
    """One fault of any kind but a refusal or a redirect is got over."""
    assert run(service, "addVisibility", fault, 1, EVERY_SEMANTICS[0]).says_done


def test_a_204_with_a_body_does_not_spoil_the_next_call(service: FaultService) -> None:
    """Bytes left on the connection are not taken for the next answer."""
    service.begin(EVERY_SEMANTICS[0], fail_times(FaultKind.BODY_204, 1))
    with VisibilityClient(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET) as client:
        for number in range(20):
            client.add_visibility(ItemKey("S", "I"), f"r{number}")
    assert len(service.asked("addVisibility")) == 20
