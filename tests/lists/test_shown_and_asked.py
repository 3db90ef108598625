"""No list asks for more than it says, and none of its rows vanishes."""

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from item_visibility.cli.list_commands import DesiredList, read_list
from item_visibility.errors import FileError
from item_visibility.saving.job import BulkItem
from item_visibility.storage.directory import Names
from item_visibility.use_cases.bulk_lists import HiddenCells, ListReader
from tests.lists.any_lists import MARKET, NUMBERS, RECIPIENTS, SUPPLIER, AnyList, Ask, any_lists

INTAKE = ListReader(lambda _: Names({}))
IDS = {SUPPLIER, *RECIPIENTS, *NUMBERS, *(f"{number}:{MARKET}" for number in NUMBERS)}


def asked_of(items: tuple[BulkItem, ...]) -> set[Ask]:
    named = [("add", one.item.supplier_item_id, one.add) for one in items]
    named += [("remove", one.item.supplier_item_id, one.remove) for one in items]
    return {Ask(item, recipient, action) for action, item, ids in named for recipient in ids}


def read_or_refuse(brought: AnyList, options: dict[str, Any]) -> DesiredList:
    try:
        return read_list(INTAKE, brought.content, **options)
    except FileError as error:
        return DesiredList(complaints=(error.message,))


@settings(max_examples=150, deadline=None)
@given(brought=any_lists(), hidden=st.none() | st.sampled_from(HiddenCells), is_named=st.booleans())
def test_a_list_is_read_exactly_as_it_says_or_not_at_all(
    brought: AnyList,
    hidden: HiddenCells | None,
    is_named: bool,  # noqa: FBT001  (given by its name)
) -> None:
    options = {"sheet": brought.sheet if is_named else None, "hidden": hidden}
    assume(not (hidden is HiddenCells.SKIP and brought.hides_headings))
    wanted = read_or_refuse(brought, options)
    with_hidden = hidden is not HiddenCells.SKIP
    skipped = {row.number for row in wanted.skipped}
    is_as_it_says = asked_of(wanted.items) == brought.asked(with_hidden=with_hidden) and skipped == (
        set() if with_hidden else brought.hidden
    )
    assert is_as_it_says or wanted.complaints or (brought.hides_column and not with_hidden)


@settings(max_examples=80, deadline=None)
@given(brought=any_lists())
def test_a_pruned_list_is_set_to_all_that_it_names_or_not_at_all(brought: AnyList) -> None:
    options = {"sheet": brought.sheet, "hidden": HiddenCells.USE, "prune": True}
    wanted = read_or_refuse(brought, options)
    exactly = {
        (one.item.supplier_item_id, recipient) for one in wanted.items for recipient in one.exactly or ()
    }
    assert wanted.complaints or exactly == {(one.item, one.recipient) for one in brought.asks.values()}


@settings(max_examples=150, deadline=None)
@given(brought=any_lists(), hidden=st.sampled_from(HiddenCells))
def test_no_row_vanishes_and_no_word_becomes_an_id(brought: AnyList, hidden: HiddenCells) -> None:
    assume(not (hidden is HiddenCells.SKIP and brought.hides_headings))
    try:
        bulk_list = INTAKE.check_list(INTAKE.read_file(brought.content, sheet=brought.sheet, hidden=hidden))
    except FileError:
        return
    table, understood = bulk_list.table, bulk_list.understood()
    assume(not bulk_list.missing)
    taken = {number for one in understood.items for number in one.row_numbers}
    skipped = {row.number for row in understood.skipped}
    named = {table.header_number, *skipped, *(row.number for row in table.titles)}
    assert brought.filled <= taken | named
    assert taken.isdisjoint(skipped)
    items = [one.item for one in understood.items]
    texts = {text for one in items for text in (one.supplier, one.supplier_item_id)}
    assert texts.union(*(one.add | one.remove for one in understood.items)) <= IDS
