"""The address at the other end of a connection, also where the web server replaced it by one from a header.

uvicorn believes the `X-Forwarded-For` of the addresses in `FORWARDED_ALLOW_IPS`, this machine unless it is
set, and then names the address in that header as the client. Anybody can write such a header. So a client
that a header names is not taken for the other end.
"""

import re

BELIEVED = "127.0.0.1,::1"
"""The peers that uvicorn believes where nothing is set."""


def true_peers(client: str, port: int, *, forwarded_for: str, believed: str = BELIEVED) -> tuple[str, ...]:
    """Return the addresses of which one is at the other end; none when that cannot be known.

    A client from a header has the port 0: then the other end is one of those that uvicorn believes.
    """
    if client not in _hosts(forwarded_for):
        return (client,)
    return () if port else tuple(one.strip() for one in believed.split(","))


def _hosts(forwarded_for: str) -> set[str]:
    """Return the addresses in the header, also those with a port."""
    entries = {entry.strip() for entry in forwarded_for.split(",")}
    return entries | {re.sub(r":\d+$", "", entry).strip("[]") for entry in entries}
