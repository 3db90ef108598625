"""Ids that a spreadsheet damaged: what is found, what is suggested, and what an acceptance changes."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.lists.damage import Finding, accept, difference_words, find_damage
from item_visibility.lists.damage_rules import DamageKind, find_in_text
from item_visibility.lists.layout import Layout, LayoutKind
from item_visibility.lists.table import NotText, Table, TableRow
from tests.lists.known import NOTHING_KNOWN, Known

ROWS = Layout(kind=LayoutKind.ROWS, recipients=(0,))
ITEMS = Layout(kind=LayoutKind.ROWS, item=0)
CELL = Layout(kind=LayoutKind.CELL, recipients=(0,))
GLN, OTHER_GLN = "9522000000015", "9522000000022"
GLN_FROM_ZERO = "0952200000031"
GTIN, OTHER_GTIN = "09521000000117", "09521000000216"
Found = dict[str, tuple[str, str | None]]
"""The kind and the suggestion of each finding, by its value."""


def table(*ids: str) -> Table:
    """A list of one column."""
    return Table(("Id",), tuple(TableRow(number, (one,)) for number, one in enumerate(ids, start=2)))


def found_in(ids: Iterable[str], layout: Layout = ROWS, known: Known = NOTHING_KNOWN) -> Found:
    """The findings in a column of these ids."""
    found = find_damage(table(*ids), layout, known=known)
    return {one.value: (one.kind.name, one.suggestion) for one in found}


def of_role(role: str) -> Layout:
    """A layout with one column of this role."""
    return Layout(kind=LayoutKind.ROWS, **({"recipients": (0,)} if role == "recipient" else {role: 0}))


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("952200000031", "ZEROS_LOST", GLN_FROM_ZERO),
        ("9.522000000015E+12", "SHORTENED", GLN),
        ("9,522000000015E+12", "SHORTENED", GLN),
        ("9.52200E+12", "SHORTENED", None),
        ("9522000010017270", "DIGITS_CUT", None),
        (f"{GLN}.0", "STRAY", GLN),
        (f"{GLN},00", "STRAY", GLN),
        ("952200000031.0", "STRAY", GLN_FROM_ZERO),
        ("9,522,000,000,015", "STRAY", GLN),
        ("9 522 000 000 015,00", "STRAY", GLN),
        ("95 22000 00001 5", "STRAY", GLN),
        (f"+{GLN}", "STRAY", GLN),
        (f"({GLN})", "STRAY", GLN),
        (f"{GLN} €", "STRAY", GLN),
        ("$9,522,000,000,015.00", "STRAY", GLN),
        ("12%", "STRAY", None),
        ("1.000", "STRAY", None),
        ("952200O000015", "STRAY", GLN),
        (f"'{GLN}", "STRAY", GLN),
        (f"'{GLN}.0", "STRAY", GLN),
        (f"“{GLN}”", "STRAY", GLN),
        (f"{GLN}\u00a0", "STRAY", GLN),
        (f" {GLN}\t", "STRAY", GLN),
        ("952200000031\u00a0", "STRAY", GLN_FROM_ZERO),
        (f"\ufeff{GLN}", "STRAY", GLN),
        ("\uff19522000000015", "STRAY", GLN),
        (f"{GLN}\n", "STRAY", GLN),
        ("952200\n0000015", "STRAY", GLN),
        (f"{GLN}\n{OTHER_GLN}", "STRAY", None),
        ('="9522000000015"', "STRAY", GLN),
        ("=A1", "STRAY", None),
        ("\u200b", "STRAY", None),
        (" ", "STRAY", None),
        ("KUND\ufffd7", "STRAY", None),
        ("SHOP\u20137", "STRAY", "SHOP-7"),
        ("\u041a\u041e\u0422-7", "STRAY", "KOT-7"),
        ("#N/A", "STRAY", None),
        ("TRUE", "STRAY", None),
        ("12:30:00 PM", "STRAY", None),
        ("2024-03-01", "STRAY", None),
        ("01.03.2024", "STRAY", None),
    ],
)
def test_a_damaged_text_is_found_among_sound_ids(damaged: str, kind: str, suggestion: str | None) -> None:
    """The suggestion is the text without what does not belong to it, or a number with a valid check digit."""
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
            "MAR-0042",
        ),
        *(
            "MAR-0042",
            "'",
            "10.42.7",
            "550e8400-e29b-41d4-a716-446655440000",
            "952200000016",
            "x" * 3_000 + " ",
        ),
    ],
)
def test_an_unusual_text_holds_no_stray_characters(sound: str) -> None:
    """A text too long for an id is refused elsewhere."""
    assert find_in_text(sound) is None or sound == "'"


@pytest.mark.parametrize("text", ["Supermarkets", "Sonnenhof Nord", "ask Anna 3", "95220", "R1", "?"])
def test_a_word_a_sentence_and_half_a_number_are_asked_about(text: str) -> None:
    """Ids of another form are in use."""
    assert found_in([GLN, text], known=Known(of_recipients=(GLN, "SHOP-1"))) == {text: ("UNKNOWN", None)}


@pytest.mark.parametrize("text", [OTHER_GLN, "SHOP-1", "SHOP-2", "remove"])
def test_what_is_known_or_has_the_form_of_an_id_is_read(text: str) -> None:
    """A location number, a form that is in use; a word for an action is refused by the row."""
    assert found_in([text], known=Known(of_recipients=(GLN, "SHOP-1"))) == {}


def test_ids_of_one_new_form_are_read() -> None:
    """A list that mostly holds them says by itself how they are written."""
    assert found_in(["R1", "R2", "R3", "Supermarkets"]) == {"Supermarkets": ("UNKNOWN", None)}


def test_a_name_that_one_recipient_has_suggests_its_id() -> None:
    """People know companies by name."""
    known = Known(of_recipients=(GLN,), names={"Sonnenhof": GLN})
    assert found_in(["Sonnenhof", "Hof"], known=known) == {
        "Sonnenhof": ("NAME", GLN),
        "Hof": ("UNKNOWN", None),
    }


@pytest.mark.parametrize(
    ("cell", "texts", "kind", "suggestion"),
    [
        (GLN, (GLN, OTHER_GLN), "NUMBER_CELL", GLN),
        ("952200000031", (), "NUMBER_CELL", GLN_FROM_ZERO),
        ("9.522000000015E12", (), "NUMBER_CELL", GLN),
        ("10042", (), "NUMBER_CELL", None),
        ("0.5", (), "NUMBER_CELL", None),
        ("-7", (), "NUMBER_CELL", None),
        ("1E999", (), "NUMBER_CELL", None),
        ("40123456789012800", (), "DIGITS_CUT", None),
        ("4.0123456789012760E+15", (), "DIGITS_CUT", None),
        ("#N/A", (), "NUMBER_CELL", None),
        ("true", (), "NUMBER_CELL", None),
    ],
)
def test_a_cell_that_is_no_text_is_found(
    cell: str, texts: tuple[str, ...], kind: str, suggestion: str | None
) -> None:
    """Also when another cell holds the same text."""
    rows = (TableRow(2, (NotText(cell),)), *table("", *texts).rows[1:])
    (finding,) = find_damage(Table(("Id",), rows), ROWS, known=NOTHING_KNOWN)
    assert (finding.value, finding.kind.name, finding.suggestion) == (cell, kind, suggestion)


CUT = "9521000010017270"
"""An item number with the market 276, of which Excel keeps 15 digits. The rest reads as another market."""


@pytest.mark.parametrize("role", ["supplier", "item", "recipient"])
@pytest.mark.parametrize(
    ("cell", "texts", "suggestion", "is_whole"),
    [
        (CUT, (), None, False),
        (CUT, ("09521000010024276",), None, False),
        ("952100001001", ("09521000010024:276",), None, False),
        ("9521000010017", ("09521000010024:276",), None, False),
        ("9521000010018", ("9521000010024",), None, False),
        ("9521000010017", ("9521000010024", "9521000010031"), "9521000010017", True),
        ("9521000010017", ("9521000010024", "9521000010048", "K-77"), "9521000010017", False),
    ],
)
def test_a_number_cell_is_whole_only_when_its_digits_prove_it(
    role: str, cell: str, texts: tuple[str, ...], suggestion: str | None, *, is_whole: bool
) -> None:
    """Fewer than 16 digits, a valid check digit, and the form of the text ids of its column."""
    rows = (TableRow(2, (NotText(cell),)), *table("", *texts).rows[1:])
    finding = find_damage(Table(("Id",), rows), of_role(role), known=NOTHING_KNOWN)[0]
    assert (finding.row, finding.suggestion, finding.is_whole) == (2, suggestion, is_whole)


@pytest.mark.parametrize(
    ("layout", "cell", "is_whole"),
    [(ROWS, GLN, True), (ITEMS, "9521000010017", False), (ITEMS, "19521000010014", True)],
)
def test_without_text_ids_a_number_cell_needs_the_longest_form(
    layout: Layout, cell: str, *, is_whole: bool
) -> None:
    """A location number has 13 digits. An item number of 13 digits may have had 14."""
    (finding,) = find_damage(Table(("Id",), (TableRow(2, (NotText(cell),)),)), layout, known=NOTHING_KNOWN)
    assert (finding.suggestion, finding.is_whole) == (cell, is_whole)


@pytest.mark.parametrize(
    ("cell", "known", "suggestion"),
    [
        ("42", ("42",), "42"),
        (CUT, (CUT,), CUT),
        (CUT, ("9521000010017276",), "9521000010017276"),
        (CUT, (CUT, "9521000010017276"), None),
        ("9521000010017", ("09521000010017",), "09521000010017"),
    ],
)
def test_a_known_number_is_suggested_for_a_number_cell(
    cell: str, known: tuple[str, ...], suggestion: str | None
) -> None:
    """It is asked about: that an id is known does not prove that this cell meant it."""
    rows = (TableRow(2, (NotText(cell),)),)
    (finding,) = find_damage(Table(("Id",), rows), ITEMS, known=Known(of_items=known))
    assert (finding.suggestion, finding.is_whole) == (suggestion, False)


def test_a_known_number_whose_digits_prove_it_is_whole() -> None:
    """It is read as text without asking, as an unknown one is."""
    known = Known(of_recipients=(GLN,))
    (finding,) = find_damage(Table(("Id",), (TableRow(2, (NotText(GLN),)),)), ROWS, known=known)
    assert finding.is_whole


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ((GTIN, OTHER_GTIN, "9521000000315"), {"9521000000315": ("ZEROS_LOST", "09521000000315")}),
        ((f"{GTIN}:276", f"{OTHER_GTIN}:40"), {f"{OTHER_GTIN}:40": ("ZEROS_LOST", f"{OTHER_GTIN}:040")}),
        ((f"{GTIN}276", "9521000000216276"), {"9521000000216276": ("ZEROS_LOST", f"{OTHER_GTIN}276")}),
        ((f"{GTIN}:276", "9521000000216.0:276"), {"9521000000216.0:276": ("STRAY", f"{OTHER_GTIN}:276")}),
        (("4012345678901280",), {"4012345678901280": ("DIGITS_CUT", None)}),
        (("9521000010017270.0",), {"9521000010017270.0": ("STRAY", None)}),
        (("4012345678901276", "9521000000117276", "9521000000216040"), {}),
        (("9521000000117", "19521000000114", "19521000000213"), {}),
        (("9521000000117", "9521000000216", "96385074"), {}),
        ((f"{GTIN}:999", f"{OTHER_GTIN}:276"), {}),
        (("123456784", GTIN), {"123456784": ("UNKNOWN", None)}),
    ],
)
def test_items_are_compared_with_the_others_of_their_column(ids: tuple[str, ...], found: Found) -> None:
    """Leading zeros are missing where others have them; a column with a whole long number was not cut."""
    assert found_in(ids, ITEMS) == found


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("42", "NEARLY_KNOWN", "0042"),
        ("kund-0043", "NEARLY_KNOWN", "KUND-0043"),
        ("KUND 0043", "NEARLY_KNOWN", "KUND-0043"),
        ("\u041aUND-0043", "STRAY", "KUND-0043"),
        ("KUND\u20130043", "STRAY", "KUND-0043"),
        ("42.0", "STRAY", "0042"),
        ("8.75E+06", "SHORTENED", "8746042"),
        ("8.747E+06", "SHORTENED", None),
        ("7.2E+03", "SHORTENED", None),
        ("KUND\n-0043", "STRAY", "KUND-0043"),
    ],
)
def test_a_known_id_is_suggested(damaged: str, kind: str, suggestion: str | None) -> None:
    """The only one that it can have been; of several, none."""
    known = Known(of_recipients=("0042", "KUND-0043", "8746042", "7210", "7190", "9" * 50))
    assert found_in([damaged], known=known) == {damaged: (kind, suggestion)}


@pytest.mark.parametrize("role", ["supplier", "item", "recipient"])
def test_a_known_id_is_never_damaged(role: str) -> None:
    """Each role knows its own ids; what looks damaged may be the very id that was given."""
    odd = "4.00638E+15"
    assert found_in([odd], of_role(role), Known(**{f"of_{role}s": (odd,)})) == {}
    assert found_in([odd], of_role(role)).keys() == {odd}


def test_a_known_damaged_id_does_not_hide_the_known_sound_one() -> None:
    """It was used once, and is still damaged."""
    known = Known(of_recipients=("KUND-7\u00a0", "KUND-7"))
    assert found_in(["KUND-7\u00a0"], known=known) == {"KUND-7\u00a0": ("STRAY", "KUND-7")}


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ((f"{GTIN}:276",), {GTIN: ("NEARLY_KNOWN", f"{GTIN}:276")}),
        ((f"{GTIN}:276", f"{GTIN}:040", "KUND-7"), {}),
    ],
)
def test_a_missing_market_is_suggested_when_only_one_is_known(known: tuple[str, ...], found: Found) -> None:
    """Of two markets neither is more likely."""
    assert found_in([GTIN], ITEMS, Known(of_items=known)) == found


@pytest.mark.parametrize(
    ("market", "found"),
    [
        ("40", ("ZEROS_LOST", "040")),
        ("8", ("ZEROS_LOST", "008")),
        ("40.0", ("STRAY", "040")),
        ("276.0", ("STRAY", "276")),
        ("999.0", ("STRAY", None)),
        ("99", None),
        ("276", None),
        *((text, ("MARKET", "276")) for text in ("DE", "deu", "Germany", "Deutschland")),
        ("Österreich", ("MARKET", "040")),
        ("Spring", ("MARKET", None)),
    ],
)
def test_a_market_is_a_number_of_three_digits(market: str, found: tuple[str, str | None] | None) -> None:
    """An item with a country beside its number is another item, which does not exist."""
    assert found_in([market], of_role("market")) == ({market: found} if found else {})


@pytest.mark.parametrize(
    ("cell", "suggestion", "is_whole"), [("276", "276", True), ("40", "040", False), ("999", None, False)]
)
def test_a_market_in_a_number_cell_is_whole_with_three_digits(
    cell: str, suggestion: str | None, *, is_whole: bool
) -> None:
    """Austria's 040 loses its zero."""
    (finding,) = find_damage(
        Table(("M",), (TableRow(2, (NotText(cell),)),)), of_role("market"), known=NOTHING_KNOWN
    )
    assert (finding.suggestion, finding.is_whole) == (suggestion, is_whole)


