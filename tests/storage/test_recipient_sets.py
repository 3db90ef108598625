"""Recipient sets: kept under a name, changed recipient by recipient, on either database."""

from datetime import timedelta

import pytest

from item_visibility.storage.database import Database
from item_visibility.storage.directory import RecipientSets, StoredSet
from tests.support.fake_visibilities import START
from tests.support.hostile_texts import LISTABLE

LATER = START + timedelta(minutes=5)


@pytest.fixture
def sets(records: Database) -> RecipientSets:
    """The sets of one service."""
    return RecipientSets(records, service="default")


def a_set(name: str, recipients: str = "AB") -> StoredSet:
    """A set of one-letter recipients."""
    return StoredSet(name, frozenset(recipients), START, "ada")


def test_a_set_reads_as_it_was_made(sets: RecipientSets) -> None:
    """Its name and recipients may hold any characters."""
    made = StoredSet("\x00\ud800 Händler", frozenset(LISTABLE.values()), START, "ada\x00")
    assert sets.make(made)
    assert sets.named(made.name) == made
    assert sets.all() == (made,)


def test_a_set_that_was_never_made_is_not_there(sets: RecipientSets) -> None:
    """A name is looked up exactly."""
    sets.make(a_set("Retailers DE"))
    assert sets.named("retailers de") is None


@pytest.mark.parametrize("name", ["Händler", "HANDLER", "handler"])
def test_two_sets_never_have_names_that_look_alike(sets: RecipientSets, name: str) -> None:
    """Case and accents tell no two apart; the first stays as it is."""
    sets.make(a_set("Händler"))
    assert not sets.make(a_set(name, "Z"))
    assert sets.all() == (a_set("Händler"),)


def test_a_change_leaves_what_others_put_in(sets: RecipientSets) -> None:
    """Only the difference is made."""
    sets.make(a_set("Retailers"))
    sets.change("Retailers", add=frozenset("C"), updated_at=START, updated_by="bob")
    changed = sets.change(
        "Retailers", add=frozenset("D"), remove=frozenset("AX"), updated_at=LATER, updated_by="ada"
    )
    assert changed == StoredSet("Retailers", frozenset("BCD"), LATER, "ada")
    assert sets.named("Retailers") == changed


def test_a_set_that_is_gone_is_not_changed(sets: RecipientSets) -> None:
    """Nothing is made by a change."""
    assert sets.change("gone", add=frozenset("A"), updated_at=START, updated_by="ada") is None
    assert sets.all() == ()


@pytest.mark.parametrize("new_name", ["Shops", "RETAILERS", "Retailers"])
def test_a_set_is_renamed(sets: RecipientSets, new_name: str) -> None:
    """With its recipients; also into a name that looks like its own."""
    sets.make(a_set("Retailers"))
    assert sets.rename("Retailers", new_name, updated_at=LATER, updated_by="bob")
    assert sets.all() == (StoredSet(new_name, frozenset("AB"), LATER, "bob"),)


@pytest.mark.parametrize(("name", "new_name"), [("Retailers", "SHOPS"), ("gone", "New")])
def test_a_set_is_not_renamed_when_it_is_gone_or_the_name_is_taken(
    sets: RecipientSets, name: str, new_name: str
) -> None:
    """Both sets stay as they are."""
    sets.make(a_set("Retailers"))
    sets.make(a_set("Shops", "C"))
    assert not sets.rename(name, new_name, updated_at=LATER, updated_by="bob")
    assert sets.all() == (a_set("Retailers"), a_set("Shops", "C"))


def test_a_deleted_set_is_gone(sets: RecipientSets) -> None:
    """It is given back, so that it can be made again."""
    sets.make(a_set("Retailers"))
    assert sets.delete("Retailers") == a_set("Retailers")
    assert sets.delete("Retailers") is None
    assert sets.all() == ()


def test_names_come_in_alphabetical_order(sets: RecipientSets) -> None:
    """Without regard to case and accents."""
    for name in ("Łódź 100%", "berlin", "Zoo", "Ärzte"):
        sets.make(a_set(name))
    assert sets.names() == ("Ärzte", "berlin", "Łódź 100%", "Zoo")


def test_environments_do_not_mix(records: Database, sets: RecipientSets) -> None:
    """The same name means something else elsewhere."""
    sets.make(a_set("Retailers"))
    elsewhere = RecipientSets(records, service="test")
    assert elsewhere.named("Retailers") is None
    assert elsewhere.delete("Retailers") is None
    assert elsewhere.make(a_set("Retailers", "C"))
    assert sets.named("Retailers") == a_set("Retailers")
