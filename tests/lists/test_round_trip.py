"""Lists out and in again: any id is exactly what it was, in any of its places."""

from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from item_visibility.client.identifiers import refusal
from item_visibility.lists.layout import (
    Fixed,
    Layout,
    LayoutKind,
    guess_layout,
    with_header_found,
)
from item_visibility.lists.reader import read_table
from item_visibility.lists.rows import ReadRows, read_bulk_rows
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.lists.words import HeadingMeaning, is_action_word, read_heading
from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.use_cases.bulk.lists import TEMPLATE_HEADER, write_template
from tests.support.hostile_ids import HOSTILE_IDS

Ids = tuple[str, str, str]
Writer = Callable[[Sequence[str], Iterable[Sequence[str]]], bytes]
ADDRESSABLE = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is None)
REFUSED = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is not None)


def is_word_of_lists(text: str) -> bool:
    """True for an action word, and for a heading of items: neither is ever taken for an id."""
    return is_action_word(text) or read_heading(text).meaning is HeadingMeaning.ITEM


IN_ROWS = Layout(kind=LayoutKind.ROWS, supplier=0, item=1, recipients=(2,), action=3)
WRITERS = pytest.mark.parametrize("write", [write_csv, write_xlsx])
addressable = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=40).filter(
    lambda text: refusal(text, name="item") is None and not is_word_of_lists(text)
)


def ids(found: ReadRows) -> list[Ids]:
    """Supplier, item and recipient of each row."""
    return [(row.item.supplier, row.item.supplier_item_id, row.recipient_id or "") for row in found.rows]


def read_again(write: Writer, rows: Sequence[Ids]) -> Table:
    """The table after it was written and read."""
    return with_header_found(read_table(write(TEMPLATE_HEADER, [(*row, "add") for row in rows])))


@WRITERS
def test_hostile_ids_come_back_as_they_were(write: Writer) -> None:
    """In each column, with the layout that is guessed."""
    rows = list(
        zip(ADDRESSABLE, ADDRESSABLE[1:] + ADDRESSABLE[:1], ADDRESSABLE[2:] + ADDRESSABLE[:2], strict=True)
    )
    table = read_again(write, rows)
    found = read_bulk_rows(table, guess_layout(table), Fixed())
    assert len(rows) > 200
    assert ids(found) == rows
    assert found.problems == {}


@WRITERS
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(addressable, addressable, addressable), min_size=1, max_size=4))
def test_any_ids_come_back_as_they_were(write: Writer, rows: list[Ids]) -> None:
    """They may hold any characters."""
    assert ids(read_bulk_rows(read_again(write, rows), IN_ROWS, Fixed())) == rows


@pytest.mark.parametrize(
    ("column", "name"),
    [(0, "supplier"), (1, "item"), (2, "recipient")],
    ids=["supplier", "item", "recipient"],
)
@pytest.mark.parametrize("word", ["REMOVE", "add", "Withdraw all"])
def test_an_action_word_is_never_taken_for_an_id(word: str, column: int, name: str) -> None:
    """Its row is skipped and told with its number; the rows beside it are taken."""
    odd = ["S", "I1", "R1"]
    odd[column] = word
    found = read_bulk_rows(read_again(write_csv, [("S", "I2", "R2"), tuple(odd)]), IN_ROWS, Fixed())
    assert ids(found) == [("S", "I2", "R2")]
    assert found.problems == {3: f"“{word}” says what is to be done. It is taken for no {name}."}


def test_ids_that_cannot_be_addressed_are_told_with_their_rows() -> None:
    """Each of them, and nothing is made of it."""
    table = Table(("Item",), tuple(TableRow(number, (text,)) for number, text in enumerate(REFUSED, 2)))
    fixed = Fixed(supplier="S", recipients=frozenset({"R"}))
    found = read_bulk_rows(table, Layout(kind=LayoutKind.ROWS, item=0), fixed)
    assert found.rows == ()
    assert list(found.problems) == list(range(2, len(REFUSED) + 2))


def test_a_long_list_is_read() -> None:
    """100,000 rows, in about as many steps."""
    rows = tuple(TableRow(n + 2, ("S", f"I{n % 5_000}", f"R{n % 500}", "add")) for n in range(100_000))
    found = read_bulk_rows(Table(TEMPLATE_HEADER, rows), guess_layout(Table(TEMPLATE_HEADER, rows)), Fixed())
    assert len(found.rows) == 100_000
    assert len({id(row.item) for row in found.rows}) == 5_000


def test_the_template_is_read_again() -> None:
    """Its columns are found, and it asks for nothing."""
    with pytest.raises(IndexError):
        read_table(write_template()).rows[0]
    assert guess_layout(read_table(write_template())) == IN_ROWS
    assert not any(isinstance(cell, NotText) for cell in read_table(write_template()).header)
