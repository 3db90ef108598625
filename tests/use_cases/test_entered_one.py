"""The meaning of a text in a field that holds one supplier or item."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.storage.directory import NamedRow
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.find_by_name import Choice, EnteredOne, Finder, has_form, read_one
from tests.support.desk import break_records, open_kit

SUPPLIER = "4000001000005"
ITEMS = {
    "09521000010017:276": "Oat biscuits 250 g",
    "09521000010024:756": "Oat biscuits 500 g",
    "K-7": "Kölnisch Wasser",
    "K-8": "Twice",
    "K-9": "Twice",
    " odd ": "",
    "4711": "",
}
OAT = Choice((SUPPLIER, "09521000010017:276"), "Oat biscuits 250 g", "Germany")
OTHER_OAT = Choice((SUPPLIER, "09521000010024:756"), "Oat biscuits 500 g", "Switzerland")


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finder]:
    """A directory with a few items of one supplier."""
    with open_kit(tmp_path_factory.mktemp("one")) as kit:
        rows = kit.records.directory
        rows[Kind.SUPPLIER].put([NamedRow((SUPPLIER,), "Nordmilch")])
        rows[Kind.ITEM].put([NamedRow((SUPPLIER, one), name) for one, name in ITEMS.items()])
        yield kit.desk.finder


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", ""),
        ("  ", ""),
        ("4711", "4711"),
        (" odd ", " odd "),
        (" K-7 ", "K-7"),
        ("kolnisch wasser", "K-7"),
        ("09521000010031:040", "09521000010031:040"),
        ("9521000010031", "9521000010031"),
        ("B-5", "B-5"),
        ("4712", "4712"),
    ],
)
def test_a_number_is_known_or_called_so_or_has_the_form_of_one(
    finder: Finder, text: str, number: str
) -> None:
    """As it is known, else without the spaces around it."""
    assert read_one(finder, Kind.ITEM, text, supplier=SUPPLIER) == EnteredOne(number)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("oat biscuits 250", [OAT.id]),
        ("oat biskuits", [OAT.id, OTHER_OAT.id]),
        ("oat bread", [OAT.id, OTHER_OAT.id]),
        ("oat biscuits 500 g for Anna", [OTHER_OAT.id, OAT.id]),
        ("bread", []),
        ("twice", ["K-8", "K-9"]),
        ("so x y", []),
    ],
)
def test_any_other_text_is_asked_about_with_the_nearest(
    finder: Finder, text: str, nearest: list[str]
) -> None:
    """The most alike first; what two are called is no answer."""
    read = read_one(finder, Kind.ITEM, f" {text} ", supplier=SUPPLIER)
    assert (read.number, read.asked, read.why_not) == ("", text, "")
    assert [one.id for one in read.nearest] == nearest


def test_a_text_that_no_request_can_address_says_why(finder: Finder) -> None:
    """It is no number, whatever the person says."""
    read = read_one(finder, Kind.SUPPLIER, "..")
    assert (read.number, read.asked) == ("", "..")
    assert read.why_not


@pytest.mark.parametrize(
    ("kind", "text", "is_number"),
    [
        (Kind.SUPPLIER, "4000001000012", True),
        (Kind.SUPPLIER, "400000100001", False),
        (Kind.RECIPIENT, "R-1", False),
        (Kind.RECIPIENT, "route 66", False),
        (Kind.RECIPIENT, "Nordmilch", False),
        (Kind.ITEM, "K 7", False),
        (Kind.ITEM, "95210000100", False),
        (Kind.ITEM, "09521000010017", True),
        (Kind.ITEM, "09521000010016", False),
        (Kind.ITEM, "9521000010017DE", True),
    ],
)
def test_a_form_is_of_a_gln_or_of_those_in_use(
    finder: Finder, kind: Kind, text: str, *, is_number: bool
) -> None:
    """It is a GLN where none is known; the check digit of a GTIN must fit."""
    assert has_form(finder, kind, text, supplier={Kind.ITEM: SUPPLIER}.get(kind)) is is_number


def test_an_empty_field_offers_the_first_ones(finder: Finder) -> None:
    """By number, of this supplier; a choice has its name and market if it is known."""
    assert len(finder.first(Kind.ITEM, supplier=SUPPLIER).choices) == len(ITEMS)
    assert finder.first(Kind.ITEM, supplier="another").choices == ()
    assert finder.chosen(Kind.ITEM, OAT.id, supplier=SUPPLIER) == OAT
    assert finder.chosen(Kind.SUPPLIER, SUPPLIER) == Choice((SUPPLIER,), "Nordmilch")
    assert finder.chosen(Kind.ITEM, "new:276", supplier=SUPPLIER) == Choice((SUPPLIER, "new:276"))


def test_without_our_own_database_a_gln_is_a_number(tmp_path: Path) -> None:
    """Nothing else is known for the moment: the person says what is a number, and the work goes on."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        assert read_one(kit.desk.finder, Kind.SUPPLIER, SUPPLIER) == EnteredOne(SUPPLIER)
        assert read_one(kit.desk.finder, Kind.SUPPLIER, "S-1") == EnteredOne(asked="S-1")
        assert kit.desk.finder.first(Kind.SUPPLIER).choices == ()
