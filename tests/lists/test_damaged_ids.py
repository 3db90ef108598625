"""Ids that a spreadsheet may have damaged, and what a number looks like."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.lists.damaged_ids import DamageKind, Finding, accept, find_damage
from item_visibility.lists.gs1_and_markets import (
    doubts,
    item_hint,
    location_hint,
    market_code,
    market_hint,
    market_name,
    split_item_id,
    without_separators,
    writing,
)
from item_visibility.lists.headings import Layout
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.model.known_ids import Kind, NameRow, Names

SUPPLIERS, ITEMS, RECIPIENTS = Layout(supplier=0), Layout(item=0), Layout(recipient=0)
GLN, OTHER_GLN = "9522000000015", "9522000000022"
GLN_FROM_ZERO = "0952200000031"
GTIN, OTHER_GTIN = "09521000000117", "09521000000216"
Found = dict[str, tuple[str, str | None]]
"""The kind and the suggestion of each finding, by the id that was found."""
Known = Callable[[Kind], Names]


def known_ids(*ids: str, names: Sequence[str] = ()) -> Known:
    """Return a directory that knows these ids as any kind.

    The names belong to the first ids.
    """
    rows: dict[tuple[str, ...], NameRow] = {
        (one,): NameRow((one,), name)
        for one, name in zip_longest(ids, names, fillvalue="")
    }
    return lambda _: Names(rows)


NOTHING_KNOWN = known_ids()


def table(*ids: str) -> Table:
    return Table(
        ("Id",),
        tuple(TableRow(number, (one,)) for number, one in enumerate(ids, start=2)),
    )


def found_in(
    ids: Iterable[str], layout: Layout = RECIPIENTS, known: Known = NOTHING_KNOWN
) -> Found:
    found = find_damage(table(*ids), layout, known=known)
    return {one.value: (one.kind.name, one.suggestion) for one in found}


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("952200000031", "ZEROS_LOST", GLN_FROM_ZERO),
        ("9.522000000015E+12", "SHORTENED", GLN),
        ("9,522000000015E+12", "SHORTENED", GLN),
        ("9.52200E+12", "SHORTENED", None),
        (f"{GLN},00", "STRAY", GLN),
        ("952200000031.0", "STRAY", GLN_FROM_ZERO),
        ("9 522 000 000 015,00", "STRAY", GLN),
        ("95 22000 00001 5", "STRAY", GLN),
        ("1.000", "SHORTENED", None),
        (f"'{GLN}.0", "STRAY", GLN),
        (f"“{GLN}”", "STRAY", GLN),
        (f" {GLN}\t", "STRAY", GLN),
        ("952200000031\u00a0", "STRAY", GLN_FROM_ZERO),
        (f"\ufeff{GLN}", "STRAY", GLN),
        ("\uff19522000000015", "STRAY", GLN),
        ('="9522000000015"', "STRAY", GLN),
        ("=A1", "STRAY", None),
        ("\u200b", "STRAY", None),
        (" ", "STRAY", None),
        ("KUND\ufffd7", "STRAY", None),
        ("SHOP\u20137", "STRAY", "SHOP-7"),
        ("\u041a\u041e\u0422-7", "STRAY", "KOT-7"),
        ("#REF!", "STRAY", None),
        *(
            (text, "UNKNOWN", None)
            for text in ("Sonnenhof Nord", "ask Anna 3", "?", "12%", "S1*")
        ),
    ],
)
def test_a_damaged_text_is_found_among_sound_ids(
    damaged: str, kind: str, suggestion: str | None
) -> None:
    assert found_in([GLN, OTHER_GLN, damaged]) == {damaged: (kind, suggestion)}


@pytest.mark.parametrize(
    "sound",
    [
        *(
            "SHOP 7",
            "Müller-7",
            "\u041a\u0423\u041d\u0414-7",
            "KUND%3A7",
            "AT&T",
            "A.B,C;D",
            "1E5",
            "10.42.7",
        ),
        *(
            "MAR-0042",
            "550e8400-e29b-41d4-a716-446655440000",
            "952200000016",
            "x" * 3_000 + " ",
        ),
    ],
)
def test_an_unusual_text_holds_no_stray_characters(sound: str) -> None:
    assert found_in([sound]).get(sound, ("UNKNOWN", None)) == ("UNKNOWN", None)


@pytest.mark.parametrize("text", [OTHER_GLN, "SHOP-1", "SHOP-2", "remove"])
def test_known_ids_and_texts_with_the_form_of_an_id_are_accepted(text: str) -> None:
    assert found_in([text], known=known_ids(GLN, "SHOP-1")) == {}


@pytest.mark.parametrize("layout", [SUPPLIERS, ITEMS, RECIPIENTS])
@pytest.mark.parametrize(
    "text",
    [
        "S1",
        "r-17",
        "100234",
        "0042",
        "I1:276",
        "24/7",
        "000000000000100234",
        "550e8400-e29b-41d4-a716",
    ],
)
def test_a_word_with_a_digit_is_an_id(layout: Layout, text: str) -> None:
    assert found_in([text], layout) == {}
    assert found_in([GTIN, GLN, text], layout, known_ids(GTIN, GLN)) == {}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Supermarkets",
            "all",
            "alle",
            "everyone",
            "*",
            "%",
            "S*1",
            "SHOP 7",
            "2026-11-22",
            "1.3.2026",
        ),
        *(
            "anna7@shop.example",
            "https://shop.example/item/4711",
            "urn:shop:4711",
            "(7)",
            "Nr.7:",
        ),
    ],
)
def test_a_text_that_is_no_id_is_found_however_often_it_occurs(text: str) -> None:
    for count in (1, 3, 30):
        assert found_in([text] * count) == {text: ("UNKNOWN", None)}


SEPARATORS = (";", ",", ", ", " ", " / ", "/", "|", "-", " - ", "\n", " & ", "+")


@pytest.mark.parametrize("separator", SEPARATORS)
def test_several_ids_in_a_cell_are_never_one_id(separator: str) -> None:
    numbers = [f"95220000000{end}" for end in ("15", "22", "39", "46")]
    cells = [separator.join((first, numbers[-1])) for first in numbers[:-1]]
    found = dict.fromkeys(cells, ("SEVERAL", None))
    assert found_in(cells) == found
    assert found_in(cells, known=known_ids(*numbers)) == found
    assert (
        found_in(cells, known=known_ids(separator.join(("9522000000053", numbers[0]))))
        == found
    )
    own = [separator.join((first, "R9")) for first in ("R1", "R2", "R3")]
    assert found_in(own, known=known_ids("R1", "R2", "R3", "R9")) == dict.fromkeys(
        own, ("SEVERAL", None)
    )


@pytest.mark.parametrize(
    "text", ["R1;R2", "R1, R2", "R1|R2", "R1 / R2", "R1 R2", "R1\nR2"]
)
def test_several_words_with_digits_are_several_ids_although_none_is_known(
    text: str,
) -> None:
    assert found_in([text] * 3) == {text: ("SEVERAL", None)}


@pytest.mark.parametrize(
    ("text", "has_candidate"),
    [
        *(
            (text, True)
            for text in (
                "GLN {}",
                "GLN{}",
                "gln: {}",
                "0088:{}",
                "(414){}",
                "ID={}",
                "{} Nord",
            )
        ),
        *(
            (text, True)
            for text in ("https://id.gs1.org/414/{}", "Nord ({})", "Nord, {}")
        ),
        *(
            (text, False)
            for text in (
                "not {}",
                "{} Sonnenhof",
                "{}x",
                "ask 3 {}",
                "https://shop.example/{}",
            )
        ),
    ],
)
def test_an_id_beside_other_text_is_asked_about(
    text: str, *, has_candidate: bool
) -> None:
    cell = text.format(GLN)
    candidate = GLN if has_candidate else None
    assert found_in([cell] * 3, known=known_ids(GLN, names=["Nord"])) == {
        cell: ("HOLDS_KNOWN", candidate)
    }
    new = candidate if "Nord" not in text else None
    assert found_in([cell] * 3) == {cell: ("HOLDS_NUMBER", new)}


def test_a_known_own_id_beside_other_text_is_asked_about() -> None:
    known = known_ids("SHOP-7", "branch 17 north", "S1", "a")
    assert found_in(["ID: SHOP-7", "the branch 17 north", "S1 a"], known=known) == {
        "ID: SHOP-7": ("HOLDS_KNOWN", "SHOP-7"),
        "the branch 17 north": ("HOLDS_KNOWN", None),
        "S1 a": ("SEVERAL", None),
    }
    assert found_in(["SHOP-7-2", "S1-b"], known=known) == {}


def test_a_number_after_a_label_is_asked_about_although_it_is_mistyped() -> None:
    assert found_in(["GLN 9522000000016"]) == {
        "GLN 9522000000016": ("HOLDS_NUMBER", None)
    }


def test_new_ids_of_a_form_in_use_are_accepted() -> None:
    assert found_in([f"0088:{OTHER_GLN}"], known=known_ids(f"0088:{GLN}")) == {}
    assert found_in([f"0088:{GLN}"], known=known_ids(f"0088:{OTHER_GLN}", GLN)) == {
        f"0088:{GLN}": ("HOLDS_KNOWN", GLN)
    }
    assert found_in(["7,8"], known=known_ids("5,6")) == {}


def test_an_item_beside_other_text_is_suggested_if_only_one_is_meant() -> None:
    cell = f"(01){GTIN}"
    known = known_ids(f"{GTIN}:276")
    assert found_in([cell], ITEMS) == {cell: ("HOLDS_NUMBER", GTIN)}
    assert found_in([cell], ITEMS, known) == {cell: ("HOLDS_KNOWN", f"{GTIN}:276")}
    assert found_in([cell], ITEMS, known_ids(f"{GTIN}:276", f"{GTIN}:040")) == {
        cell: ("HOLDS_KNOWN", None)
    }
    rows = Table(("Item", "Market"), (TableRow(2, (cell, "276")),))
    (found,) = find_damage(rows, Layout(item=0, market=1), known=known)
    assert (found.kind, found.suggestion) == (DamageKind.HOLDS_KNOWN, f"{GTIN}:276")


def test_a_known_number_beside_a_mark_stays_one_although_the_row_names_its_market() -> (
    None
):
    rows = Table(("Item", "Market"), (TableRow(2, (f"{GTIN}\u00a0", "276")),))
    known = known_ids(GTIN, f"{GTIN}:276")
    (found,) = find_damage(rows, Layout(item=0, market=1), known=known)
    assert (found.kind, found.suggestion) == (DamageKind.HOLDS_KNOWN, f"{GTIN}:276")


def test_names_of_another_kind_are_no_ids() -> None:
    def known(kind: Kind) -> Names:
        return Names(
            {("S7",): NameRow(("S7",), "7up")} if kind is Kind.SUPPLIER else {}
        )

    assert found_in(["7up"], RECIPIENTS, known) == {"7up": ("NO_OWN_NAME", None)}
    assert found_in(["7up "], SUPPLIERS, known) == {"7up ": ("NAME", "S7")}


@pytest.mark.parametrize(
    "word",
    ["nan", "NaN", "N/A", "n/a", "#N/A", "None", "NULL", " null ", "-", "\u2013"],
)
def test_a_word_for_nothing_is_an_empty_cell_unless_it_is_a_known_id(word: str) -> None:
    assert found_in([word, GLN]) == {word: ("NOTHING", "")}
    assert found_in([word.strip()], known=known_ids(word.strip())) == {}


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (
            ["36000291452", "12345678905"],
            {"36000291452": "036000291452", "12345678905": "012345678905"},
        ),
        (["36000291452", "12345678901"], {}),
    ],
)
def test_upcs_that_lost_their_zeros_are_found_unless_numbers_as_long_have_no_check_digit(  # noqa: E501
    ids: list[str], found: dict[str, str]
) -> None:
    expected = {text: ("ZEROS_LOST", suggestion) for text, suggestion in found.items()}
    assert found_in(ids * 3, ITEMS) == expected


def test_the_beginning_of_a_longer_number_is_found() -> None:
    assert found_in(["95220000000"], known=known_ids(GLN)) == {
        "95220000000": ("CUT_OFF", None)
    }
    assert found_in(["952200000", GLN]) == {"952200000": ("CUT_OFF", None)}
    assert found_in(["952200", "952200001", GLN]) == {}


def test_a_number_with_separators_is_a_number() -> None:
    assert found_in(["9522-0000-00015", "9522-0000-00016", "2026-1000-0023"]) == {
        "9522-0000-00015": ("STRAY", GLN),
        "9522-0000-00016": ("UNKNOWN", None),
    }


def test_a_unique_name_suggests_the_id_of_its_recipient() -> None:
    known = known_ids(
        GLN, OTHER_GLN, "1", "2", names=["Sonnenhof", "Kornblume", "Mitte", "Mitte"]
    )
    assert found_in(["Sonnenhof", "Hof", "Mitte"], known=known) == {
        "Sonnenhof": ("NAME", GLN),
        "Hof": ("UNKNOWN", None),
        "Mitte": ("NO_OWN_NAME", None),
    }


CUT = "9521000010017270"
"""A number with the market 276.

