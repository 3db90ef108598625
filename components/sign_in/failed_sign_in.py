"""Words for a sign-in that failed: Streamlit 1.67 says "Authentication error", or nothing at all."""

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.shell.door import first_path, refusal
from components.sign_in.kept_link import SIGNED_IN

_WORDS = (
    "You could not be signed in: the sign-in does not answer the dashboard. Nothing was changed.\n"
    "Open the dashboard again in a minute. If it stays so, tell whoever runs it: the log says why.\n"
)


class FailedSignIn:
    """ASGI middleware that answers for a sign-in whose provider could not be asked."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        first = first_path(base_path)
        self._begins, self._comes_back = f"{first}auth/login", f"{first}oauth2callback"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with our own words for this failure."""
        if scope["type"] != "http" or scope["path"] not in {self._begins, self._comes_back}:
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        await self._app(scope, receive, hold)
        if self._has_failed(scope, held[0]):
            await refusal(scope, HTTPStatus.BAD_GATEWAY, _WORDS)(scope, receive, send)
            return
        for message in held:
            await send(message)

    def _has_failed(self, scope: Scope, start: Message) -> bool:
        """True when a sign-in could not begin, or nobody is signed in though the provider sent them back."""
        if scope["path"] == self._begins:
            return bool(start["status"] == HTTPStatus.BAD_REQUEST)
        cookies = [one for one in Headers(raw=start["headers"]).getlist("set-cookie") if SIGNED_IN in one]
        was_signed_in = SIGNED_IN in Headers(scope=scope).get("cookie", "")
        is_signed_in = "max-age=0" not in cookies[-1].lower() if cookies else was_signed_in
        return b"code=" in scope["query_string"] and not is_signed_in
