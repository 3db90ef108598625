"""The HTTP parser for uvicorn: the fastest one installed, made to drop no part of a path."""

import asyncio
from importlib.util import find_spec
from typing import Literal

HttpParser = Literal["auto", "h11", "httptools"]


def http_protocol(http: HttpParser) -> type[asyncio.Protocol] | Literal["h11"]:
    """Return a value for uvicorn's `http` setting. `auto` means httptools if installed, else h11."""
    if http == "h11" or (http == "auto" and find_spec("httptools") is None):
        return "h11"
    return _exact_httptools()


def _exact_httptools() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.httptools_impl import (  # noqa: PLC0415  (httptools need not be installed)
        HttpToolsProtocol,
    )

    class ExactHttpToolsProtocol(HttpToolsProtocol):
        """A fix for httptools, which drops what follows `#`: a call for one recipient became one for all."""

        def on_headers_complete(self) -> None:
            """Refuse such a request with 400, as uvicorn 0.54 does for everything its parser refuses."""
            if b"#" in self.url:
                raise ValueError("The path holds a number sign.")
            super().on_headers_complete()

    return ExactHttpToolsProtocol
