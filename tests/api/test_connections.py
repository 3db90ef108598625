"""Each connection is used by one call at a time, none is lost, and there are never too many."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from item_visibility import ItemKey, VisibilityClient
from item_visibility.api.http.connections import KEEPALIVE_S, Connection, Connections, open_connections
from tests.support.waiting import HandClock

WAITS_S = {"connect": 5.0, "read": 5.0, "write": 5.0, "pool": 0.01}


class OneConnection(Connection):
    """A connection that counts; what it does next can be made to fail."""

    def __init__(self) -> None:
        self.used = 0
        self.is_cut = False
        self.is_closed = False
        self.failure: BaseException | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer, or fail."""
        self.used += 1
        if self.failure is not None:
            raise self.failure
        return httpx.Response(200, stream=httpx.ByteStream(request.method.encode()))

    def cut(self) -> None:
        """Note it."""
        self.is_cut = True

    def close(self) -> None:
        """Note it."""
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
        """How often each was used."""
        return [one.used for one in self.all]


class BrokenAtTheEnd(OneConnection):
    """Its answers cannot be closed."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer."""
        answer = super().handle_request(request)
        answer.stream = BrokenEnd()
        return answer


class BrokenEnd(httpx.SyncByteStream):
    """A body that cannot be closed."""

    def __iter__(self) -> Iterator[bytes]:
        """No pieces."""
        return iter(())

    def close(self) -> None:
        """Fail."""
        raise httpx.ReadError("broken")


@pytest.fixture
def opened() -> Opened:
    """What was opened in this test."""
    return Opened()


@pytest.fixture
def clock() -> HandClock:
    """Time that stands still."""
    return HandClock()


@pytest.fixture
def connections(opened: Opened, clock: HandClock) -> Connections:
    """Two connections at most."""
    return Connections(2, opened, clock=clock)


def ask(connections: Connections, *, pool_s: float = 0.01) -> httpx.Response:
    """Send a request; the answer is still open."""
    waits_s = WAITS_S | {"pool": pool_s}
    return connections.handle_request(
        httpx.Request("GET", "http://127.0.0.1/v1", extensions={"timeout": waits_s})
    )


def test_calls_one_after_another_use_one_connection(connections: Connections, opened: Opened) -> None:
    """The one that is free again is taken before another is opened."""
    ask(connections).close()
    ask(connections).close()
    assert opened.used == [2]


def test_a_connection_is_in_use_until_its_answer_is_closed(connections: Connections, opened: Opened) -> None:
    """Having read the answer is not enough: only then is the connection known to be clean."""
    first = ask(connections)
    body = b"".join(first.stream)
    second = ask(connections)
    first.close()
    second.close()
    assert (body, opened.used) == (b"GET", [1, 1])


def test_the_connection_that_was_used_last_is_used_next(connections: Connections, opened: Opened) -> None:
    """The others grow old, and are closed in time."""
    first, second = ask(connections), ask(connections)
    first.close()
    second.close()
    ask(connections).close()
    assert opened.used == [1, 2]


def test_there_are_no_more_than_were_allowed(connections: Connections, opened: Opened) -> None:
    """A call that waits too long for one was not sent."""
    answers = [ask(connections), ask(connections)]
    with pytest.raises(httpx.PoolTimeout):
        ask(connections)
    assert (len(answers), opened.used) == (2, [1, 1])


def test_a_call_that_waits_goes_on_with_the_next_free_one(opened: Opened, clock: HandClock) -> None:
    """It need not be the same thread that opened it."""
    connections = Connections(1, opened, clock=clock)
    first = ask(connections)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, connections, pool_s=60.0)
        first.close()
        waiting.result(60).close()
    assert opened.used == [2]


@pytest.mark.parametrize("failure", [httpx.ConnectError("no"), httpx.ReadError("no"), KeyboardInterrupt()])
def test_a_connection_that_fails_is_free_again(
    connections: Connections, opened: Opened, failure: BaseException
) -> None:
    """What broke closes itself; its place is not lost."""
    ask(connections).close()
    opened.all[0].failure = failure
    with pytest.raises(type(failure)):
        ask(connections)
    opened.all[0].failure = None
    answers = [ask(connections), ask(connections)]
    assert (len(answers), opened.used) == (2, [3, 1])


def test_a_connection_that_cannot_be_made_takes_no_place(connections: Connections, opened: Opened) -> None:
    """Both places are there afterwards."""
    opened.failure = OSError("no more files")
    with pytest.raises(OSError, match="no more files"):
        ask(connections)
    opened.failure = None
    answers = [ask(connections), ask(connections)]
    assert len(answers) == 2


def test_an_answer_that_cannot_be_closed_gives_its_connection_back(clock: HandClock) -> None:
    """The failure is told, and the place is not lost."""
    connections = Connections(1, BrokenAtTheEnd, clock=clock)
    with pytest.raises(httpx.ReadError):
        ask(connections).close()
    with pytest.raises(httpx.ReadError):
        ask(connections).close()


def test_a_connection_that_is_not_used_any_more_is_closed(
    connections: Connections, opened: Opened, clock: HandClock
) -> None:
    """The server would have closed it by then."""
    first, second = ask(connections), ask(connections)
    first.close()
    second.close()
    clock.move(KEEPALIVE_S + 0.1)
    ask(connections).close()
    assert [one.is_closed for one in opened.all] == [True, False]


def test_closing_ends_what_is_under_way(connections: Connections, opened: Opened) -> None:
    """A connection in use is cut at once, and closed when its answer is."""
    first, second = ask(connections), ask(connections)
    first.close()
    connections.close()
    at_first = [(one.is_cut, one.is_closed) for one in opened.all]
    second.close()
    assert at_first == [(False, True), (True, False)]
    assert opened.all[1].is_closed


def test_a_call_that_comes_after_the_end_is_cut_at_once(connections: Connections, opened: Opened) -> None:
    """One that waited for a free connection gets one that sends nothing."""
    connections.close()
    ask(connections).close()
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
        """Where it is."""
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


@pytest.fixture
def server() -> Iterator[CountingServer]:
    """A server that is running."""
    with CountingServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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


@pytest.mark.contract
def test_nobody_there_is_told_as_no_connection() -> None:
    """Only a connection that was never made proves that nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    request = httpx.Request(
        "GET", f"http://127.0.0.1:{port}/v1", extensions={"timeout": WAITS_S, "ends_at_s": 1e9}
    )
    with pytest.raises(httpx.ConnectError):
        open_connections(1).handle_request(request)


def test_the_network_is_opened_at_the_first_request_only() -> None:
    """Closing it before is harmless."""
    network = open_connections(2)
    network.close()
    assert isinstance(network, Connections)
