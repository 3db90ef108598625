"""The claims of a sign-in become a person."""

from datetime import UTC, datetime, timedelta

import pytest

from item_visibility.access.claims import SignInRules, current_person, person_of_claims
from item_visibility.access.people import Role, machine_user
from item_visibility.errors import SignInError
from tests.access.signing_in import ISSUER, NOW, RULES, claims

EDITOR = "item-visibility-editor"
EPOCH_2020 = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
SOON = (NOW + timedelta(minutes=5)).timestamp()


def test_a_person_is_identified_by_issuer_and_subject_and_shown_by_name() -> None:
    person = person_of_claims(
        claims(preferred_username="anna", email="anna@x.com\n"), RULES, now=NOW
    )
    assert person.key == f"{ISSUER} 4f7a"
    assert person.name == "Anna Muster"
    assert person.role == Role.EDITOR
    assert person.began_at == NOW - timedelta(hours=1)
    assert person.ends_at == NOW + timedelta(hours=7)
    assert person.has_signed_in
    assert person.names == {"Anna Muster", "anna", "anna@x.com", "4f7a"}


@pytest.mark.parametrize(
    ("realm_access", "role"),
    [
        ({"roles": ["item-visibility-viewer"]}, Role.VIEWER),
        ({"roles": ["item-visibility-admin", "item-visibility-viewer"]}, Role.ADMIN),
        ({"roles": ("item-visibility-editor",)}, Role.EDITOR),
        ({"roles": None}, None),
        ({"roles": "item-visibility-admin"}, None),
        ({"roles": {"item-visibility-admin": True}}, None),
        (
            {
                "roles": [
                    "Item-Visibility-Admin",
                    " item-visibility-admin",
                    "not-item-visibility-admin",
                ]
            },
            None,
        ),
        ({"roles": [["item-visibility-admin"], 3, None]}, None),
        *((odd, None) for odd in (None, "roles", {"role": ["x"]})),
    ],
)
def test_only_an_exact_name_in_a_list_gives_a_role(
    realm_access: object, role: Role | None
) -> None:
    assert (
        person_of_claims(claims(realm_access=realm_access), RULES, now=NOW).role is role
    )


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("groups", {"groups": [EDITOR]}),
        ("https://example.com/roles", {"https://example.com/roles": [EDITOR]}),
        (
            "resource_access.my.client.roles",
            {"resource_access": {"my.client": {"roles": [EDITOR]}}},
        ),
    ],
)
def test_the_settings_say_where_the_roles_are(
    path: str, found: dict[str, object]
) -> None:
    rules = SignInRules(issuer=ISSUER, client_id="dashboard", roles_claim=path)
    assert person_of_claims(claims(**found), rules, now=NOW).role is Role.EDITOR


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://login.example.com/realms/other"},
        {"iss": ISSUER + "/"},
        {"iss": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"aud": "another"},
        {"aud": ["another"]},
        {"azp": "another"},
        {"iat": None},
        {"iat": True},
        {"iat": "1763640000"},
        {"iat": float("nan")},
        {"iat": SOON},
        {"exp": None},
        {"exp": 1e300},
        {"exp": EPOCH_2020},
    ],
)
def test_foreign_or_incomplete_claims_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SignInError):
        person_of_claims(claims(**wrong), RULES, now=NOW)


@pytest.mark.parametrize(
    "fine",
    [
        {"aud": ["account", "dashboard"]},
        {"aud": None, "azp": None},
        {"iat": (NOW + timedelta(seconds=20)).timestamp()},
    ],
)
def test_a_list_of_audiences_or_none_and_a_clock_slightly_ahead_are_accepted(
    fine: dict[str, object],
) -> None:
    assert person_of_claims(claims(**fine), RULES, now=NOW).role is Role.EDITOR


@pytest.mark.parametrize(
    ("changed", "ends_at"),
    [
        ({"exp": SOON}, NOW + timedelta(hours=7)),
        (
            {"iat": EPOCH_2020, "exp": EPOCH_2020 + 300},
            datetime(2020, 1, 1, 8, tzinfo=UTC),
        ),
    ],
)
def test_a_sign_in_expires(changed: dict[str, object], ends_at: datetime) -> None:
    assert person_of_claims(claims(**changed), RULES, now=NOW).ends_at == ends_at


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ({"name": None, "preferred_username": "anna"}, "anna"),
        ({"name": "  ", "email": "anna@example.com"}, "anna@example.com"),
        ({"name": ["Anna"]}, "4f7a"),
        ({"name": None, "sub": "\n"}, "unnamed"),
        ({"name": "Anna\n\u202eMuster " + "x" * 200}, "AnnaMuster " + "x" * 89),
    ],
)
def test_a_person_is_shown_by_the_first_name_that_can_be_read(
    named: dict[str, object], name: str
) -> None:
    assert person_of_claims(claims(**named), RULES, now=NOW).name == name


@pytest.mark.parametrize(
    ("sid", "session"),
    [
        ("s1", "s1"),
        (None, "2026-11-20T11:00:00+00:00"),
        (7, "2026-11-20T11:00:00+00:00"),
    ],
)
def test_a_sign_in_is_part_of_a_session(sid: object, session: str) -> None:
    assert person_of_claims(claims(sid=sid), RULES, now=NOW).session == session


def test_without_rules_the_user_of_this_machine_is_the_current_user() -> None:
    assert (
        current_person(None, claims() | {"is_logged_in": True}, now=NOW)
        == machine_user()
    )
    assert (
        current_person(RULES, claims() | {"is_logged_in": True}, now=NOW).name
        == "Anna Muster"
    )


@pytest.mark.parametrize("word", [False, None, "true", 1])
def test_without_a_sign_in_nobody_is_signed_in(word: object) -> None:
    with pytest.raises(SignInError, match="You are not signed in"):
        current_person(RULES, claims() | {"is_logged_in": word}, now=NOW)
