"""Reads the person from the claims of a sign-in.

The issuer, the audience and the times are checked as OpenID Connect Core 1.0, "ID Token
Validation", describes.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from item_visibility.access.people import Person, Role, machine_user
from item_visibility.errors import SignInError

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
