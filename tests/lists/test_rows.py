"""Changes that rows ask for, and rows that are skipped. Any id is read exactly as it is."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import FileError
from item_visibility.lists import rows
from item_visibility.lists.layout import Fixed, Layout, LayoutKind, guess_layout, with_header_found
from item_visibility.lists.reader import read_paste, read_table
from item_visibility.lists.rows import ReadRows, read_bulk_rows, skipped_rows
from item_visibility.lists.table import NO_RESULT, Aside, NotText, Table, TableRow
from item_visibility.lists.words import HeadingMeaning, is_action_word, read_heading
from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.saving.bulk import BulkAction, BulkRow
from item_visibility.saving.job import SkippedRow
from item_visibility.use_cases.bulk.lists import TEMPLATE_HEADER, write_template
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
    """Each is read exactly as it is."""
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
    """Case and spaces around do not matter. Withdrawing names nobody."""
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
        ("Supplier,Item,Recipient\n,I1,R1", "The supplier is empty."),
        ('Item,Recipient\nI1,"R\n1"', "The recipient holds a line break (U+000A) at position 2"),
        ("Item,Recipient\n..,R1", "The item “..” cannot be addressed"),
        (
            "Item,Recipient\n..,.",
            "a meaning of its own. Other cells of the row cannot be read either.",
        ),
        ("Item,Recipient 1,Recipient 2\nI1,, ", "The row names no recipient."),
        ("Item,Recipients,\nI1,R1,\nI2,,R2\nI3,,", "The row names no recipient."),
        ("GTIN,Market,Recipient\n1,,R1", "The market is empty."),
        ("GTIN,Market,Recipient\n1:040,276,R1", "names its own market, and the row the market “276”"),
        ("Item,R1\nI1,x\nI2,perhaps", "“perhaps” is neither a tick nor empty."),
        ("Item,Recipient\nItem,R1", "“Item” is a heading, so it cannot be the item."),
        (
            'Item,Recipients\nI1,"R1,R2"\nI2,R3 please check',
            "“please”, in one cell with other texts, may be a word and no id.",
        ),
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
    """With its number, and in words that say what to put right."""
    table = read_paste(text)
    guess = guess_layout(table)
    layout = guess if guess.recipients else Layout(kind=LayoutKind.MATRIX, item=0, recipients=(1,))
    found = read_bulk_rows(table, layout, Fixed(supplier=None if guess.supplier == 0 else "S"))
    last = table.rows[-1].number
    assert words in problem(found).message
    assert problem(found).number == last
    assert last not in {row.number for row in found.rows}


@pytest.mark.parametrize(
    ("header", "cells", "name"),
    [
        (("Supplier", "Item", "Recipient"), (NotText("1"), "I", "R"), "supplier"),
        (("Supplier", "Item", "Recipient"), ("S", NotText("1"), "R"), "item"),
        (("Supplier", "Item", "Recipient"), ("S", "I", NotText("1")), "recipient"),
        (("Supplier", "Item", "Recipients", ""), ("S", "I", "R", NotText("1")), "recipient"),
        (("Supplier", "GTIN", "Market"), ("S", "1", NotText("40")), "market"),
        (("Supplier", "Item", NotText("4000")), ("S", "I", "x"), "recipient"),
        (("Supplier", "Item", "Recipients"), ("S", "I", NotText("4000001000005")), "recipient"),
    ],
)
def test_a_number_is_no_id(header: tuple[str, ...], cells: tuple[str, ...], name: str) -> None:
    """Zeros and digits may be lost: never read, in whatever layout."""
    table = Table(header, (TableRow(7, cells),))
    fixed = Fixed(recipients=frozenset({"R"} if name == "market" else ()))
    found = read_bulk_rows(table, guess_layout(table), fixed)
    assert found.rows == ()
    assert problem(found).message.startswith(f"The {name} is a number, not a text.")


@pytest.mark.parametrize(
    ("item", "market", "joined"),
    [
        ("09521000010017", "276", "09521000010017:276"),
        ("9521000010017", "DE", "9521000010017:DE"),
        ("09521000010017:276", "276", "09521000010017:276"),
    ],
)
def test_a_trade_item_number_and_its_market_are_one_id(item: str, market: str, joined: str) -> None:
    """Joined as they are: no zero is added, no country translated. Note N18."""
    assert changes(read(f"GTIN,Market,Recipient\n{item},{market},R")) == [(2, joined, ADD, "R")]


def test_recipients_in_columns_are_those_that_are_not_blank() -> None:
    """One row an item."""
    found = read("Item,Recipient 1,Recipient 2,Recipient 3\nI1,R1,,R2\nI2, ,R3,")
    assert changes(found) == [(2, "I1", ADD, "R1"), (2, "I1", ADD, "R2"), (3, "I2", ADD, "R3")]


def test_recipients_in_one_cell_are_taken_apart() -> None:
    """At line breaks, commas, semicolons and spaces; quotation marks keep an id together."""
    found = read('Item\tRecipients\nI1\t"R1, R2;R3\nR4 ""R,5"""')
    assert [row[3] for row in changes(found)] == ["R1", "R2", "R3", "R4", "R,5"]


