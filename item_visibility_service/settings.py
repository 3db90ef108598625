"""The settings that the service needs to start."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

DEMO_CLIENT = "demo"
"""The client id and also the client secret of a demo. Both are public."""


class ServiceSettingsError(ValueError):
    """The service cannot start with these settings.

    The message says why and contains no secret.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherIssuer:
    """Another program whose access tokens are accepted, such as Keycloak.

    `url` must equal the `iss` claim of its tokens. If `audience` is set, tokens must be
    for that audience; if `client_id` is set, they must be issued to that client.
    """

    url: str
    audience: str = ""
    client_id: str = ""

    def __post_init__(self) -> None:
        check_address(self.url, "address of the issuer")
        if not self.audience and not self.client_id:
            raise ServiceSettingsError(
                "An issuer gives tokens to many programs. "
                "Set the audience or the client id of accepted tokens."
            )


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of the service.

    `database_url` is the SQLAlchemy address of an SQLite file or a PostgreSQL database.
    `issuer` issues the access tokens. Without it, the service issues them to the client
    with `client_id` and `client_secret`. `sample` fills an empty database. `/readyz`
    shows the `version`.
    """

    database_url: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    issuer: OtherIssuer | None = None
    sample: bool = False
    version: str = "unknown"

    def __post_init__(self) -> None:
        if self.issuer is None and not (self.client_id and self.client_secret):
            raise ServiceSettingsError(
                "The service needs a client id and a client secret."
            )


def demo_settings(database_url: str) -> ServiceSettings:
    """Return the settings of a demo, with sample data.

    The client id and its secret are both `demo`.
    """
    return ServiceSettings(database_url, DEMO_CLIENT, DEMO_CLIENT, sample=True)


def check_host(settings: ServiceSettings, host: str) -> None:
    """Raise ServiceSettingsError if other machines could call a demo.

    The secret of a demo is public.
    """
    if settings.client_secret == DEMO_CLIENT and not is_loopback(host):
        raise ServiceSettingsError(
            "The demo's secret is public, so the demo can only listen on 127.0.0.1, "
            f"not on {host}."
        )


def holds_password(database_url: str) -> bool:
    """Return True if the address contains a password."""
    location = database_url.partition("://")[2].partition("/")[0]
    query = database_url.partition("?")[2]
    return ":" in location.rpartition("@")[0] or "password" in parse_qs(query)


def check_address(text: str, name: str) -> str:
    """Return the web address.

    Raises ServiceSettingsError if it is invalid or not secure.
    """
    try:
        parts = urlsplit(text)
        hostname = parts.hostname or ""
        port = parts.port
    except ValueError:
        hostname = ""
        port = None
    is_plain = (
        text.isascii() and text.isprintable() and not {"?", "#", "@", " "} & set(text)
    )
    if not hostname or port == 0 or not is_plain:
        raise ServiceSettingsError(f"The {name} is not a plain web address.")

    is_on_this_machine = text.startswith("http://") and is_loopback(hostname)
    if not text.startswith("https://") and not is_on_this_machine:
        raise ServiceSettingsError(
            f"The {name} is not secure: it must begin with https://."
        )
    return text


def is_loopback(host: str) -> bool:
    """Return True if the address or name always means this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
