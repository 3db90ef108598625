"""A sign-out counts in every window and process, and for that sign-in alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from item_visibility.people.machine_user import machine_user
from item_visibility.people.person import Person, Role
from item_visibility.records.database.connecting import Database
from item_visibility.records.sign_outs import SignOuts
from tests.support.fake_visibilities import START

ANNA = Person(
    issuer="https://login", subject="4f", name="Anna", role=Role.EDITOR, session="s1", began_at=START
)


def test_a_sign_in_that_was_ended_stays_ended(records: Database) -> None:
    """Also for another process, and when it is ended twice."""
    SignOuts(records).end(ANNA, at=START + timedelta(hours=1))
    SignOuts(records).end(ANNA, at=START + timedelta(hours=2))
    assert SignOuts(records).is_ended(ANNA)


@pytest.mark.parametrize(
    "other",
    [
        replace(ANNA, session="s2"),
        replace(ANNA, subject="5a"),
        replace(ANNA, issuer="https://other"),
        replace(ANNA, began_at=START + timedelta(seconds=1)),
        machine_user(),
    ],
)
def test_every_other_sign_in_goes_on(records: Database, other: Person) -> None:
    """On another machine, of another person, and the next one."""
    SignOuts(records).end(ANNA, at=START + timedelta(hours=1))
    assert not SignOuts(records).is_ended(other)
