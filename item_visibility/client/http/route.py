"""The way to the service: whose certificates to trust, and the proxy to pass, if any."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from item_visibility.client.address_checks import check_proxy
from item_visibility.client.http.masking import SecretText
from item_visibility.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Route:
    """The way that connections take. The default goes straight, and trusts what this machine trusts.

    Attributes:
        ca_file: certificates in PEM form to trust as well, such as a company's own authority.
        proxy: the address of a proxy; empty for none. It may hold a password. Addresses on this machine are
            reached without it.

    SettingsError if the file holds no certificate, or the address is none of a proxy.
    """

    ca_file: Path | None = None
    proxy: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "proxy", SecretText(self.proxy))
        if self.ca_file is not None:
            _check_certificates(self.ca_file)
        if self.proxy:
            check_proxy(self.proxy)


STRAIGHT = Route()
"""No proxy, and no other certificates than this machine's."""


def _check_certificates(path: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError as error:  # an SSLError is one, too
        reason = "holds no certificate" if isinstance(error, ssl.SSLError) else "cannot be read"
        raise SettingsError(
            f"The file of certificates {reason}: {path}.",
            advice="Name a file that holds the certificates of your authority in PEM form, as text.",
        ) from None