def test_ticks_of_a_matrix_name_the_heading() -> None:
    """Exactly as the heading is; cells without a tick ask for nothing."""
    found = read("Item, R1,R2\nI1,x,\nI2,✓,1\nI3,yes,no\nI4,JA,-\nI5,true,FALSE\nI6,,0")
    assert changes(found) == [
        (2, "I1", ADD, " R1"),
        (3, "I2", ADD, " R1"),
        (3, "I2", ADD, "R2"),
        (4, "I3", ADD, " R1"),
        (5, "I4", ADD, " R1"),
        (6, "I5", ADD, " R1"),
    ]
    assert found.problems == {}


def test_a_matrix_that_sets_exactly_ticks_somebody() -> None:
    """A row without ticks withdraws nothing in silence."""
    found = read("Item,R1,R2\nI1,x,\nI2,,", fixed=Fixed(supplier="S", action=SET))
    assert changes(found) == [(2, "I1", SET, "R1")]
    assert problem(found) == RowProblem(
        3, "The row names no recipient. To take the item from everybody, write “withdraw all”."
    )


def test_a_column_of_ticks_with_some_other_word_in_it_is_not_skipped() -> None:
    """Else everybody who is ticked in it would be taken away from the items that are set exactly."""
    found = read("Item,R1,R2\nI1,x,x\nI2,x,maybe", fixed=Fixed(supplier="S", action=SET))
    assert changes(found) == [(2, "I1", SET, "R1"), (2, "I1", SET, "R2")]
    assert problem(found) == RowProblem(3, "“maybe” is neither a tick nor empty.")


def test_an_item_that_cannot_be_read_may_be_any_where_items_have_several_rows() -> None:
    """Also with recipients in columns: the rest of many is in a second row."""
    cells = [("I1", "R1", "R2"), ("I1", "R3", ""), (NotText("1"), "R4", "")]
    table = Table(("Item", "Recipient 1", "Recipient 2"), tuple(map(TableRow, (2, 3, 4), cells)))
    found = read_bulk_rows(table, guess_layout(table), Fixed(supplier="S", action=SET))
    assert found.rows == ()
    assert list(found.problems) == [2, 3, 4]


def test_what_is_fixed_holds_for_every_row() -> None:
    """Supplier, action, and the recipients of a set."""
    withdrawn = read("Item\nI1", fixed=Fixed(supplier="S", action=WITHDRAW))
    assert changes(withdrawn) == [(2, "I1", WITHDRAW, None)]
    fixed = Fixed(supplier="S", action=REMOVE, recipients=frozenset({"R2", "R1"}))
    found = read("Item\nI1\nI2", fixed=fixed)
    assert changes(found) == [(n, i, REMOVE, r) for n, i in ((2, "I1"), (3, "I2")) for r in ("R1", "R2")]
    assert {row.item.supplier for row in found.rows} == {"S"}


