"""Words for a sign-in that could not begin: Streamlit 1.67 says "Authentication error", and no more."""

from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.shell.door import first_path, refusal

_WORDS = (
    "You could not be signed in: the sign-in does not answer the dashboard. Nothing was changed.\n"
    "Go back, and try again in a minute. If it stays so, tell whoever runs it: the log says why.\n"
)


class FailedSignIn:
    """ASGI middleware that answers for a sign-in whose provider could not be asked."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._path = f"{first_path(base_path)}auth/login"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with our own words for this failure."""
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        await self._app(scope, receive, hold)
        if held[0]["status"] == HTTPStatus.BAD_REQUEST:
            await refusal(scope, HTTPStatus.BAD_GATEWAY, _WORDS)(scope, receive, send)
            return
        for message in held:
            await send(message)
