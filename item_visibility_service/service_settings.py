"""The settings that the service needs to start."""

import ipaddress
from dataclasses import dataclass, field

from item_visibility_service.open_points.switches import Switches

DEMO_CLIENT = "demo"
"""The client id and the secret of a demo: both are public."""


class ServiceSettingsError(ValueError):
    """The service cannot start with these settings. The message says why, and holds no secret."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """One database, one client, and the switches for points where the specification is silent.

    `database_url` names an SQLite file or a PostgreSQL database, as SQLAlchemy writes it.
    """

    database_url: str = field(repr=False)
    client_id: str
    client_secret: str = field(repr=False)
    switches: Switches = field(default_factory=Switches)

    def __post_init__(self) -> None:
        if not self.client_id or not self.client_secret:
            raise ServiceSettingsError("The service needs a client id and a client secret.")


def demo_settings(database_url: str) -> ServiceSettings:
    """Return the settings of a demo: its client is `demo` with the secret `demo`."""
    return ServiceSettings(database_url=database_url, client_id=DEMO_CLIENT, client_secret=DEMO_CLIENT)


def check_host(settings: ServiceSettings, host: str) -> None:
    """Raise ServiceSettingsError if others could reach a service whose secret is public."""
    if settings.client_secret == DEMO_CLIENT and not _is_loopback(host):
        raise ServiceSettingsError(
            f"Everybody knows the secret of the demo, so the demo listens on 127.0.0.1 only, not on {host}."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
