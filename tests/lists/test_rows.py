"""Changes that rows ask for, and rows that are skipped. Any id is read exactly as it is."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import FileError
from item_visibility.lists import rows
from item_visibility.lists.grouping import BulkRow
from item_visibility.lists.layout import Fixed, Layout, guess_layout, with_header_found
from item_visibility.lists.reader import read_paste, read_table
from item_visibility.lists.rows import ReadRows, read_bulk_rows, skipped_rows
from item_visibility.lists.table import Aside, NotText, Table, TableRow
from item_visibility.lists.words import HeadingMeaning, is_action_word, read_heading
from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.saving.bulk import BulkAction
from item_visibility.saving.job import SkippedRow
from item_visibility.use_cases.bulk_lists import TEMPLATE_HEADER, write_template
from tests.support.hostile_ids import HOSTILE_IDS

ADD, REMOVE, SET, WITHDRAW = BulkAction.ADD, BulkAction.REMOVE, BulkAction.SET, BulkAction.WITHDRAW
Change = tuple[int, str, BulkAction, str | None]


def read(text: str, *, fixed: Fixed | None = None) -> ReadRows:
    """The rows of the text, in the layout that it seems to have."""
    table = read_paste(text)
    return read_bulk_rows(table, guess_layout(table), fixed or Fixed(supplier="S"))


def changes(found: ReadRows) -> list[Change]:
    """Number, item, action and recipient of each row."""
    return [(row.number, row.item.supplier_item_id, row.action, row.recipient_id) for row in found.rows]


class RowProblem(NamedTuple):
    """A skipped row."""

    number: int
    message: str


def problem(found: ReadRows) -> RowProblem:
    """The one problem that there is."""
    ((number, message),) = found.problems.items()
    return RowProblem(number, message)


def test_a_row_says_supplier_item_recipient_and_action() -> None:
    found = read("Supplier,Item,Recipient,Action\n S1,I1:276,R1 ,remove\n", fixed=Fixed())
    assert found.problems == {}
    assert found.rows == (
        BulkRow(number=2, item=ItemKey(" S1", "I1:276"), action=REMOVE, recipient_id="R1 "),
    )


@pytest.mark.parametrize(
    ("word", "action"),
    [
        *((word, ADD) for word in ("add", " Add ", "+", "hinzufügen")),
        *((word, REMOVE) for word in ("REMOVE", "-", "entfernen")),
        *((word, SET) for word in ("set", "Set  exactly", "setzen")),
        *((word, WITHDRAW) for word in ("withdraw", "Withdraw all", "zurückziehen", "alle zurückziehen")),
    ],
)
def test_actions_are_words_of_two_languages(word: str, action: BulkAction) -> None:
    recipient = None if action is WITHDRAW else "R1"
    found = read(f"Item,Recipient,Action\nI1,{recipient or ''},{word}")
    assert changes(found) == [(2, "I1", action, recipient)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Item,Recipient,Action\nI1,R1,addd", "“addd” is no action. Write one of “add”, “remove”"),
        ("Item,Recipient,Action\nI1,R1,", "The action is empty. Write one of"),
        (f"Item,Recipient,Action\nI1,R1,{'x' * 41}", f"“{'x' * 40}…” is no action"),
        ("Item,Recipient,Action\nI1,R1,withdraw", "takes the item from everybody, but the row names"),
        ("Item,Recipient\n,R1", "The item is empty."),
        ("Item,Recipient\nI1,", "The recipient is empty."),
        ("Item,Action\nI1,add", "The row names no recipient."),
        ("Supplier,Item,Recipient\n,I1,R1", "The supplier is empty."),
        ('Item,Recipient\nI1,"R\n1"', "The recipient holds a line break (U+000A) at position 2"),
        ("Item,Recipient\n..,R1", "The item “..” cannot be addressed"),
        (
            "Item,Recipient\n..,.",
            "a meaning of its own. Other cells of the row cannot be read either.",
        ),
        ("Item,Recipient\nItem,R1", "“Item” is a heading, so it cannot be the item."),
        *(
            (text.format(word), f"“{word}” is an action, so it cannot be the {name}.")
            for word in ("remove", "Add", "entfernen", "withdraw all")
            for text, name in (
                ("Supplier,Item,Recipient\n{},I1,R1", "supplier"),
                ("Item,Recipient\n{},R1", "item"),
                ("Item,Recipient\nI1,{}", "recipient"),
            )
        ),
    ],
)
def test_a_row_with_anything_wrong_is_skipped_and_said(text: str, words: str) -> None:
    table = read_paste(text)
    layout = guess_layout(table)
    found = read_bulk_rows(table, layout, Fixed(supplier=None if layout.supplier == 0 else "S"))
    last = table.rows[-1].number
    assert words in problem(found).message
    assert problem(found).number == last
    assert last not in {row.number for row in found.rows}


@pytest.mark.parametrize(("column", "name"), [(0, "supplier"), (1, "item"), (2, "recipient")])
def test_a_number_is_no_id(column: int, name: str) -> None:
    cells = ["S", "I", "R"]
    cells[column] = NotText("4000001000005")
    table = Table(("Supplier", "Item", "Recipient"), (TableRow(7, tuple(cells)),))
    found = read_bulk_rows(table, guess_layout(table), Fixed())
    assert found.rows == ()
    assert problem(found).message.startswith(f"The {name} is a number or a formula, not a text.")


def test_what_is_fixed_holds_for_every_row() -> None:
    withdrawn = read("Item\nI1", fixed=Fixed(supplier="S", action=WITHDRAW))
    assert changes(withdrawn) == [(2, "I1", WITHDRAW, None)]
    fixed = Fixed(supplier="S", action=REMOVE, recipients=frozenset({"R2", "R1"}))
    found = read("Item\nI1\nI2", fixed=fixed)
    assert changes(found) == [(n, i, REMOVE, r) for n, i in ((2, "I1"), (3, "I2")) for r in ("R1", "R2")]
    assert {row.item.supplier for row in found.rows} == {"S"}


def test_a_row_may_say_what_is_fixed_but_nothing_else() -> None:
    found = read(
        "Supplier,Item,Recipient,Action\nS,I1,R1,remove\n,I2,R1,\nT,I3,R1,\nS,I4,R1,add",
        fixed=Fixed(supplier="S", action=REMOVE),
    )
    assert changes(found) == [(2, "I1", REMOVE, "R1"), (3, "I2", REMOVE, "R1")]
    assert found.problems == {
        4: "The row names the supplier “T”, but another is entered for all rows.",
        5: "The row says “add”, but another action is chosen for all rows.",
    }


def test_a_row_that_withdraws_beside_chosen_recipients_is_skipped() -> None:
    layout = Layout(item=0, action=1)
    fixed = Fixed(supplier="S", recipients=frozenset({"R"}))
    found = read_bulk_rows(read_paste("Item,Action\nI1,withdraw\nI2,add"), layout, fixed)
    assert changes(found) == [(3, "I2", ADD, "R")]
    assert problem(found).number == 2


@pytest.mark.parametrize(
    ("layout", "fixed", "words"),
    [
        (Layout(item=0, recipient=1), Fixed(), "No column says the supplier"),
        (Layout(recipient=1), Fixed(supplier="S"), "No column says the item"),
        (Layout(item=0), Fixed(supplier="S"), "No column says the recipient"),
        (
            Layout(item=0, action=1),
            Fixed(supplier="S", action=ADD),
            "No column says the recipient",
        ),
        (
            Layout(item=0, recipient=1),
            Fixed(supplier="S", recipients=frozenset({"R"})),
            "and others are chosen for all items",
        ),
        (
            Layout(item=0),
            Fixed(supplier="S", action=WITHDRAW, recipients=frozenset({"R"})),
            "takes items from everybody",
        ),
        (Layout(item=0, recipient=1), Fixed(supplier=".."), "The supplier “..”"),
        (
            Layout(item=0),
            Fixed(supplier="S", recipients=frozenset({"R", ""})),
            "The recipient is empty.",
        ),
    ],
)
def test_a_list_that_cannot_be_read_at_all_is_said_once(layout: Layout, fixed: Fixed, words: str) -> None:
    table = Table(("a", "b", "c"), (TableRow(5, ("1", "2", "3")), TableRow(6, ("1", "2", "3"))), 4)
    found = read_bulk_rows(table, layout, fixed)
    assert found.rows == ()
    assert problem(found).number == 4
    assert words in problem(found).message


def test_a_list_that_may_be_incomplete_is_not_set() -> None:
    found = read("Item,Recipient,Action\nI1,R1,set\nI1,..,set\nI2,R1,set\nI3,R1,add\nI3,..,add\nI1,R2,set")
    assert changes(found) == [(4, "I2", SET, "R1"), (5, "I3", ADD, "R1")]
    assert list(found.problems) == [2, 3, 6, 7]
    assert found.problems[2].startswith("Skipped: row 3 cannot be read")


@pytest.mark.parametrize("action", ["set", "sett"])
def test_no_list_is_set_while_a_row_may_be_of_any_item(action: str) -> None:
    found = read(f"Item,Recipient,Action\nI1,R1,set\n..,R2,{action}\nI2,R1,remove\n")
    assert changes(found) == [(4, "I2", REMOVE, "R1")]
    assert list(found.problems) == [2, 3]


def test_other_lists_are_set_when_an_unreadable_row_only_adds() -> None:
    assert changes(read("Item,Recipient,Action\nI1,R1,set\n..,R2,add")) == [(2, "I1", SET, "R1")]


def test_recipients_are_counted_for_every_item(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> ReadRows:
        return read("Item\nI1\nI2", fixed=Fixed(supplier="S", recipients=frozenset({"R1", "R2"})))

    monkeypatch.setattr(rows, "MAX_ROWS", 4)
    assert len(make().rows) == 4
    monkeypatch.setattr(rows, "MAX_ROWS", 3)
    with pytest.raises(FileError, match="more than 3 recipients, counted for every item") as caught:
        make()
    assert caught.value.advice.startswith("Nothing was changed.")


def test_repeated_headings_do_not_keep_a_list_from_being_set_exactly() -> None:
    text = "Supplier,Item,Recipient\nS,I2,R2\nSupplier,Item,Recipient\nS,I3,R3"
    table = with_header_found(read_paste(text))
    assert len(read_bulk_rows(table, guess_layout(table), Fixed(action=SET)).rows) == 2


@pytest.mark.parametrize(
    ("text", "fixed", "row"),
    [
        (
            "Supplier,Item,Recipient,Action\nS,,R1,remove",
            Fixed(),
            ("S", "", "R1", "remove"),
        ),
        ("Item,Recipient\n123,R1", Fixed(supplier="T", action=SET), ("T", "123", "R1", "set exactly")),
    ],
)
def test_a_skipped_row_is_reported_as_it_is(text: str, fixed: Fixed, row: tuple[str, str, str, str]) -> None:
    table = read_paste(text)
    (skipped,) = skipped_rows(table, guess_layout(table), fixed, {2: "Why."})
    assert skipped == SkippedRow(
        number=2, supplier=row[0], supplier_item_id=row[1], recipients=row[2], action=row[3], reason="Why."
    )


def test_skipped_rows_are_in_the_order_of_the_list() -> None:
    table = Table(
        ("Item", "Recipient"),
        (TableRow(5, ("I5", "R5")),),
        header_number=4,
        aside=(Aside(TableRow(1, ("I1", "")), "?"),),
    )
    skipped = skipped_rows(table, guess_layout(table), Fixed(), {5: "five", 4: "headings", 1: "one"})
    assert [(one.number, one.supplier_item_id, one.recipients) for one in skipped] == [
        (1, "I1", ""),
        (5, "I5", "R5"),
    ]


HEADINGS = (*("Supplier", "Item", "Market", "Recipient", "Action", "R1", ""),)
CELLS = (
    *("", " ", "S", "I:276", "276", "R1", "R1,R2", "x", "add", "set", "withdraw", ".."),
    NotText("4000001000005"),
)


@settings(max_examples=100, deadline=None)
@given(
    header=st.lists(st.sampled_from(HEADINGS) | st.text(max_size=5), min_size=1, max_size=6),
    cells=st.lists(
        st.lists(st.sampled_from(CELLS) | st.text(max_size=5), min_size=6, max_size=6), max_size=5
    ),
    fixed=st.builds(
        Fixed,
        supplier=st.none() | st.sampled_from(CELLS).map(str),
        action=st.none() | st.sampled_from(BulkAction),
        recipients=st.frozensets(st.sampled_from(CELLS).map(str), max_size=2),
    ),
)
def test_every_row_is_read_or_reported(header: list[str], cells: list[list[str]], fixed: Fixed) -> None:
    width = len(header)
    rows = tuple(TableRow(number, tuple(row[:width])) for number, row in enumerate(cells, 2))
    table = Table(tuple(header), rows)
    found = read_bulk_rows(table, guess_layout(table), fixed)
    asked = {text for row in found.rows for text in (row.item.supplier, row.item.supplier_item_id)}
    asked |= {row.recipient_id for row in found.rows if row.recipient_id is not None}
    assert [
        text for text in asked if refusal(text, name="item") is not None or isinstance(text, NotText)
    ] == []
    assert {row.number for row in found.rows}.isdisjoint(found.problems)
    assert all((row.recipient_id is None) == (row.action is BulkAction.WITHDRAW) for row in found.rows)


Ids = tuple[str, str, str]
Writer = Callable[[Sequence[str], Iterable[Sequence[str]]], bytes]
ADDRESSABLE = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is None)
REFUSED = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is not None)


def is_word_of_lists(text: str) -> bool:
    """True for an action word, and for a heading of items: neither is read as an id."""
    return is_action_word(text) or read_heading(text) is HeadingMeaning.ITEM


LAYOUT = Layout(supplier=0, item=1, recipient=2, action=3)
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
    assert ids(read_bulk_rows(read_again(write, rows), LAYOUT, Fixed())) == rows


def test_ids_that_cannot_be_addressed_are_told_with_their_rows() -> None:
    table = Table(("Item",), tuple(TableRow(number, (text,)) for number, text in enumerate(REFUSED, 2)))
    fixed = Fixed(supplier="S", recipients=frozenset({"R"}))
    found = read_bulk_rows(table, Layout(item=0), fixed)
    assert found.rows == ()
    assert list(found.problems) == list(range(2, len(REFUSED) + 2))


def test_the_template_is_read_again() -> None:
    with pytest.raises(IndexError):
        read_table(write_template()).rows[0]
    assert guess_layout(read_table(write_template())) == LAYOUT
    assert not any(isinstance(cell, NotText) for cell in read_table(write_template()).header)
