"""Claims and people for tests of the sign-in."""

from datetime import UTC, datetime, timedelta

from item_visibility.access.claims import SignInRules
from item_visibility.access.people import Person, Role

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ISSUER = "https://login.example.com/realms/company"
SUBJECT = "4f7a"
RULES = SignInRules(issuer=ISSUER, client_id="dashboard")


def claims(**changed: object) -> dict[str, object]:
    """Return the claims of an editor who signed in an hour ago.

    A claim of None is left out.
    """
    whole: dict[str, object] = {
        "iss": ISSUER,
        "sub": SUBJECT,
        "aud": "dashboard",
        "azp": "dashboard",
        "iat": (NOW - timedelta(hours=1)).timestamp(),
        "exp": (NOW + timedelta(days=1)).timestamp(),
        "name": "Anna Muster",
        "realm_access": {"roles": ["offline_access", "item-visibility-editor"]},
    } | changed
    return {name: value for name, value in whole.items() if value is not None}


def signed_in(
    role: Role | None, *, subject: str = SUBJECT, ends_at: datetime | None = None
) -> Person:
    """Return a person who signed in an hour ago, for seven more hours."""
    return Person(
        issuer=ISSUER,
        subject=subject,
        name="Anna Muster",
        role=role,
        began_at=NOW - timedelta(hours=1),
        ends_at=ends_at or NOW + timedelta(hours=7),
    )
