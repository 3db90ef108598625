"""The way of a file to its window, where several processes serve behind one proxy.

A window lives in one process, and a file is a request of its own, which a proxy may give to another one.
Streamlit 1.67 answers it with 400, and the window says "AxiosError". With 404 a proxy can ask the next
process, and the nginx of `deploy/` does.
"""

import logging
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from components.shell.door import first_path, refusal

_UPLOADS = "_stcore/upload_file/"
_OTHER_WINDOW = (
    "This file is for a window that another process serves. It was not taken in.\n"
    "The proxy must ask the next process, or keep a browser at one: deploy/README.md.\n"
)

logger = logging.getLogger(__name__)


class UploadsOfOwnWindows:
    """ASGI middleware that takes in files of the windows of this process, and says 404 to all others."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._uploads = first_path(base_path) + _UPLOADS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, and refuse files of windows that are not here."""
        if self._is_for_other_window(scope):
            logger.info("A file came for a window that another process serves.")
            await refusal(scope, HTTPStatus.NOT_FOUND, _OTHER_WINDOW)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_for_other_window(self, scope: Scope) -> bool:
        if scope["type"] != "http" or not scope["path"].startswith(self._uploads):
            return False
        window = scope["path"].removeprefix(self._uploads).partition("/")[0]
        return scope["method"] in {"PUT", "DELETE"} and not runtime.get_instance().is_active_session(window)
