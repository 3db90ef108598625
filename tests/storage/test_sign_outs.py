"""Sign-ins that were ended, on either database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from item_visibility.access.people import Person, Role, machine_user
from item_visibility.storage.database import Database
from item_visibility.storage.sign_outs import SignOuts
from tests.support.fake_visibilities import START

ANNA = Person(
    issuer="https://login",
    subject="4f",
    name="Anna",
    role=Role.EDITOR,
    session="s1",
    began_at=START,
)
BERT = replace(ANNA, subject="5a", name="Bert", names=frozenset({"Bert", "5a"}))


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
    assert [SignOuts(records).is_ended(person) for person in (ANNA, *others)] == [
        True
    ] + [False] * 5


@pytest.mark.parametrize("name", ["bert", None])
def test_all_sign_ins_until_now_end_even_if_the_clock_of_this_replica_is_slow(
    records: Database, name: str | None
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    with time_machine.travel(-400):
        until = SignOuts(records).end_every(name)
    people = [
        replace(person, began_at=now)
        for person in (BERT, replace(BERT, session="s2"), ANNA)
    ]
    people += [replace(BERT, began_at=until + timedelta(seconds=1)), machine_user()]
    assert [SignOuts(records).is_ended(person) for person in people] == [
        True,
        True,
        name is None,
        False,
        False,
    ]


def test_signing_out_a_name_without_letters_does_not_sign_out_everybody(
    records: Database,
) -> None:
    SignOuts(records).end_every("\u0301")
    assert not SignOuts(records).is_ended(ANNA)
