"""From the claims of a sign-in to a person. OpenID Connect Core 1.0, "ID Token Validation".

The dashboard's cookie holds what the provider once said, and is believed for as long as it is signed.
So issuer, audience and times are checked here, each time.
"""

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from item_visibility.access.machine_user import machine_user
from item_visibility.access.person import Person
from item_visibility.access.sign_in_rules import SignInRules
from item_visibility.errors import SignInError

LEEWAY = timedelta(seconds=30)
"""By so much may the provider's clock be ahead of ours."""

_MOST_NAME_CHARACTERS = 100
_UNREADABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NAMES = ("name", "preferred_username", "email", "sub")


def person_who_asks(rules: SignInRules | None, claims: Mapping[str, object], *, now: datetime) -> Person:
    """Return the person that the claims name, or the user of this machine where nobody signs in.

    `claims` are those of the provider's cookie, with `is_logged_in`. Raises SignInError when nobody is
    signed in.
    """
    if rules is None:
        return machine_user()
    if claims.get("is_logged_in") is not True:
        raise SignInError("Nobody is signed in here. Nothing was changed.", advice="Sign in.")
    return person_of_claims(claims, rules, now=now)


def person_of_claims(claims: Mapping[str, object], rules: SignInRules, *, now: datetime) -> Person:
    """Return the person whom the provider's claims name, with a role or without.

    A sign-in that has ended gives a person too: each check refuses it. Raises SignInError when the claims
    are not from the provider, not for this dashboard, or do not say who it is and since when.
    """
    subject = claims.get("sub")
    began_at, read_until = _time(claims.get("iat")), _time(claims.get("exp"))
    is_ours = claims.get("iss") == rules.issuer and _is_for(claims, rules.client_id)
    if not is_ours or not isinstance(subject, str) or not subject or began_at is None or read_until is None:
        raise _not_valid()
    if began_at > now + LEEWAY or read_until <= began_at:
        raise _not_valid()
    roles = _at(claims, rules.roles_claim)
    names = [readable for one in _NAMES if (readable := readable_name(claims.get(one)))]
    return Person(
        issuer=rules.issuer,
        subject=subject,
        name=next(iter(names), "unnamed"),
        role=rules.role_names.highest(roles) if isinstance(roles, (list, tuple)) else None,
        began_at=began_at,
        ends_at=began_at + rules.lasts,
        session=_text(claims.get("sid")) or began_at.isoformat(),
        names=frozenset({*names, subject}),
    )


def readable_name(value: object) -> str:
    """Return a name without what cannot be read, and not too long; empty when it is no text."""
    if not isinstance(value, str):
        return ""
    readable = "".join(char for char in value if unicodedata.category(char) not in _UNREADABLE)
    return readable.strip()[:_MOST_NAME_CHARACTERS].strip()


def _at(claims: Mapping[str, object], path: str) -> object:
    """Return what stands at the path; None where nothing does. A key may hold dots itself."""
    if path in claims:
        return claims[path]
    parts = path.split(".")
    for size in range(1, len(parts)):
        inner = claims.get(".".join(parts[:size]))
        if isinstance(inner, Mapping) and (found := _at(inner, ".".join(parts[size:]))) is not None:
            return found
    return None


def _is_for(claims: Mapping[str, object], client_id: str) -> bool:
    """True when the claims are meant for this client, and no other was given them."""
    audience, party = claims.get("aud", client_id), claims.get("azp", client_id)
    named = audience if isinstance(audience, (list, tuple)) else (audience,)
    return client_id in named and party == client_id


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    """Return the time of a NumericDate; None when it is none."""
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
