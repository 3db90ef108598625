"""The HTTP parser that uvicorn is given: the quickest that is there, with nothing of a path left out."""

import asyncio
from importlib.util import find_spec
from typing import Literal

HttpParser = Literal["auto", "h11", "httptools"]


def http_protocol(http: HttpParser) -> type[asyncio.Protocol] | Literal["h11"]:
    """What uvicorn's setting `http` takes. `auto` is httptools where it is installed, else h11."""
    if http == "h11" or (http == "auto" and find_spec("httptools") is None):
        return "h11"
    return _exact_httptools()


def _exact_httptools() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.httptools_impl import (  # noqa: PLC0415  (httptools need not be installed)
        HttpToolsProtocol,
    )

    class ExactHttpToolsProtocol(HttpToolsProtocol):
        """httptools leaves out what follows a number sign: a call for one recipient would be one for all."""

        def on_headers_complete(self) -> None:
            """Refuse the request with 400, as uvicorn 0.54 does with all that its parser refuses."""
            if b"#" in self.url:
                raise ValueError("The path holds a number sign.")
            super().on_headers_complete()

    return ExactHttpToolsProtocol
