"""The directory: what is known, and how it is found."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.directory.known import Directory, KnownItem, KnownRecipient, KnownSupplier
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.folding import folded
from item_visibility.records.ground.upsert import CHUNK

ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("\x00\ud800", "e\u0301%_\\")


@pytest.fixture
def directory(records: Database) -> Directory:
    """The directory of one service."""
    return Directory(records, service="default")


def test_what_was_used_is_known(directory: Directory) -> None:
    """Item, supplier and recipients, without names."""
    directory.remember(ITEM, ["R1", "R2"])
    assert directory.supplier(ITEM.supplier) == KnownSupplier(ITEM.supplier)
    assert directory.item(ITEM) == KnownItem(ITEM)
    assert directory.recipient("R1") == KnownRecipient("R1")
    assert directory.find_recipients("", limit=9) == (KnownRecipient("R1"), KnownRecipient("R2"))


def test_what_was_never_used_is_not_known(directory: Directory) -> None:
    """An id is looked up exactly: neither part of one nor another spelling."""
    directory.remember(ITEM, ["R1"])
    assert directory.supplier("400000100000") is None
    assert directory.item(ItemKey(ITEM.supplier, "04012345678901")) is None
    assert directory.recipient("r1") is None


def test_using_something_again_keeps_its_name(directory: Directory) -> None:
    """Only an import changes names."""
    directory.put_names(
        suppliers=[KnownSupplier(ITEM.supplier, "Molkerei Nord")],
        items=[KnownItem(ITEM, "276", "Butter")],
        recipients=[KnownRecipient("R1", "Laden Süd")],
    )
    directory.remember(ITEM, ["R1", "R2"])
    assert directory.supplier(ITEM.supplier) == KnownSupplier(ITEM.supplier, "Molkerei Nord")
    assert directory.item(ITEM) == KnownItem(ITEM, "276", "Butter")
    assert directory.recipient("R1") == KnownRecipient("R1", "Laden Süd")


def test_an_import_puts_names_in_place_of_older_ones(directory: Directory) -> None:
    """The same id is known once."""
    directory.remember(ITEM, ["R1"])
    directory.put_names(recipients=[KnownRecipient("R1", "Old")])
    directory.put_names(recipients=[KnownRecipient("R1", "New"), KnownRecipient("R2", "Two")])
    assert directory.find_recipients("R", limit=9) == (
        KnownRecipient("R1", "New"),
        KnownRecipient("R2", "Two"),
    )


def test_names_are_given_for_those_that_have_one(directory: Directory) -> None:
    """Unknown ids, and known ones without a name, are left out; more than one statement can name is fine."""
    many = [KnownRecipient(f"R{number}", f"Name {number}") for number in range(CHUNK + 1)]
    directory.put_names(recipients=[*many, KnownRecipient("nameless")])
    names = directory.recipient_names([*(one.recipient_id for one in many), "nameless", "unknown"])
    assert names == {one.recipient_id: one.name for one in many}


def test_those_that_are_known_are_picked_from_many(directory: Directory) -> None:
    """More than one statement can ask for is fine."""
    many = [f"R{number}" for number in range(CHUNK + 1)]
    directory.remember(ITEM, many)
    assert directory.known_recipients([*many, "unknown"]) == frozenset(many)


def test_recipients_are_found_by_their_exact_names(directory: Directory) -> None:
    """Without regard to case and diacritics, and under each spelling that was asked for."""
    shops = [KnownRecipient("R1", "Laden Süd"), KnownRecipient("R2", "laden sud")]
    directory.put_names(recipients=[*shops, KnownRecipient("R3", "Laden Süd West")])
    assert directory.recipients_called(["LADEN SÜD", "Laden sud", "Laden", "\u0301"]) == {
        "LADEN SÜD": tuple(shops),
        "Laden sud": tuple(shops),
    }


def test_ids_that_begin_with_the_text_come_first(directory: Directory) -> None:
    """Then those that hold it, then names; each by id."""
    directory.put_names(
        suppliers=[
            KnownSupplier("9", "Number 40"),
            KnownSupplier("140", ""),
            KnownSupplier("402", ""),
            KnownSupplier("401", ""),
            KnownSupplier("7", "Nothing"),
        ]
    )
    found = directory.find_suppliers("40", limit=9)
    assert [known.supplier for known in found] == ["401", "402", "140", "9"]
    assert [known.supplier for known in directory.find_suppliers("40", limit=2)] == ["401", "402"]


@pytest.mark.parametrize("text", ["łódź", "LODZ", "Lodz", "ódź m"])
def test_names_are_found_without_regard_to_case_and_diacritics(directory: Directory, text: str) -> None:
    """As a person types them."""
    directory.put_names(suppliers=[KnownSupplier("1", "Łódź Młyn"), KnownSupplier("2", "Berlin")])
    assert directory.find_suppliers(text, limit=9) == (KnownSupplier("1", "Łódź Młyn"),)


@pytest.mark.parametrize("text", ["%", "_", "\\", "é%", "\x1b"])
def test_a_search_takes_every_character_as_itself(directory: Directory, text: str) -> None:
    """No wildcards, no normalising of ids."""
    directory.remember(ITEM, ["plain", f"with {text}"])
    assert directory.find_recipients(text, limit=9) == (KnownRecipient(f"with {text}"),)


def test_ids_are_searched_exactly_as_typed(directory: Directory) -> None:
    """Upper and lower case are different ids."""
    directory.remember(ITEM, ["abc", "ABC"])
    assert directory.find_recipients("ab", limit=9) == (KnownRecipient("abc"),)


def test_a_text_of_accents_alone_is_no_name(directory: Directory) -> None:
    """Nothing would be left of it, and nothing is in every name."""
    directory.put_names(recipients=[KnownRecipient("R1", "Name")])
    assert directory.find_recipients("\u0301", limit=9) == ()


def test_items_are_found_within_their_supplier(directory: Directory) -> None:
    """With market and name; another supplier's item of the same number is not found."""
    known = KnownItem(ITEM, "276", "Bergkäse")
    directory.put_names(items=[known, KnownItem(ItemKey("other", ITEM.supplier_item_id), "040", "Bergkäse")])
    assert directory.find_items(ITEM.supplier, "0401", limit=9) == (known,)
    assert directory.find_items(ITEM.supplier, "bergkase", limit=9) == (known,)
    assert directory.find_items(ITEM.supplier, "zzz", limit=9) == ()


def test_ids_of_any_content_are_kept_exactly(directory: Directory) -> None:
    """NUL, lone surrogates, 5,000 characters."""
    odd = ["\x00", "\ud800", "x" * 5_000, ""]
    directory.remember(ODD_ITEM, odd)
    assert directory.item(ODD_ITEM) == KnownItem(ODD_ITEM)
    assert {known.recipient_id for known in directory.find_recipients("", limit=9)} == set(odd)


def test_environments_do_not_mix(records: Database, directory: Directory) -> None:
    """What is known in one is not known in another."""
    directory.remember(ITEM, ["R1"])
    elsewhere = Directory(records, service="test")
    assert elsewhere.item(ITEM) is None
    assert elsewhere.find_recipients("", limit=9) == ()
    assert elsewhere.recipient_names(["R1"]) == {}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Straße", "strasse"),
        ("Ærø Œuvre", "aero oeuvre"),
        ("ĐURO", "duro"),
        ("İzmir \u0131", "izmir i"),
        ("", ""),
    ],
)
def test_names_are_folded_as_people_type_them(name: str, plain: str) -> None:
    """Also letters that no decomposition takes apart."""
    assert folded(name) == plain
