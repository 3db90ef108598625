"""Safety checks on the addresses of the service and its token endpoint. Spec: "Versioning"."""

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
STANDARD_PORTS = {"http": 80, "https": 443}
_PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*")


def check_base_url(text: str) -> str:
    """Return the {base_url} without a trailing slash, or raise SettingsError when it is not safe.

    Spec: "Versioning"; Note N16.
    """
    address = check_address(text, name="base address", example="https://api.example.com/v1")
    if not address.endswith("/v1"):
        raise SettingsError(
            "The base address does not end in /v1.",
            advice="Give the address up to and including the version, such as https://api.example.com/v1.",
        )
    return address


def check_auth_url(text: str) -> str:
    """Return the {auth_url} without a trailing slash, or raise SettingsError when it is not safe.

    Spec: "Authentication".
    """
    address = check_address(text, name="token address", example="https://login.example.com")
    if f"{address}/".endswith("/auth/") or "/realms/" in f"{address}/":
        raise SettingsError(
            "The token address contains a part of the path that we add.",
            advice="Give the part before /auth/realms, such as https://login.example.com.",
        )
    return address


def check_address(text: str, *, name: str, example: str) -> str:
    """Return an address without a trailing slash, or raise SettingsError when it is not safe."""
    advice = f"Give it as {example}, without spaces, a user name, a question mark or a # sign."
    parts = _web_address(text)
    if parts is None:
        raise SettingsError(f"The {name} is not a valid web address.", advice=advice)
    if "@" in parts.netloc:
        raise SettingsError(f"The {name} contains a user name or a password.", advice=advice)
    if "?" in text or "#" in text:
        raise SettingsError(f"The {name} contains a query or a fragment.", advice=advice)
    path = parts.path.removesuffix("/")
    if not _PLAIN_PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise SettingsError(f"The path of the {name} cannot be used.", advice=advice)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise SettingsError(
            f"The {name} is not secure: it begins with http.",
            advice="Use https. Only a service on this machine may be called with http.",
        )
    return text.removesuffix("/")


def service_of(base_url: str) -> str:
    """Return one form of this {base_url}: two spellings of one address give the same text.

    Scheme and host may be in upper or lower case, and the scheme's default port may be omitted.
    """
    parts = urlsplit(base_url)
    host = (parts.hostname or "").lower()
    address = _ip_address(host)
    host = f"[{address}]" if isinstance(address, ipaddress.IPv6Address) else host
    port = "" if parts.port in {None, STANDARD_PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path.removesuffix('/')}"


@lru_cache(maxsize=256)
def is_loopback(hostname: str) -> bool:
    """True for `localhost` and the addresses of this machine."""
    if hostname == "localhost":
        return True
    address = _ip_address(hostname)
    return address is not None and address.is_loopback


def _web_address(text: str) -> SplitResult | None:
    """Return the parts of an http or https address with a valid host and port, or None."""
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


def _ip_address(hostname: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(hostname)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Route:
    """The way that connections take. The default goes straight, and trusts what this machine trusts.

    Attributes:
        ca_file: certificates in PEM form to trust as well, such as a company's own authority.
        proxy: the address of a proxy; empty for none. It may hold a password. Addresses on this machine are
            reached without it.

    SettingsError if the file holds no certificate, or the proxy's address is not valid.
    """

    ca_file: Path | None = None
    proxy: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.ca_file is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(self.ca_file)
            except OSError as error:  # an SSLError is one, too
                reason = "holds no certificate" if isinstance(error, ssl.SSLError) else "cannot be read"
                raise SettingsError(
                    f"The file of certificates {reason}: {self.ca_file}.",
                    advice="Name a file that holds the certificates of your authority in PEM form, as text.",
                ) from None
        parts = _web_address(self.proxy)
        example = "http://proxy.example.com:3128, with user:password@ before the name if it asks for them"
        if self.proxy and (parts is None or parts.scheme != "http"):
            raise SettingsError(
                "The address of the proxy is not a valid http address.", advice=f"Give it as {example}."
            )
        if parts and (parts.path.strip("/") or "?" in self.proxy or "#" in self.proxy):
            raise SettingsError(
                "The address of the proxy contains more than its name and port.",
                advice=f"Give it as {example}.",
            )


STRAIGHT = Route()
"""No proxy, and no other certificates than this machine's."""
