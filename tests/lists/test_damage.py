"""Ids that a spreadsheet damaged: what is found, what is suggested, and what an acceptance changes."""

import random
import uuid
from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.files.table import NotText, Table, TableRow
from item_visibility.lists.damage.detector import accept, find_damage
from item_visibility.lists.damage.finding import DamageKind, Finding
from item_visibility.lists.layout import Layout, LayoutKind
from tests.lists.damage_known import NOTHING_KNOWN, Known

ROWS = Layout(kind=LayoutKind.ROWS, recipients=(0,))
ITEMS = Layout(kind=LayoutKind.ROWS, item=0)
CELL = Layout(kind=LayoutKind.CELL, recipients=(0,))
GLN, OTHER_GLN = "9522000000015", "9522000000022"
GLN_FROM_ZERO = "0952200000031"
GTIN, OTHER_GTIN = "09521000000117", "09521000000216"
MARKETS = ("276", "040", "756", "056", "250")


def table(*ids: str) -> Table:
    """A list of one column."""
    return Table(("Id",), tuple(TableRow(number, (one,)) for number, one in enumerate(ids, start=2)))


def suggestions(
    ids: Iterable[str], layout: Layout = ROWS, known: Known = NOTHING_KNOWN
) -> dict[str, tuple[str, str | None]]:
    """The findings: the kind and the suggestion of each damaged id."""
    found = find_damage(table(*ids), layout, known=known)
    return {finding.value: (finding.kind.name, finding.suggestion) for finding in found}


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("952200000031", "ZEROS_LOST", GLN_FROM_ZERO),
        (f"{GLN}.0", "DECIMALS", GLN),
        (f"{GLN},00", "DECIMALS", GLN),
        ("952200000031.0", "DECIMALS", GLN_FROM_ZERO),
        ("9,522,000,000,015", "THOUSANDS", GLN),
        ("9 522 000 000 015,00", "THOUSANDS", GLN),
        ("95 22000 00001 5", "THOUSANDS", GLN),
        ("9.522000000015E+12", "SCIENTIFIC", GLN),
        ("9,522000000015E+12", "SCIENTIFIC", GLN),
        ("9.52200E+12", "SCIENTIFIC", None),
        (f"+{GLN}", "SIGN", GLN),
        (f"({GLN})", "SIGN", GLN),
        (f"{GLN}-", "SIGN", GLN),
        (f"{GLN} €", "PERCENT_OR_CURRENCY", GLN),
        ("$9,522,000,000,015.00", "PERCENT_OR_CURRENCY", GLN),
        ("12%", "PERCENT_OR_CURRENCY", None),
        ("1.000", "THOUSANDS", None),
        ("952200O000015", "LETTERS_FOR_DIGITS", GLN),
        (f"'{GLN}", "APOSTROPHE", GLN),
        (f"'{GLN}.0", "DECIMALS", GLN),
        (f"{GLN}\u00a0", "ODD_SPACES", GLN),
        ("952200000031\u00a0", "ODD_SPACES", GLN_FROM_ZERO),
        (f"\ufeff{GLN}", "INVISIBLE", GLN),
        ("952200\n0000015", "LINE_BREAK", GLN),
        (f"{GLN}\n{OTHER_GLN}", "LINE_BREAK", None),
        ('="9522000000015"', "FORMULA", GLN),
        ("=A1", "FORMULA", None),
        ("\u200b", "INVISIBLE", None),
        (" ", "OUTER_SPACES", None),
        ("ï»¿KUND-7", "MISREAD", "KUND-7"),
        ("KUND\ufffd7", "MISREAD", None),
        ("KUND%3A7", "ESCAPED", "KUND:7"),
        ("KUND_x003A_7", "ESCAPED", "KUND:7"),
        ("''''''''''7", "APOSTROPHE", None),
        ("TRUE", "TRUTH", None),
        ("12:30:00 PM", "DATE_OR_TIME", None),
    ],
)
def test_a_damaged_text_is_found_beside_sound_ones(damaged: str, kind: str, suggestion: str | None) -> None:
    """The suggestion is the text without what hides in it, or a number whose check digit fits."""
    ids = [GLN, OTHER_GLN, damaged]
    found = suggestions(ids)
    assert found == {damaged: (kind, suggestion)}


