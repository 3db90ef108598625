"""Shared by the ASGI middlewares: the paths of the first page and of probes, what is a page, a refusal."""

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Scope
from starlette.websockets import WebSocketClose

_PROBES = ("healthz", "readyz", "_stcore/health")


def first_path(base_path: str) -> str:
    """Return the path of the first page, with a slash at both ends."""
    return f"/{base_path.strip('/')}/" if base_path.strip("/") else "/"


def paths_of(name: str, base_path: str) -> frozenset[str]:
    """Return the paths at which machines ask for this: below the base path, and at the root.

    Through a proxy only the first is reached; who asks a replica itself need not know the base path.
    """
    return frozenset(f"{root}{name}" for root in ("/", first_path(base_path)))


def probe_paths(base_path: str) -> frozenset[str]:
    """Return the paths at which machines ask if this one lives and is ready."""
    return frozenset[str]().union(*(paths_of(probe, base_path) for probe in _PROBES))


def is_page(start: Message) -> bool:
    """True when the answer that starts here is a page for people."""
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


def refusal(scope: Scope, status: HTTPStatus, words: str) -> ASGIApp:
    """Return the refusal: a text for a request, a closed connection for a web socket."""
    return WebSocketClose() if scope["type"] == "websocket" else PlainTextResponse(words, status_code=status)
