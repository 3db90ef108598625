"""The service's log of exchanges."""

import asyncio
import logging

import pytest
from starlette.responses import Response
from starlette.types import Message, Scope

from item_visibility_service.http.exchange_counts import ExchangeCounts
from item_visibility_service.http.exchange_log import ExchangeLog


def told(
    method: str, status: int, caplog: pytest.LogCaptureFixture, **headers: str
) -> list[tuple[object, ...]]:
    """Level, message and request id of what the log tells of one exchange."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope: Scope = {
        "type": "http",
        "method": method,
        "path": "/v1/itemvisibilities/secret-item",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
    }
    caplog.set_level(logging.INFO, "item_visibility_service")
    asyncio.run(ExchangeLog(Response(status_code=status), ExchangeCounts())(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return [(one.levelno, one.getMessage(), vars(one)["request_id"]) for one in caplog.records]


@pytest.mark.parametrize(
    ("method", "status", "level"),
    [("PUT", 204, logging.INFO), ("PUT", 400, logging.INFO), ("GET", 500, logging.WARNING)],
)
def test_changes_and_faults_are_told(
    method: str, status: int, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the path, which holds ids; with the id of the request, where it carries one."""
    assert told(method, status, caplog) == [(level, f"{method}: {status}", "")]


def test_a_line_has_the_id_that_the_request_carried(caplog: pytest.LogCaptureFixture) -> None:
    """Cut, because anybody can send a long one."""
    assert told("PUT", 204, caplog, **{"x-request-id": "a" * 999}) == [(logging.INFO, "PUT: 204", "a" * 64)]


def test_reads_are_a_detail(caplog: pytest.LogCaptureFixture) -> None:
    """Thousands a second would be nothing to read."""
    assert told("GET", 200, caplog) == []
