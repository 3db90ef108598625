"""The rules of a sign-in: whose word counts, which names stand for which role, and how long it lasts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address

from item_visibility.people.person import Role

DEFAULT_HOURS = 8
"""The hours that a sign-in lasts: a working day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleNames:
    """The names by which the provider calls the roles. Only exactly these count."""

    viewer: str = "item-visibility-viewer"
    editor: str = "item-visibility-editor"
    admin: str = "item-visibility-admin"

    def highest(self, names: Iterable[object]) -> Role | None:
        """Return the highest role among these names; None when no name is one of a role."""
        roles = {self.viewer: Role.VIEWER, self.editor: Role.EDITOR, self.admin: Role.ADMIN}
        found = (roles[name] for name in names if isinstance(name, str) and name in roles)
        return max(found, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRules:
    """A sign-in with an OpenID provider.

    `roles_claim` is the path to the list of roles, its parts joined by dots. A sign-in ends `lasts` after it
    was made.
    """

    issuer: str
    client_id: str
    roles_claim: str = "realm_access.roles"
    role_names: RoleNames = RoleNames()
    lasts: timedelta = timedelta(hours=DEFAULT_HOURS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRules:
    """A sign-in at an authenticating proxy, which says in headers who asks.

    Only a proxy at one of the addresses `trusted` is believed. `user_header` identifies the person,
    `groups_header` has their roles, with commas between. `sign_out_url` is where the proxy signs people
    out; empty where that is not known.
    """

    trusted: tuple[IPv4Network | IPv6Network, ...]
    user_header: str = "X-Forwarded-User"
    name_header: str = "X-Forwarded-Preferred-Username"
    groups_header: str = "X-Forwarded-Groups"
    sign_out_url: str = ""
    role_names: RoleNames = RoleNames()
    lasts: timedelta = timedelta(hours=DEFAULT_HOURS)

    def trusts(self, peer: str) -> bool:
        """True when a connection from this address is one of the proxy. This machine's own are one."""
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        if address.is_loopback:
            return any(network.is_loopback for network in self.trusted)
        return any(address in network for network in self.trusted)


SignInRules = ProviderRules | ProxyRules
"""The way to sign in here; None in the settings where nobody does."""
