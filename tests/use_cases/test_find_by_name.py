"""By name, as people type: words in any order, in part, markets in two languages, typing errors.

Then what a text means in a field that holds one supplier or item.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from item_visibility.storage.directory import NamedRow
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.find_by_name import (
    Choice,
    EnteredOne,
    Finder,
    Matches,
    has_form,
    markets_called,
    read_one,
)
from tests.support.desk import DeskKit, break_records, open_kit

RECIPIENTS = {
    "430": "Sonnenhof Supermarkets",
    "431": "Sonnenhof Wholesale",
    "432": "Le Panier Wholesale",
    "433": "Wholesale Sonnenhof Nord",
    "434": "Café Łódź",
    "435": "Zeppelin",
    "436": "Zeppelin",
}
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
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A directory with a few names."""
    with open_kit(tmp_path_factory.mktemp("finder")) as opened:
        rows = opened.records.directory
        rows[Kind.RECIPIENT].put([NamedRow((one,), name) for one, name in RECIPIENTS.items()])
        rows[Kind.RECIPIENT].put([NamedRow((f"9{number:03}",), f"Shop {number}") for number in range(20)])
        rows[Kind.ITEM].put(
            [
                NamedRow(("S", "09521000010017:276"), "Oat biscuits 250 g"),
                NamedRow(("S", "09521000010024:756"), "Oat biscuits 500 g"),
                NamedRow(("S", "09521000010031:040"), "Oat biscuits 500 g"),
                NamedRow(("S", "A-7"), "Oat biscuits 1 kg", "Belgium"),
                NamedRow(("S", "A-8"), "Oat biscuits 2 kg", "the moon"),
            ]
        )
        yield opened


@pytest.fixture
def finder(kit: DeskKit) -> Finder:
    """The finder of that desk."""
    return kit.desk.finder


def names(matches: Matches) -> list[str]:
    """The numbers that were found, in their order."""
    return [one.id for one in matches.choices]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("sonnenhof", ["430", "431", "433"]),
        ("wholesale sonnenhof", ["433", "431"]),
        ("sonn super", ["430"]),
        ("lodz", ["434"]),
        ("43", ["430", "431", "432", "433", "434", "435", "436"]),
        ("wholesale", ["433", "431", "432"]),
        ("wholesale so", ["433", "431"]),
        ("431", ["431"]),
        ("panier, wholesale", ["432"]),
        ("sonenhof", ["430", "431", "433"]),
        ("Sonnehnof Suprmarkets", ["430"]),
        ("supermarktes", ["430"]),
        ("kafe lodz", ["434"]),
        ("cafee lodz", ["434"]),
        ("sonnenhofff wholesale nord", ["433"]),
        ("somebody", []),
        ("", []),
        (" , ", []),
        ("s" * 201, []),
    ],
)
def test_recipients_are_found_as_people_type(finder: Finder, typed: str, found: list[str]) -> None:
    """Names that begin with the text come first, then whole words, beginnings and parts; then by number."""
    assert names(finder.find(Kind.RECIPIENT, typed)) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("oat schweiz", ["09521000010024:756"]),
        ("switz", ["09521000010024:756"]),
        ("Österreich 500 oat", ["09521000010031:040"]),
        ("oesterreich", ["09521000010031:040"]),
        ("biscuits germany", ["09521000010017:276"]),
        ("oat belg", ["A-7"]),
        ("biscits schweiz", ["09521000010024:756"]),
        ("moon", []),
    ],
)
def test_items_are_found_by_name_and_market(finder: Finder, typed: str, found: list[str]) -> None:
    """In English and German, in part; by the end of the number, or as imported."""
    assert names(finder.find(Kind.ITEM, typed, supplier="S")) == found


def test_a_match_tells_name_market_and_number(finder: Finder) -> None:
    """A market as it is called, or as it was imported."""
    found = finder.find(Kind.ITEM, "oat", supplier="S").choices
    assert {(one.id, one.market) for one in found} == {
        ("09521000010017:276", "Germany"),
        ("09521000010024:756", "Switzerland"),
        ("09521000010031:040", "Austria"),
        ("A-7", "Belgium"),
        ("A-8", "the moon"),
    }


@pytest.mark.parametrize(
    ("typed", "unique"),
    [
        ("431", "431"),
        ("9", None),
        ("sonnenhof wholesale", "431"),
        ("SONN super", "430"),
        ("sonnenhof", None),
        ("zeppelin", None),
        ("sonenhof suprmarkets", None),
    ],
)
def test_a_text_names_one_without_a_doubt_or_none(finder: Finder, typed: str, unique: str | None) -> None:
    """Its number, its full name if no other has it, or the only match; never one with typing errors."""
    found = finder.find(Kind.RECIPIENT, typed).unique
    assert (found and found.id) == unique


def test_a_long_list_is_cut_and_says_so(finder: Finder) -> None:
    """More is found by typing more."""
    found = finder.find(Kind.RECIPIENT, "shop")
    assert (len(found.choices), found.more) == (8, 12)