def test_a_row_may_say_what_is_fixed_but_nothing_else() -> None:
    """Neither the row nor the choice is overruled in silence."""
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
    """The recipients would be unclear."""
    layout = Layout(kind=LayoutKind.ROWS, item=0, action=1)
    fixed = Fixed(supplier="S", recipients=frozenset({"R"}))
    found = read_bulk_rows(read_paste("Item,Action\nI1,withdraw\nI2,add"), layout, fixed)
    assert changes(found) == [(3, "I2", ADD, "R")]
    assert problem(found).number == 2


@pytest.mark.parametrize(
    ("layout", "fixed", "words"),
    [
        (Layout(kind=LayoutKind.ROWS, item=0, recipients=(1,)), Fixed(), "No column says the supplier"),
        (Layout(kind=LayoutKind.ROWS, recipients=(1,)), Fixed(supplier="S"), "No column says the item"),
        (Layout(kind=LayoutKind.ROWS, item=0), Fixed(supplier="S"), "No column says the recipient"),
        (
            Layout(kind=LayoutKind.ROWS, item=0, action=1),
            Fixed(supplier="S", action=ADD),
            "No column says the recipient",
        ),
        (
            Layout(kind=LayoutKind.ROWS, item=0, recipients=(1, 2)),
            Fixed(supplier="S"),
            "Each row names one recipient",
        ),
        (
            Layout(kind=LayoutKind.ROWS, item=0, recipients=(1,)),
            Fixed(supplier="S", recipients=frozenset({"R"})),
            "and others are chosen for all items",
        ),
        (
            Layout(kind=LayoutKind.ROWS, item=0),
            Fixed(supplier="S", action=WITHDRAW, recipients=frozenset({"R"})),
            "takes items from everybody",
        ),
        (Layout(kind=LayoutKind.ROWS, item=0, recipients=(1,)), Fixed(supplier=".."), "The supplier “..”"),
        (
            Layout(kind=LayoutKind.ROWS, item=0),
            Fixed(supplier="S", recipients=frozenset({"R", ""})),
            "The recipient is empty.",
        ),
    ],
)
def test_a_list_that_cannot_be_read_at_all_is_said_once(layout: Layout, fixed: Fixed, words: str) -> None:
    """At its header, not at each of 200,000 rows."""
    table = Table(("a", "b", "c"), (TableRow(5, ("1", "2", "3")), TableRow(6, ("1", "2", "3"))), 4)
    found = read_bulk_rows(table, layout, fixed)
    assert found.rows == ()
    assert problem(found).number == 4
    assert words in problem(found).message


def test_a_list_that_may_be_incomplete_is_not_set() -> None:
    """The recipient in the row that cannot be read would lose the item."""
    found = read("Item,Recipient,Action\nI1,R1,set\nI1,..,set\nI2,R1,set\nI3,R1,add\nI3,..,add\nI1,R2,set")
    assert changes(found) == [(4, "I2", SET, "R1"), (5, "I3", ADD, "R1")]
    assert list(found.problems) == [2, 3, 6, 7]
    assert found.problems[2].startswith("Skipped: row 3 cannot be read")


@pytest.mark.parametrize("action", ["set", "sett"])
def test_no_list_is_set_while_a_row_may_be_of_any_item(action: str) -> None:
    """Its item cannot be read: any list may be the incomplete one."""
    found = read(f"Item,Recipient,Action\nI1,R1,set\n..,R2,{action}\nI2,R1,remove\n")
    assert changes(found) == [(4, "I2", REMOVE, "R1")]
    assert list(found.problems) == [2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "Item,Recipient,Action\nI1,R1,set\n..,R2,add",
        "Item,Recipient 1,Recipient 2,Action\nI1,R1,,set\n..,R2,,set",
    ],
)
def test_other_lists_are_set_when_an_unreadable_row_is_none_of_theirs(text: str) -> None:
    """A row that adds, or that holds a whole list of its own."""
    assert changes(read(text)) == [(2, "I1", SET, "R1")]


