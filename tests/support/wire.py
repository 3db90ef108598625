"""The fake service behind a real client, without a network: faults happen in transit.

    wire = Wire(FakeVisibilities({ITEM: "AB"}), WireFault("addVisibility", WireKind.TIMEOUT, is_applied=True))
    client = WireClient(wire)

The real client handles each fault; the fake keeps the real state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

import httpx

from item_visibility import VisibilityClient
from item_visibility.client import operations
from item_visibility.client.call_records import Observer, ignore
from tests.support.fake_visibilities import START, FakeVisibilities
from tests.support.fault_service import apply_call, read_call
from tests.support.scripted_transport import AUTH_URL, BASE_URL, CLIENT_ID, CLIENT_SECRET, token_answer

FOR_EVER = 1_000_000
_PAGE = b"<html><h1>404 page not found</h1></html>"
_PROBLEM = b'{"status": 400, "title": "No", "detail": "The service says no."}'


class WireKind(Enum):
    """The ways in which a call can fail."""

    REFUSED_400 = auto()
    REFUSED_401 = auto()
    REFUSED_404 = auto()
    REFUSED_409 = auto()
    PAGE_404 = auto()
    """A gateway's page: the service never saw the call."""
    ERROR_500 = auto()
    TIMEOUT = auto()
    BROKEN = auto()
    """The connection breaks in the middle of the answer."""
    GARBAGE_200 = auto()
    NO_CONNECTION = auto()


_ANSWERS: Mapping[WireKind, tuple[int, str, bytes]] = {
    WireKind.REFUSED_400: (400, "application/problem+json", _PROBLEM),
    WireKind.REFUSED_401: (401, "application/problem+json", _PROBLEM),
    WireKind.REFUSED_404: (404, "application/problem+json", _PROBLEM),
    WireKind.REFUSED_409: (409, "application/problem+json", _PROBLEM),
    WireKind.PAGE_404: (404, "text/html", _PAGE),
    WireKind.ERROR_500: (500, "text/html", b"<html>It broke</html>"),
    WireKind.GARBAGE_200: (200, "text/html", b"<html>Please log in</html>"),
}
_ERRORS: Mapping[WireKind, type[httpx.TransportError]] = {
    WireKind.TIMEOUT: httpx.ReadTimeout,
    WireKind.BROKEN: httpx.RemoteProtocolError,
    WireKind.NO_CONNECTION: httpx.ConnectError,
}


@dataclass(frozen=True, slots=True)
class WireFault:
    """A failure of one operation (or `requestToken`), and the number of calls that fail.

    `is_applied` is True when the service applies the call. With `is_after_a_write`, the fault skips
    calls before the first write.
    """

    operation: str
    kind: WireKind
    times: int = FOR_EVER
    is_applied: bool = False
    is_after_a_write: bool = False


class Wire(httpx.BaseTransport):
    """A transport that passes a client's calls to the fake and makes some of them fail."""

    def __init__(self, fake: FakeVisibilities, *faults: WireFault) -> None:
        self.fake = fake
        self.faults = list(faults)
        self.has_written = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host == "login.example.com":
            fault = self._take(operations.REQUEST_TOKEN.name)
            return token_answer(1) if fault is None else _spoilt(fault)
        call = read_call(request.method, request.url.raw_path, request.read())
        assert call is not None
        fault = self._take(call.operation)
        self.has_written |= call.operation != operations.GET_VISIBILITIES.name
        status, found = apply_call(self.fake, call) if fault is None or fault.is_applied else (0, [])
        if fault is not None:
            return _spoilt(fault)
        return httpx.Response(200, json=found) if status == 200 else httpx.Response(status)

    def _take(self, operation: str) -> WireFault | None:
        for at, fault in enumerate(self.faults):
            is_its_turn = self.has_written or not fault.is_after_a_write
            if fault.operation == operation and fault.times and is_its_turn:
                self.faults[at] = replace(fault, times=fault.times - 1)
                return fault
        return None


class WireClient(VisibilityClient):
    """The program's client on a wire; its waits move the fake's clock and take no real time."""

    def __init__(self, wire: Wire, *, on_call: Observer = ignore) -> None:
        self.time = wire.fake.time
        self.recipients_of = wire.fake.recipients_of
        super().__init__(
            BASE_URL,
            AUTH_URL,
            CLIENT_ID,
            CLIENT_SECRET,
            transport=wire,
            on_call=on_call,
            sleep=self.time.sleep,
            clock=self._seconds,
            now=self.time.now,
            chance=lambda: 1.0,
        )

    def _seconds(self) -> float:
        return (self.time.now() - START).total_seconds()


def _spoilt(fault: WireFault) -> httpx.Response:
    if fault.kind in _ERRORS:
        raise _ERRORS[fault.kind]("spoilt")
    status, content_type, body = _ANSWERS[fault.kind]
    return httpx.Response(status, headers={"Content-Type": content_type}, content=body)