Excel keeps only 15 digits, so the end reads as another market.
"""


@pytest.mark.parametrize("layout", [SUPPLIERS, ITEMS, RECIPIENTS])
@pytest.mark.parametrize(
    ("cell", "texts", "suggestion", "is_whole"),
    [
        (CUT, (), None, False),
        (CUT, ("09521000010024276",), None, False),
        ("952100001001", ("09521000010024:276",), None, False),
        ("9521000010017", ("09521000010024:276",), None, False),
        ("9521000010018", ("9521000010024",), None, False),
        ("9521000010017", ("9521000010024", "9521000010031"), "9521000010017", True),
        (
            "9521000010017",
            ("9521000010024", "9521000010048", "K-77"),
            "9521000010017",
            False,
        ),
    ],
)
def test_a_number_cell_is_accepted_only_if_its_digits_are_complete(
    layout: Layout,
    cell: str,
    texts: tuple[str, ...],
    suggestion: str | None,
    *,
    is_whole: bool,
) -> None:
    finding = find_damage(table(NotText(cell), *texts), layout, known=NOTHING_KNOWN)[0]
    assert (finding.row, finding.suggestion) == (2, suggestion)
    assert (finding.kind is DamageKind.WHOLE_NUMBER) is is_whole


@pytest.mark.parametrize(
    ("layout", "cell", "suggestion", "is_whole"),
    [
        (RECIPIENTS, GLN, GLN, True),
        (ITEMS, "19521000010014", "19521000010014", True),
        (ITEMS, "9521000010017", "9521000010017", False),
        (RECIPIENTS, "952200000031", GLN_FROM_ZERO, False),
        (RECIPIENTS, "9.522000000015E12", GLN, False),
        *(
            (RECIPIENTS, cell, None, False)
            for cell in ("10042", "0.5", "-7", "1E999", "true", "9" * 5_000)
        ),
        (RECIPIENTS, "40123456789012800", None, False),
        (RECIPIENTS, "4.0123456789012760E+15", None, False),
    ],
)
def test_without_text_ids_a_number_cell_must_have_full_length(
    layout: Layout, cell: str, suggestion: str | None, *, is_whole: bool
) -> None:
    (finding,) = find_damage(table(NotText(cell)), layout, known=NOTHING_KNOWN)
    assert (finding.value, finding.suggestion) == (cell, suggestion)
    assert finding.kind is (
        DamageKind.WHOLE_NUMBER if is_whole else DamageKind.NUMBER_CELL
    )


@pytest.mark.parametrize(
    ("cell", "known", "suggestion", "is_whole"),
    [
        ("42", ("42",), "42", False),
        (CUT, (CUT, "9521000010017276"), None, False),
        ("9521000010017", ("09521000010017",), "09521000010017", False),
        ("19521000010014", ("19521000010014",), "19521000010014", True),
    ],
)
def test_a_known_number_is_suggested_for_a_number_cell(
    cell: str, known: tuple[str, ...], suggestion: str | None, *, is_whole: bool
) -> None:
    (finding,) = find_damage(table(NotText(cell)), ITEMS, known=known_ids(*known))
    assert (finding.suggestion, finding.kind is DamageKind.WHOLE_NUMBER) == (
        suggestion,
        is_whole,
    )


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (
            (GTIN, OTHER_GTIN, "9521000000315"),
            {"9521000000315": ("ZEROS_LOST", "09521000000315")},
        ),
        (
            (f"{GTIN}:276", f"{OTHER_GTIN}:40"),
            {f"{OTHER_GTIN}:40": ("ZEROS_LOST", f"{OTHER_GTIN}:040")},
        ),
        (("9521000000117", "19521000000114", "19521000000213"), {}),
        (("9521000000117", "9521000000216", "96385074"), {}),
        ((f"{GTIN}:999", f"{OTHER_GTIN}:276"), {}),
        (("123456784", GTIN), {}),
        (
            ("09521000000118:276", "09521000000119"),
            dict.fromkeys(("09521000000118:276", "09521000000119"), ("UNKNOWN", None)),
        ),
        ((f"{GTIN}:276", "9521000010017270"), {"9521000010017270": ("UNKNOWN", None)}),
    ],
)
def test_items_are_compared_with_the_others_of_their_column(
    ids: tuple[str, ...], found: Found
) -> None:
    assert found_in(ids, ITEMS) == found


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("42", "NEARLY_KNOWN", "0042"),
        ("kund-0043", "NEARLY_KNOWN", "KUND-0043"),
        ("KUND 0043", "NEARLY_KNOWN", "KUND-0043"),
        ("\u041aUND-0043", "STRAY", "KUND-0043"),
        ("42.0", "SHORTENED", "0042"),
        ("8.746042E+06", "SHORTENED", "8746042"),
        ("8.75E+06", "SHORTENED", None),
    ],
)
def test_a_known_id_is_suggested(
    damaged: str, kind: str, suggestion: str | None
) -> None:
    known = known_ids("0042", "KUND-0043", "8746042")
    assert found_in([damaged], known=known) == {damaged: (kind, suggestion)}


ODD = "4.00638E+15"


@pytest.mark.parametrize("layout", [SUPPLIERS, ITEMS, RECIPIENTS])
def test_a_known_id_is_never_damaged(layout: Layout) -> None:
    assert found_in([ODD], layout, known_ids(ODD)) == {}
    assert found_in([ODD], layout).keys() == {ODD}


def test_a_known_damaged_id_does_not_hide_the_known_sound_one() -> None:
    known = known_ids("KUND-7\u00a0", "KUND-7")
    assert found_in(["KUND-7\u00a0"], known=known) == {
        "KUND-7\u00a0": ("STRAY", "KUND-7")
    }


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ((f"{GTIN}:276",), {GTIN: ("NEARLY_KNOWN", f"{GTIN}:276")}),
        ((f"{GTIN}:276", f"{GTIN}:040", "KUND-7"), {}),
    ],
)
def test_a_missing_market_is_suggested_when_only_one_is_known(
    known: tuple[str, ...], found: Found
) -> None:
    assert found_in([GTIN], ITEMS, known_ids(*known)) == found


@pytest.mark.parametrize(
    ("item", "market", "kind"),
    [
        (GTIN, "40", "NEARLY_KNOWN"),
        (GTIN[1:], "Austria", "NEARLY_KNOWN"),
        ("butter", "AT", "NAME"),
    ],
)
def test_the_market_in_the_row_selects_the_known_item(
    item: str, market: str, kind: str
) -> None:
    rows = Table(("Item", "Market"), (TableRow(2, (item, market)),))
    known = known_ids(f"{GTIN}:276", f"{GTIN}:040", names=("Butter", "Butter"))
    (found,) = find_damage(rows, Layout(item=0, market=1), known=known)
    assert (found.kind.name, found.suggestion) == (kind, f"{GTIN}:040")


def test_findings_are_in_the_order_of_the_list() -> None:
    rows = tuple(
        TableRow(number, (f"{GLN}\u00a0", GTIN, end))
        for number, end in ((7, " "), (9, ""))
    )
    layout = Layout(supplier=0, item=1, recipient=2)
    found = find_damage(Table(("S", "I", "R"), rows), layout, known=NOTHING_KNOWN)
    assert [(one.row, one.column) for one in found] == [(7, 0), (7, 2), (9, 0)]


def test_only_accepted_findings_change_the_list() -> None:
    before = Table(
        ("Id", "Name"),
        (TableRow(2, (NotText("42"), "42")), TableRow(3, (NotText("43"), "x"))),
    )
    found = [
        Finding(2, 0, "42", DamageKind.NUMBER_CELL, "0042"),
        Finding(3, 0, "43", DamageKind.NUMBER_CELL),
    ]
    mended = accept(before, found)
    assert mended.rows == (TableRow(2, ("0042", "42")), TableRow(3, ("43", "x")))
    assert [type(row.cells[0]) for row in mended.rows] == [str, NotText]


TEXTS = st.text() | st.text("0123456789.,:E+-'\" \u00a0OolI", max_size=20)


@given(
    st.lists(TEXTS, max_size=8),
    st.sampled_from([RECIPIENTS, ITEMS]),
    st.lists(TEXTS, max_size=3),
)
def test_any_list_can_be_checked_and_corrected(
    ids: list[str], layout: Layout, known: list[str]
) -> None:
    before = table(*ids)
    found = find_damage(before, layout, known=known_ids(*known))
    mended = accept(before, found)
    touched = {one.row for one in found}
    assert all(one.value in before.rows[one.row - 2].cells[0] for one in found)
    assert [one for one in found if one.suggestion == one.value] == []
    assert [row for row in mended.rows if row.number not in touched] == [
        row for row in before.rows if row.number not in touched
    ]


@pytest.mark.parametrize(
    ("supplier_item_id", "hint"),
    [
        ("04012345678901:276", "GTIN 04012345678901 · Germany"),
        ("04012345678901276", "GTIN 04012345678901 · Germany"),
        ("4012345678901-DE", "GTIN 4012345678901 · Germany"),
        ("4012345678901deu", "GTIN 4012345678901 · Germany"),
        ("96385074/040", "GTIN 96385074 · Austria"),
        ("04012345678901:097", "GTIN 04012345678901 · European Union"),
        ("04012345678901:999", "GTIN 04012345678901 · market 999 is not known"),
        ("04012345678901", "GTIN 04012345678901"),
        (
            "04012345678902:276",
            "GTIN 04012345678902 · Germany · check digit does not fit: "  # noqa: ISC004
            "04012345678901 would",
        ),
        ("4.01234E+12", "a spreadsheet shortened this number"),
        ("4,01234e12", "a spreadsheet shortened this number"),
        ("04012345678901:276\u200b", "holds characters that cannot be seen"),
        ("ACME-7", ""),
        ("", ""),
        ("٤٠١٢٣٤٥٦٧٨٩٠١", ""),
    ],
)
def test_an_item_id_is_described_by_number_and_market(
    supplier_item_id: str, hint: str
) -> None:
    assert item_hint(supplier_item_id) == hint


@pytest.mark.parametrize(
    "text", ["040", "at", "Austria", "Österreich", "OESTERREICH", "osterreich"]
)
def test_a_market_is_read_by_its_codes_and_names(text: str) -> None:
    assert market_name(market_code(text), "de") == "Österreich"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shop", "SHOP"),
        ("SH\uff2fP", "SHOP"),
        ("SH\u041eP", "SHOP"),
        ("SH\u039fP", "SHOP"),
        ("SHO\u00adP", "SHOP"),
        ("SHOP\t", "SHOP"),
        ("SHOP\u20137", "SHOP-7"),
        ("\u0664\u0662", "42"),
        ("stra\u00dfe", "STRASSE"),
        ("0042", "42"),
        ("09521000000117:276", "9521000000117:276"),
        ("000", "0"),
    ],
)
def test_ids_that_look_alike_are_recognised(one: str, other: str) -> None:
    assert writing(one) == writing(other)


@pytest.mark.parametrize(
    ("one", "other"), [("1002", "12"), ("KUND-042", "KUND-42"), ("0x1", "x1")]
)
def test_ids_that_differ_in_other_zeros_do_not_look_alike(one: str, other: str) -> None:
    assert writing(one) != writing(other)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("43OO00000O0l4", "4300000000014"),
        ("O4012345678901:276", "04012345678901:276"),
        ("SHOP 7", "SHOP7"),
    ],
)
def test_letters_among_digits_are_digits(typed: str, meant: str) -> None:
    assert without_separators(typed) == meant


@pytest.mark.parametrize(
    ("supplier_item_id", "parts"),
    [
        ("4012345678901276", ("4012345678901", "276")),
        ("04012345678901:DE", ("04012345678901", "DE")),
        ("ACME-7", None),
    ],
)
def test_number_and_market_are_split_by_length(
    supplier_item_id: str, parts: tuple[str, str] | None
) -> None:
    assert split_item_id(supplier_item_id) == parts
    assert market_hint(supplier_item_id) == ("" if parts is None else "Germany")


@pytest.mark.parametrize(
    ("identifier", "hint"),
    [
        ("4000001000005", "valid GLN"),
        ("4000001000006", "check digit does not fit: 4000001000005 would"),
        ("SHOP 7", ""),
    ],
)
def test_a_location_number_is_described_with_its_check_digit(
    identifier: str, hint: str
) -> None:
    assert location_hint(identifier) == hint


@given(
    st.text() | st.from_regex(r"[0-9]{8,17}([:-]?[0-9A-Za-z]{2,3})?", fullmatch=True)
)
def test_any_string_has_hints(identifier: str) -> None:
    fitting = re.findall(
        r"([0-9]+) would", f"{item_hint(identifier)}{location_hint(identifier)}"
    )
    assert [doubts(number) for number in fitting] == [()] * len(fitting)
