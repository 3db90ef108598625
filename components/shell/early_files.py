"""The program of Streamlit's table, asked for together with the page that will need it.

Streamlit 1.67 asks for it only when the first table is drawn: a third of the time until it is seen. A browser
that is told in a header loads it beside the rest, after what it needs sooner.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.shell.door import is_page

_STATIC = Path(st.__file__).parent / "static"
_PARTS = ("DataFrame", "BidiComponent")


@cache
def early_files() -> tuple[str, ...]:
    """Return the addresses of the table's and the components' scripts that the page itself does not name."""
    folder = _STATIC / "static" / "js"
    named = (_STATIC / "index.html").read_text("utf-8")
    found: dict[str, None] = {}
    waiting = [file.name for part in _PARTS for file in folder.glob(f"{part}.*.js")]
    while waiting:
        name = waiting.pop()
        if name in found or name in named or not (folder / name).is_file():
            continue
        found[name] = None
        waiting += _imported((folder / name).read_text("utf-8"))
    return tuple(f"./static/js/{name}" for name in found)


def _imported(script: str) -> Iterable[str]:
    """Return the files that a script needs before it runs."""
    for words in ('from"./', 'import"./'):
        yield from (part.partition('"')[0] for part in script.split(words)[1:])


class EarlyFiles:
    """ASGI middleware that names these files in the header of each page."""

    def __init__(self, app: ASGIApp, files: Iterable[str]) -> None:
        self._app = app
        self._link = ", ".join(f"<{file}>; rel=modulepreload; fetchpriority=low" for file in files)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with the header added to a page."""

        async def send_with_link(message: Message) -> None:
            if message["type"] == "http.response.start" and is_page(message):
                MutableHeaders(scope=message).append("Link", self._link)
            await send(message)

        await self._app(scope, receive, send_with_link)
