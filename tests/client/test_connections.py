"""Each connection is used by one call at a time, none is lost, and there are never too many."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from item_visibility import ItemKey, VisibilityClient, timeouts
from item_visibility.client.answers import Answer, Failure
from item_visibility.client.operations import GET_VISIBILITIES, Request
from item_visibility.client.transport import Connections, Http, NoneFreeError
from item_visibility.errors import NotSentError, UnknownOutcomeError
from item_visibility.timeouts import KEEP_CONNECTION_S
from tests.support.slow_server import PAUSE_S, SlowServer, whole
from tests.support.waiting import HandClock


class OneConnection:
    """A connection that counts; closing it can be made to fail."""

    def __init__(self) -> None:
        self.used = 0
        self.is_cut = False
        self.is_closed = False
        self.failure: Exception | None = None

    def cut(self) -> None:
        """Note it."""
        self.is_cut = True

    def close(self) -> None:
        """Note it, or fail."""
        if self.failure is not None:
            raise self.failure
        self.is_closed = True


class Opened:
    """All connections that were opened; opening one more can be made to fail."""

    def __init__(self) -> None:
        self.all: list[OneConnection] = []
        self.failure: Exception | None = None

    def __call__(self) -> OneConnection:
        """Open one."""
        if self.failure is not None:
            raise self.failure
        self.all.append(OneConnection())
        return self.all[-1]

    @property
    def used(self) -> list[int]:
        """The number of uses of each."""
        return [one.used for one in self.all]


@pytest.fixture
def opened() -> Opened:
    """The connections opened in this test."""
    return Opened()


@pytest.fixture
def clock() -> HandClock:
    """Time that stands still."""
    return HandClock()


@pytest.fixture
def connections(opened: Opened, clock: HandClock) -> Connections[OneConnection]:
    """Two connections at most."""
    return Connections(2, opened, clock=clock)


def use(connections: Connections[OneConnection], *, wait_s: float = 0.01) -> None:
    """Use a connection and give it back."""
    with connections.lend(wait_s) as one:
        one.used += 1


def use_two(connections: Connections[OneConnection]) -> None:
    """Use two connections at the same time."""
    with connections.lend(0.01) as first, connections.lend(0.01) as second:
        first.used += 1
        second.used += 1


def test_calls_one_after_another_use_one_connection(
    connections: Connections[OneConnection], opened: Opened
) -> None:
    """The one that is free again is taken before another is opened."""
    use(connections)
    use(connections)
    assert opened.used == [2]


def test_a_connection_is_used_by_one_call_at_a_time(
    connections: Connections[OneConnection], opened: Opened
) -> None:
    """A second call opens another."""
    use_two(connections)
    assert opened.used == [1, 1]


def test_the_connection_that_was_used_last_is_used_next(
    connections: Connections[OneConnection], opened: Opened
) -> None:
    """The others grow old, and are closed in time."""
    use_two(connections)
    use(connections)
    assert opened.used == [2, 1]


def test_there_are_no_more_than_were_allowed(connections: Connections[OneConnection], opened: Opened) -> None:
    """A call that waits too long for one was not sent."""
    with connections.lend(0.01), connections.lend(0.01), pytest.raises(NoneFreeError):
        use(connections)
    assert opened.used == [0, 0]


def test_a_call_that_waits_goes_on_with_the_next_free_one(opened: Opened, clock: HandClock) -> None:
    """It need not be the same thread that opened it."""
    connections = Connections(1, opened, clock=clock)
    with ThreadPoolExecutor(1) as pool:
        with connections.lend(0.01):
            waiting = pool.submit(use, connections, wait_s=60.0)
        waiting.result(60)
    assert opened.used == [1]


@pytest.mark.parametrize("failure", [OSError("no"), KeyboardInterrupt()])
def test_a_connection_that_fails_is_free_again(
    connections: Connections[OneConnection], opened: Opened, failure: BaseException
) -> None:
    """A broken connection closes itself; its room is not lost."""
    with pytest.raises(type(failure)), connections.lend(0.01):
        raise failure
    use_two(connections)
    assert opened.used == [1, 1]


def test_a_connection_that_cannot_be_made_takes_no_room(
    connections: Connections[OneConnection], opened: Opened
) -> None:
    """There is room for both afterwards."""
    opened.failure = OSError("no more files")
    with pytest.raises(OSError, match="no more files"):
        use(connections)
    opened.failure = None
    use_two(connections)
    assert opened.used == [1, 1]


def test_a_connection_that_cannot_be_closed_takes_no_room(opened: Opened, clock: HandClock) -> None:
    """The failure is told, and the next call waits for nothing."""
    connections = Connections(1, opened, clock=clock)
    with ExitStack() as calls:
        calls.enter_context(connections.lend(0.01)).failure = OSError("broken")
        connections.close()
        with pytest.raises(OSError, match="broken"):
            calls.close()
    use(connections)
    assert opened.used == [0, 1]


def test_a_connection_that_is_not_used_any_more_is_closed(
    connections: Connections[OneConnection], opened: Opened, clock: HandClock
) -> None:
    """The server would have closed it by then."""
    use_two(connections)
    clock.move(KEEP_CONNECTION_S + 0.1)
    use(connections)
    assert [one.is_closed for one in opened.all] == [False, True]


def test_closing_ends_what_is_under_way(connections: Connections[OneConnection], opened: Opened) -> None:
    """A connection in use is cut at once, and closed when its call ends."""
    with connections.lend(0.01):
        use(connections)
        connections.close()
        at_first = [(one.is_cut, one.is_closed) for one in opened.all]
    assert at_first == [(True, False), (False, True)]
    assert opened.all[0].is_closed


def test_a_call_that_comes_after_the_end_is_cut_at_once(
    connections: Connections[OneConnection], opened: Opened
) -> None:
    """One that waited for a free connection gets one that sends nothing."""
    connections.close()
    use(connections)
    assert [(one.is_cut, one.is_closed) for one in opened.all] == [(True, True)]


class CountingServer(ThreadingHTTPServer):
    """Lists no recipients to everybody, and counts connections and requests."""

    daemon_threads = True

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connections = 0
        self.requests = 0
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: CountingServer

    def setup(self) -> None:
        """Count the connection."""
        with self.server.lock:
            self.server.connections += 1
        super().setup()

    def do_GET(self) -> None:
        """Give an empty list."""
        with self.server.lock:
            self.server.requests += 1
        self._answer(b"[]")

    def do_POST(self) -> None:
        """Give a token."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(b'{"access_token": "t", "expires_in": 3600}')

    def log_message(self, *_: object) -> None:
        """Be silent."""

    def _answer(self, body: bytes) -> None:
        head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)


