"""A transport with a short timeout for calls that hang, and the usual timeout for all others.

A hanging call ends soon. On a busy machine no token request fails, which matters: it is never retried; and
no call that is answered is given up.
"""

from collections import Counter

import httpx

from tests.support.plain_http import NO_TLS


class ImpatientTransport(httpx.BaseTransport):
    """A transport that waits `patience_s` for the answers to the first `times` of equal calls."""

    def __init__(self, patience_s: float, *, times: int) -> None:
        self._patience_s = patience_s
        self._times = times
        self._sent: Counter[tuple[str, bytes]] = Counter()
        self._network = httpx.HTTPTransport(trust_env=False, verify=NO_TLS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request."""
        call = (request.method, request.url.raw_path)
        self._sent[call] += 1
        if request.method != "POST" and self._sent[call] <= self._times:
            request.extensions["timeout"]["read"] = self._patience_s
        return self._network.handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        self._network.close()
