"""The settings that the service needs to start."""

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from item_visibility_service.open_points.switches import Switches

DEMO_CLIENT = "demo"
"""The client id and the secret of a demo: both are public."""


class ServiceSettingsError(ValueError):
    """The service cannot start with these settings. The message says why, and holds no secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherIssuer:
    """Another program whose access tokens are accepted, such as Keycloak.

    Attributes:
        url: the issuer, exactly as its tokens write it in `iss`.
        audience: if set, the audience that a token must be for.
        client_id: if set, the client that a token must have been given to.
        jwks_url: where its keys are; if empty, the issuer is asked.
        ca_file: certificates to trust besides the system's.
    """

    url: str
    audience: str = ""
    client_id: str = ""
    jwks_url: str = ""
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        check_address(self.url, "address of the issuer")
        check_address(self.jwks_url or self.url, "address of the keys")
        if not self.audience and not self.client_id:
            raise ServiceSettingsError(
                "An issuer gives tokens for many programs: name the audience or the client of ours."
            )


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """One database, who may ask, and the switches for points where the specification is silent.

    `database_url` names an SQLite file or a PostgreSQL database, as SQLAlchemy writes it. The client gets
    its tokens here, with its secret, or those of another issuer are accepted.
    """

    database_url: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    switches: Switches = field(default_factory=Switches)
    issuer: OtherIssuer | None = None

    def __post_init__(self) -> None:
        if self.issuer is None and not (self.client_id and self.client_secret):
            raise ServiceSettingsError("The service needs a client id and a client secret.")


def demo_settings(database_url: str) -> ServiceSettings:
    """Return the settings of a demo: its client is `demo` with the secret `demo`."""
    return ServiceSettings(database_url=database_url, client_id=DEMO_CLIENT, client_secret=DEMO_CLIENT)


def check_host(settings: ServiceSettings, host: str) -> None:
    """Raise ServiceSettingsError if others could reach a service whose secret is public."""
    if settings.client_secret == DEMO_CLIENT and not is_loopback(host):
        raise ServiceSettingsError(
            f"Everybody knows the secret of the demo, so the demo listens on 127.0.0.1 only, not on {host}."
        )


def holds_password(database_url: str) -> bool:
    """True when the address holds a password, before the host or as a parameter."""
    before_host, _, _ = database_url.partition("://")[2].partition("/")[0].rpartition("@")
    parameters = parse_qs(database_url.partition("?")[2])
    return ":" in before_host or "password" in parameters


def check_address(text: str, name: str) -> str:
    """Return the web address; raises ServiceSettingsError if others could answer in its place."""
    try:
        parts = urlsplit(text)
        hostname, port = parts.hostname or "", parts.port
    except ValueError:
        hostname, port = "", None
    is_written_well = text.isascii() and text.isprintable() and not {"?", "#", "@", " "} & set(text)
    if not hostname or port == 0 or not is_written_well:
        raise ServiceSettingsError(f"The {name} is not a web address, or holds more than that.")
    if not text.startswith("https://") and not (text.startswith("http://") and is_loopback(hostname)):
        raise ServiceSettingsError(f"The {name} is not secure: it has to begin with https://.")
    return text


def is_loopback(host: str) -> bool:
    """True when only this machine has this address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
