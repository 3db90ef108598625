"""Every exchange ends by its deadline, whatever is slow, and at once when the program stops."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import Mock

import httpcore
import pytest

from item_visibility import (
    ItemKey,
    NotSentError,
    TokenUnavailableError,
    UnknownOutcomeError,
    VisibilityClient,
    timings_and_retries,
)
from item_visibility.api.answers import Failure
from item_visibility.api.http import sockets
from item_visibility.api.http.sockets import Deadline, Sockets
from item_visibility.api.http.transport import Http
from item_visibility.api.operations import GET_VISIBILITIES
from item_visibility.api.requests import Request
from tests.support.slow_server import (
    DRIPPING_BODY,
    DRIPPING_HEAD,
    DRIPPING_TOKEN,
    EARLY_HINTS,
    Play,
    SlowServer,
    whole,
)
from tests.support.waiting import HandClock

ITEM = ItemKey("S", "I")


@pytest.fixture(autouse=True)
def tries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is not repeated."""
    monkeypatch.setattr(timings_and_retries, "CALL_ATTEMPTS", 1)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline is soon."""
    monkeypatch.setattr(timings_and_retries, "WHOLE_ANSWER_S", 0.3)


def client_of(server: SlowServer) -> VisibilityClient:
    """A client of that server."""
    return VisibilityClient(server.base_url, server.auth_url, "id", "secret")


@pytest.mark.contract
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("play", [DRIPPING_HEAD, EARLY_HINTS, DRIPPING_BODY])
def test_an_answer_that_drips_ends_at_the_deadline(play: Play) -> None:
    """Each piece comes long before a next one would be given up; nobody waited for the last one."""
    http = Http(transport=None, max_connections=1, clock=time.monotonic)
    with closing(SlowServer(play)) as server, closing(http):
        outcome = http.send(Request(GET_VISIBILITIES, f"{server.base_url}/x"))
    assert isinstance(outcome, Failure)
    assert server.ended == []


@pytest.mark.contract
@pytest.mark.usefixtures("soon")
def test_a_token_that_drips_ends_at_the_deadline() -> None:
    """No call waits for it any longer, and none was sent."""
    with (
        closing(SlowServer(whole(b"[]"), DRIPPING_TOKEN)) as server,
        client_of(server) as client,
        pytest.raises(TokenUnavailableError),
    ):
        client.get_visibilities(ITEM)
    assert server.ended == []


@pytest.mark.contract
@pytest.mark.parametrize("play", [DRIPPING_HEAD, EARLY_HINTS, DRIPPING_BODY, lambda _: None])
def test_closing_a_client_ends_the_call_that_is_under_way(play: Play) -> None:
    """At once, whether something drips or nothing comes."""
    with closing(SlowServer(play)) as server, ThreadPoolExecutor(1) as pool:
        client = client_of(server)
        client.request_token()
        server.has_begun.clear()
        call = pool.submit(client.get_visibilities, ITEM)
        assert server.has_begun.wait(60)
        client.close()
        assert isinstance(call.exception(30), UnknownOutcomeError | NotSentError)  # as far as it had come


@pytest.mark.contract
def test_a_call_that_is_good_is_not_hurried() -> None:
    """Many on one connection, each with a deadline of its own."""
    with closing(SlowServer(whole(b'["r"]'))) as server, client_of(server) as client:
        assert [client.get_visibilities(ITEM) for _ in range(3)] == [{"r"}] * 3


@pytest.fixture
def clock() -> HandClock:
    """Time that is moved by hand."""
    return HandClock()


@pytest.fixture
def deadline(clock: HandClock) -> Deadline:
    """An exchange of ten seconds."""
    deadline = Deadline(clock)
    deadline.begin(clock() + 10.0)
    return deadline


@pytest.mark.parametrize(("wait_s", "expected"), [(3.0, 3.0), (30.0, 10.0), (None, 10.0)])
def test_no_wait_is_longer_than_what_is_left(
    deadline: Deadline, wait_s: float | None, expected: float
) -> None:
    """Nor longer than a next piece may take."""
    assert deadline.left_s(wait_s, httpcore.ReadTimeout) == expected


def test_nothing_is_waited_for_when_nothing_is_left(deadline: Deadline, clock: HandClock) -> None:
    """Until the next exchange begins."""
    clock.move(10.0)
    with pytest.raises(httpcore.ReadTimeout):
        deadline.left_s(3.0, httpcore.ReadTimeout)
    deadline.begin(clock() + 5.0)
    assert deadline.left_s(None, httpcore.ReadTimeout) == 5.0


def test_what_was_cut_stays_cut(deadline: Deadline, clock: HandClock) -> None:
    """Another exchange on it ends before it begins."""
    deadline.cut()
    deadline.begin(clock() + 5.0)
    with pytest.raises(httpcore.ConnectTimeout):
        deadline.left_s(None, httpcore.ConnectTimeout)


@pytest.mark.contract
def test_cutting_what_is_closed_does_no_harm(deadline: Deadline) -> None:
    """It ended by itself a moment before."""
    first, second = socket.socketpair()
    deadline.hold(first)
    first.close()
    deadline.cut()
    second.close()
    with pytest.raises(httpcore.WriteTimeout):
        deadline.left_s(None, httpcore.WriteTimeout)


@pytest.mark.contract
def test_the_next_address_is_tried_where_one_takes_no_connection(
    deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a name may have several."""
    monkeypatch.setattr(sockets, "_addresses", lambda *_: ["::1", "127.0.0.1"])
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        with closing(Sockets(deadline).connect_tcp("two.example", port, 5.0)) as made:
            assert made.get_extra_info("server_addr") == ("127.0.0.1", port)


