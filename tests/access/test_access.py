"""The check before each read and write."""

from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest

from item_visibility.access.access import Access, Person, Role, command_line_user, machine_user, require
from item_visibility.errors import RecordsError, RoleError, SignInError
from tests.access.signing_in import NOW, signed_in


def access(person: Person) -> Access:
    return Access(lambda: person, clock=lambda: NOW)


@pytest.mark.parametrize(
    ("role", "needed"),
    [(Role.VIEWER, Role.VIEWER), (Role.ADMIN, Role.EDITOR), (Role.ADMIN, Role.ADMIN)],
)
def test_a_role_includes_the_lower_ones(role: Role, needed: Role) -> None:
    assert access(signed_in(role)).require(needed) == signed_in(role)


@pytest.mark.parametrize(
    ("role", "needed", "message"),
    [
        (Role.VIEWER, Role.EDITOR, "With the role viewer you cannot change anything. Nothing was changed."),
        (Role.EDITOR, Role.ADMIN, "With the role editor you cannot do this. Nothing was changed."),
        (None, Role.VIEWER, "Anna Muster has no role here. Nothing was shown or changed."),
    ],
)
def test_a_role_that_is_too_low_is_refused(role: Role | None, needed: Role, message: str) -> None:
    with pytest.raises(RoleError) as caught:
        access(signed_in(role)).require(needed)
    assert caught.value.message == message


def test_a_sign_in_that_has_ended_is_refused_whatever_the_role() -> None:
    with pytest.raises(SignInError, match="has ended"):
        require(signed_in(Role.ADMIN, ends_at=NOW), Role.VIEWER, at=NOW)
    require(signed_in(Role.ADMIN, ends_at=NOW + timedelta(seconds=1)), Role.VIEWER, at=NOW)


class Remembered:
    """Sign-outs, kept in memory."""

    def __init__(self) -> None:
        self.ended: list[Person] = []

    def end(self, person: Person, *, at: datetime) -> None:
        assert at == NOW
        self.ended.append(person)

    def is_ended(self, person: Person) -> bool:
        return person in self.ended


def test_who_signed_out_is_nobody_in_any_window() -> None:
    sign_outs = Remembered()
    door = Access(lambda: signed_in(Role.ADMIN), clock=lambda: NOW, sign_outs=sign_outs)
    assert door.allows(Role.EDITOR)
    door.sign_out()
    assert not door.allows(Role.EDITOR)
    with pytest.raises(SignInError, match="You were signed out"):
        door.require(Role.VIEWER)


def test_only_an_admin_ends_the_sign_ins_of_others() -> None:
    sign_outs = Mock(is_ended=lambda _: False)
    doors = {
        role: Access(lambda role=role: signed_in(role), clock=lambda: NOW, sign_outs=sign_outs)
        for role in Role
    }
    for role in (Role.VIEWER, Role.EDITOR):
        with pytest.raises(RoleError):
            doors[role].end_sign_ins("bob")
    sign_outs.end_every.assert_not_called()
    doors[Role.ADMIN].end_sign_ins("bob")
    sign_outs.end_every.assert_called_once_with("bob", at=NOW)
    access(signed_in(Role.ADMIN)).end_sign_ins(None)  # where no sign-outs are kept, there is nothing to end


def test_without_our_database_people_can_read_and_change_nothing() -> None:
    class Away(Remembered):
        def is_ended(self, person: Person) -> bool:
            raise RecordsError(f"No database to look up {person.name}.", advice="Wait.")

    door = Access(lambda: signed_in(Role.EDITOR), clock=lambda: NOW, sign_outs=Away())
    assert door.require(Role.VIEWER) == door.person() == signed_in(Role.EDITOR)
    assert (door.allows(Role.EDITOR), door.allows_owner(door.person().key)) == (True, True)
    for change in (lambda: door.require(Role.EDITOR), lambda: door.require_owner("x")):
        with pytest.raises(RecordsError):
            change()


def test_where_nobody_signs_in_nobody_signs_out() -> None:
    def nobody() -> Person:
        raise SignInError("You are not signed in. Nothing was changed.", advice="Sign in.")

    sign_outs = Remembered()
    Access(machine_user, clock=lambda: NOW, sign_outs=sign_outs).sign_out()
    Access(nobody, clock=lambda: NOW, sign_outs=sign_outs).sign_out()
    assert sign_outs.ended == []


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
def test_a_person_may_with_a_role_and_a_sign_in_that_lasts(person: Person, may: bool) -> None:  # noqa: FBT001  (a case)
    assert person.may(Role.EDITOR, at=NOW) is may


def test_work_of_others_is_for_an_admin() -> None:
    other = signed_in(Role.EDITOR, subject="other").key
    assert access(signed_in(Role.EDITOR, subject="other")).require_owner(other).subject == "other"
    assert access(signed_in(Role.ADMIN)).require_owner(other).role is Role.ADMIN
    with pytest.raises(RoleError, match="belongs to somebody else"):
        access(signed_in(Role.EDITOR)).require_owner(other)


def test_the_user_of_this_machine_may_do_everything_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "getpass.getuser", Mock(side_effect=["anna", "anna", KeyError("uid not found: 12345")])
    )
    user, at_command_line, nameless = machine_user(), command_line_user(), machine_user()
    require(user, Role.ADMIN, at=NOW + timedelta(days=10_000))
    assert (user.name, user.has_signed_in) == ("anna", False)
    assert at_command_line.name == "anna (command line)"
    assert at_command_line.key == user.key == "machine anna"
    assert nameless.name == "unknown"
