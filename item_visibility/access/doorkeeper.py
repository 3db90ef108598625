"""The check before each read and write: who asks, does the sign-in last, is the role high enough?"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Protocol

from item_visibility.access.person import Person, Role
from item_visibility.errors import RoleError, SignInError

_CAN = {
    Role.VIEWER: "look at anything here",
    Role.EDITOR: "change anything",
    Role.ADMIN: "do this",
}


class SignOuts(Protocol):
    """The known sign-outs."""

    def end(self, person: Person, *, at: datetime) -> None:
        """Record that this sign-in was ended."""

    def is_ended(self, person: Person) -> bool:
        """True when this sign-in was ended."""


class Doorkeeper:
    """Admits those who may. `person` returns who asks, called in the thread of the one who asks.

    It raises SignInError when nobody is signed in.
    """

    def __init__(
        self,
        person: Callable[[], Person],
        *,
        clock: Callable[[], datetime],
        sign_outs: SignOuts | None = None,
    ) -> None:
        self._ask = person
        self._clock = clock
        self._sign_outs = sign_outs

    def person(self) -> Person:
        """Return who asks. Raises SignInError when nobody is signed in, here or any more.

        Raises RecordsError when it cannot be known who signed out.
        """
        person = self._ask()
        if self._sign_outs is not None and self._sign_outs.is_ended(person):
            raise SignInError("You were signed out. Nothing was changed.", advice="Sign in again.")
        return person

    def sign_out(self) -> None:
        """End the sign-in of who asks, in every window and process; nothing where nobody signed in.

        Raises RecordsError.
        """
        with suppress(SignInError):
            person = self._ask()
            if self._sign_outs is not None and person.has_signed_in:
                self._sign_outs.end(person, at=self._clock())

    def admit(self, needed: Role) -> Person:
        """Return the person who asks, if they may now do what needs this role.

        Raises RoleError, and the errors of `person`.
        """
        person = self.person()
        require(person, needed, at=self._clock())
        return person

    def admit_to_work_of(self, author_key: str) -> Person:
        """Return the person who asks, if they may change this person's work: their own, or as an admin.

        Raises SignInError and RoleError.
        """
        person = self.admit(Role.EDITOR)
        if not _may_change(person, author_key):
            raise RoleError(
                "This is somebody else's work. Nothing was changed.",
                advice="Ask the person who began it, or somebody with the role admin.",
            )
        return person

    def allows(self, needed: Role) -> bool:
        """True when who asks has the role: a screen hides what they may not do.

        Also after their sign-in has ended: `admit` looks at that.
        """
        return self._somebody_with(needed) is not None

    def allows_work_of(self, author_key: str) -> bool:
        """True when it is this person's own work, or an admin asks, also after their sign-in has ended."""
        editor = self._somebody_with(Role.EDITOR)
        return editor is not None and _may_change(editor, author_key)

    def _somebody_with(self, needed: Role) -> Person | None:
        """Return who asks, if they have the role; who asks is looked up once."""
        with suppress(SignInError):
            person = self.person()
            return person if person.has_role(needed) else None
        return None


def _may_change(editor: Person, author_key: str) -> bool:
    return editor.key == author_key or editor.role is Role.ADMIN


def require(person: Person, needed: Role, *, at: datetime) -> None:
    """Raise SignInError when the sign-in has ended by then, RoleError when the role is too low."""
    if person.ends_at is not None and at >= person.ends_at:
        raise SignInError("Your sign-in has ended. Nothing was changed.", advice="Sign in again.")
    if person.role is None:
        raise RoleError(
            f"{person.name} has no role here. Nothing was shown or changed.",
            advice="Ask whoever runs this dashboard for the role viewer, editor or admin.",
        )
    if person.role < needed:
        raise RoleError(
            f"With the role {person.role.word} you cannot {_CAN[needed]}. Nothing was changed.",
            advice=f"Ask whoever runs this dashboard for the role {needed.word}.",
        )