@contextmanager
def running() -> Iterator[CountingServer]:
    """A server that is running."""
    with CountingServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[CountingServer]:
    """A server that is running."""
    with running() as server:
        yield server


@pytest.mark.contract
def test_many_calls_at_once_share_a_few_connections(server: CountingServer) -> None:
    """Also when other threads come later."""
    with VisibilityClient(server.url + "/v1", server.url, "id", "secret", max_connections=4) as client:
        with ThreadPoolExecutor(8) as pool:
            before = list(pool.map(client.get_visibilities, [ItemKey("S", "I")] * 40))
        with ThreadPoolExecutor(8) as pool:
            after = list(pool.map(client.get_visibilities, [ItemKey("S", "I")] * 40))
    assert before + after == [frozenset()] * 80
    assert (server.requests, server.connections <= 4) == (80, True)


@pytest.fixture
def http() -> Iterator[Http]:
    """The real network."""
    http = Http(transport=None, max_connections=1, clock=time.monotonic)
    with closing(http):
        yield http


@pytest.mark.contract
def test_a_connection_is_kept_until_another_server_is_asked(server: CountingServer, http: Http) -> None:
    """Two calls to the one, two to the other, and back."""
    with running() as other:
        here = Request(GET_VISIBILITIES, f"{server.url}/v1")
        there = Request(GET_VISIBILITIES, f"{other.url}/v1")
        answers = [http.send(request) for request in (here, here, there, there, here)]
    assert [answer.status for answer in answers if isinstance(answer, Answer)] == [200] * 5
    assert (server.connections, other.connections) == (2, 1)


def leave(connection: socket.socket) -> None:
    """End the connection without a word."""
    connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.contract
def test_a_connection_that_the_server_has_closed_is_not_used_again(http: Http) -> None:
    """It did not announce it, and nothing is lost."""

    def answer_and_leave(connection: socket.socket) -> None:
        whole(b"[]")(connection)
        leave(connection)

    with closing(SlowServer(answer_and_leave)) as server:
        request = Request(GET_VISIBILITIES, f"{server.base_url}/x")
        first = http.send(request)
        time.sleep(PAUSE_S)
        second = http.send(request)
    assert [answer.status for answer in (first, second) if isinstance(answer, Answer)] == [200, 200]


@pytest.mark.contract
def test_a_connection_that_ends_before_the_answer_begins_leaves_the_outcome_unknown() -> None:
    """Also one that was kept: the service may have applied the request, so a list is not sent again."""
    plays = iter([whole(b"[]"), leave, whole(b"[]")])

    def play(connection: socket.socket) -> None:
        next(plays)(connection)

    with (
        closing(SlowServer(play)) as server,
        VisibilityClient(server.base_url, server.auth_url, "id", "secret") as client,
    ):
        client.get_visibilities(ItemKey("S", "I"))
        with pytest.raises(UnknownOutcomeError) as caught:
            client.set_visibilities(ItemKey("S", "I"), ["r"])
    assert (caught.value.attempts, caught.value.was_ambiguous) == (1, True)


@pytest.mark.contract
def test_nobody_there_is_told_as_not_sent(http: Http) -> None:
    """Only a connection that was never made proves that nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    failure = http.send(Request(GET_VISIBILITIES, f"http://127.0.0.1:{port}/v1"))
    assert isinstance(failure, Failure)
    assert failure.meaning.error is NotSentError


@pytest.mark.contract
def test_a_call_for_which_no_connection_is_free_is_told_as_not_sent(
    server: CountingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited as long as it may, and the service saw nothing of it."""
    monkeypatch.setattr(timeouts, "FREE_CONNECTION_S", 0.01)
    http = Http(transport=None, max_connections=0, clock=time.monotonic)
    with closing(http):
        failure = http.send(Request(GET_VISIBILITIES, f"{server.url}/v1"))
    assert isinstance(failure, Failure)
    assert (failure.meaning.error, server.connections) == (NotSentError, 0)
