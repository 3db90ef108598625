"""Without sign-in this machine alone is served, or everyone where somebody said so."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from components.middleware.allowed_requests import AllowedRequests

LET_IN = 200


async def behind(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer everybody who gets here."""
    await send({"type": "http.response.start", "status": LET_IN, "headers": []})


def knock(
    client: tuple[str, int] | None, *, kind: str = "http", path: str = "/", is_open: bool = False
) -> list[Message]:
    """The answer to somebody at this address."""
    sent: list[Message] = []
    headers = [(b"host", b"localhost:8501")]
    scope: Scope = {"type": kind, "method": "GET", "path": path, "headers": headers, "client": client}

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    door = AllowedRequests(behind, is_open=lambda: is_open, allowed_hosts=(), base_path="/tools/")
    asyncio.run(door(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    "client", [None, ("127.0.0.1", 1), ("127.8.9.10", 1), ("::1", 1), ("::ffff:127.0.0.1", 1)]
)
def test_this_machine_is_served(client: tuple[str, int] | None) -> None:
    """By any of its own addresses, and through a Unix socket."""
    assert knock(client)[0]["status"] == LET_IN


ELSEWHERE = ["10.1.2.3", "203.0.113.7", "0.0.0.0", "fe80::1", "::ffff:10.1.2.3", "testclient", ""]


@pytest.mark.parametrize("host", ELSEWHERE)
def test_another_machine_is_refused_in_words(host: str) -> None:
    """And nothing of the dashboard is asked."""
    start, body = knock((host, 1))
    assert start["status"] == 403
    assert (
        body["body"]
        .decode()
        .startswith("Nobody signs in here, so this dashboard serves its own machine only.")
    )


@pytest.mark.parametrize("host", ELSEWHERE)
def test_a_web_socket_from_another_machine_is_closed(host: str) -> None:
    """Before it is accepted."""
    assert [message["type"] for message in knock((host, 1), kind="websocket")] == ["websocket.close"]


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_everyone_is_served_where_somebody_said_so(kind: str) -> None:
    """In the settings, by a whole sentence."""
    assert knock(("203.0.113.7", 1), kind=kind, is_open=True)[0]["status"] == LET_IN


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/readyz", LET_IN), ("/tools/_stcore/health", LET_IN), ("/_stcore/stream", 403), ("/x/readyz", 403)],
)
def test_a_probe_comes_from_anywhere(path: str, expected: int) -> None:
    """It tells nothing but whether the dashboard lives."""
    assert knock(("10.1.2.3", 1), path=path)[0]["status"] == expected


def test_the_start_of_the_program_passes() -> None:
    """It comes from nobody."""
    assert knock(None, kind="lifespan")[0]["status"] == LET_IN