def test_an_exact_name_is_first_among_very_many(tmp_path: Path) -> None:
    """However many names contain its words."""
    with open_kit(tmp_path) as kit:
        rows = kit.records.directory[Kind.RECIPIENT]
        rows.put([NamedRow((f"1{number:05}",), f"Sonnenhof {number}") for number in range(1_100)])
        rows.put([NamedRow(("999",), "Sonnenhof")])
        found = kit.desk.finder.find(Kind.RECIPIENT, "sonnenhof")
        assert (found.choices[0].id, found.more) == ("999", 1_093)


def test_another_replica_and_a_restart_find_the_same_names(tmp_path: Path) -> None:
    """At the next letter that is typed."""
    with open_kit(tmp_path) as kit, open_kit(tmp_path) as replica:
        assert names(replica.desk.finder.find(Kind.RECIPIENT, "harbour")) == []
        kit.records.directory[Kind.RECIPIENT].put([NamedRow(("777",), "Harbour Mill")])
        assert names(replica.desk.finder.find(Kind.RECIPIENT, "harbour")) == ["777"]
    with open_kit(tmp_path) as restarted:
        assert names(restarted.desk.finder.find(Kind.RECIPIENT, "harbour")) == ["777"]


def test_a_match_in_spite_of_errors_says_so(finder: Finder) -> None:
    """The screen takes it only when it was seen."""
    assert finder.find(Kind.RECIPIENT, "panjer").choices == (
        Choice(("432",), "Le Panier Wholesale", is_near=True),
    )


@given(text=some.text(max_size=220))
def test_any_text_can_be_looked_for(kit: DeskKit, text: str) -> None:
    """Nothing that somebody types raises."""
    assert len(kit.desk.finder.find(Kind.RECIPIENT, text).choices) <= 8
    assert len(kit.desk.finder.find(Kind.ITEM, text, supplier="S").choices) <= 8


@pytest.mark.parametrize(
    ("word", "codes"),
    [("schwei", {"756"}), ("Deutsch", {"276"}), ("königreich", {"826"}), ("ch", set()), ("276", set())],
)
def test_the_beginning_of_a_market_is_known(word: str, codes: set[str]) -> None:
    """Three letters at least; with names and codes for what was imported."""
    assert {text for text in markets_called(word) if text.isdigit()} == codes


@pytest.fixture(scope="module")
def oats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finder]:
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
def test_a_number_is_known_or_called_so_or_has_the_form_of_one(oats: Finder, text: str, number: str) -> None:
    """As it is known, else without the spaces around it."""
    assert read_one(oats, Kind.ITEM, text, supplier=SUPPLIER) == EnteredOne(number)


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
def test_any_other_text_is_asked_about_with_the_nearest(oats: Finder, text: str, nearest: list[str]) -> None:
    """The most alike first; what two are called is no answer."""
    read = read_one(oats, Kind.ITEM, f" {text} ", supplier=SUPPLIER)
    assert (read.number, read.asked, read.why_not) == ("", text, "")
    assert [one.id for one in read.nearest] == nearest


def test_a_text_that_no_request_can_address_says_why(oats: Finder) -> None:
    """It is no number, whatever the person says."""
    read = read_one(oats, Kind.SUPPLIER, "..")
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
    oats: Finder, kind: Kind, text: str, *, is_number: bool
) -> None:
    """It is a GLN where none is known; the check digit of a GTIN must fit."""
    assert has_form(oats, kind, text, supplier={Kind.ITEM: SUPPLIER}.get(kind)) is is_number


def test_an_empty_field_offers_the_first_ones(oats: Finder) -> None:
    """By number, of this supplier; a choice has its name and market if it is known."""
    assert len(oats.first(Kind.ITEM, supplier=SUPPLIER).choices) == len(ITEMS)
    assert oats.first(Kind.ITEM, supplier="another").choices == ()
    assert oats.chosen(Kind.ITEM, OAT.id, supplier=SUPPLIER) == OAT
    assert oats.chosen(Kind.SUPPLIER, SUPPLIER) == Choice((SUPPLIER,), "Nordmilch")
    assert oats.chosen(Kind.ITEM, "new:276", supplier=SUPPLIER) == Choice((SUPPLIER, "new:276"))


def test_without_our_own_database_a_gln_is_a_number(tmp_path: Path) -> None:
    """Nothing else is known for the moment: the person says what is a number, and the work goes on."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        assert read_one(kit.desk.finder, Kind.SUPPLIER, SUPPLIER) == EnteredOne(SUPPLIER)
        assert read_one(kit.desk.finder, Kind.SUPPLIER, "S-1") == EnteredOne(asked="S-1")
        assert kit.desk.finder.first(Kind.SUPPLIER).choices == ()
        assert kit.desk.finder.find(Kind.RECIPIENT, "sonnenhof") == Matches()
