"""A transport with a short timeout for calls and the usual timeout for tokens.

A hanging call ends soon. On a busy machine no token request fails, which matters: it is never retried.
"""

import httpx

from tests.support.plain_http import NO_TLS


class ImpatientTransport(httpx.BaseTransport):
    """A transport that waits `patience_s` for the answer to a call."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._network = httpx.HTTPTransport(trust_env=False, verify=NO_TLS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request."""
        if request.method != "POST":
            request.extensions["timeout"]["read"] = self._patience_s
        return self._network.handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        self._network.close()