@pytest.mark.parametrize(
    "sound",
    [
        "SHOP 7",
        "Müller-7",
        "\u041a\u0423\u041d\u0414-7",
        "KUND%ZZ%FF",
        "AT&T",
        "A.B,C;D",
        "1E5",
        "MAR-0042",
        "'",
        "=",
        "x" * 3_000 + " ",
        "550e8400-e29b-41d4-a716-446655440000",
        "952200000016",
        "10042",
        "",
    ],
)
def test_a_sound_id_is_not_suspected(sound: str) -> None:
    """It may be unusual; a text too long for an id is refused elsewhere."""
    assert suggestions([GLN, OTHER_GLN, sound]) == {}


@pytest.mark.parametrize(
    "ids",
    [
        ("MAR-2024", "KUN-2999"),
        ("2024-03-01", "2024-77-01"),
        ("TRUE", "BLUE"),
        ("12.00", "12.50"),
        ("+49", "+4x", "+50", "+4!"),
    ],
)
def test_ids_that_look_alike_show_how_ids_look(ids: tuple[str, ...]) -> None:
    """A date or a number is none where others of the same shape cannot be one."""
    assert {text: kind for text, (kind, _) in suggestions(ids).items() if kind != "SIGN"} == {}


def test_numbers_without_check_digits_are_not_padded() -> None:
    """One of ten fits by chance."""
    numbers = [str(number) for number in range(952200000010, 952200000090)]
    assert suggestions([GLN, *numbers]) == {}


def number_cells(*cells: str) -> dict[str, tuple[str, str | None]]:
    """The findings among recipients when the file holds the first of these as a number."""
    rows = table(*cells).rows
    first = TableRow(2, (NotText(cells[0]),))
    found = find_damage(Table(("Id",), (first, *rows[1:])), ROWS, known=NOTHING_KNOWN)
    return {finding.value: (finding.kind.name, finding.suggestion) for finding in found}


@pytest.mark.parametrize(
    ("cell", "kind", "suggestion"),
    [
        (GLN, "NUMBER_CELL", GLN),
        ("952200000031", "NUMBER_CELL", GLN_FROM_ZERO),
        ("9.522000000015E12", "NUMBER_CELL", GLN),
        ("10042", "NUMBER_CELL", None),
        ("0.5", "NUMBER_CELL", None),
        ("-7", "NUMBER_CELL", None),
        ("1E999", "NUMBER_CELL", None),
        ("40123456789012800", "DIGITS_CUT", None),
        ("4.0123456789012760E+15", "DIGITS_CUT", None),
        ("#N/A", "ERROR_VALUE", None),
        ("true", "TRUTH", None),
        ("2024-03-01", "DATE_OR_TIME", None),
    ],
)
def test_a_cell_that_is_no_text_is_found(cell: str, kind: str, suggestion: str | None) -> None:
    """Also when the text of another cell is the same."""
    assert number_cells(cell, GLN, OTHER_GLN) == {cell: (kind, suggestion)}


def test_a_single_number_is_suggested_when_its_check_digit_fits() -> None:
    """There is nothing that speaks against it."""
    assert number_cells("952200000031") == {"952200000031": ("NUMBER_CELL", GLN_FROM_ZERO)}


CUT = "9521000010017270"
"""An item number with the market 276, of which Excel keeps 15 digits. The rest reads as another market."""


