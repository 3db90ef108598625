"""The check before each read and write.

The matrix of roles is in test_authorisation.py.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.access.access import Access
from item_visibility.access.access_log import ACCESS_LOG, Event
from item_visibility.access.people import Person, Role, machine_user
from item_visibility.errors import RecordsError, RoleError, SignInError
from item_visibility.model.job import BulkItem, JobState
from item_visibility.model.outcome import Outcome
from tests.access.signing_in import ISSUER, NOW, signed_in
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    DeskKit,
    ThreadDispatcher,
    a_request,
    open_kit,
    wait_until,
)
from tests.support.fake_visibilities import START


@pytest.fixture
def sign_outs() -> Mock:
    return Mock(is_ended=Mock(return_value=False))


def access(who: Callable[[], Person], sign_outs: Mock) -> Access:
    return Access(who, clock=lambda: NOW, sign_outs=sign_outs)


def nobody() -> Person:
    raise SignInError("You are not signed in. Nothing was changed.", advice="Sign in.")


def test_a_sign_out_ends_the_session_in_every_window_and_is_logged(
    sign_outs: Mock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    door = access(lambda: signed_in(Role.ADMIN), sign_outs)
    assert door.allows(Role.EDITOR)
    door.sign_out()
    assert caplog.messages == [Event.SIGN_OUT]
    sign_outs.end.assert_called_once_with(signed_in(Role.ADMIN), at=NOW)
    sign_outs.is_ended.return_value = True
    assert not door.allows(Role.EDITOR)
    assert not door.allows_owner(door.ask().key)
    with pytest.raises(SignInError, match="You were signed out"):
        door.require(Role.VIEWER)


@pytest.mark.parametrize("who", [machine_user, nobody])
def test_the_user_of_this_machine_cannot_sign_out(
    sign_outs: Mock, who: Callable[[], Person]
) -> None:
    access(who, sign_outs).sign_out()
    sign_outs.end.assert_not_called()


def test_only_an_admin_ends_the_sign_ins_of_others(
    sign_outs: Mock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    doors = {
        role: access(lambda role=role: signed_in(role), sign_outs) for role in Role
    }
    for role in (Role.VIEWER, Role.EDITOR):
        with pytest.raises(RoleError):
            doors[role].end_sign_ins("bob")
    sign_outs.end_every.assert_not_called()
    doors[Role.ADMIN].end_sign_ins("bob")
    assert caplog.messages == [Event.REFUSED, Event.REFUSED, Event.SIGN_INS_ENDED]
    sign_outs.end_every.assert_called_once_with("bob")


def test_without_our_database_people_can_read_and_change_nothing(
    sign_outs: Mock,
) -> None:
    sign_outs.is_ended.side_effect = RecordsError("No database.", advice="Wait.")
    door = access(lambda: signed_in(Role.EDITOR), sign_outs)
    assert door.require(Role.VIEWER) == door.person() == signed_in(Role.EDITOR)
    assert door.allows(Role.EDITOR)
    assert door.allows_owner(door.person().key)
    for change in (lambda: door.require(Role.EDITOR), lambda: door.require_owner("x")):
        with pytest.raises(RecordsError):
            change()
    with pytest.raises(RoleError, match="With the role viewer you cannot do this"):
        access(lambda: signed_in(Role.VIEWER), sign_outs).require(Role.EDITOR)


def test_the_user_of_this_machine_is_an_admin_forever(
    sign_outs: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "getpass.getuser",
        Mock(side_effect=["anna", "anna", KeyError("uid not found: 12345")]),
    )
    user = machine_user()
    at_command_line = machine_user(" (command line)")
    nameless = machine_user()
    door = Access(
        lambda: user, clock=lambda: NOW + timedelta(days=10_000), sign_outs=sign_outs
    )
    assert door.require(Role.ADMIN) is user
    assert user.name == "anna"
    assert not user.has_signed_in
    assert at_command_line.name == "anna (command line)"
    assert at_command_line.key == user.key == "machine anna"
    assert nameless.name == "unknown"


ENDS_AT = START + timedelta(hours=8)
ANNA = signed_in(Role.EDITOR, ends_at=ENDS_AT)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(
        tmp_path, {ITEM: "AB", OTHER_ITEM: "X"}, person=lambda: ANNA
    ) as opened:
        yield opened


def work_on(kit: DeskKit, key: str) -> None:
    dispatcher = ThreadDispatcher().work_for(kit.runner)
    dispatcher.notify(key)
    dispatcher.wait()


def previewed(kit: DeskKit) -> str:
    items = [BulkItem(item=ITEM, add=frozenset("C"))]
    key = kit.desk.bulk.start_preview(items, title="list.xlsx")
    wait_until(lambda: kit.desk.bulk.job(key).state is JobState.PREVIEWED)
    return key


def test_the_history_records_the_current_user_and_not_the_person_in_the_request(
    kit: DeskKit,
) -> None:
    kit.save(replace(a_request(ITEM, base="AB", add="C"), person="somebody", role=None))
    entry = kit.records.history.entry("key-1")
    assert entry.request.person == "Anna Muster"
    assert entry.request.person_key == f"{ISSUER} 4f7a"


def test_a_save_continues_after_the_sign_in_has_ended(kit: DeskKit) -> None:
    kit.fake.before_call = lambda _call: kit.fake.time.sleep(8 * 3600)
    kit.save(a_request(ITEM, base="AB", add="C"))
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")
    with pytest.raises(SignInError, match="has ended"):
        kit.desk.save(a_request(ITEM, key="key-2", base="ABC", add="D"))


def test_a_job_belongs_to_its_owner_and_continues_after_their_sign_in(
    kit: DeskKit,
) -> None:
    key = previewed(kit)
    kit.desk.bulk.apply(key)
    kit.fake.time.sleep(9 * 3600)
    work_on(kit, key)
    job = kit.desk.bulk.job(key)
    assert job.state == JobState.ENDED
    assert job.applied_role == Role.EDITOR
    assert job.person_key == ANNA.key
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")
    with pytest.raises(SignInError, match="has ended"):
        kit.desk.bulk.undo(key)


def test_a_job_that_no_editor_applied_changes_nothing(kit: DeskKit) -> None:
    key = previewed(kit)
    kit.records.jobs.move(key, JobState.QUEUED, expected={JobState.PREVIEWED}, at=START)
    work_on(kit, key)
    assert kit.desk.bulk.job(key).outcomes == {Outcome.REFUSED: 1}
    assert kit.fake.writes == []