def test_a_number_beside_its_market_finds_the_known_item() -> None:
    """The directory knows both together. Note N18."""
    rows = (TableRow(2, (GTIN.lstrip("0"), "276")), TableRow(3, (OTHER_GTIN, "276")))
    layout = Layout(kind=LayoutKind.ROWS, item=0, market=1)
    known = Known(of_items=(f"{GTIN}:276", f"{GTIN}:040", "KUND-7"))
    (finding,) = find_damage(Table(("GTIN", "Market"), rows), layout, known=known)
    assert (finding.row, finding.column, finding.suggestion) == (2, 0, GTIN)


def test_findings_are_in_the_order_of_the_list() -> None:
    """By row and column; the same id in two rows is found twice, and empty cells are nothing."""
    rows = tuple(TableRow(number, (f"{GLN}\u00a0", GTIN, " A1", " ")) for number in (7, 9))
    wide = Layout(kind=LayoutKind.WIDE, supplier=0, item=1, recipients=(2, 3))
    found = find_damage(Table(("S", "I", "R1", "R2"), rows), wide, known=NOTHING_KNOWN)
    assert [(one.row, one.column) for one in found] == [(7, 0), (7, 2), (9, 0), (9, 2)]


def test_ids_of_one_cell_are_judged_one_by_one() -> None:
    """Separators part them; a shortened number with a comma is one, and a number cell is one."""
    assert found_in([f"{GLN}, 952200000031;KUND\u20137", "9,52200E+12", f"{OTHER_GLN} "], CELL) == {
        "952200000031": ("ZEROS_LOST", GLN_FROM_ZERO),
        "KUND\u20137": ("STRAY", "KUND-7"),
        "9,52200E+12": ("SHORTENED", None),
    }
    assert found_in([NotText(GLN)], CELL) == {GLN: ("NUMBER_CELL", GLN)}


