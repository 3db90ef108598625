"""The person in the claims of a sign-in. OpenID Connect Core 1.0, "ID Token Validation".

Streamlit accepts its signed cookie, however old it is. So issuer, audience and times are checked here,
each time.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from item_visibility.access.access import Person, Role, machine_user
from item_visibility.errors import SignInError

DEFAULT_HOURS = 8
"""The hours that a sign-in lasts: a working day."""

DEFAULT_ROLES_CLAIM = "realm_access.roles"
"""Where Keycloak puts the roles."""

LEEWAY = timedelta(seconds=30)
"""Allowed clock skew."""

ROLES = {
    "item-visibility-viewer": Role.VIEWER,
    "item-visibility-editor": Role.EDITOR,
    "item-visibility-admin": Role.ADMIN,
}
"""The roles by their names at the provider. Only exact names count."""

_MOST_NAME_CHARACTERS = 100
_UNREADABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NAMES = ("name", "preferred_username", "email", "sub")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRules:
    """The sign-in with an OpenID provider.

    `roles_claim` is the path to the list of roles, its parts joined by dots. A sign-in ends after `lasts`.
    """

    issuer: str
    client_id: str
    roles_claim: str = DEFAULT_ROLES_CLAIM
    lasts: timedelta = timedelta(hours=DEFAULT_HOURS)


def person_who_asks(rules: SignInRules | None, claims: Mapping[str, object], *, now: datetime) -> Person:
    """Return the person in the claims, or without rules the user of this machine.

    `claims` are those of Streamlit's cookie, with `is_logged_in`. Raises SignInError when nobody is signed
    in.
    """
    if rules is None:
        return machine_user()
    if claims.get("is_logged_in") is not True:
        raise SignInError("You are not signed in. Nothing was changed.", advice="Sign in.")
    return person_of_claims(claims, rules, now=now)


def person_of_claims(claims: Mapping[str, object], rules: SignInRules, *, now: datetime) -> Person:
    """Return the person in the provider's claims, with or without a role.

    An ended sign-in also returns a person: `Access` refuses it at each check. Raises SignInError when the
    claims are not from this provider, are not for this dashboard, or lack the subject or the times.
    """
    subject = claims.get("sub")
    began_at, expires_at = _time(claims.get("iat")), _time(claims.get("exp"))
    audience, party = claims.get("aud", rules.client_id), claims.get("azp", rules.client_id)
    audiences = audience if isinstance(audience, (list, tuple)) else (audience,)
    is_for_us = rules.client_id in audiences and party == rules.client_id
    is_ours = claims.get("iss") == rules.issuer and is_for_us
    if not is_ours or not isinstance(subject, str) or not subject or began_at is None or expires_at is None:
        raise _not_valid()
    if began_at > now + LEEWAY or expires_at <= began_at:
        raise _not_valid()
    named, sid = _at(claims, rules.roles_claim), claims.get("sid")
    texts = [one for one in named if isinstance(one, str)] if isinstance(named, (list, tuple)) else []
    roles = [ROLES[one] for one in texts if one in ROLES]
    names = [readable for one in _NAMES if (readable := readable_name(claims.get(one)))]
    return Person(
        issuer=rules.issuer,
        subject=subject,
        name=next(iter(names), "unnamed"),
        role=max(roles, default=None),
        began_at=began_at,
        ends_at=began_at + rules.lasts,
        session=sid if isinstance(sid, str) and sid else began_at.isoformat(),
        names=frozenset({*names, subject}),
    )


def readable_name(value: object) -> str:
    """Return a name without unreadable characters, cut to a limit; empty when it is not text."""
    if not isinstance(value, str):
        return ""
    readable = "".join(char for char in value if unicodedata.category(char) not in _UNREADABLE)
    return readable.strip()[:_MOST_NAME_CHARACTERS].strip()


def _at(claims: Mapping[str, object], path: str) -> object:
    """Return the value at the path, or None. A key may contain dots itself."""
    if path in claims:
        return claims[path]
    parts = path.split(".")
    for size in range(1, len(parts)):
        inner = claims.get(".".join(parts[:size]))
        if isinstance(inner, Mapping) and (found := _at(inner, ".".join(parts[size:]))) is not None:
            return found
    return None


def _time(value: object) -> datetime | None:
    """Return the time of a NumericDate, or None when it is not one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _not_valid() -> SignInError:
    return SignInError(
        "This sign-in is not valid here. Nothing was changed.",
        advice="Sign out, and sign in again. If that does not help, ask whoever runs this dashboard.",
    )
