"""The changes that rows request, rows that are skipped, and decisions about a list.

Ids stay unchanged.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import FileError
from item_visibility.lists import bulk_list
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.damaged_ids import DamageKind, Finding
from item_visibility.lists.headings import (
    Fixed,
    Layout,
    guess_layout,
    with_header_found,
)
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.model.job import BulkAction, BulkItem
from item_visibility.model.known_ids import Names
from item_visibility.use_cases.exports import CHANGE_COLUMNS, write_template
from tests.support.hostile_texts import HOSTILE_IDS

ADD, REMOVE, SET, WITHDRAW = (
    BulkAction.ADD,
    BulkAction.REMOVE,
    BulkAction.SET,
    BulkAction.WITHDRAW,
)
ITEM = ItemKey("S", "1")
Change = tuple[str, BulkAction, str | None]


def list_of(
    table: Table, layout: Layout | None = None, fixed: Fixed | None = None
) -> BulkList:
    layout = layout or guess_layout(table)
    return BulkList(table=table, guess=layout, layout=layout, fixed=fixed or Fixed())


def read(text: str, *, fixed: Fixed | None = None) -> Understood:
    """Return what the pasted text requests. The supplier of all rows is S."""
    return list_of(read_table(text), fixed=fixed or Fixed(supplier="S")).understood()


def changes(found: Understood) -> list[Change]:
    listed: list[Change] = []
    for one in found.items:
        number = one.item.supplier_item_id
        listed += [(number, ADD, recipient) for recipient in sorted(one.add)]
        listed += [(number, REMOVE, recipient) for recipient in sorted(one.remove)]
        listed += [(number, SET, recipient) for recipient in sorted(one.exactly or ())]
        listed += [(number, WITHDRAW, None)] * (one.exactly == frozenset())
    return listed


def problems(found: Understood) -> dict[int, str]:
    return {row.number: row.reason for row in found.skipped}


def test_a_row_has_a_supplier_item_recipient_and_action() -> None:
    found = read(
        "Supplier,Item,Recipient,Action\n S1,I1:276,R1 ,remove\n", fixed=Fixed()
    )
    item = BulkItem(
        item=ItemKey(" S1", "I1:276"), remove=frozenset({"R1 "}), rows=((2,),)
    )
    assert found == Understood((item,), ())


@pytest.mark.parametrize(
    ("word", "action"),
    [
        *((word, ADD) for word in (" Add ", "+", "hinzufügen")),
        *((word, REMOVE) for word in ("REMOVE", "-", "entfernen")),
        *((word, SET) for word in ("Set  exactly", "setzen")),
        *((word, WITHDRAW) for word in ("withdraw", "alle zurückziehen")),
    ],
)
def test_actions_are_found_in_two_languages(word: str, action: BulkAction) -> None:
    recipient = None if action is WITHDRAW else "R1"
    found = read(f"Item,Recipient,Action\nI1,{recipient or ''},{word}")
    assert changes(found) == [("I1", action, recipient)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Item,Recipient,Action\nI1,R1,addd",
            "“addd” is not an action. Write one of “add”, “remove”",
        ),
        ("Item,Recipient,Action\nI1,R1,", "The action is empty. Write one of"),
        (f"Item,Recipient,Action\nI1,R1,{'x' * 41}", f"“{'x' * 40}…” is not an action"),
        (
            "Item,Recipient,Action\nI1,R1,withdraw",
            "removes all recipients, so the row must not name one",
        ),
        ("Item,Recipient\n,R1", "The item is empty."),
        ("Item,Recipient\nI1,", "The recipient is empty."),
        ("Item,Action\nI1,add", "The row names no recipient."),
        ("Supplier,Item,Recipient\n,I1,R1", "The supplier is empty."),
        (
            'Item,Recipient\nI1,"R\n1"',
            "The recipient contains a line break (U+000A) at position 2",
        ),
        ("Item,Recipient\n..,R1", "The item “..” cannot be sent"),
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
def test_a_row_with_an_error_is_skipped_with_its_reason(text: str, words: str) -> None:
    table = read_table(text)
    brought = list_of(table)
    fixed = Fixed(supplier="S" if brought.layout.supplier is None else None)
    found = replace(brought, fixed=fixed).understood()
    assert words in problems(found)[table.rows[-1].number]
    assert found.items == ()


@pytest.mark.parametrize(
    ("column", "name"), [(0, "supplier"), (1, "item"), (2, "recipient")]
)
def test_a_number_cell_is_not_an_id(column: int, name: str) -> None:
    cells = ["S", "I", "R"]
    cells[column] = NotText("4000001000005")
    table = Table(("Supplier", "Item", "Recipient"), (TableRow(7, tuple(cells)),))
    found = list_of(table).understood()
    assert found.items == ()
    assert problems(found)[7].startswith(
        f"The {name} is a number or a formula, not a text."
    )


def test_fixed_values_apply_to_every_row() -> None:
    withdrawn = read("Item\nI1", fixed=Fixed(supplier="S", action=WITHDRAW))
    assert changes(withdrawn) == [("I1", WITHDRAW, None)]
    fixed = Fixed(supplier="S", action=REMOVE, recipients=frozenset({"R2", "R1"}))
    found = read("Item\nI1\nI2", fixed=fixed)
    assert changes(found) == [
        (item, REMOVE, recipient) for item in ("I1", "I2") for recipient in ("R1", "R2")
    ]
    assert {one.item.supplier for one in found.items} == {"S"}


def test_a_row_must_not_contradict_a_fixed_value() -> None:
    found = read(
        "Supplier,Item,Recipient,Action\nS,I1,R1,remove\n,I2,R1,\nT,I3,R1,\nS,I4,R1,add",
        fixed=Fixed(supplier="S", action=REMOVE),
    )
    assert changes(found) == [("I1", REMOVE, "R1"), ("I2", REMOVE, "R1")]
    assert problems(found) == {
        4: "The row names the supplier “T”, but another supplier is entered for all "
        "rows.",
        5: "The row says “add”, but another action is chosen for all rows.",
    }


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        (
            Fixed(supplier="S", action=WITHDRAW, recipients=frozenset({"R"})),
            "removes all recipients",
        ),
        (Fixed(supplier="..", recipients=frozenset({"R"})), "The supplier “..”"),
        (
            Fixed(supplier="S", recipients=frozenset({"R", ""})),
            "The recipient is empty.",
        ),
    ],
)
def test_a_wrong_value_for_all_rows_is_an_error_of_each_row(
    fixed: Fixed, words: str
) -> None:
    assert words in problems(read("Item\nI1", fixed=fixed))[2]


def test_a_row_that_withdraws_beside_chosen_recipients_is_skipped() -> None:
    found = read(
        "Item,Action\nI1,withdraw\nI2,add",
        fixed=Fixed(supplier="S", recipients=frozenset({"R"})),
    )
    assert changes(found) == [("I2", ADD, "R")]
    assert problems(found).keys() == {2}


@pytest.mark.parametrize(
    ("layout", "fixed", "words"),
    [
        (Layout(item=0, recipient=1), Fixed(), "No column holds the supplier"),
        (Layout(recipient=1), Fixed(supplier="S"), "No column holds the item"),
        (Layout(item=0), Fixed(supplier="S"), "No column holds the recipient"),
        (
            Layout(item=0, action=1),
            Fixed(supplier="S", action=ADD),
            "No column holds the recipient",
        ),
    ],
)
def test_a_list_that_cannot_be_understood_has_no_items(
    layout: Layout, fixed: Fixed, words: str
) -> None:
    brought = list_of(
        Table(("a", "b", "c"), (TableRow(5, ("1", "2", "3")),)), layout, fixed
    )
    assert words in brought.missing
    assert brought.understood() == Understood((), ())


@pytest.mark.parametrize(
    ("rows", "wanted", "repeated"),
    [
        (
            ["A,add", "B,remove"],
            BulkItem(item=ITEM, add=frozenset("A"), remove=frozenset("B")),
            0,
        ),
        (["A,set", "B,set"], BulkItem(item=ITEM, exactly=frozenset("AB")), 0),
        ([",withdraw", ",withdraw"], BulkItem(item=ITEM, exactly=frozenset()), 1),
        (["A,add", "A,add"], BulkItem(item=ITEM, add=frozenset("A")), 1),
    ],
    ids=["single changes", "set", "withdraw", "twice the same"],
)
def test_rows_of_one_item_ask_for_one_change(
    rows: list[str], wanted: BulkItem, repeated: int
) -> None:
    found = read("\n".join(["Item,Recipient,Action", *(f"1,{row}" for row in rows)]))
    (one,) = found.items
    assert (one.item, one.add, one.remove, one.exactly) == (
        ITEM,
        wanted.add,
        wanted.remove,
        wanted.exactly,
    )
    assert (one.row_numbers, found.repeated) == ((2, 3), repeated)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("A,add", "A,remove", "The same recipient"),
        ("A,set", "A,add", "the whole item"),
        ("A,set", ",withdraw", "the whole item"),
        ("A,remove", ",withdraw", "the whole item"),
    ],
)
def test_an_item_whose_rows_contradict_each_other_is_skipped(
    first: str, second: str, words: str
) -> None:
    found = read(f"Item,Recipient,Action\n1,{first}\n1,{second}\n2,A,add")
    assert problems(found).keys() == {2, 3}
    assert words in problems(found)[2]
    assert changes(found) == [("2", ADD, "A")]


def test_a_list_is_not_set_exactly_if_a_row_is_unreadable() -> None:
    found = read(
        "Item,Recipient,Action\nI1,R1,set\nI1,..,set\nI2,R1,set\nI3,R1,add\nI3,..,add\nI1,R2,set"
    )
    assert changes(found) == [("I2", SET, "R1"), ("I3", ADD, "R1")]
    assert list(problems(found)) == [2, 3, 6, 7]
    assert problems(found)[2].startswith("Skipped: row 3 cannot be read")


@pytest.mark.parametrize("action", ["set", "sett"])
def test_no_list_is_set_exactly_if_a_row_without_item_is_unreadable(
    action: str,
) -> None:
    found = read(f"Item,Recipient,Action\nI1,R1,set\n..,R2,{action}\nI2,R1,remove\n")
    assert changes(found) == [("I2", REMOVE, "R1")]
    assert list(problems(found)) == [2, 3]


def test_lists_are_set_exactly_if_the_unreadable_row_only_adds() -> None:
    assert changes(read("Item,Recipient,Action\nI1,R1,set\n..,R2,add")) == [
        ("I1", SET, "R1")
    ]


def test_the_recipients_of_all_items_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make() -> Understood:
        return read(
            "Item\nI1\nI2",
            fixed=Fixed(supplier="S", recipients=frozenset({"R1", "R2"})),
        )

    monkeypatch.setattr(bulk_list, "MAX_ROWS", 4)
    assert len(changes(make())) == 4
    monkeypatch.setattr(bulk_list, "MAX_ROWS", 3)
    with pytest.raises(FileError, match="more than 3 recipients in all") as caught:
        make()
    assert caught.value.advice.startswith("Nothing was changed.")


def test_repeated_headings_do_not_keep_a_list_from_being_set_exactly() -> None:
    text = "Supplier,Item,Recipient\nS,I2,R2\nSupplier,Item,Recipient\nS,I3,R3"
    found = list_of(
        with_header_found(read_table(text)), fixed=Fixed(action=SET)
    ).understood()
    assert changes(found) == [("I2", SET, "R2"), ("I3", SET, "R3")]
    assert found.skipped == ()


@pytest.mark.parametrize(
    ("text", "fixed", "row"),
    [
        (
            "Supplier,Item,Recipient,Action\nS,,R1,remove",
            Fixed(),
            ("S", "", "R1", "remove"),
        ),
        (
            "Item,Recipient\n..,R1",
            Fixed(supplier="T", action=SET),
            ("T", "..", "R1", "set exactly"),
        ),
    ],
)
def test_a_skipped_row_is_reported_unchanged(
    text: str, fixed: Fixed, row: tuple[str, str, str, str]
) -> None:
    (skipped,) = read(text, fixed=fixed).skipped
    assert (skipped.number, skipped.supplier, skipped.supplier_item_id) == (
        2,
        row[0],
        row[1],
    )
    assert (skipped.recipients, skipped.action) == row[2:]


HEADINGS = ("Supplier", "Item", "Market", "Recipient", "Action", "R1", "")
CELLS = (
    *("", " ", "S", "I:276", "276", "R1", "R1,R2", "x", "add", "set", "withdraw", ".."),
    NotText("4000001000005"),
)


@settings(max_examples=100, deadline=None)
@given(
    header=st.lists(
        st.sampled_from(HEADINGS) | st.text(max_size=5), min_size=1, max_size=6
    ),
    cells=st.lists(
        st.lists(st.sampled_from(CELLS) | st.text(max_size=5), min_size=6, max_size=6),
        max_size=5,
    ),
    fixed=st.builds(
        Fixed,
        supplier=st.none() | st.sampled_from(CELLS).map(str),
        action=st.none() | st.sampled_from(BulkAction),
        recipients=st.frozensets(st.sampled_from(CELLS).map(str), max_size=2),
    ),
)
def test_every_row_is_read_or_reported(
    header: list[str], cells: list[list[str]], fixed: Fixed
) -> None:
    width = len(header)
    table = Table(
        tuple(header),
        tuple(TableRow(n, tuple(row[:width])) for n, row in enumerate(cells, 2)),
    )
    brought = list_of(table, fixed=fixed)
    found = brought.understood()
    texts = {
        text
        for one in found.items
        for text in (one.item.supplier, one.item.supplier_item_id)
    }
    texts = texts.union(
        *(one.add | one.remove | (one.exactly or set()) for one in found.items)
    )
    assert [
        text
        for text in texts
        if refusal(text, name="item") or isinstance(text, NotText)
    ] == []
    taken = {number for one in found.items for number in one.row_numbers}
    assert taken.isdisjoint(problems(found))
    assert brought.missing or taken | problems(found).keys() == {
        row.number for row in table.rows
    }


ADDRESSABLE = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is None)
REFUSED = tuple(text for text in HOSTILE_IDS if refusal(text, name="item") is not None)
LAYOUT = Layout(supplier=0, item=1, recipient=2, action=3)


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_hostile_ids_are_read_unchanged(write: Callable[..., bytes]) -> None:
    rows = list(
        zip(
            ADDRESSABLE,
            ADDRESSABLE[1:] + ADDRESSABLE[:1],
            ADDRESSABLE[2:] + ADDRESSABLE[:2],
            strict=True,
        )
    )
    content = write(CHANGE_COLUMNS, [(*row, "add") for row in rows])
    found = list_of(with_header_found(read_table(content)), LAYOUT).understood()
    assert (found.skipped, len(rows) > 200) == ((), True)
    assert {
        (one.item.supplier, one.item.supplier_item_id, *one.add) for one in found.items
    } == set(rows)


def test_ids_that_cannot_be_addressed_are_reported_with_their_rows() -> None:
    table = Table(
        ("Item",),
        tuple(TableRow(number, (text,)) for number, text in enumerate(REFUSED, 2)),
    )
    fixed = Fixed(supplier="S", recipients=frozenset({"R"}))
    found = list_of(table, fixed=fixed).understood()
    assert found.items == ()
    assert list(problems(found)) == list(range(2, len(REFUSED) + 2))


def test_the_template_can_be_read() -> None:
    template = read_table(write_template())
    assert (guess_layout(template), template.rows) == (LAYOUT, ())
    assert not any(isinstance(cell, NotText) for cell in template.header)


LIST = list_of(
    read_table("Supplier\tItem\tRecipient\nS\t1\tR1 \nS\t2\tR2\nS\t3\t9.5E+12"),
    replace(LAYOUT, action=None),
)
SPACE = Finding(2, 2, "R1 ", DamageKind.STRAY, "R1")
SHORTENED = Finding(4, 2, "9.5E+12", DamageKind.SHORTENED)
CHECKED = replace(LIST, findings=(SPACE, SHORTENED))


def recipients(bulk_list: BulkList) -> dict[str, frozenset[str]]:
    return {one.item.supplier_item_id: one.add for one in bulk_list.understood().items}


def test_rows_with_undecided_findings_are_skipped() -> None:
    understood = CHECKED.understood()
    assert [one.item.supplier_item_id for one in understood.items] == ["2"]
    assert [(row.number, row.recipients) for row in understood.skipped] == [
        (2, "R1 "),
        (4, "9.5E+12"),
    ]
    assert understood.skipped[0].reason.startswith("“R1 ” may be damaged")


def test_a_check_applies_no_suggestion() -> None:
    checked = LIST.checked(lambda _: Names({}))
    assert "R1" in {one.suggestion for one in checked.findings}
    assert checked.table == LIST.table


def test_accepted_suggestions_replace_ids_and_others_stay() -> None:
    assert CHECKED.suggested(CHECKED.open_findings) == {0}
    decisions = Decisions().with_findings(accepted={0}).with_findings(kept={1})
    decided = replace(CHECKED, decisions=decisions)
    assert recipients(decided) == {"1": {"R1"}, "2": {"R2"}, "3": {"9.5E+12"}}
    assert recipients(replace(decided, decisions=Decisions())) == {"2": {"R2"}}


@pytest.mark.parametrize(
    ("decisions", "is_decided"),
    [
        (Decisions(), False),
        (Decisions().with_findings(), False),
        (Decisions().with_findings(accepted={0}), True),
        (Decisions().with_findings(kept={0}), True),
    ],
)
def test_a_list_is_decided_when_no_suggestion_is_open(
    decisions: Decisions, *, is_decided: bool
) -> None:
    assert replace(CHECKED, decisions=decisions).is_decided is is_decided
    assert LIST.is_decided


def test_a_corrected_list_is_checked_again() -> None:
    mended = replace(
        CHECKED, decisions=Decisions().with_findings(accepted={0})
    ).mended()
    assert [row.cells[2] for row in mended.table.rows] == ["R1", "R2", "9.5E+12"]
    assert (mended.findings, mended.decisions) == ((), Decisions())
    assert CHECKED.table.rows[0].cells[2] == "R1 "


def test_an_unknown_column_needs_a_decision() -> None:
    text = "Supplier\tItem\tRecipient\tColour\nS\t1\tR1\tred"
    unclear = BulkList.of(read_table(text)).checked(lambda _: Names({}))
    (doubt,) = unclear.open_doubts
    assert doubt.startswith("Column D “Colour” is not understood")
    assert replace(unclear, decisions=Decisions(ignores_columns=True)).open_doubts == []
    assert unclear.with_layout(replace(unclear.layout, action=3)).doubts == {}


def test_a_word_for_nothing_is_read_as_an_empty_cell() -> None:
    table = read_table(
        "Supplier\tItem\tRecipient\tAction\nS1\tI1\tnan\tadd\nS1\tI2\tN/A\twithdraw"
    )
    checked = BulkList.of(table).checked(lambda _: Names({}))
    found = checked.understood()
    assert checked.findings == ()
    assert changes(found) == [("I2", WITHDRAW, None)]
    assert problems(found) == {2: "The recipient is empty."}


def test_the_columns_of_a_list_without_headings_must_be_chosen() -> None:
    unclear = BulkList.read("S1\tI1\tR1\nS2\tI2\tR2")
    assert unclear.missing == "The list has no headings. Choose what each column holds."
    assert unclear.understood() == Understood((), ())
    chosen = unclear.with_columns(("recipient", "", "item"))
    assert chosen.layout == Layout(recipient=0, item=2)
    assert [row.cells for row in chosen.table.rows] == [
        ("S1", "", "R1"),
        ("S2", "", "R2"),
    ]


def test_the_first_row_is_data_if_the_columns_are_named() -> None:
    unclear = BulkList.read("Laden\tWare\nS1\tI1")
    assert [
        row.cells for row in unclear.with_columns(("supplier", "item")).table.rows
    ] == [
        ("Laden", "Ware"),
        ("S1", "I1"),
    ]


def test_ignoring_a_column_is_a_decision() -> None:
    layout = replace(LIST.guess, item=None)
    unread = LIST.with_layout(layout).checked(lambda _: Names({}))
    assert (len(unread.doubts), unread.open_doubts) == (1, [])
    assert unread.missing.startswith("No column holds the item")


def test_a_column_that_is_ignored_is_read_as_empty() -> None:
    ignored = BulkList.of(LIST.table.without_columns(frozenset({2})))
    assert (ignored.layout.recipient, {row.cells[2] for row in ignored.table.rows}) == (
        None,
        {""},
    )
