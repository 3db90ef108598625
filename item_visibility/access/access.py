"""The check before each use case: who asks, with which role, in which environment.

Streamlit accepts its signed cookie at any age. So the end of a sign-in, and sign-outs
elsewhere, are checked here.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Person, Role
from item_visibility.errors import (
    OtherEnvironmentError,
    RecordsError,
    RoleError,
    SignInError,
)


class SignOutRecords(Protocol):
    """The recorded sign-outs.

    The methods raise RecordsError when our own database cannot be used.
    """

    def end(self, person: Person, *, at: datetime) -> None:
        """Record that the person signed out."""

    def end_every(self, name: str | None) -> datetime:
        """Sign out the people with this name; None means everyone.

        Return the time of the sign-out.
        """

    def is_ended(self, person: Person) -> bool:
        """True when the person's sign-in was ended by a sign-out."""


@dataclass(eq=False)
class Access:
    """Checks what the current user may do.

    `ask` returns the current user. It is called in the caller's thread and raises
    SignInError when nobody is signed in. While our own database cannot be used, people
    can read but cannot change anything.

    `is_shown` returns True if the caller's window shows the environment of this desk.
    If not, the person sees another environment than the one that would be changed, so
    `require` refuses every change.
    """

    ask: Callable[[], Person]
    clock: Callable[[], datetime]
    sign_outs: SignOutRecords
    is_shown: Callable[[], bool] = lambda: True

    def person(self) -> Person:
        """Return the current user. Raises SignInError when nobody is signed in."""
        with suppress(RecordsError):
            return self._not_signed_out()
        return self.ask()

    def require(self, needed: Role) -> Person:
        """Return the current user if they have this role and their sign-in is valid.

        Raises SignInError and RoleError. For the roles editor and admin, it also raises
        RecordsError when sign-outs cannot be read, and OtherEnvironmentError when the
        window shows another environment.
        """
        try:
            person = self._not_signed_out()
        except RecordsError:
            # Without our database, people can read.
            person = self.ask()
            if needed is not Role.VIEWER and person.has_role(needed):
                raise
        if person.ends_at is not None and self.clock() >= person.ends_at:
            raise SignInError(
                "Your sign-in has ended. Nothing was changed.", advice="Sign in again."
            )
        if person.role is not None and person.role >= needed:
            if needed is not Role.VIEWER:
                self._refuse_unless_shown(person)
            return person

        log_access(Event.REFUSED, person)
        if person.role is None:
            raise RoleError(
                f"{person.name} has no role here. Nothing was shown or changed.",
                advice="Ask whoever runs this dashboard for the role viewer, editor or"
                " admin.",
            )
        raise RoleError(
            f"With the role {person.role.word} you cannot do this."
            " Nothing was changed.",
            advice=f"Ask whoever runs this dashboard for the role {needed.word}.",
        )

    def require_owner(self, owner_key: str) -> Person:
        """Return the current user if they are the owner or an admin.

        Raises SignInError, RoleError and RecordsError.
        """
        person = self.require(Role.EDITOR)
        if not person.may_change(owner_key):
            log_access(Event.REFUSED, person)
            raise RoleError(
                "This belongs to somebody else. Nothing was changed.",
                advice="Ask its owner or an admin.",
            )
        return person

    def allows(self, needed: Role) -> bool:
        """True when the current user has the role. Screens use it to hide actions.

        It does not check whether the sign-in has ended; `require` does.
        """
        with suppress(SignInError):
            return self.person().has_role(needed)
        return False

    def allows_owner(self, owner_key: str) -> bool:
        """True when the current user is the owner or an admin.

        Like `allows`, it is for screens only.
        """
        with suppress(SignInError):
            return self.person().may_change(owner_key)
        return False

    def sign_out(self) -> None:
        """End the current user's sign-in in every window and process.

        Raises RecordsError.
        """
        with suppress(SignInError):
            person = self.ask()
            if person.has_signed_in:
                log_access(Event.SIGN_OUT, person)
                self.sign_outs.end(person, at=self.clock())

    def end_sign_ins(self, name: str | None) -> None:
        """Sign out the people with this name, e-mail address or subject, or everyone.

        None means everyone. Only an admin may do this. Raises SignInError, RoleError
        and RecordsError.
        """
        admin = self.require(Role.ADMIN)
        self.sign_outs.end_every(name)
        log_access(Event.SIGN_INS_ENDED, admin)

    def _refuse_unless_shown(self, person: Person) -> None:
        if not self.is_shown():
            log_access(Event.REFUSED, person)
            raise OtherEnvironmentError(
                "This window no longer shows the environment of this change. Nothing "
                "was changed.",
                advice="Load the page again, and check which environment it shows.",
            )

    def _not_signed_out(self) -> Person:
        person = self.ask()
        if self.sign_outs.is_ended(person):
            raise SignInError(
                "You were signed out. Nothing was changed.", advice="Sign in again."
            )
        return person
