"""The security headers of every answer: our pages load nothing from anywhere else.

The policy was tried against Streamlit 1.67. Its one inline script is allowed by its hash, computed at start;
inline components need `blob:`; its styles need `unsafe-inline`.
"""

import base64
import hashlib
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy() -> str:
    """Return the Content-Security-Policy for the installed Streamlit."""
    index = Path(st.__file__).parent / "static" / "index.html"
    hashes = " ".join(_hash(script) for script in _INLINE_SCRIPT.findall(index.read_text("utf-8")))
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {hashes} blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "object-src 'none'",
        )
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


class SecurityHeaders:
    """ASGI middleware that adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Cross-Origin-Opener-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with the headers added."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)
