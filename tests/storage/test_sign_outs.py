"""A sign-out counts in every window and process; in a window it ends one session, the command ends all."""

from dataclasses import replace
from datetime import timedelta

from item_visibility.access.access import Person, Role, machine_user
from item_visibility.storage.database import Database
from item_visibility.storage.sign_outs import SignOuts
from tests.support.fake_visibilities import START

ANNA = Person(
    issuer="https://login", subject="4f", name="Anna", role=Role.EDITOR, session="s1", began_at=START
)


BERT = replace(ANNA, subject="5a", name="Bert", names=frozenset({"Bert", "5a"}))
NEXT_BERT = replace(BERT, began_at=START + timedelta(seconds=1))


def test_a_sign_in_that_was_ended_stays_ended(records: Database) -> None:
    others = (
        replace(ANNA, session="s2"),
        replace(ANNA, subject="5a"),
        replace(ANNA, issuer="https://other"),
        replace(ANNA, began_at=START + timedelta(seconds=1)),
        machine_user(),
    )
    for hours in (1, 2):
        SignOuts(records).end(ANNA, at=START + timedelta(hours=hours))
    assert [SignOuts(records).is_ended(one) for one in (ANNA, *others)] == [True] + [False] * 5


def test_a_name_ends_every_session_that_began_until_then(records: Database) -> None:
    SignOuts(records).end_every("bert", at=START)
    found = [SignOuts(records).is_ended(one) for one in (BERT, replace(BERT, session="s2"), NEXT_BERT, ANNA)]
    assert found == [True, True, False, False]


def test_everybody_is_ended_at_once(records: Database) -> None:
    SignOuts(records).end_every(None, at=START)
    found = [SignOuts(records).is_ended(one) for one in (ANNA, BERT, NEXT_BERT, machine_user())]
    assert found == [True, True, False, False]


def test_a_name_without_letters_is_not_everybody(records: Database) -> None:
    SignOuts(records).end_every("\u0301", at=START)
    assert not SignOuts(records).is_ended(ANNA)
