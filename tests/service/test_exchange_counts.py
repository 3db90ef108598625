"""The service's numbers, as Prometheus reads them."""

import asyncio
from collections.abc import Awaitable

import httpx
import pytest
from starlette.types import Message, Scope

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.exchange_counts import ExchangeCounts
from tests.support.bundled_service import open_client

pytestmark = pytest.mark.contract


def test_exchanges_are_counted_by_method_status_and_time() -> None:
    """Each bucket counts those that took no longer."""
    counts = ExchangeCounts()
    counts.count("GET", 200, 0.001)
    counts.count("GET", 200, 0.3)
    counts.count("GET", 200, 11.0)
    counts.count("PUT", 204, 0.002)
    lines = counts.text().splitlines()
    of_reads = [line for line in lines if 'method="GET",status="200"' in line]
    assert [line.split()[-1] for line in of_reads] == [*"11111111222223", "11.301", "3"]
    assert of_reads[0] == 'item_visibilities_exchange_seconds_bucket{method="GET",status="200",le="0.001"} 1'
    assert lines[-1] == 'item_visibilities_exchange_seconds_count{method="PUT",status="204"} 1'
    assert lines[1] == "# TYPE item_visibilities_exchange_seconds histogram"


def test_this_machine_is_told_the_numbers(service: EmbeddedService) -> None:
    """Without ids; a method that is none of ours is one with all others."""
    with open_client(service) as client:
        client.get("/secret-supplier/secret-item")
    httpx.patch(f"{service.auth_url}/healthz", trust_env=False)
    answer = httpx.get(f"{service.auth_url}/metrics", trust_env=False)
    assert (answer.status_code, answer.headers["content-type"]) == (
        200,
        "text/plain; version=0.0.4; charset=utf-8",
    )
    counted = {line.split()[0].split("_seconds_")[-1] for line in answer.text.splitlines()}
    assert {'count{method="GET",status="404"}', 'count{method="other",status="405"}'} <= counted
    assert "secret" not in answer.text


@pytest.mark.parametrize(("client", "status"), [(("203.0.113.7", 1), 403), (("::1", 1), 200), (None, 200)])
def test_another_machine_is_not_told(
    service: EmbeddedService, client: tuple[str, int] | None, status: int
) -> None:
    """Nor whoever a proxy on this machine speaks for; a Unix socket is on this machine."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def awaited(call: Awaitable[None]) -> None:
        await call

    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/metrics",
        "raw_path": b"/metrics",
        "query_string": b"",
        "headers": [],
        "client": client,
    }
    asyncio.run(awaited(service.service.asgi(scope, receive, send)))
    assert sent[0]["status"] == status
