"""What reruns a page without a press: a sign-out elsewhere, and our own database."""

from pathlib import Path

import pytest

from components.frame import has_changed, is_readable
from item_visibility.access.access import Role
from item_visibility.errors import SignInError
from tests.access.signing_in import signed_in
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, break_records, open_kit
from tests.support.fake_visibilities import START

pytestmark = pytest.mark.screen


def test_nothing_has_changed_while_the_person_may_look_and_the_database_answers(open_desk: OpenDesk) -> None:
    desk = open_desk().desk
    assert is_readable(desk)
    assert not has_changed(desk, was_readable=True)


def test_a_database_that_stops_answering_is_a_change_once(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk().desk
    break_records(tmp_path)
    assert has_changed(desk, was_readable=True)
    assert not has_changed(desk, was_readable=False)


def test_a_database_that_answers_again_is_a_change(open_desk: OpenDesk) -> None:
    assert has_changed(open_desk().desk, was_readable=False)


def test_a_sign_out_elsewhere_is_a_change(tmp_path: Path) -> None:
    with open_kit(tmp_path, person=lambda: signed_in(Role.EDITOR)) as kit:
        assert not has_changed(kit.desk, was_readable=True)
        kit.access.sign_out()
        assert has_changed(kit.desk, was_readable=True)


def test_a_sign_in_that_expires_is_no_change(tmp_path: Path) -> None:
    with open_kit(tmp_path, person=lambda: signed_in(Role.EDITOR, ends_at=START)) as kit:
        assert not has_changed(kit.desk, was_readable=True)
        with pytest.raises(SignInError, match="has ended"):
            kit.desk.read(ITEM)
