"""A person who works here, with the role that they have for as long as their sign-in lasts."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

_ON_THIS_MACHINE = "machine"


class Role(IntEnum):
    """The rights of a person. A higher role includes the lower ones."""

    VIEWER = 1
    """Look at everything, and export it."""
    EDITOR = 2
    """Change who can see an item, sets and names; work with jobs of their own."""
    ADMIN = 3
    """Also import files of names and sets, stop and retry jobs of others, and set the switches of a demo."""

    @property
    def word(self) -> str:
        """The role as the screen names it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person, or the user of this machine where nobody signs in.

    `issuer` and `subject` say who it is, also after a change of name; `name` is what others read. `role` is
    None for somebody who has none. `names` are all names that the provider gives, the subject included.
    The sign-in was made at `began_at` and ends at `ends_at`; both are None for the user of this machine.
    `session` is the provider's name for the session that it is part of.
    """

    subject: str
    name: str
    role: Role | None
    issuer: str = _ON_THIS_MACHINE
    began_at: datetime | None = None
    ends_at: datetime | None = None
    session: str = ""
    names: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The text under which history and jobs know the person. No issuer holds a space."""
        return f"{self.issuer} {self.subject}"

    def may(self, needed: Role, *, at: datetime) -> bool:
        """True when the sign-in lasts until then, and the role is high enough."""
        return (self.ends_at is None or at < self.ends_at) and self.has_role(needed)

    def has_role(self, needed: Role) -> bool:
        """True when the role is high enough, whether the sign-in lasts or not."""
        return self.role is not None and self.role >= needed

    @property
    def has_signed_in(self) -> bool:
        """True for a person with a sign-in, False for the user of this machine."""
        return self.issuer != _ON_THIS_MACHINE
