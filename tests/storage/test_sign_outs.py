"""A sign-out counts in every window and process; in a window it ends one session, the command ends all."""

from dataclasses import replace
from datetime import timedelta

import pytest

from item_visibility.access.access import Person, Role, machine_user
from item_visibility.storage.database import Database
from item_visibility.storage.sign_outs import SignOuts
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


BERT = replace(ANNA, subject="5a", name="Bert", names=frozenset({"Bert", "5a"}))


def test_a_name_ends_every_session_that_began_until_then(records: Database) -> None:
    """Of everybody who is called so, and of nobody else; a later sign-in counts."""
    later = replace(BERT, began_at=START + timedelta(seconds=1))
    SignOuts(records).end_all_of("bert", at=START)
    found = [SignOuts(records).is_ended(one) for one in (BERT, replace(BERT, session="s2"), later, ANNA)]
    assert found == [True, True, False, False]


def test_everybody_is_ended_at_once(records: Database) -> None:
    """A later sign-in counts; the user of the machine has none."""
    SignOuts(records).end_all(at=START)
    later = replace(BERT, began_at=START + timedelta(seconds=1))
    assert [SignOuts(records).is_ended(one) for one in (ANNA, BERT, later, machine_user())] == [
        True,
        True,
        False,
        False,
    ]


def test_a_name_without_letters_is_not_everybody(records: Database) -> None:
    """An accent alone is nothing once accents are left out."""
    SignOuts(records).end_all_of("\u0301", at=START)
    assert not SignOuts(records).is_ended(ANNA)
