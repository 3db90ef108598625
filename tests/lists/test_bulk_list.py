"""A list and what was decided about it: each decision makes a new list, and the earlier one is as it was."""

from dataclasses import replace

import pytest

from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.damage import DamageKind, Finding
from item_visibility.lists.layout import Fixed
from item_visibility.lists.reader import read_paste
from item_visibility.saving.job import BulkAction

LIST = BulkList.of(read_paste("Supplier\tItem\tRecipient\nS\t1\tR1 \nS\t2\tR2\nS\t3\t9.5E+12"))
SPACE = Finding(2, 2, "R1 ", DamageKind.STRAY, "R1")
SHORTENED = Finding(4, 2, "9.5E+12", DamageKind.SHORTENED)
CHECKED = LIST.checked(lambda *_, **__: [SPACE, SHORTENED])
UNCLEAR = BulkList.of(read_paste("Supplier\tItem\tRecipient\tColour\nS\t1\tR1\tred")).checked(
    lambda *_, **__: []
)


def recipients(bulk_list: BulkList) -> dict[str, frozenset[str]]:
    return {one.item.supplier_item_id: one.add for one in bulk_list.understood().items}


def test_rows_with_undecided_findings_are_skipped() -> None:
    understood = CHECKED.understood()
    assert [one.item.supplier_item_id for one in understood.items] == ["2"]
    assert [(row.number, row.recipients) for row in understood.skipped] == [(2, "R1 "), (4, "9.5E+12")]
    assert understood.skipped[0].reason.startswith("“R1 ” may be damaged")


def test_suggestions_are_put_in_and_ids_are_kept_as_decided() -> None:
    assert CHECKED.suggested(CHECKED.open_findings) == {0}
    decisions = Decisions().with_findings(accepted={0}).with_findings(kept={1})
    decided = CHECKED.with_decisions(decisions)
    assert recipients(decided) == {"1": {"R1"}, "2": {"R2"}, "3": {"9.5E+12"}}
    assert recipients(decided.with_decisions(Decisions())) == {"2": {"R2"}}


@pytest.mark.parametrize(
    ("decisions", "is_decided"),
    [
        (Decisions(), False),
        (Decisions().with_findings(), False),
        (Decisions().with_findings(accepted={0}), True),
        (Decisions().with_findings(kept={0}), True),
    ],
)
def test_a_list_is_decided_when_no_suggestion_is_open(decisions: Decisions, *, is_decided: bool) -> None:
    assert CHECKED.with_decisions(decisions).is_decided is is_decided
    assert LIST.is_decided


def test_a_mended_list_is_checked_again() -> None:
    mended = CHECKED.with_decisions(Decisions().with_findings(accepted={0})).mended()
    assert [row.cells[2] for row in mended.table.rows] == ["R1", "R2", "9.5E+12"]
    assert (mended.findings, mended.decisions) == ((), Decisions())
    assert CHECKED.table.rows[0].cells[2] == "R1 "


def test_a_column_that_is_not_understood_is_open_until_it_is_decided_about() -> None:
    (doubt,) = UNCLEAR.open_doubts
    assert doubt.message.startswith("Column D “Colour” is not understood")
    assert UNCLEAR.with_decisions(Decisions(takes_columns=True)).open_doubts == ()
    assert UNCLEAR.with_layout(replace(UNCLEAR.layout, action=3)).doubts == ()


def test_a_column_that_the_person_chose_not_to_read_is_decided() -> None:
    layout = replace(LIST.guess, item=None)
    unread = LIST.with_layout(layout).checked(lambda *_, **__: [])
    assert (len(unread.doubts), unread.open_doubts) == (1, ())
    assert unread.missing.startswith("No column says the item")


def test_what_the_list_says_itself_wins_over_defaults() -> None:
    given = Fixed(supplier="T", action=BulkAction.ADD, recipients=frozenset({"R9"}))
    assert LIST.with_defaults(given).fixed == Fixed(action=BulkAction.ADD)
    assert BulkList.of(read_paste("Item\nI1")).with_defaults(given).fixed == given


def test_a_column_that_is_ignored_is_read_as_empty() -> None:
    assert LIST.without_columns(frozenset()) is LIST
    ignored = LIST.without_columns(frozenset({2}))
    assert (ignored.layout.recipient, {row.cells[2] for row in ignored.table.rows}) == (None, {""})
