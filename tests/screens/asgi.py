"""Requests to an ASGI application without a server."""

import asyncio
from collections.abc import Mapping

import httpx
from starlette.types import ASGIApp


def answer_of(
    app: ASGIApp, path: str, *, method: str = "GET", headers: Mapping[str, str] | None = None
) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())