def test_headings_that_are_recipients_are_judged() -> None:
    """In the row of the header."""
    header = ("Item", f"{GLN}\u00a0", NotText(OTHER_GLN))
    matrix = Table(header, (TableRow(4, (GTIN, "x", "")),), header_number=3)
    layout = Layout(kind=LayoutKind.MATRIX, item=0, recipients=(1, 2))
    found = find_damage(matrix, layout, known=NOTHING_KNOWN)
    assert [(one.row, one.column, one.suggestion) for one in found] == [(3, 1, GLN), (3, 2, OTHER_GLN)]
    assert accept(matrix, found).header == ("Item", GLN, OTHER_GLN)


def a_finding(value: str, suggestion: str | None, *, row: int = 2) -> Finding:
    """A finding in the first column."""
    return Finding(row, 0, DamageKind.ZEROS_LOST, value, "Lost.", suggestion)


def test_nothing_but_what_is_accepted_changes() -> None:
    """The accepted cell is a text; the others are the very same cells."""
    number, other = NotText("42"), NotText("43")
    before = Table(("Id", "Name"), (TableRow(2, (number, "42")), TableRow(3, (other, "x"))))
    mended = accept(before, [a_finding("42", "0042"), a_finding("43", None, row=3)])
    assert mended.rows == (TableRow(2, ("0042", "42")), TableRow(3, (other, "x")))
    assert type(mended.rows[0].cells[0]) is str
    assert mended.rows[1] is before.rows[1]
    assert accept(before, []) == before


