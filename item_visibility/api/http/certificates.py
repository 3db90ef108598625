"""The certificates that the other side has shown: whom they name, who vouches for them, and until when.

They are those of connections that were made anyway, and were trusted; no connection is made to look at one.
"""

import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from item_visibility.timings_and_retries import CERTIFICATE_FRESH_S

_MOST_NAMES = 3
_NAMED_BY = ("organizationName", "commonName")


@dataclass(frozen=True, slots=True)
class Certificate:
    """The certificate of a host. `names` are the hosts that it is for; `issuer` is who vouches for it."""

    host: str
    names: tuple[str, ...]
    issuer: str
    valid_until: datetime


class SeenCertificates:
    """The last certificate of each host. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[str, tuple[float, Certificate]] = {}

    def look(self, host: str, stream: object) -> None:
        """Look at the certificate on this stream of the HTTP library, if it is time for it."""
        now_s = self._clock()
        seen = self._seen.get(host)
        if seen is not None and now_s - seen[0] < CERTIFICATE_FRESH_S:
            return
        get_extra_info = getattr(stream, "get_extra_info", _nothing)
        secured = get_extra_info("ssl_object")
        told = secured.getpeercert() if secured is not None else None
        if told:
            with self._lock:
                self._seen[host] = (now_s, read_certificate(host, told))

    def all(self) -> tuple[Certificate, ...]:
        """Return the certificates, in the order in which their hosts were first seen."""
        with self._lock:
            return tuple(certificate for _, certificate in self._seen.values())


def _nothing(_name: str) -> None:
    """Stand in for a stream that has nothing to tell, as that of another transport."""


def read_certificate(host: str, told: Mapping[str, object]) -> Certificate:
    """Return what `ssl.SSLSocket.getpeercert` says of a certificate that was verified."""
    alternatives = _pairs(told.get("subjectAltName"))
    names = [value for _, value in alternatives] or _named(told.get("subject"), ("commonName",))
    valid_until = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(told["notAfter"])), UTC)
    issuer = ", ".join(dict.fromkeys(_named(told.get("issuer"), _NAMED_BY)))
    return Certificate(host, tuple(names[:_MOST_NAMES]), issuer, valid_until)


def _named(name: object, parts: Iterable[str]) -> list[str]:
    """Return these parts of a distinguished name, which is a tuple of tuples of pairs."""
    groups = name if isinstance(name, tuple) else ()
    pairs = [pair for group in groups for pair in _pairs(group)]
    return [value for part in parts for kind, value in pairs if kind == part]


def _pairs(group: object) -> list[tuple[str, str]]:
    return [(str(pair[0]), str(pair[1])) for pair in group] if isinstance(group, tuple) else []
