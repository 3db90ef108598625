"""The settings that the service needs to start."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

DEMO_CLIENT = "demo"
"""The client id and the secret of a demo: both are public."""


class ServiceSettingsError(ValueError):
    """The service cannot start with these settings. The message says why and contains no secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherIssuer:
    """Another program whose access tokens are accepted, such as Keycloak.

    `url` is exactly the `iss` claim of its tokens. A token must be for the `audience` and issued to the
    `client_id`, where they are set.
    """

    url: str
    audience: str = ""
    client_id: str = ""

    def __post_init__(self) -> None:
        check_address(self.url, "address of the issuer")
        if not self.audience and not self.client_id:
            raise ServiceSettingsError(
                "An issuer gives tokens to many programs: set the audience or the client id to accept."
            )


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The database, and who may call the service.

    `database_url` is the SQLAlchemy address of an SQLite file or a PostgreSQL database. Either the client
    gets its tokens here, with its secret, or the tokens of another issuer are accepted. `sample` fills an
    empty database with sample data. `version` is shown by `/readyz`.
    """

    database_url: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    issuer: OtherIssuer | None = None
    sample: bool = False
    version: str = "unknown"

    def __post_init__(self) -> None:
        if self.issuer is None and not (self.client_id and self.client_secret):
            raise ServiceSettingsError("The service needs a client id and a client secret.")


def demo_settings(database_url: str) -> ServiceSettings:
    """Return the settings of a demo: sample data for the client `demo` with the secret `demo`."""
    return ServiceSettings(database_url, DEMO_CLIENT, DEMO_CLIENT, sample=True)


def check_host(settings: ServiceSettings, host: str) -> None:
    """Raise ServiceSettingsError if other machines could reach a service with a public secret."""
    if settings.client_secret == DEMO_CLIENT and not is_loopback(host):
        raise ServiceSettingsError(
            f"The demo's secret is public, so the demo listens on 127.0.0.1 only, not on {host}."
        )


def holds_password(database_url: str) -> bool:
    """True if the address contains a password, before the host or as a parameter."""
    before_host, _, _ = database_url.partition("://")[2].partition("/")[0].rpartition("@")
    return ":" in before_host or "password" in parse_qs(database_url.partition("?")[2])


def check_address(text: str, name: str) -> str:
    """Return the web address; raises ServiceSettingsError if it is invalid or not secure."""
    try:
        parts = urlsplit(text)
        hostname, port = parts.hostname or "", parts.port
    except ValueError:
        hostname, port = "", None
    is_plain = text.isascii() and text.isprintable() and not {"?", "#", "@", " "} & set(text)
    if not hostname or port == 0 or not is_plain:
        raise ServiceSettingsError(f"The {name} is not a plain web address.")
    if not text.startswith("https://") and not (text.startswith("http://") and is_loopback(hostname)):
        raise ServiceSettingsError(f"The {name} is not secure: it must begin with https://.")
    return text


def is_loopback(host: str) -> bool:
    """True if only this machine has this address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
