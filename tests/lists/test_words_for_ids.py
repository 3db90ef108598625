"""A text that is neither known nor has the form of an id is asked about, and never taken for one."""

import pytest

from item_visibility.files.table import NotText, Table, TableRow
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.damage.detector import find_damage_and_words
from item_visibility.lists.damage.finding import DamageKind, Finding
from item_visibility.lists.layout import Layout, LayoutKind
from tests.lists.damage_known import NOTHING_KNOWN, Known

GLN, OTHER_GLN = "9522000000019", "9522000000026"
GTIN = "09521000010017"
LAYOUT = Layout(kind=LayoutKind.ROWS, supplier=0, item=1, market=2, recipients=(3,))
SOME_KNOWN = Known(
    of_suppliers=("9521000000013",),
    of_items=(f"{GTIN}:276",),
    of_recipients=(GLN, "SHOP-1"),
    names={"Sonnenhof": GLN},
)


def words_in(*recipients: str, known: Known = SOME_KNOWN) -> dict[str, str | None]:
    """The recipients that are asked about, each with what is suggested."""
    rows = tuple(
        TableRow(number, ("9521000000013", GTIN, "276", one))
        for number, one in enumerate(recipients, start=2)
    )
    found = find_damage_and_words(Table(("A", "B", "C", "D"), rows), LAYOUT, known=known)
    return {one.value: one.suggestion for one in found if one.kind is DamageKind.NO_NUMBER}


@pytest.mark.parametrize("text", ["Supermarkets", "Sonnenhof Nord", "ask Anna 3", "95220", "R1", "?"])
def test_a_word_a_sentence_and_half_a_number_are_asked_about(text: str) -> None:
    """Numbers of another form are in use."""
    assert words_in(GLN, text) == {text: None}


@pytest.mark.parametrize("text", [GLN, OTHER_GLN, "SHOP-1", "SHOP-2", "remove"])
def test_what_is_known_or_has_the_form_of_an_id_is_taken(text: str) -> None:
    """A location number, a form that is in use; a word for an action is refused by itself."""
    assert words_in(text) == {}


def test_numbers_of_one_new_form_are_taken() -> None:
    """A list that mostly holds them says by itself how they are written."""
    assert words_in("R1", "R2", "R3", "Supermarkets") == {"Supermarkets": None}


def test_where_nothing_is_known_one_word_with_a_digit_is_asked_about() -> None:
    """There is no form yet, and "3M" may be a name."""
    assert words_in(GLN, "R1", "3M", known=NOTHING_KNOWN) == {"R1": None, "3M": None}


def test_a_name_that_one_has_suggests_its_number() -> None:
    """People know companies by name."""
    assert words_in("Sonnenhof") == {"Sonnenhof": GLN}


def test_items_are_asked_about_too() -> None:
    """Beside a market, and with a market of their own, a trade item number is one."""
    rows = [
        TableRow(n, ("9521000000013", one, "", GLN)) for n, one in enumerate(("Oats", GTIN, f"{GTIN}:040"))
    ]
    found = find_damage_and_words(Table(("A", "B", "C", "D"), tuple(rows)), LAYOUT, known=SOME_KNOWN)
    assert [one.value for one in found if one.kind is DamageKind.NO_NUMBER] == ["Oats"]


def test_what_would_change_nothing_is_not_asked() -> None:
    """A number cell with all its digits intact is read as text."""
    rows = (TableRow(2, (NotText(GLN),)), TableRow(3, (NotText("12"),)))
    table = Table(("Recipient",), rows)
    findings = (
        Finding(2, 0, DamageKind.NUMBER_CELL, GLN, "It is a number.", GLN, is_whole=True),
        Finding(3, 0, DamageKind.NUMBER_CELL, "12", "It is a number.", None),
    )
    checked = BulkList.of(table).checked(lambda *_args, **_options: findings)
    assert [one.value for one in checked.findings] == ["12"]
    assert [type(row.cells[0]) for row in checked.table.rows] == [str, NotText]
