"""Recipient sets, on either database."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from item_visibility.errors import NotPossibleError
from item_visibility.storage.database import Database
from item_visibility.storage.recipient_sets import RecipientSets, StoredSet
from tests.support.fake_visibilities import START
from tests.support.hostile_texts import LISTABLE

LATER = START + timedelta(minutes=5)


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
