"""The addresses that nothing stands at: a page is found from them all the same, and never a blank window."""

from urllib.parse import quote

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.shell.door import first_path, is_page, paths_of, probe_paths


class BelowBasePath:
    """ASGI middleware that redirects an address outside the base path to the same one below it.

    Links from before there was a base path lead on; Streamlit 1.67 says "Not Found" there.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base = first_path(base_path)
        self._at_root = probe_paths(base_path) | paths_of("metrics", base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, and redirect a page that stands elsewhere."""
        if scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and self._is_outside(scope["path"]):
            await RedirectResponse(self._address_below(scope))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_outside(self, path: str) -> bool:
        return not path.startswith(self._base) and path not in self._at_root

    def _address_below(self, scope: Scope) -> str:
        path = "" if f"{scope['path']}/" == self._base else scope["path"].lstrip("/")
        query = scope.get("query_string", b"").decode("latin-1")
        return f"{self._base}{quote(path)}{'?' if query else ''}{query}"


class NoDeepAddresses:
    """ASGI middleware that redirects addresses such as `/items/item` to the first page.

    Streamlit 1.67 answers every unknown address with its page, whose files have relative addresses. One level
    down none of them is found, and the window stays blank.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, and redirect a page below the first level."""
        is_redirected = False

        async def send_page(message: Message) -> None:
            nonlocal is_redirected
            if message["type"] == "http.response.start" and self._is_blank(scope, message):
                is_redirected = True
                await RedirectResponse(self._base)(scope, receive, send)
            elif not is_redirected:
                await send(message)

        await self._app(scope, receive, send_page)

    def _is_blank(self, scope: Scope, start: Message) -> bool:
        is_deep = "/" in scope["path"].removeprefix(self._base).strip("/")
        return is_deep and is_page(start)
