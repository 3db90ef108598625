"""The kinds of people who may ask: by role, by age of the sign-in, and by what is wrong with it."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from item_visibility.access.access import Person, Role
from item_visibility.access.sign_in import SignInRules, person_of_claims
from item_visibility.errors import SignInError
from tests.support.fake_visibilities import START

ISSUER = "https://login.example.com/realms/company"
SUBJECT, SOMEBODY_ELSE = "4f7a", "0815"
SIGNED_OUT = "signed out in another tab"
_RULES = SignInRules(issuer=ISSUER, client_id="dashboard")


def _signed_in(roles: object, *, issuer: str = ISSUER, age: timedelta = timedelta(0)) -> Callable[[], Person]:
    """Return what gives the person whom these claims of a provider name."""
    began_at = START - age
    claims: Mapping[str, object] = {
        "iss": issuer,
        "sub": SUBJECT,
        "aud": "dashboard",
        "iat": began_at.timestamp(),
        "exp": (began_at + timedelta(minutes=5)).timestamp(),
        "realm_access": {"roles": roles},
    }
    return lambda: person_of_claims(claims, _RULES, now=START)


def _nobody() -> Person:
    raise SignInError("You are not signed in.", advice="Sign in.")


_LONG_AGO = timedelta(hours=8)
PEOPLE: dict[str, tuple[Callable[[], Person], Role | None]] = {
    "viewer": (_signed_in(["item-visibility-viewer"]), Role.VIEWER),
    "editor": (_signed_in(["item-visibility-editor"]), Role.EDITOR),
    "admin": (_signed_in(["item-visibility-admin"]), Role.ADMIN),
    "editor, signed in 8 h ago": (_signed_in(["item-visibility-editor"], age=_LONG_AGO), None),
    "admin, signed in 8 h ago": (_signed_in(["item-visibility-admin"], age=_LONG_AGO), None),
    "no role": (_signed_in(["offline_access"]), None),
    "a text for a list": (_signed_in("item-visibility-admin"), None),
    "wrong issuer": (_signed_in(["item-visibility-admin"], issuer="https://other.example.com"), None),
    "not signed in": (_nobody, None),
    SIGNED_OUT: (_signed_in(["item-visibility-admin"]), None),
}
"""Each kind of person, and the role that counts; None for those who may do nothing.

A forged message asks as its window does; `tests/peers/test_sign_in.py` sends some to real windows.
"""
