"""Answers are read within limits; nothing is decompressed, followed or remembered."""

import gzip
import logging
from collections.abc import Iterator

import httpx
import pytest

from item_visibility import (
    IdentifierError,
    ItemKey,
    NotAllowedError,
    NotSentError,
    UnexpectedAnswerError,
    UnknownOutcomeError,
    VisibilityClient,
)
from item_visibility.api.answers import Answer
from item_visibility.api.http.transport import (
    MAX_ANSWER_BYTES,
    MAX_ERROR_BYTES,
    Http,
)
from item_visibility.api.operations import GET_VISIBILITIES
from item_visibility.api.requests import Request
from item_visibility.timings_and_retries import CALL_ATTEMPTS
from tests.support.scripted_transport import NO_CONTENT, ScriptedTransport, recipients, scripted_client
from tests.support.waiting import HandClock

ITEM = ItemKey("S", "I")
CHUNK = 64 * 1024


class Chunks(httpx.SyncByteStream):
    """A body that comes in pieces, each after `pause_s`; `given` counts them."""

    def __init__(self, count: int, *, clock: HandClock, pause_s: float = 0.0) -> None:
        self.count = count
        self.clock = clock
        self.pause_s = pause_s
        self.given = 0

    def __iter__(self) -> Iterator[bytes]:
        """The pieces."""
        for _ in range(self.count):
            self.clock.move(self.pause_s)
            self.given += 1
            yield b" " * CHUNK


@pytest.fixture
def clock() -> HandClock:
    """Time that stands still."""
    return HandClock()


def http_on(transport: httpx.BaseTransport, clock: HandClock) -> Http:
    """The seam on a transport."""
    return Http(transport=transport, max_connections=1, clock=clock)


def answer_with(body: Chunks, clock: HandClock, *, status: int) -> object:
    """The outcome of an answer with that body."""
    transport = httpx.MockTransport(lambda _: httpx.Response(status, stream=body))
    http = http_on(transport, clock)
    outcome = http.send(Request(GET_VISIBILITIES, "https://api.example.com/v1/x"))
    http.close()
    return outcome


@pytest.mark.parametrize(
    ("status", "limit"), [(200, MAX_ANSWER_BYTES), (400, MAX_ERROR_BYTES), (503, MAX_ERROR_BYTES)]
)
def test_a_body_is_read_to_its_limit_and_not_beyond(status: int, limit: int, clock: HandClock) -> None:
    """16 MiB of a list, 64 KiB of an error, and then no more is asked for."""
    body = Chunks(10_000, clock=clock)
    answer = answer_with(body, clock, status=status)
    assert isinstance(answer, Answer)
    assert (len(answer.body), answer.is_cut, body.given) == (limit, True, limit // CHUNK + 1)


def test_a_body_that_ends_at_the_limit_is_whole(clock: HandClock) -> None:
    """The limit itself is allowed."""
    answer = answer_with(Chunks(MAX_ERROR_BYTES // CHUNK, clock=clock), clock, status=500)
    assert isinstance(answer, Answer)
    assert not answer.is_cut


def test_an_answer_that_drips_is_given_up(clock: HandClock) -> None:
    """Each piece comes in time, but the whole takes longer than a minute."""
    body = Chunks(10_000, clock=clock, pause_s=9.0)
    outcome = answer_with(body, clock, status=200)
    assert not isinstance(outcome, Answer)
    assert body.given == 7


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "x"])
def test_a_compressed_answer_is_refused_unread(encoding: str) -> None:
    """A small body could inflate to fill the memory."""
    bomb = httpx.Response(
        200,
        headers={"Content-Type": "application/json", "Content-Encoding": encoding},
        stream=httpx.ByteStream(gzip.compress(b'["r"]')),
    )
    with (
        scripted_client(httpx.MockTransport(bomb_or_token(bomb))) as client,
        pytest.raises(UnexpectedAnswerError, match="compressed") as caught,
    ):
        client.get_visibilities(ITEM)
    assert caught.value.attempts == 1


def bomb_or_token(bomb: httpx.Response) -> object:
    """A handler that gives a token, and the answer to each call."""
    token = httpx.Response(200, json={"access_token": "t"})
    return lambda request: token if request.method == "POST" else bomb


def test_identity_is_no_compression() -> None:
    """A server may say it in so many words."""
    answer = httpx.Response(200, headers={"Content-Encoding": " Identity "}, content=b'["r"]')
    with scripted_client(ScriptedTransport(answer)) as client:
        assert client.get_visibilities(ITEM) == {"r"}


def test_cookies_are_not_kept() -> None:
    """Calls of different people share the connections, and nothing else."""
    transport = ScriptedTransport(httpx.Response(200, headers={"Set-Cookie": "a=b"}, json=[]), recipients())
    with scripted_client(transport) as client:
        client.get_visibilities(ITEM)
        client.get_visibilities(ITEM)
    assert "Cookie" not in transport.calls[1].headers


def test_an_endless_401_is_not_read(clock: HandClock) -> None:
    """The answer that leads to another token is read within the same limit."""
    body = Chunks(10_000, clock=clock)

    def answer(request: httpx.Request) -> httpx.Response:
        is_call = request.method == "PUT"
        return (
            httpx.Response(401, stream=body) if is_call else httpx.Response(200, json={"access_token": "t"})
        )

    with scripted_client(httpx.MockTransport(answer)) as client, pytest.raises(NotAllowedError, match="401"):
        client.add_visibility(ITEM, "r")
    assert body.given == 2 * (MAX_ERROR_BYTES // CHUNK + 1)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1/a/../b",
        "https://api.example.com/v1/a b",
        "https://api.example.com/v1/a|b?x",
    ],
)
def test_a_path_that_the_library_would_change_is_not_sent(url: str, clock: HandClock) -> None:
    """The last check compares bytes, whatever came before."""
    transport = ScriptedTransport(NO_CONTENT)
    http = http_on(transport, clock)
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
