"""Known ids found by name: words in any order, shortened, mistyped, in two languages.

Also what a text means in a field for one supplier or item, and how ids are named.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.find_by_name import DoubtfulText, KnownNames, Matches
from tests.support.desk import break_records, open_kit, put_names

RECIPIENTS = {
    "430": "Sonnenhof Supermarkets",
    "431": "Sonnenhof Wholesale",
    "432": "Le Panier Wholesale",
    "433": "Wholesale Sonnenhof Nord",
    "434": "Café Łódź",
    "435": "Zeppelin",
    "436": "Zeppelin",
    "7\ud800": "",
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
OAT = NameRow((SUPPLIER, "09521000010017:276"), "Oat biscuits 250 g")
OTHER_OAT = NameRow((SUPPLIER, "09521000010024:756"), "Oat biscuits 500 g")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownNames]:
    """The names of a directory, which these tests only read."""
    with open_kit(tmp_path_factory.mktemp("names")) as opened:
        rows = opened.records.directory
        rows[Kind.SUPPLIER].put([NameRow((SUPPLIER,), "Nordmilch")])
        rows[Kind.RECIPIENT].put(
            [NameRow((own_id,), name) for own_id, name in RECIPIENTS.items()]
        )
        rows[Kind.RECIPIENT].put(
            [NameRow((f"9{number:03}",), f"Shop {number}") for number in range(20)]
        )
        rows[Kind.ITEM].put(
            [NameRow((SUPPLIER, own_id), name) for own_id, name in ITEMS.items()]
        )
        rows[Kind.ITEM].put(
            [
                NameRow(("S", "09521000010017:276"), "Oat biscuits 250 g"),
                NameRow(("S", "09521000010024:756"), "Oat biscuits 500 g"),
                NameRow(("S", "09521000010031:040"), "Oat biscuits 500 g"),
                NameRow(("S", "A-7"), "Oat biscuits 1 kg", "Belgium"),
                NameRow(("S", "A-8"), "Oat biscuits 2 kg", "the moon"),
            ]
        )
        yield opened.desk.names


def ids_of(matches: Matches) -> list[str]:
    return [row.id for row in matches.choices]


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("sonnenhof", ["430", "431", "433"]),
        ("wholesale sonnenhof", ["433", "431"]),
        ("sonn super", ["430"]),
        ("lodz", ["434"]),
        ("43", ["430", "431", "432", "433", "434", "435", "436"]),
        ("wholesale", ["433", "431", "432"]),
        ("431", ["431"]),
        ("panier, wholesale", ["432"]),
        ("sonenhof", ["430", "431", "433"]),
        ("Sonnehnof Suprmarkets", ["430"]),
        ("kafe lodz", ["434"]),
        ("sonnenhofff wholesale nord", ["433"]),
        ("7\ud800", ["7\ud800", "9007", "9017"]),
        ("somebody", []),
        ("", []),
        (" , ", []),
        ("s" * 201, []),
    ],
)
def test_recipients_are_found_as_people_type(
    names: KnownNames, typed: str, ids: list[str]
) -> None:
    assert ids_of(names.find(Kind.RECIPIENT, typed)) == ids


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("oat schweiz", ["09521000010024:756"]),
        ("Österreich 500 oat", ["09521000010031:040"]),
        ("oesterreich", ["09521000010031:040"]),
        ("biscuits germany", ["09521000010017:276"]),
        ("oat belg", ["A-7"]),
        ("biscits schweiz", ["09521000010024:756"]),
        ("moon", []),
    ],
)
def test_items_are_found_by_name_and_market(
    names: KnownNames, typed: str, ids: list[str]
) -> None:
    assert ids_of(names.find(Kind.ITEM, typed, supplier="S")) == ids


@pytest.mark.parametrize(
    ("typed", "unique"),
    [
        ("431", "431"),
        ("9", None),
        ("sonnenhof wholesale", "431"),
        ("sonnenhof", None),
        ("zeppelin", None),
        ("sonenhof suprmarkets", None),
    ],
)
def test_a_text_means_a_unique_match_or_none(
    names: KnownNames, typed: str, unique: str | None
) -> None:
    row = names.find(Kind.RECIPIENT, typed).unique
    assert (row and row.id) == unique


def test_an_exact_name_is_first_among_very_many(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        rows = kit.records.directory[Kind.RECIPIENT]
        rows.put(
            [
                NameRow((f"1{number:05}",), f"Sonnenhof {number}")
                for number in range(1_100)
            ]
        )
        rows.put([NameRow(("999",), "Sonnenhof")])
        matches = kit.desk.names.find(Kind.RECIPIENT, "sonnenhof")

        assert matches.choices[0].id == "999"
        assert matches.more == 1_093


@given(text=st.text(max_size=220))
def test_any_text_can_be_looked_for(names: KnownNames, text: str) -> None:
    assert len(names.find(Kind.RECIPIENT, text).choices) <= 8
    assert len(names.find(Kind.ITEM, text, supplier="S").choices) <= 8


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
def test_a_known_id_a_full_name_or_the_form_of_an_id_is_accepted(
    names: KnownNames, text: str, number: str
) -> None:
    assert names.read_one(Kind.ITEM, text, supplier=SUPPLIER) == number


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("oat biscuits 250", [OAT.id]),
        ("oat biskuits", [OAT.id, OTHER_OAT.id]),
        ("oat bread", [OAT.id, OTHER_OAT.id]),
        ("oat biscuits 500 g for Anna", [OTHER_OAT.id]),
        ("bread", []),
        ("twice", ["K-8", "K-9"]),
        ("so x y", []),
    ],
)
def test_any_other_text_is_asked_about_with_similar_choices(
    names: KnownNames, text: str, nearest: list[str]
) -> None:
    read = names.read_one(Kind.ITEM, f" {text} ", supplier=SUPPLIER)
    assert isinstance(read, DoubtfulText)
    assert read.text == text
    assert read.why_not == ""
    assert [row.id for row in read.alike] == nearest

    refused = names.read_one(Kind.SUPPLIER, "..")
    assert isinstance(refused, DoubtfulText)
    assert refused.why_not


@pytest.mark.parametrize(
    ("kind", "text", "is_number"),
    [
        (Kind.SUPPLIER, "4000001000012", True),
        (Kind.SUPPLIER, "400000100001", False),
        (Kind.RECIPIENT, "R-1", False),
        (Kind.RECIPIENT, "Nordmilch", False),
        (Kind.ITEM, "K 7", False),
        (Kind.ITEM, "09521000010017", True),
        (Kind.ITEM, "09521000010016", False),
        (Kind.ITEM, "9521000010017DE", True),
    ],
)
def test_the_form_of_an_id_is_that_of_a_gln_or_of_ids_in_use(
    names: KnownNames, kind: Kind, text: str, *, is_number: bool
) -> None:
    supplier = SUPPLIER if kind is Kind.ITEM else None
    assert names.has_form(kind, text, supplier=supplier) is is_number


def test_several_ids_have_no_form_of_an_id_although_such_texts_are_known(
    tmp_path: Path,
) -> None:
    numbers = ["4000001000012", "4000001000029", "4000001000036"]
    with open_kit(tmp_path) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(f"4000001000005;{one}", "") for one in numbers],
        )
        assert not kit.desk.names.has_form(Kind.SUPPLIER, f"{numbers[0]};{numbers[1]}")


def test_an_empty_field_offers_the_first_names(names: KnownNames) -> None:
    assert len(names.first(Kind.ITEM, supplier=SUPPLIER).choices) == len(ITEMS)
    assert names.first(Kind.ITEM, supplier="another").choices == ()
    assert names.chosen(Kind.ITEM, OAT.id, supplier=SUPPLIER) == OAT
    assert names.chosen(Kind.SUPPLIER, SUPPLIER) == NameRow((SUPPLIER,), "Nordmilch")
    assert names.chosen(Kind.ITEM, "new:276", supplier=SUPPLIER) == NameRow(
        (SUPPLIER, "new:276")
    )


MILL = "9521000010000"
BISCUITS = "09521000010017:276"


def test_without_a_database_nothing_is_known(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        kit.records.directory.remember([ItemKey(MILL, BISCUITS)], ["KUND-0042"])
        names = kit.desk.names

        assert names.some_ids(Kind.ITEM) == (BISCUITS,)
        assert names.is_known(Kind.RECIPIENT, "KUND-0042")

        break_records(tmp_path)
        assert names.some_ids(Kind.ITEM) == ()
        assert not names.is_known(Kind.RECIPIENT, "KUND-0042")
        assert names.first(Kind.SUPPLIER) == Matches()
        assert names.find(Kind.RECIPIENT, "KUND-0042").choices == ()
        assert names.read_one(Kind.SUPPLIER, MILL) == MILL
        assert names.read_one(Kind.SUPPLIER, "S-1") == DoubtfulText(
            "S-1", kind=Kind.SUPPLIER
        )


def test_an_item_is_shown_with_its_name_and_its_market(tmp_path: Path) -> None:
    german = ItemKey(MILL, BISCUITS)
    other = ItemKey(MILL, "OAT-1")
    nameless = ItemKey(MILL, "7")
    with open_kit(tmp_path) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(MILL, "Harbour Mill")],
            items=[(german, "", "Oat biscuits 250 g"), (other, "040", "Oat flakes")],
        )
        titles = {
            item: kit.desk.names.item_title(item) for item in (german, other, nameless)
        }
        names = [
            kit.desk.names.item_name(item)
            for item in (german, ItemKey("S", BISCUITS), nameless)
        ]

        assert names == ["Oat biscuits 250 g · Germany", "", ""]
        assert kit.desk.names.supplier_names([MILL, "S2"]) == {MILL: "Harbour Mill"}

    assert titles == {
        german: "Oat biscuits 250 g · Germany",
        other: "Oat flakes · Austria",
        nameless: "7",
    }
