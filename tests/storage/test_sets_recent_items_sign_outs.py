"""Recipient sets, recent items and sign-outs, on either database."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from item_visibility.access.people import Person, Role, machine_user
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.storage.database import Database
from item_visibility.storage.recent_items import RecentItems
from item_visibility.storage.recipient_sets import RecipientSets, StoredSet
from item_visibility.storage.sign_outs import SignOuts
from tests.support.fake_visibilities import START
from tests.support.hostile_texts import LISTABLE

LATER = START + timedelta(minutes=5)
FIRST = ItemKey("S", "1")
SECOND = ItemKey("S", "\x002")


@pytest.fixture
def sets(records: Database) -> RecipientSets:
    return RecipientSets(records, service="default")


def a_set(name: str, recipients: str = "AB") -> StoredSet:
    return StoredSet(name, frozenset(recipients), START, "ada")


def test_a_set_is_read_as_it_was_made(sets: RecipientSets) -> None:
    made = StoredSet(
        "\x00\ud800 Händler", frozenset(LISTABLE.values()), START, "ada\x00"
    )
    sets.make(made)
    assert sets.open(made.name) == made
    assert sets.all() == (made,)
    with pytest.raises(NotPossibleError):
        sets.open("händler")


def test_a_change_keeps_the_recipients_that_others_added(sets: RecipientSets) -> None:
    sets.make(a_set("Retailers"))
    sets.change("Retailers", add=frozenset("C"), updated_at=START, updated_by="bob")
    changed = sets.change(
        "Retailers",
        add=frozenset("D"),
        remove=frozenset("AX"),
        updated_at=LATER,
        updated_by="ada",
    )
    assert changed == StoredSet("Retailers", frozenset("BCD"), LATER, "ada")
    assert sets.open("Retailers") == changed


@pytest.mark.parametrize("new_name", ["Shops", "RETAILERS", "Retailers"])
def test_a_set_is_renamed(sets: RecipientSets, new_name: str) -> None:
    sets.make(a_set("Retailers"))
    renamed = sets.change(
        "Retailers", new_name=new_name, updated_at=LATER, updated_by="bob"
    )
    assert (
        sets.all()
        == (renamed,)
        == (StoredSet(new_name, frozenset("AB"), LATER, "bob"),)
    )


def test_a_deleted_set_is_gone(sets: RecipientSets) -> None:
    sets.make(a_set("Retailers"))
    assert sets.delete("Retailers") == a_set("Retailers")
    assert sets.all() == ()


@pytest.mark.parametrize(
    "use",
    [
        lambda sets: sets.change(
            "gone", add=frozenset("A"), updated_at=LATER, updated_by="bob"
        ),
        lambda sets: sets.change(
            "gone", new_name="New", updated_at=LATER, updated_by="bob"
        ),
        lambda sets: sets.delete("gone"),
        lambda sets: sets.make(a_set("HANDLER", "Z")),
        lambda sets: sets.make(a_set("Händler", "Z")),
        lambda sets: sets.change(
            "Shops", new_name="HÄNDLER", updated_at=LATER, updated_by="bob"
        ),
    ],
)
def test_a_set_that_is_gone_or_a_name_that_looks_alike_changes_nothing(
    sets: RecipientSets, use: Callable[[RecipientSets], object]
) -> None:
    sets.make(a_set("Händler"))
    sets.make(a_set("Shops", "C"))
    with pytest.raises(
        NotPossibleError, match=r"no longer there|already has this name"
    ) as caught:
        use(sets)
    assert caught.value.advice.startswith("Nothing was changed.")
    assert sets.all() == (a_set("Händler"), a_set("Shops", "C"))


def test_names_come_in_alphabetical_order(sets: RecipientSets) -> None:
    for name in ("Łódź 100%", "berlin", "Zoo", "Ärzte"):
        sets.make(a_set(name))
    assert [stored.name for stored in sets.all()] == [
        "Ärzte",
        "berlin",
        "Łódź 100%",
        "Zoo",
    ]


def test_data_of_different_services_is_kept_apart(
    records: Database, sets: RecipientSets
) -> None:
    sets.make(a_set("Retailers"))
    RecipientSets(records, service="test").make(a_set("Retailers", "C"))
    assert sets.all() == (a_set("Retailers"),)


def test_the_item_that_a_person_used_last_comes_first(records: Database) -> None:
    recents, elsewhere = (
        RecentItems(records, service=name) for name in ("default", "test")
    )
    recents.remember_use(person="ada", item=FIRST, used_at=START)
    recents.remember_use(
        person="ada", item=SECOND, used_at=START + timedelta(seconds=1)
    )
    recents.remember_use(person="ada", item=FIRST, used_at=LATER)
    recents.remember_use(person="bob", item=SECOND, used_at=START)
    assert recents.latest("ada", limit=9) == (FIRST, SECOND)
    assert recents.latest("ada", limit=1) == (FIRST,)
    assert recents.latest("cid", limit=9) == ()
    assert recents.latest(None, limit=1) == (FIRST,)
    assert elsewhere.latest("ada", limit=9) == ()


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
