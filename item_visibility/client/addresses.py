"""Checks the addresses of the service and its token endpoint. Spec: "Versioning"."""

import ipaddress
import re
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from item_visibility.errors import SettingsError

_HOST_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(rf"(?=.{{1,253}}$){_HOST_LABEL}(\.{_HOST_LABEL})*")
TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105
STANDARD_PORTS = {"http": 80, "https": 443}
_PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*")


def check_base_url(text: str) -> str:
    """Return the base address without trailing slash.

    Raises SettingsError. Spec: "Versioning"; Note N16.
    """
    example = "https://api.example.com/v1"
    address = check_address(text, name="base address", example=example)
    if not address.endswith("/v1"):
        raise SettingsError(
            "The base address does not end in /v1.",
            advice=f"Write it with the version at the end, such as {example}.",
        )
    return address


def check_auth_url(text: str) -> str:
    """Return the token address without trailing slash.

    Raises SettingsError. Spec: "Authentication".
    """
    example = "https://login.example.com"
    address = check_address(text, name="token address", example=example)
    if f"{address}/".endswith("/auth/") or "/realms/" in f"{address}/":
        raise SettingsError(
            "The token address already contains /auth or /realms, which is added"
            " automatically.",
            advice=f"Leave out /auth and everything after it, as in {example}.",
        )
    return address


def check_address(text: str, *, name: str, example: str) -> str:
    """Return the address without trailing slash.

    Raises SettingsError when it is not safe.
    """
    parts = _web_address(text)
    if (
        parts is None
        or "@" in parts.netloc
        or "?" in text
        or "#" in text
        or not _is_plain_path(parts.path.removesuffix("/"))
    ):
        raise SettingsError(
            f"The {name} is not a valid web address.",
            advice=f"Write it like {example}, without spaces, a user name, a question"
            " mark or a # sign.",
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise SettingsError(
            f"The {name} is not secure: it begins with http.",
            advice="Use https. Only a service on this machine may be called with http.",
        )
    return text.removesuffix("/")


def service_of(base_url: str) -> str:
    """Return the base address in a normal form, the same for all of its spellings."""
    parts = urlsplit(base_url)
    host = parts.netloc.lower().removesuffix(f":{STANDARD_PORTS[parts.scheme]}")
    return f"{parts.scheme}://{host}{parts.path.removesuffix('/')}"


@lru_cache(maxsize=256)
def is_loopback(hostname: str) -> bool:
    """True for `localhost` and loopback addresses such as 127.0.0.1."""
    if hostname == "localhost":
        return True
    address = _ip_address(hostname)
    return address is not None and address.is_loopback


def _web_address(text: str) -> SplitResult | None:
    """Split an http or https address; None when it is not valid."""
    if not text.isascii() or not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    host = parts.hostname or ""
    is_host = _HOST.fullmatch(host) is not None or _ip_address(host) is not None
    is_valid = parts.scheme in STANDARD_PORTS and is_host
    return parts if is_valid else None


def _is_plain_path(path: str) -> bool:
    """True for a path that httpx does not change."""
    if _PLAIN_PATH.fullmatch(path) is None:
        return False
    return not {".", ".."} & set(path.split("/"))


def _ip_address(hostname: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(hostname)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Route:
    """The proxy and the additional trusted certificates for connections to the service.

    Attributes:
        ca_file: a PEM file of certificates to trust, in addition to the system's.
        proxy: the address of a proxy, which may contain a password; empty for no proxy.
            Connections to this machine do not use the proxy.

    Raises SettingsError if the file contains no certificate, or the proxy's address is
    not valid.
    """

    ca_file: Path | None = None
    proxy: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.ca_file is not None:
            _check_certificates(self.ca_file)
        if self.proxy:
            _check_proxy(self.proxy)


def _check_certificates(path: Path) -> None:
    reason = None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        reason = "contains no certificate"
    except OSError:
        reason = "cannot be read"
    if reason is not None:
        raise SettingsError(
            f"The file of certificates {reason}: {path}.",
            advice="Choose a text file in PEM format with the certificates of your"
            " authority.",
        )


def _check_proxy(text: str) -> None:
    parts = _web_address(text)
    if (
        parts is None
        or parts.scheme != "http"
        or parts.path.strip("/")
        or "?" in text
        or "#" in text
    ):
        raise SettingsError(
            "The address of the proxy is not a valid http address.",
            advice="Write it like http://proxy.example.com:3128, or"
            " http://user:password@proxy.example.com:3128.",
        )


STRAIGHT = Route()
"""No proxy, and only the certificates that the system trusts."""
