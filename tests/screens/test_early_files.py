"""The program of the table is asked for together with the page."""

import asyncio
from pathlib import Path

import httpx
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from components.shell.early_files import EarlyFiles, early_files


async def page(_: Request) -> Response:
    """A page."""
    return HTMLResponse("<html></html>")


async def answer(_: Request) -> Response:
    """An answer that is no page."""
    return PlainTextResponse("ready")


def link_of(path: str) -> str | None:
    """Return the header that names files for this address."""
    server = Starlette(
        routes=[Route("/", page), Route("/readyz", answer)],
        middleware=[Middleware(EarlyFiles, files=["./static/js/Table.js", "./static/js/Cell.js"])],
    )

    async def get() -> str | None:
        transport = httpx.ASGITransport(app=server)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get(path)).headers.get("link")

    return asyncio.run(get())


def test_a_page_names_the_files_that_it_will_need() -> None:
    """They wait behind what the page needs sooner."""
    assert link_of("/") == (
        "<./static/js/Table.js>; rel=modulepreload; fetchpriority=low, "
        "<./static/js/Cell.js>; rel=modulepreload; fetchpriority=low"
    )


def test_other_answers_name_none() -> None:
    """Only a page has a table."""
    assert link_of("/readyz") is None


def test_the_files_are_those_of_the_installed_streamlit() -> None:
    """The table and what it imports, each once, and none that the page itself names."""
    files, index = early_files(), Path(st.__file__).parent / "static" / "index.html"
    stems = [Path(file).name.partition(".")[0] for file in files]
    assert {"DataFrame", "BidiComponent", "arrowFormatUtils", "Quiver"} <= set(stems)
    assert len(set(files)) == len(files)
    assert [file for file in files if Path(file).name in index.read_text("utf-8")] == []
    assert [file for file in files if not (index.parent / file).is_file()] == []
