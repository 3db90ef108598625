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
    timeouts,
)
from item_visibility.client.answers import TOO_LATE, Failure
from item_visibility.client.operations import GET_VISIBILITIES, SET_VISIBILITIES, Request
from item_visibility.client.transport import Http, Sockets, Stream
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
    monkeypatch.setattr(timeouts, "CALL_ATTEMPTS", 1)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline is soon."""
    monkeypatch.setattr(timeouts, "WHOLE_ANSWER_S", 0.3)


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
def sockets(clock: HandClock) -> Sockets:
    """An exchange of ten seconds."""
    sockets = Sockets(clock)
    sockets.begin(10.0)
    return sockets


@pytest.mark.parametrize(("wait_s", "expected"), [(3.0, 3.0), (30.0, 10.0), (None, 10.0)])
def test_no_wait_is_longer_than_what_is_left(sockets: Sockets, wait_s: float | None, expected: float) -> None:
    """Nor longer than a next piece may take."""
    assert sockets.left_s(wait_s, httpcore.ReadTimeout) == expected


def test_nothing_is_waited_for_when_nothing_is_left(sockets: Sockets, clock: HandClock) -> None:
    """Until the next exchange begins."""
    clock.move(10.0)
    with pytest.raises(httpcore.ReadTimeout):
        sockets.left_s(3.0, httpcore.ReadTimeout)
    sockets.begin(5.0)
    assert sockets.left_s(None, httpcore.ReadTimeout) == 5.0


def test_what_was_cut_stays_cut(sockets: Sockets) -> None:
    """Another exchange on it ends before it begins."""
    sockets.cut()
    sockets.begin(5.0)
    with pytest.raises(httpcore.ConnectTimeout):
        sockets.left_s(None, httpcore.ConnectTimeout)


@pytest.mark.contract
def test_cutting_what_is_closed_does_no_harm(sockets: Sockets) -> None:
    """It ended by itself a moment before."""
    first, second = socket.socketpair()
    sockets.socket = first
    first.close()
    sockets.cut()
    second.close()
    with pytest.raises(httpcore.WriteTimeout):
        sockets.left_s(None, httpcore.WriteTimeout)


def find_addresses(monkeypatch: pytest.MonkeyPatch, name: str, addresses: list[str]) -> None:
    """Let a name lead to these addresses."""
    look_up = socket.getaddrinfo

    def find(host: str, port: int, *options: int, **named_options: int) -> list[tuple[object, ...]]:
        if host != name:
            return list(look_up(host, port, *options, **named_options))
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", find)


@pytest.mark.contract
def test_the_next_address_is_tried_where_one_takes_no_connection(
    sockets: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a name may have several."""
    find_addresses(monkeypatch, "two.example", ["::1", "127.0.0.1"])
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        with closing(sockets.connect_tcp("two.example", port, 5.0)) as made:
            assert made.get_extra_info("server_addr") == ("127.0.0.1", port)


@pytest.mark.contract
def test_addresses_are_tried_no_longer_than_the_deadline(
    sockets: Sockets, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name may have any number of them."""
    tried: list[str] = []

    def hang(_self: object, address: str, _port: int, timeout: float, *_: object) -> None:
        tried.append(address)
        clock.move(timeout)
        raise httpcore.ConnectTimeout

    find_addresses(monkeypatch, "many.example", [f"192.0.2.{number}" for number in range(9)])
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", hang)
    with pytest.raises(httpcore.ConnectTimeout, match="takes longer"):
        sockets.connect_tcp("many.example", 443, 4.0)
    assert tried == ["192.0.2.0", "192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize("failure", [socket.gaierror("unknown"), UnicodeError("too long")])
def test_a_name_that_leads_nowhere_is_no_connection(
    sockets: Sockets, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nothing was sent."""
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=failure))
    with pytest.raises(httpcore.ConnectError, match=str(failure)):
        sockets.connect_tcp("nowhere.example", 443, 5.0)


def test_a_request_that_is_accepted_slowly_ends_at_the_deadline(sockets: Sockets, clock: HandClock) -> None:
    """It was sent in part, so its outcome is not known."""
    system = Mock(spec=httpcore.NetworkStream)
    system.write.side_effect = lambda *_: clock.move(1.0)
    with pytest.raises(httpcore.WriteTimeout):
        Stream(system, sockets).write(b"x" * 100_000, 8.0)
    assert [wait_s for _, wait_s in (call.args for call in system.write.call_args_list)] == [
        *(8.0, 8.0, 8.0, 7.0, 6.0),
        *(5.0, 4.0, 3.0, 2.0, 1.0),
    ]


def test_a_request_is_sent_as_a_whole(sockets: Sockets) -> None:
    """In several pieces when it is long."""
    system = Mock(spec=httpcore.NetworkStream)
    Stream(system, sockets).write(bytes(range(256)) * 100, 8.0)
    assert b"".join(call.args[0] for call in system.write.call_args_list) == bytes(range(256)) * 100


@pytest.mark.contract
@pytest.mark.usefixtures("soon")
def test_a_list_that_nobody_reads_ends_at_the_deadline() -> None:
    """The connection is accepted, and then the other side does nothing."""
    http = Http(transport=None, max_connections=1, clock=time.monotonic)
    with closing(http), socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
        outcome = http.send(Request(SET_VISIBILITIES, url, body=b" " * 2**25))
    assert isinstance(outcome, Failure)
    assert outcome.meaning is TOO_LATE


def test_a_handshake_takes_no_longer_than_what_is_left(sockets: Sockets, clock: HandClock) -> None:
    """And what is read behind it neither."""
    system = Mock(spec=httpcore.NetworkStream)
    encrypted = Stream(system, sockets).start_tls(Mock(), "api.example.com", 30.0)
    clock.move(4.0)
    encrypted.read(1, 30.0)
    assert system.start_tls.call_args.args[1:] == ("api.example.com", 10.0)
    assert system.start_tls.return_value.read.call_args.args == (1, 6.0)