@pytest.mark.parametrize("role", ["supplier", "item", "recipient"])
@pytest.mark.parametrize(
    ("cell", "texts", "suggestion", "is_whole"),
    [
        (CUT, (), None, False),
        (CUT, ("9521000010024276",), None, False),
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
    """Fewer than 16 digits, a check digit that fits, and the form of the text ids of its column."""
    layout = Layout(kind=LayoutKind.ROWS, **({"recipients": (0,)} if role == "recipient" else {role: 0}))
    rows = (TableRow(2, (NotText(cell),)), *table("", *texts).rows[1:])
    finding = find_damage(Table(("Id",), rows), layout, known=NOTHING_KNOWN)[0]
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


def test_letters_for_digits_are_found_in_the_only_id() -> None:
    """Its check digit speaks for it."""
    assert suggestions(["952200O000015"]) == {"952200O000015": ("LETTERS_FOR_DIGITS", GLN)}
    assert suggestions(["952200O000016"]) == {}
    assert suggestions(["OOOOlllI|"]) == {}


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ((GTIN, OTHER_GTIN, "9521000000315"), {"9521000000315": ("ZEROS_LOST", "09521000000315")}),
        ((GTIN, GTIN.lstrip("0")), {GTIN.lstrip("0"): ("TWO_WRITINGS", GTIN)}),
        ((f"{GTIN}:276", f"{GTIN}276"), {f"{GTIN}276": ("TWO_WRITINGS", f"{GTIN}:276")}),
        ((f"{GTIN}:276", OTHER_GTIN, GTIN), {GTIN: ("MARKET_MISSING", None)}),
        ((f"{GTIN}:276", f"{OTHER_GTIN}:40"), {f"{OTHER_GTIN}:40": ("ZEROS_LOST", f"{OTHER_GTIN}:040")}),
        ((f"{GTIN}276", "9521000000216276"), {"9521000000216276": ("ZEROS_LOST", f"{OTHER_GTIN}276")}),
        ((f"{GTIN}:276", "9521000000216.0:276"), {"9521000000216.0:276": ("DECIMALS", f"{OTHER_GTIN}:276")}),
        (("4012345678901280",), {"4012345678901280": ("DIGITS_CUT", None)}),
        (("9521000010017270.0",), {"9521000010017270.0": ("DECIMALS", None)}),
        (
            ("4012345678901276", "9521000000216040", "9521000000315990"),
            {"9521000000315990": ("DIGITS_CUT", None)},
        ),
        (("4012345678901276", "9521000000117276", "9521000000216040"), {}),
        (("9521000000117", "19521000000114", "19521000000213"), {}),
        (("9521000000117", "9521000000216", "96385074"), {}),
    ],
)
def test_items_are_judged_beside_each_other(
    ids: tuple[str, ...], found: dict[str, tuple[str, str | None]]
) -> None:
    """As most are written, where check digits and markets speak for it."""
    assert suggestions(ids, ITEMS) == found


def test_ids_that_differ_in_nothing_that_one_sees_are_found() -> None:
    """Nobody can tell which of them is right."""
    assert suggestions(["shop", "SHOP"]) == {"shop": ("LOOK_ALIKE", None), "SHOP": ("LOOK_ALIKE", None)}


CYRILLIC_CAT, CYRILLIC_DOG = "\u041a\u041e\u0422-7", "\u041f\u0401\u0421-8"


def test_letters_of_another_alphabet_are_found_among_latin_ones() -> None:
    """They are sound where the ids of a list are written in that alphabet."""
    assert suggestions([CYRILLIC_CAT, "KOT-8"]) == {CYRILLIC_CAT: ("LOOK_ALIKE_LETTERS", "KOT-7")}
    assert suggestions([CYRILLIC_CAT, CYRILLIC_DOG]) == {}
    assert suggestions(["\u041aOT-7", CYRILLIC_DOG]) == {"\u041aOT-7": ("LOOK_ALIKE_LETTERS", "KOT-7")}


@pytest.mark.parametrize(
    ("damaged", "kind", "suggestion"),
    [
        ("42", "ZEROS_LOST", "0042"),
        ("kund-0043", "LOOK_ALIKE", "KUND-0043"),
        ("\u041aUND-0043", "LOOK_ALIKE_LETTERS", "KUND-0043"),
        ("\u041a\u0423\u041d\u0414-44", "LOOK_ALIKE_LETTERS", "K\u0423\u041d\u0414-44"),
        ("KUND\u20130043", "DASHES", "KUND-0043"),
        ("42.0", "DECIMALS", "0042"),
        ("8.75E+06", "SCIENTIFIC", "8746042"),
        ("8.746E+06", "SCIENTIFIC", "8746042"),
        ("8.747E+06", "SCIENTIFIC", None),
        ("7.2E+03", "SCIENTIFIC", None),
        ("4012345678901280", "DIGITS_CUT", "04012345678901276"),
        ("KUND\n-0043", "LINE_BREAK", "KUND-0043"),
    ],
)
def test_a_known_id_is_suggested(damaged: str, kind: str, suggestion: str | None) -> None:
    """The only one that it can have been; of several, none."""
    known = Known(
        of_recipients=(
            "0042",
            "KUND-0043",
            "K\u0423\u041d\u0414-44",
            "8746042",
            "7210",
            "7190",
            "04012345678901276",
            "9" * 50,
        )
    )
    assert suggestions([damaged], known=known) == {damaged: (kind, suggestion)}


@pytest.mark.parametrize("role", ["supplier", "item", "recipient"])
def test_a_known_id_is_never_damaged(role: str) -> None:
    """Each role knows its own ids; what looks damaged may be the very id that was given."""
    odd = "4.00638E+15"
    known = Known(**{f"of_{role}s": (odd,)})
    layout = Layout(kind=LayoutKind.ROWS, **({"recipients": (0,)} if role == "recipient" else {role: 0}))
    assert suggestions([odd], layout, known) == {}
    assert suggestions([odd], layout).keys() == {odd}


