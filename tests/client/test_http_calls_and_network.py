"""Each exchange ends by its deadline, within limits, on a connection of its own."""

import gzip
import logging
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import Mock

import httpcore
import httpx
import pytest

from item_visibility import (
    CallError,
    IdentifierError,
    ItemKey,
    UnexpectedAnswerError,
    VisibilityClient,
    timeouts,
)
from item_visibility.client import retry
from item_visibility.client.addresses import STRAIGHT
from item_visibility.client.answers import Failure, NoAnswer, Success
from item_visibility.client.call_records import collected
from item_visibility.client.http_calls import HttpCalls, RecordingTransport
from item_visibility.client.network import (
    MAX_ANSWER_BYTES,
    MAX_ERROR_BYTES,
    Network,
    read_within_limits,
)
from item_visibility.client.operations import (
    GET_VISIBILITIES,
    SET_VISIBILITIES,
    Request,
)
from tests.support.scripted_transport import (
    NO_CONTENT,
    ScriptedTransport,
    recipients,
    scripted_client,
)
from tests.support.slow_server import (
    DRIPPING_BODY,
    DRIPPING_HEAD,
    EARLY_HINTS,
    PAUSE_S,
    Play,
    SlowServer,
    whole,
)

ITEM = ItemKey("S", "I")
CHUNK = 64 * 1024


# The body.


