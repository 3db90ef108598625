"""The rules of a sign-in: which provider, which names of roles, and how long a sign-in lasts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from item_visibility.access.person import Role

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
class SignInRules:
    """A sign-in with an OpenID provider.

    `roles_claim` is the path to the list of roles, its parts joined by dots. A sign-in ends after `lasts`.
    """

    issuer: str
    client_id: str
    roles_claim: str = "realm_access.roles"
    role_names: RoleNames = RoleNames()
    lasts: timedelta = timedelta(hours=DEFAULT_HOURS)
