"""Sign-ins, roles, the check before each use case, and the access log.

Streamlit accepts its signed cookie at any age. So the issuer, audience and times of a
sign-in are checked here before each use case, as described in OpenID Connect Core 1.0,
"ID Token Validation".
"""

import getpass
import logging
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Protocol

from item_visibility.errors import (
    OtherEnvironmentError,
    RecordsError,
    RoleError,
    SignInError,
)

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


DEFAULT_HOURS = 8
"""The duration of a sign-in."""

DEFAULT_ROLES_CLAIM = "realm_access.roles"
"""The claim in which Keycloak lists the roles."""

LEEWAY = timedelta(seconds=30)
"""Allowed clock skew."""

ROLES = {f"item-visibility-{role.word}": role for role in Role}
"""The roles by the provider's names for them, such as `item-visibility-viewer`."""

_MOST_NAME_CHARACTERS = 100
_UNREADABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NAMES = ("name", "preferred_username", "email", "sub")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRules:
    """The settings of the sign-in with an OpenID provider.

    `roles_claim` is the path to the list of roles in the claims, such as
    `realm_access.roles`. `lasts` is the duration of a sign-in.
    """

    issuer: str
    client_id: str
    roles_claim: str = DEFAULT_ROLES_CLAIM
    lasts: timedelta = timedelta(hours=DEFAULT_HOURS)


def current_person(
    rules: SignInRules | None, claims: Mapping[str, object], *, now: datetime
) -> Person:
    """Return the person in the claims of Streamlit's cookie.

    If no sign-in is configured (`rules` is None), return the user of this machine.
    Raises SignInError when nobody is signed in.
    """
    if rules is None:
        return machine_user()
    if claims.get("is_logged_in") is not True:
        raise SignInError(
            "You are not signed in. Nothing was changed.", advice="Sign in."
        )
    return person_of_claims(claims, rules, now=now)


def person_of_claims(
    claims: Mapping[str, object], rules: SignInRules, *, now: datetime
) -> Person:
    """Return the person in the provider's claims.

    The role may be None, and the sign-in may have ended. Raises SignInError when the
    claims are from another provider or for another application, or when the subject or
    the times are missing.
    """
    subject = claims.get("sub")
    began_at = _time(claims.get("iat"))
    expires_at = _time(claims.get("exp"))
    is_ours = claims.get("iss") == rules.issuer and _is_for(rules.client_id, claims)
    if (
        not is_ours
        or not isinstance(subject, str)
        or not subject
        or began_at is None
        or expires_at is None
        or expires_at <= began_at
        or began_at > now + LEEWAY
    ):
        raise SignInError(
            "This sign-in is not valid here. Nothing was changed.",
            advice="Sign out, and sign in again. If that does not help, ask whoever"
            " runs this dashboard.",
        )

    names = [readable_name(claims.get(claim)) for claim in _NAMES]
    names = [name for name in names if name]
    session = claims.get("sid")
    if not isinstance(session, str) or not session:
        session = began_at.isoformat()
    return Person(
        issuer=rules.issuer,
        subject=subject,
        name=names[0] if names else "unnamed",
        role=_highest_role(_at(claims, rules.roles_claim)),
        began_at=began_at,
        ends_at=began_at + rules.lasts,
        session=session,
        names=frozenset({*names, subject}),
    )


def _is_for(client_id: str, claims: Mapping[str, object]) -> bool:
    """True when the claims are for this client. A missing claim is no objection."""
    audience = claims.get("aud", client_id)
    audiences = audience if isinstance(audience, (list, tuple)) else (audience,)
    return client_id in audiences and claims.get("azp", client_id) == client_id


def _highest_role(value: object) -> Role | None:
    """Return the highest of the roles in a list of their names."""
    if not isinstance(value, (list, tuple)):
        return None
    names = [name for name in value if isinstance(name, str)]
    return max((ROLES[name] for name in names if name in ROLES), default=None)


def readable_name(value: object) -> str:
    """Return the name without invisible characters, cut to the limit.

    Empty when it is not text.
    """
    if not isinstance(value, str):
        return ""
    readable = [char for char in value if unicodedata.category(char) not in _UNREADABLE]
    return "".join(readable).strip()[:_MOST_NAME_CHARACTERS].strip()


def _at(claims: Mapping[str, object], path: str) -> object:
    """Return the value at this dotted path, or None.

    Keys that contain dots are found too.
    """
    if path in claims:
        return claims[path]
    parts = path.split(".")
    for size in range(1, len(parts)):
        inner = claims.get(".".join(parts[:size]))
        if not isinstance(inner, Mapping):
            continue
        value = _at(inner, ".".join(parts[size:]))
        if value is not None:
            return value
    return None


def _time(value: object) -> datetime | None:
    """Convert seconds since 1970 to a time; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


ACCESS_LOG = "item_visibility.access_log"
"""The name of the logger for sign-ins, reads, exports, changes and refusals."""


class Event(StrEnum):
    """The events of the access log."""

    SIGN_IN = "sign-in"
    SIGN_IN_REFUSED = "sign-in refused"
    SIGN_OUT = "sign-out"
    SIGN_INS_ENDED = "sign-ins ended"
    REFUSED = "refused"
    READ = "read"
    EXPORT = "export"
    CHANGE = "change"


def log_access(
    event: Event, person: Person | None, *, item_count: int = 0, request_id: str = ""
) -> None:
    """Write a line to the access log. `person` is None for an unknown person.

    `request_id` is the id of a single request, or the key of a save or job, which sends
    many requests.
    """
    facts: dict[str, object] = {
        "request_id": request_id,
        "item_count": item_count or "",
    }
    if person is not None:
        role = "none" if person.role is None else person.role.word
        facts |= {"person": person.key, "person_name": person.name, "role": role}
    logging.getLogger(ACCESS_LOG).info(event, extra=facts)


class SignOuts(Protocol):
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
    sign_outs: SignOuts
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