def test_a_known_damaged_id_does_not_hide_the_known_sound_one() -> None:
    """It was used once, and is still damaged."""
    known = Known(of_recipients=("KUND-7\u00a0", "KUND-7"))
    assert suggestions(["KUND-7\u00a0"], known=known) == {"KUND-7\u00a0": ("ODD_SPACES", "KUND-7")}


@pytest.mark.parametrize(
    ("known", "suggestion"),
    [((f"{GTIN}:276",), f"{GTIN}:276"), ((f"{GTIN}:276", f"{GTIN}:040", "KUND-7"), None)],
)
def test_a_missing_market_is_suggested_when_only_one_is_known(
    known: tuple[str, ...], suggestion: str | None
) -> None:
    """Of two markets none is more likely."""
    found = suggestions([GTIN, f"{GTIN}:756"], ITEMS, Known(of_items=known))
    assert found[GTIN] == ("MARKET_MISSING", suggestion)


@pytest.mark.parametrize(
    ("market", "found"),
    [
        ("40", [("ZEROS_LOST", "040")]),
        ("8", [("ZEROS_LOST", "008")]),
        ("40.0", [("DECIMALS", "040")]),
        ("276.0", [("DECIMALS", "276")]),
        ("999.0", [("DECIMALS", None)]),
        ("99", []),
        ("DE", [("MARKET_IN_WORDS", "276")]),
        ("276", []),
    ],
)
def test_a_market_has_three_digits(market: str, found: list[tuple[str, str | None]]) -> None:
    """In a column of its own."""
    layout = Layout(kind=LayoutKind.ROWS, market=0)
    findings = find_damage(table(market), layout, known=NOTHING_KNOWN)
    assert [(finding.kind.name, finding.suggestion) for finding in findings] == found


def test_a_number_beside_its_market_finds_the_known_item() -> None:
    """The directory knows both together. Note N18."""
    rows = (TableRow(2, (GTIN.lstrip("0"), "276")), TableRow(3, (OTHER_GTIN, "276")))
    layout = Layout(kind=LayoutKind.ROWS, item=0, market=1)
    known = Known(of_items=(f"{GTIN}:276", f"{GTIN}:040", "KUND-7"))
    (finding,) = find_damage(Table(("GTIN", "Market"), rows), layout, known=known)
    assert (finding.row, finding.column, finding.suggestion) == (2, 0, GTIN)


@pytest.mark.parametrize(
    ("market", "suggestion"),
    [
        ("DE", "276"),
        ("deu", "276"),
        ("Germany", "276"),
        ("Deutschland", "276"),
        ("Österreich", "040"),
        ("Spring", None),
        ("40", "040"),
    ],
)
def test_a_market_that_is_no_number_of_one_is_asked_about(market: str, suggestion: str | None) -> None:
    """An item with a country beside its number is another item, that does not exist."""
    layout = Layout(kind=LayoutKind.ROWS, item=0, market=1)
    rows = (TableRow(2, (GTIN, market)), TableRow(3, (GTIN, "276")))
    (finding,) = find_damage(Table(("GTIN", "Zielmarkt"), rows), layout, known=NOTHING_KNOWN)
    assert (finding.row, finding.column, finding.suggestion) == (2, 1, suggestion)


def test_findings_stand_in_the_order_of_the_list() -> None:
    """By row and column; the same id in two rows is found twice."""
    rows = tuple(TableRow(number, (f"{GLN}\u00a0", GTIN, " A", " ")) for number in (7, 9))
    wide = Layout(kind=LayoutKind.WIDE, supplier=0, item=1, recipients=(2, 3))
    found = find_damage(Table(("S", "I", "R1", "R2"), rows), wide, known=NOTHING_KNOWN)
    assert [(finding.row, finding.column) for finding in found] == [(7, 0), (7, 2), (9, 0), (9, 2)]


def test_ids_of_one_cell_are_judged_one_by_one() -> None:
    """Separators part them; a shortened number with a comma is one."""
    assert suggestions([f"{GLN}, 952200000031;KUND\u20137", "9,52200E+12", f"{OTHER_GLN} "], CELL) == {
        "952200000031": ("ZEROS_LOST", GLN_FROM_ZERO),
        "KUND\u20137": ("DASHES", "KUND-7"),
        "9,52200E+12": ("SCIENTIFIC", None),
    }


