"""Paths of this server: pages and probes, below a base path or not; others redirect below it."""

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_PROBES = ("healthz", "readyz", "_stcore/health")


def first_path(base_path: str) -> str:
    """Return the path of the first page, with a slash at both ends."""
    return f"/{base_path.strip('/')}/" if base_path.strip("/") else "/"


def paths_of(name: str, base_path: str) -> frozenset[str]:
    """Return the paths of this probe: below the base path, and at the root.

    A proxy reaches only the first; a probe of the replica itself does not need the base path.
    """
    return frozenset(f"{root}{name}" for root in ("/", first_path(base_path)))


def probe_paths(base_path: str) -> frozenset[str]:
    """Return the paths of the liveness and readiness probes."""
    return frozenset[str]().union(*(paths_of(probe, base_path) for probe in _PROBES))


def refusal(scope: Scope, status: HTTPStatus, words: str) -> ASGIApp:
    """Return the refusal: a text for a request, a closed connection for a web socket."""
    return WebSocketClose() if scope["type"] == "websocket" else PlainTextResponse(words, status_code=status)


class BasePath:
    """ASGI middleware that redirects an address outside the base path to the same one below it.

    Streamlit 1.67 says "Not Found" there.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base = first_path(base_path)
        self._at_root = probe_paths(base_path) | paths_of("metrics", base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, and redirect where nothing is served."""
        is_look = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
        if is_look and self._is_outside(scope["path"]):
            await RedirectResponse(self._address_below(scope))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_outside(self, path: str) -> bool:
        return not path.startswith(self._base) and path not in self._at_root

    def _address_below(self, scope: Scope) -> str:
        path = "" if f"{scope['path']}/" == self._base else scope["path"].lstrip("/")
        query = scope.get("query_string", b"").decode("latin-1")
        return f"{self._base}{quote(path)}{'?' if query else ''}{query}"
