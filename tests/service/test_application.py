"""The end of a call when something around it breaks."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.types import Message, Scope

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.http.application import Service, create_service
from item_visibility_service.service_settings import ServiceSettings, ServiceSettingsError
from item_visibility_service.storage.visibility_store import Change, StoreUnavailableError
from item_visibility_service.storage.visibility_tables import SIGNING_KEY
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, TOKEN_PATH, open_client, sqlite_url

KEY = Item("S", "I")


@pytest.fixture
def bare_service(tmp_path: Path) -> Iterator[Service]:
    """A service without a server around it."""
    service = create_service(ServiceSettings(sqlite_url(tmp_path), CLIENT_ID, CLIENT_SECRET))
    yield service
    service.close()


def test_a_service_whose_database_cannot_be_used_does_not_start(tmp_path: Path) -> None:
    """It opens, but something in it is missing: that is told in words, and nothing is served."""
    settings = ServiceSettings(sqlite_url(tmp_path), CLIENT_ID, CLIENT_SECRET)
    create_service(settings).close()
    with closing(sqlite3.connect(tmp_path / "service.sqlite")) as connection:
        connection.execute(f"DROP TABLE {SIGNING_KEY.name}")
    with pytest.raises(ServiceSettingsError, match="it cannot be used"):
        create_service(settings)


def ask(service: Service, method: str, path: str, messages: list[Message], **headers: str) -> list[Message]:
    """The messages that the application sends when it is given these."""
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(_awaited(service.asgi(scope, receive, send)))
    return sent


async def _awaited(call: Awaitable[None]) -> None:
    await call


def token_of(service: Service) -> str:
    """A token, asked for as over HTTP."""
    fields = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    form: Message = {"type": "http.request", "body": urlencode(fields).encode()}
    media_type = "application/x-www-form-urlencoded"
    sent = ask(service, "POST", TOKEN_PATH, [form], **{"content-type": media_type})
    token: str = json.loads(sent[1]["body"])["access_token"]
    return token


def test_a_body_that_breaks_off_is_not_applied(bare_service: Service) -> None:
    """A client that goes away in the middle has asked for nothing."""
    bare_service.store.add(KEY, "kept")
    headers = {"authorization": f"Bearer {token_of(bare_service)}", "content-type": "application/json"}
    messages: list[Message] = [
        {"type": "http.request", "body": b'["a"]', "more_body": True},
        {"type": "http.disconnect"},
    ]

    sent = ask(bare_service, "PUT", "/v1/itemvisibilities/S/I", messages, **headers)

    assert (sent[0]["status"], bare_service.store.recipients(KEY)) == (400, ("kept",))


def breaking(error: Exception) -> Callable[[Item, str], Change]:
    """A store's method that fails."""

    def fail(_item: Item, _recipient_id: str) -> Change:
        raise error

    return fail


def test_a_database_that_is_away_is_503(bare_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem detail that says when to come again, and promises nothing."""
    headers = {"authorization": f"Bearer {token_of(bare_service)}"}
    monkeypatch.setattr(bare_service.store, "add", breaking(StoreUnavailableError("away")))

    sent = ask(bare_service, "PUT", "/v1/itemvisibilities/S/I/recipient/r", [], **headers)

    assert (sent[0]["status"], dict(sent[0]["headers"])[b"retry-after"]) == (503, b"1")
    assert json.loads(sent[1]["body"]) == {
        "status": 503,
        "title": "Service Unavailable",
        "detail": "The database does not answer. Whether the call was applied is not known.",
    }


@pytest.mark.contract
def test_a_defect_is_a_problem_without_its_text(
    service: EmbeddedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server logs the error; the client learns nothing of the inside."""
    monkeypatch.setattr(service.service.store, "add", breaking(ZeroDivisionError("inside")))

    with open_client(service) as client:
        answer = client.put("/S/I/recipient/r")

    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert answer.json() == {
        "status": 500,
        "title": "Internal Server Error",
        "detail": "The service has a defect. Whether the call was applied is not known.",
    }


def test_a_websocket_is_refused(bare_service: Service) -> None:
    """The service speaks HTTP only."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "websocket", "path": "/v1", "raw_path": b"/v1", "headers": []}
    asyncio.run(_awaited(bare_service.asgi(scope, receive, send)))

    assert [message["type"] for message in sent] == ["websocket.close"]