@pytest.mark.contract
def test_addresses_are_tried_no_longer_than_the_deadline(
    deadline: Deadline, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name may have any number of them."""
    tried: list[str] = []

    def hang(_self: object, address: str, _port: int, timeout: float, *_: object) -> None:
        tried.append(address)
        clock.move(timeout)
        raise httpcore.ConnectTimeout

    monkeypatch.setattr(sockets, "_addresses", lambda *_: [f"192.0.2.{number}" for number in range(9)])
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", hang)
    with pytest.raises(httpcore.ConnectTimeout, match="takes longer"):
        Sockets(deadline).connect_tcp("many.example", 443, 4.0)
    assert tried == ["192.0.2.0", "192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize("failure", [socket.gaierror("unknown"), UnicodeError("too long")])
def test_a_name_that_leads_nowhere_is_no_connection(
    deadline: Deadline, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nothing was sent."""
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=failure))
    with pytest.raises(httpcore.ConnectError, match=str(failure)):
        Sockets(deadline).connect_tcp("nowhere.example", 443, 5.0)


class Taker:
    """The other side, which takes one byte at a time, each after a second, until it leaves."""

    def __init__(self, clock: HandClock, *, bytes_taken: int = 100, end: Exception | None = None) -> None:
        self._clock = clock
        self._left = bytes_taken
        self._end = end
        self.taken = b""
        self.waits_s: list[float | None] = [None]

    def get_extra_info(self, _info: str) -> "Taker":
        """It is its own socket."""
        return self

    def gettimeout(self) -> float | None:
        """The wait that was set last; None before the first."""
        return self.waits_s[-1]

    def settimeout(self, wait_s: float) -> None:
        """Note it: waits are counted by the clock."""
        self.waits_s.append(wait_s)

    def send(self, rest: memoryview) -> int:
        """Take one byte, or leave."""
        self._clock.move(1.0)
        if self._end is not None and len(self.taken) == self._left:
            raise self._end
        self.taken += bytes(rest[:1])
        return 1


def test_a_request_that_is_taken_byte_by_byte_ends_at_the_deadline(
    deadline: Deadline, clock: HandClock
) -> None:
    """It was sent in part, so its outcome is not known."""
    taker = Taker(clock)
    with pytest.raises(httpcore.WriteTimeout):
        sockets._Stream(taker, deadline).write(b"x" * 100, 5.0)  # type: ignore[arg-type]  # noqa: SLF001
    assert len(taker.taken) == 10


def test_a_wait_is_set_only_where_it_changes(deadline: Deadline, clock: HandClock) -> None:
    """Setting it asks the system; only what is left of an exchange makes it shorter."""
    taker = Taker(clock)
    sockets._Stream(taker, deadline).write(b"12345678", 5.0)  # type: ignore[arg-type]  # noqa: SLF001
    assert taker.waits_s == [None, 5.0, 4.0, 3.0]


@pytest.mark.parametrize(
    ("end", "told"),
    [(TimeoutError(), httpcore.WriteTimeout), (BrokenPipeError(), httpcore.WriteError)],
)
def test_a_request_that_cannot_be_sent_is_told_as_httpcore_does(
    deadline: Deadline, clock: HandClock, end: Exception, told: type[Exception]
) -> None:
    """Above it, nothing knows of sockets."""
    taker = Taker(clock, bytes_taken=3, end=end)
    with pytest.raises(told):
        sockets._Stream(taker, deadline).write(b"12345", 5.0)  # type: ignore[arg-type]  # noqa: SLF001
    assert taker.taken == b"123"


def test_a_handshake_takes_no_longer_than_what_is_left(deadline: Deadline, clock: HandClock) -> None:
    """And what is read behind it neither."""
    system = Mock(spec=httpcore.NetworkStream)
    stream = sockets._Stream(system, deadline)  # noqa: SLF001  (httpcore sees no other)
    encrypted = stream.start_tls(Mock(), "api.example.com", 30.0)
    clock.move(4.0)
    encrypted.read(1, 30.0)
    assert system.start_tls.call_args.args[1:] == ("api.example.com", 10.0)
    assert system.start_tls.return_value.read.call_args.args == (1, 6.0)
