"""The check before each read and write, beyond the authorisation matrix."""

from collections.abc import Callable
from datetime import timedelta
from unittest.mock import Mock

import pytest

from item_visibility.access.access import Access, Person, Role, machine_user
from item_visibility.errors import RecordsError, RoleError, SignInError
from tests.access.signing_in import NOW, signed_in


@pytest.fixture
def sign_outs() -> Mock:
    return Mock(is_ended=Mock(return_value=False))


def access(who: Callable[[], Person], sign_outs: Mock | None = None) -> Access:
    return Access(who, clock=lambda: NOW, sign_outs=sign_outs)


def nobody() -> Person:
    raise SignInError("You are not signed in. Nothing was changed.", advice="Sign in.")


def test_who_signed_out_is_nobody_in_any_window(sign_outs: Mock) -> None:
    door = access(lambda: signed_in(Role.ADMIN), sign_outs)
    assert door.allows(Role.EDITOR)
    door.sign_out()
    sign_outs.end.assert_called_once_with(signed_in(Role.ADMIN), at=NOW)
    sign_outs.is_ended.return_value = True
    assert not door.allows(Role.EDITOR)
    with pytest.raises(SignInError, match="You were signed out"):
        door.require(Role.VIEWER)


@pytest.mark.parametrize("who", [machine_user, nobody])
def test_where_nobody_signs_in_nobody_signs_out(sign_outs: Mock, who: Callable[[], Person]) -> None:
    access(who, sign_outs).sign_out()
    sign_outs.end.assert_not_called()


def test_only_an_admin_ends_the_sign_ins_of_others(sign_outs: Mock) -> None:
    doors = {role: access(lambda role=role: signed_in(role), sign_outs) for role in Role}
    for role in (Role.VIEWER, Role.EDITOR):
        with pytest.raises(RoleError):
            doors[role].end_sign_ins("bob")
    sign_outs.end_every.assert_not_called()
    doors[Role.ADMIN].end_sign_ins("bob")
    sign_outs.end_every.assert_called_once_with("bob", at=NOW)
    access(lambda: signed_in(Role.ADMIN)).end_sign_ins(None)  # no sign-outs are kept: nothing to end


def test_without_our_database_people_can_read_and_change_nothing(sign_outs: Mock) -> None:
    sign_outs.is_ended.side_effect = RecordsError("No database.", advice="Wait.")
    door = access(lambda: signed_in(Role.EDITOR), sign_outs)
    assert door.require(Role.VIEWER) == door.person() == signed_in(Role.EDITOR)
    assert (door.allows(Role.EDITOR), door.allows_owner(door.person().key)) == (True, True)
    for change in (lambda: door.require(Role.EDITOR), lambda: door.require_owner("x")):
        with pytest.raises(RecordsError):
            change()


@pytest.mark.parametrize(
    ("person", "may"),
    [
        (machine_user(), True),
        (signed_in(Role.VIEWER), False),
        (signed_in(Role.EDITOR), True),
        (signed_in(Role.ADMIN, ends_at=NOW), False),
        (signed_in(None), False),
    ],
)
def test_a_person_may_with_a_role_and_a_sign_in_that_lasts(person: Person, *, may: bool) -> None:
    assert person.may(Role.EDITOR, at=NOW) is may


def test_the_user_of_this_machine_may_do_everything_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "getpass.getuser", Mock(side_effect=["anna", "anna", KeyError("uid not found: 12345")])
    )
    user, at_command_line, nameless = machine_user(), machine_user(" (command line)"), machine_user()
    door = Access(lambda: user, clock=lambda: NOW + timedelta(days=10_000))
    assert door.require(Role.ADMIN) is user
    assert (user.name, user.has_signed_in) == ("anna", False)
    assert at_command_line.name == "anna (command line)"
    assert at_command_line.key == user.key == "machine anna"
    assert nameless.name == "unknown"
