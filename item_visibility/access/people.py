"""People and their roles."""

import getpass
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

_ON_THIS_MACHINE = "machine"


class Role(IntEnum):
    """The rights of a person. A higher role includes the lower ones."""

    VIEWER = 1
    """Look at everything, and export it."""
    EDITOR = 2
    """Change visibilities, recipient sets and names; run jobs of their own."""
    ADMIN = 3
    """Import names and sets, manage everyone's jobs, sign people out, run the demo."""

    @property
    def word(self) -> str:
        """The role as shown on screen."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person who signed in, or the user of this machine if no sign-in is configured.

    Attributes:
        issuer, subject: identify the person, even after the name has changed.
        name: the name on screen.
        role: None for a person without a role.
        began_at, ends_at: when the sign-in begins and ends; None for the user of this
            machine.
        session: the provider's id of the session.
        names: all names that the provider reports, and the subject.
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
        """The person's key in the history and in jobs.

        No issuer contains a space, so keys are unique.
        """
        return f"{self.issuer} {self.subject}"

    @property
    def has_signed_in(self) -> bool:
        """True for a person who signed in, False for the user of this machine."""
        return self.issuer != _ON_THIS_MACHINE

    def may(self, needed: Role, *, at: datetime) -> bool:
        """True when the role is high enough and the sign-in has not ended by then."""
        has_ended = self.ends_at is not None and at >= self.ends_at
        return self.has_role(needed) and not has_ended

    def has_role(self, needed: Role) -> bool:
        """True when the role is high enough, even if the sign-in has ended."""
        return self.role is not None and self.role >= needed

    def may_change(self, owner_key: str) -> bool:
        """True for an editor who is the owner, and for an admin."""
        needed = Role.EDITOR if self.key == owner_key else Role.ADMIN
        return self.has_role(needed)


def machine_user(note: str = "") -> Person:
    """Return the operating system's user with the role admin.

    `note` is appended to the name.
    """
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = "unknown"
    return Person(subject=name, name=f"{name}{note}", role=Role.ADMIN)