@pytest.mark.parametrize(
    "make",
    [
        lambda: read("Item,Recipient 1,Recipient 2\nI1,R1,R2\nI2,R1,R2"),
        lambda: read("Item\nI1\nI2", fixed=Fixed(supplier="S", recipients=frozenset({"R1", "R2"}))),
    ],
)
def test_recipients_are_counted_for_every_item(
    make: Callable[[], ReadRows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few rows can ask for very much."""
    monkeypatch.setattr(rows, "MAX_ROWS", 4)
    assert len(make().rows) == 4
    monkeypatch.setattr(rows, "MAX_ROWS", 3)
    with pytest.raises(FileError, match="more than 3 recipients, counted for every item") as caught:
        make()
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.parametrize("column", [0, 1])
def test_a_formula_without_a_result_is_refused_by_its_row(column: int) -> None:
    """In an item and in a recipient."""
    cells = ["I1", "R1"]
    cells[column] = NO_RESULT
    table = Table(("Item", "Recipients"), (TableRow(2, tuple(cells)), TableRow(3, ("I2", "R2,R3"))))
    layout = guess_layout(table)
    assert layout.kind is LayoutKind.CELL
    assert problem(read_bulk_rows(table, layout, Fixed(supplier="S"))).message.endswith(
        "is a formula whose result the file does not hold. Open the file in a spreadsheet program, and save"
        " it there."
    )


def test_rows_aside_keep_a_list_from_being_set_exactly() -> None:
    """They may name somebody who would be removed; a row that repeats the headings names no recipient."""
    text = "S,I1,R1\nSupplier,Item,Recipient\nS,I2,R2\nSupplier,Item,Recipient\nS,I3,R3"
    table = with_header_found(read_paste(text))
    found = read_bulk_rows(table, guess_layout(table), Fixed(action=SET))
    assert found.rows == ()
    assert list(found.problems) == [1, 4, 3, 5]
    repeated = with_header_found(read_paste(text.partition("\n")[2]))
    assert len(read_bulk_rows(repeated, guess_layout(repeated), Fixed(action=SET)).rows) == 2


@pytest.mark.parametrize(
    ("text", "fixed", "row"),
    [
        (
            "Supplier,Item,Recipient,Action\nS,,R1,remove",
            Fixed(),
            ("S", "", "R1", "remove"),
        ),
        (
            "GTIN,Market,Recipient 1,Recipient 2\n123,276,R1,R2",
            Fixed(supplier="T", action=BulkAction.SET),
            ("T", "123:276", "R1, R2", "set exactly"),
        ),
        ("GTIN,Market,Recipient\n123:276,276,", Fixed(), ("", "123:276", "", "")),
        ("Item,R1,R2\nI1,x,maybe", Fixed(), ("", "I1", "R1", "")),
        ("Item,R1,R2\nI1,,maybe\nI2,x,x", Fixed(), ("", "I1", "R2", "")),
    ],
)
def test_a_skipped_row_is_reported_as_it_is(text: str, fixed: Fixed, row: tuple[str, str, str, str]) -> None:
    """With the values for all rows."""
    table = read_paste(text)
    (skipped,) = skipped_rows(table, guess_layout(table), fixed, {2: "Why."})
    assert skipped == SkippedRow(
        number=2, supplier=row[0], supplier_item_id=row[1], recipients=row[2], action=row[3], reason="Why."
    )


def test_skipped_rows_are_in_the_order_of_the_list() -> None:
    """Though they are shorter than others; the headings are no row of it."""
    table = Table(
        ("Item", "Recipient"),
        (TableRow(5, ("I5", "R5")),),
        header_number=4,
        aside=(Aside(TableRow(1, ("I1",)), "?"),),
    )
    skipped = skipped_rows(table, guess_layout(table), Fixed(), {5: "five", 4: "headings", 1: "one"})
    assert [(one.number, one.supplier_item_id, one.recipients) for one in skipped] == [
        (1, "I1", ""),
        (5, "I5", "R5"),
    ]


HEADINGS = (
    *("Supplier", "Item", "GTIN", "Market", "GLN"),
    *("Recipient", "Recipients", "Recipient 2", "Action", "R1", ""),
)
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
    """No table raises an error, and nothing that cannot be sent is asked for."""
    width = len(header)
    rows = tuple(TableRow(number, tuple(row[:width])) for number, row in enumerate(cells, 2))
    table = with_header_found(Table(tuple(header), rows))
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