@pytest.mark.parametrize(
    ("cell", "value", "suggestion", "mended"),
    [
        ("42,043\n42", "42", "0042", "0042,043\n0042"),
        ("142;42", "42", "0042", "142;0042"),
        ('"4 2";7', "4 2", "42", "42;7"),
        ('"4""2" 7', '4"2', '4" 2', '"4"" 2" 7'),
        ("gone", "42", "0042", "gone"),
        ("4\\2 7", "4\\2", r"\g<0>", r"\g<0> 7"),
    ],
)
def test_one_of_several_ids_is_mended(cell: str, value: str, suggestion: str, mended: str) -> None:
    """The others and what parts them stay; a cell that changed meanwhile stays, too."""
    assert accept(table(cell), [a_finding(value, suggestion)]).rows[0].cells == (mended,)


TEXTS = st.text() | st.text("0123456789.,:E+-'\" \u00a0OolI", max_size=20)


@given(st.lists(TEXTS, max_size=8), st.sampled_from([ROWS, ITEMS, CELL]), st.lists(TEXTS, max_size=3))
def test_any_list_can_be_checked_and_mended(ids: list[str], layout: Layout, known: list[str]) -> None:
    """Every finding is of an id that is there, and suggests something else; the rest stays as it is."""
    before = table(*ids)
    found = find_damage(before, layout, known=Known(of_items=tuple(known), of_recipients=tuple(known)))
    mended = accept(before, found)
    touched = {one.row for one in found}
    assert all(one.value in before.rows[one.row - 2].cells[0] for one in found)
    assert [one for one in found if one.suggestion == one.value] == []
    assert [row for row in mended.rows if row.number not in touched] == [
        row for row in before.rows if row.number not in touched
    ]


@pytest.mark.parametrize(
    ("value", "suggestion", "words"),
    [
        ("9521000010017", "09521000010017", "adds “0” at the start"),
        ("09521000010017", "09521000010017:276", "adds “:276” at the end"),
        ("952200000019", "9522000000019", "adds “0” after “9522000000”"),
        ("9522000000019\N{NO-BREAK SPACE}", "9522000000019", "removes no-break space at the end"),
        ("9522000000019\r\n", "9522000000019", "removes character 000d and character 000a at the end"),
        ("95220O0000019", "9522000000019", "“O” becomes “0”"),
        ("Deutschland", "276", "“Deutschland” becomes “276”"),
        ("1a2b3c4d5", "12345", "“1a2b3c4d5” becomes “12345”"),
        ("Sonnenhof Supermarkets and Sons", "9522000000019", "another text"),
    ],
)
def test_a_suggestion_says_what_it_changes(value: str, suggestion: str, words: str) -> None:
    """What is added or removed, and where."""
    assert difference_words(value, suggestion) == words
