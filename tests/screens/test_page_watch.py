"""What reruns a page without a press: the end of a sign-in, and our own database."""

from pathlib import Path

import pytest

from components.shell.page_watch import has_changed, is_readable
from item_visibility.errors import SignInError
from tests.screens.conftest import OpenDesk
from tests.support.desk import break_records

pytestmark = pytest.mark.screen


def test_nothing_has_changed_while_the_person_may_look_and_the_database_answers(open_desk: OpenDesk) -> None:
    """So a form, an upload or a press is left alone."""
    desk = open_desk().desk
    assert is_readable(desk)
    assert not has_changed(desk, was_readable=True)


def test_a_database_that_stops_answering_is_a_change_once(open_desk: OpenDesk, tmp_path: Path) -> None:
    """The page says so from then on, and is not drawn again for it."""
    desk = open_desk().desk
    break_records(tmp_path)
    assert has_changed(desk, was_readable=True)
    assert not has_changed(desk, was_readable=False)


def test_a_database_that_answers_again_is_a_change(open_desk: OpenDesk) -> None:
    """The warning goes."""
    assert has_changed(open_desk().desk, was_readable=False)


def test_the_end_of_a_sign_in_is_a_change(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was on the screen is hidden."""
    desk = open_desk().desk

    def refuse(*_: object) -> None:
        raise SignInError("Your sign-in has ended.", advice="Sign in again.")

    monkeypatch.setattr(desk.doorkeeper, "admit", refuse)
    assert has_changed(desk, was_readable=True)