class Chunks:
    """A body in pieces. `given` counts the pieces that were read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.given = 0

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.count):
            self.given += 1
            yield b" " * CHUNK


def answer_with(
    body: Chunks, *, status: int, headers: dict[bytes, bytes] | None = None
) -> httpx.Response:
    return read_within_limits(httpcore.Response(status, headers=headers, content=body))


@pytest.mark.parametrize(
    ("status", "limit"),
    [(200, MAX_ANSWER_BYTES), (400, MAX_ERROR_BYTES), (503, MAX_ERROR_BYTES)],
)
def test_a_body_is_read_up_to_its_limit(status: int, limit: int) -> None:
    body = Chunks(10_000)
    answer = answer_with(body, status=status)
    assert len(answer.content) == limit
    assert body.given == limit // CHUNK + 1
    assert answer.extensions == {"is_cut": True}


def test_a_body_that_a_204_announces_is_left_unread() -> None:
    body = Chunks(1)
    answer = answer_with(body, status=204, headers={b"Content-Length": b"65536"})
    assert answer.content == b""
    assert body.given == 0
    assert answer.extensions == {"is_cut": False}


def test_only_the_headers_that_are_needed_are_passed_on() -> None:
    headers = {
        b"Set-Cookie": b"a=b",
        b"Location": b"/",
        b"Retry-After": b"5",
        b"Content-Encoding": b"Identity",
    }
    answer = answer_with(Chunks(1), status=302, headers=headers)
    assert dict(answer.headers) == {
        "retry-after": "5",
        "content-length": f"{MAX_ERROR_BYTES}",
    }
    assert len(answer.content) == MAX_ERROR_BYTES
    assert answer.extensions == {"is_cut": False}


@pytest.mark.contract
@pytest.mark.parametrize("encoding", [b"gzip", b"x"])
def test_a_compressed_answer_is_refused_unread(encoding: bytes) -> None:
    bomb = gzip.compress(b'["r"]')
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: %b\r\n"
        % encoding
    )
    answer = head + b"Content-Length: %d\r\n\r\n%b" % (len(bomb), bomb)
    with (
        closing(SlowServer(lambda connection: connection.sendall(answer))) as server,
        client_of(server) as client,
        collected() as calls,
        pytest.raises(UnexpectedAnswerError, match="compressed"),
    ):
        client.get_visibilities(ITEM)
    assert [call.operation for call in calls] == ["requestToken", "getVisibilities"]


# What is sent.


@pytest.mark.parametrize(
    "url", ["https://a.example.com/v1/a/../b", "https://a.example.com/v1/a b"]
)
def test_a_path_that_httpx_would_change_is_not_sent(url: str) -> None:
    transport = ScriptedTransport(NO_CONTENT)
    with (
        closing(HttpCalls(RecordingTransport(transport))) as http,
        pytest.raises(IdentifierError),
    ):
        http.send(Request(GET_VISIBILITIES, url))
    assert transport.calls == []


def test_proxies_and_certificates_of_the_environment_are_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with scripted_client(ScriptedTransport(recipients("r"))) as client:
        assert client.get_visibilities(ITEM) == {"r"}


def test_httpx_logs_nothing() -> None:
    loggers = [logging.getLogger(name) for name in ("httpx", "httpcore")]
    assert [logger.setLevel(logging.INFO) for logger in loggers] == [None, None]
    VisibilityClient(
        "https://api.example.com/v1", "https://login.example.com", "id", "secret"
    ).close()
    assert [logger.level for logger in loggers] == [logging.WARNING] * 2


def test_a_closed_client_sends_nothing() -> None:
    client = VisibilityClient(
        "https://api.example.com/v1", "https://login.example.com", "id", "secret"
    )
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.get_visibilities(ITEM)


# The deadline.


def client_of(server: SlowServer) -> VisibilityClient:
    return VisibilityClient(server.base_url, server.auth_url, "id", "secret")


@pytest.fixture
def http() -> Iterator[HttpCalls]:
    network = Network(STRAIGHT, 1, time.monotonic)
    with closing(HttpCalls(RecordingTransport(network))) as http:
        yield http


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "WHOLE_ANSWER_S", 0.3)


@pytest.mark.contract
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("play", [DRIPPING_HEAD, EARLY_HINTS, DRIPPING_BODY])
def test_a_slow_answer_ends_at_the_deadline(play: Play, http: HttpCalls) -> None:
    with closing(SlowServer(play)) as server:
        result = http.send(Request(GET_VISIBILITIES, f"{server.base_url}/x"))
    assert isinstance(result, Failure)
    assert server.ended == []


@pytest.mark.contract
@pytest.mark.usefixtures("soon")
def test_a_request_that_the_server_does_not_read_ends_at_the_deadline(
    http: HttpCalls,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
        result = http.send(Request(SET_VISIBILITIES, url, body=b" " * 2**25))
    assert result == NoAnswer.LATE.value


@pytest.mark.contract
def test_closing_a_client_ends_the_call_that_is_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry, "CALL_ATTEMPTS", 1)
    with closing(SlowServer(DRIPPING_BODY)) as server, ThreadPoolExecutor(1) as pool:
        client = client_of(server)
        client.request_token()
        server.has_begun.clear()
        call = pool.submit(client.get_visibilities, ITEM)
        assert server.has_begun.wait(60)
        client.close()
        assert isinstance(call.exception(30), CallError)
    assert server.ended == [b"POST"]


# The connections.


@pytest.fixture
def server() -> Iterator[SlowServer]:
    with closing(SlowServer(whole(b"[]"))) as server:
        yield server


@pytest.mark.contract
def test_many_calls_at_once_share_a_few_connections(server: SlowServer) -> None:
    with VisibilityClient(
        server.base_url, server.auth_url, "id", "secret", max_connections=4
    ) as client:
        for _ in range(2):
            with ThreadPoolExecutor(8) as pool:
                assert (
                    list(pool.map(client.get_visibilities, [ITEM] * 40))
                    == [frozenset()] * 40
                )
    assert len(server.connections) <= 4


@pytest.mark.contract
def test_a_connection_is_reused_only_for_its_own_server(
    server: SlowServer, http: HttpCalls
) -> None:
    with closing(SlowServer(whole(b"[]"))) as other:
        here = Request(GET_VISIBILITIES, server.base_url)
        there = Request(GET_VISIBILITIES, other.base_url)
        results = [http.send(request) for request in (here, here, there, there, here)]
    assert all(isinstance(result, Success) for result in results)
    assert len(server.connections) == 2
    assert len(other.connections) == 1


def leave(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.contract
def test_a_connection_that_the_server_has_closed_is_not_used_again(
    http: HttpCalls,
) -> None:
    def answer_and_leave(connection: socket.socket) -> None:
        whole(b"[]")(connection)
        leave(connection)

    with closing(SlowServer(answer_and_leave)) as server:
        request = Request(GET_VISIBILITIES, f"{server.base_url}/x")
        first = http.send(request)
        time.sleep(PAUSE_S)
        second = http.send(request)
    assert isinstance(first, Success)
    assert isinstance(second, Success)


def certificate_error(code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("certificate verify failed")
    error.verify_code = code
    return error


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (certificate_error(18), NoAnswer.CERTIFICATE),
        (certificate_error(10), NoAnswer.EXPIRED),
        (certificate_error(62), NoAnswer.OTHER_HOST),
        (certificate_error(64), NoAnswer.OTHER_HOST),
        (socket.gaierror("unknown"), NoAnswer.NAME),
        (OSError("refused"), NoAnswer.CONNECTION),
    ],
)
def test_the_cause_of_a_missing_connection_is_named(
    http: HttpCalls, monkeypatch: pytest.MonkeyPatch, cause: Exception, reason: NoAnswer
) -> None:
    monkeypatch.setattr(socket, "create_connection", Mock(side_effect=cause))
    failure = http.send(Request(GET_VISIBILITIES, "https://api.example.com/v1"))
    assert failure == reason.value
