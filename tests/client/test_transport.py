"""Answers are read within limits; nothing is decompressed, followed or remembered."""

import gzip
import logging
import time
from collections.abc import Iterator
from contextlib import closing

import httpcore
import httpx
import pytest

from item_visibility import (
    IdentifierError,
    ItemKey,
    NotSentError,
    UnexpectedAnswerError,
    UnknownOutcomeError,
    VisibilityClient,
)
from item_visibility.client.operations import GET_VISIBILITIES, Request
from item_visibility.client.transport import (
    MAX_ANSWER_BYTES,
    MAX_ERROR_BYTES,
    Http,
    read_within_limits,
)
from item_visibility.timeouts import CALL_ATTEMPTS
from tests.support.scripted_transport import NO_CONTENT, ScriptedTransport, recipients, scripted_client
from tests.support.slow_server import SlowServer

ITEM = ItemKey("S", "I")
CHUNK = 64 * 1024


class Chunks:
    """A body that comes in pieces; `given` counts them."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.given = 0

    def __iter__(self) -> Iterator[bytes]:
        """The pieces."""
        for _ in range(self.count):
            self.given += 1
            yield b" " * CHUNK


def answer_with(body: Chunks, *, status: int, headers: dict[bytes, bytes] | None = None) -> httpx.Response:
    """What is read of an answer with that body."""
    return read_within_limits(httpcore.Response(status, headers=headers, content=body))


@pytest.mark.parametrize(
    ("status", "limit"),
    [(200, MAX_ANSWER_BYTES), (400, MAX_ERROR_BYTES), (401, MAX_ERROR_BYTES), (503, MAX_ERROR_BYTES)],
)
def test_a_body_is_read_to_its_limit_and_not_beyond(status: int, limit: int) -> None:
    """16 MiB of a list, 64 KiB of an error, and then no more is asked for."""
    body = Chunks(10_000)
    answer = answer_with(body, status=status)
    assert (len(answer.content), body.given) == (limit, limit // CHUNK + 1)
    assert answer.extensions == {"is_cut": True}


def test_a_body_that_ends_at_the_limit_is_whole() -> None:
    """The limit itself is allowed."""
    answer = answer_with(Chunks(MAX_ERROR_BYTES // CHUNK), status=500)
    assert answer.extensions == {"is_cut": False}


def test_a_body_that_a_204_announces_is_left_unread() -> None:
    """The connection is closed then, and the body is not taken for the next answer."""
    body = Chunks(1)
    answer = answer_with(body, status=204, headers={b"Content-Length": b"65536"})
    assert (answer.content, body.given, answer.extensions) == (b"", 0, {"is_cut": False})


def test_only_the_headers_that_are_needed_are_passed_on() -> None:
    """Neither a cookie nor the address of a redirect."""
    headers = {b"Set-Cookie": b"a=b", b"Location": b"https://example.com", b"Retry-After": b"5"}
    answer = answer_with(Chunks(0), status=302, headers=headers)
    assert dict(answer.headers) == {"retry-after": "5"}


@pytest.mark.contract
@pytest.mark.parametrize("encoding", [b"gzip", b"deflate", b"br", b"x"])
def test_a_compressed_answer_is_refused_unread(encoding: bytes) -> None:
    """A small body could inflate to fill the memory."""
    bomb = gzip.compress(b'["r"]')
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: %b\r\n" % encoding
    answer = head + b"Content-Length: %d\r\n\r\n%b" % (len(bomb), bomb)
    with (
        closing(SlowServer(lambda connection: connection.sendall(answer))) as server,
        VisibilityClient(server.base_url, server.auth_url, "id", "secret") as client,
        pytest.raises(UnexpectedAnswerError, match="compressed") as caught,
    ):
        client.get_visibilities(ITEM)
    assert caught.value.attempts == 1


def test_identity_is_no_compression() -> None:
    """A server may say it in so many words."""
    answer = answer_with(Chunks(1), status=200, headers={b"Content-Encoding": b" Identity "})
    assert (len(answer.content), answer.extensions) == (CHUNK, {"is_cut": False})


def test_cookies_are_not_kept() -> None:
    """Calls of different people share the connections, and nothing else."""
    transport = ScriptedTransport(httpx.Response(200, headers={"Set-Cookie": "a=b"}, json=[]), recipients())
    with scripted_client(transport) as client:
        client.get_visibilities(ITEM)
        client.get_visibilities(ITEM)
    assert "Cookie" not in transport.calls[1].headers


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1/a/../b",
        "https://api.example.com/v1/a b",
        "https://api.example.com/v1/a|b?x",
    ],
)
def test_a_path_that_the_library_would_change_is_not_sent(url: str) -> None:
    """The last check compares bytes, whatever came before."""
    transport = ScriptedTransport(NO_CONTENT)
    http = Http(transport=transport, max_connections=1, clock=time.monotonic)
    with pytest.raises(IdentifierError):
        http.send(Request(GET_VISIBILITIES, url))
    http.close()
    assert transport.calls == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
def test_the_environment_says_nothing_about_the_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy and no .netrc come between: the operator's address is the address."""
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    transport = ScriptedTransport(recipients("r"))
    with scripted_client(transport) as client:
        assert client.get_visibilities(ITEM) == {"r"}


def test_logs_of_the_library_are_quiet() -> None:
    """They hold whole addresses, and so ids: who makes a client has them quiet."""
    loggers = [logging.getLogger(name) for name in ("httpx", "httpcore")]
    assert [logger.setLevel(logging.INFO) for logger in loggers] == [None, None]
    VisibilityClient("https://api.example.com/v1", "https://login.example.com", "id", "secret").close()
    assert [logger.level for logger in loggers] == [logging.WARNING] * 2


def test_a_client_opens_no_connection_until_it_is_used() -> None:
    """Building one is quick, and closing an unused one is harmless."""
    client = VisibilityClient("https://api.example.com/v1", "https://login.example.com", "id", "secret")
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.get_visibilities(ITEM)
    with pytest.raises(RuntimeError, match="closed"):
        client.get_visibilities(ITEM)


def test_a_time_out_is_told_as_unknown() -> None:
    """Nobody knows what the service did with it."""
    transport = ScriptedTransport(httpx.WriteTimeout("slow"))
    with (
        scripted_client(transport) as client,
        pytest.raises(UnknownOutcomeError, match="no answer came in time"),
    ):
        client.add_visibility(ITEM, "r")


def test_a_client_whose_connections_are_all_in_use_blames_no_network() -> None:
    """Nothing was sent, and the same may go well a little later."""
    transport = ScriptedTransport(*[httpx.PoolTimeout("full") for _ in range(CALL_ATTEMPTS)])
    with (
        scripted_client(transport) as client,
        pytest.raises(NotSentError, match="all connections to the service are in use") as caught,
    ):
        client.add_visibility(ITEM, "r")
    assert caught.value.advice == "Try again in a minute."