def test_a_number_where_ids_stand_together_is_found() -> None:
    """A cell with a single id is soon a number."""
    of_number = Table(("Ids",), (TableRow(2, (NotText(GLN),)),))
    (finding,) = find_damage(of_number, CELL, known=NOTHING_KNOWN)
    assert (finding.kind, finding.suggestion) == (DamageKind.NUMBER_CELL, GLN)


def test_headings_that_are_recipients_are_judged() -> None:
    """In the row of the header."""
    matrix = Table(
        ("Item", f"{GLN}\u00a0", NotText(OTHER_GLN)), (TableRow(4, (GTIN, "x", "")),), header_number=3
    )
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
    given_table = Table(("Id", "Name"), (TableRow(2, (number, "42")), TableRow(3, (other, "x"))))
    mended = accept(given_table, [a_finding("42", "0042"), a_finding("43", None, row=3)])
    assert mended.rows == (TableRow(2, ("0042", "42")), TableRow(3, (other, "x")))
    assert type(mended.rows[0].cells[0]) is str
    assert mended.rows[1] is given_table.rows[1]
    assert accept(given_table, []) == given_table


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


def with_check_digit(digits: str) -> str:
    """The number with GS1's check digit at its end."""
    total = sum(int(digit) * (3 if index % 2 == 0 else 1) for index, digit in enumerate(reversed(digits)))
    return f"{digits}{-total % 10}"


CLEAN: dict[str, Callable[[random.Random], str]] = {
    "GLN": lambda chance: with_check_digit(f"{chance.randrange(10**12):012}"),
    "GTIN and market": lambda chance: (
        f"{with_check_digit(f'{chance.randrange(10**13):013}')}:{chance.choice(MARKETS)}"
    ),
    "GTIN of 13 digits": lambda chance: with_check_digit(f"{chance.randrange(10**12):012}"),
    "UUID": lambda chance: str(uuid.UUID(int=chance.getrandbits(128))),
    "code": lambda chance: f"{chance.choice(('KUND', 'MAR', 'DEC', 'EUR'))}-{chance.randrange(10_000):04}",
    "internal number": lambda chance: str(chance.randrange(10 ** chance.randrange(3, 19))),
    "letters and digits": lambda chance: "".join(chance.choices("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=9)),
}


@pytest.mark.parametrize("layout", [ROWS, ITEMS], ids=["recipients", "items"])
@pytest.mark.parametrize("clean", CLEAN.values(), ids=CLEAN)
def test_clean_ids_raise_no_alarm(clean: Callable[[random.Random], str], layout: Layout) -> None:
    """Seven formats, each by itself."""
    chance = random.Random(20261121)  # noqa: S311  (the same ids in every run)
    assert suggestions([clean(chance) for _ in range(2_000)], layout) == {}


@pytest.mark.parametrize("layout", [ROWS, ITEMS], ids=["recipients", "items"])
def test_clean_ids_of_all_formats_together_raise_no_alarm(layout: Layout) -> None:
    """None in ten thousand; a column may hold what several systems number."""
    chance = random.Random(7)  # noqa: S311  (the same ids in every run)
    assert suggestions([clean(chance) for clean in CLEAN.values() for _ in range(1_500)], layout) == {}


TEXTS = st.text() | st.text("0123456789.,:E+-'\" \u00a0OolI", max_size=20)


@given(st.lists(TEXTS, max_size=8), st.sampled_from([ROWS, ITEMS, CELL]), st.lists(TEXTS, max_size=3))
def test_any_list_can_be_looked_at_and_mended(ids: list[str], layout: Layout, known: list[str]) -> None:
    """Every finding is of an id that is there, and suggests something else; the rest stays as it is."""
    given_table = table(*ids)
    found = find_damage(given_table, layout, known=Known(of_items=tuple(known), of_recipients=tuple(known)))
    mended = accept(given_table, found)
    touched = {finding.row for finding in found}
    assert all(finding.value in given_table.rows[finding.row - 2].cells[0] for finding in found)
    assert [finding for finding in found if finding.suggestion == finding.value] == []
    assert [row for row in mended.rows if row.number not in touched] == [
        row for row in given_table.rows if row.number not in touched
    ]


def test_many_ids_of_one_look_are_all_found() -> None:
    """Also when there are more than need to be compared."""
    ids = ["".join(letters) for letters in product("sS", "hH", "oO", "pP")]
    assert suggestions(ids) == dict.fromkeys(ids, ("LOOK_ALIKE", None))
