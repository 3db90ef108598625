"""A list is read exactly as it says or not at all, whatever else is in its file."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from item_visibility.cli.list_commands import DesiredList, read_list
from item_visibility.errors import FileError
from item_visibility.lists.writer import write_csv
from item_visibility.saving.job import BulkItem
from item_visibility.storage.directory import Names
from item_visibility.use_cases.bulk_lists import HiddenCells, ListReader
from tests.lists.workbooks import hidden_column, text_row, xlsx_sheets

SUPPLIER = "9521000010000"
NUMBERS = ("09521000010017", "09521000010024", "09521000010031")
RECIPIENTS = ("9522000010007", "9522000020006", "9522000030005")
MARKET = "276"
NOTES = ("call Anna", "urgent", "x", "remove", "please add", "ok", "2 boxes")
_ACTION_HEADINGS = ("Action", "Actions", "to do", "Verfahren", "", "Status")
_MARKET_HEADINGS = ("Zielmarkt", "Zielland", "target market", "Land", "Mercado")
_ITEM_HEADINGS = ("Item", "GTIN", "Artikel")
_TITLES = ("Spring list", "2026-01-02")


class Ask(NamedTuple):
    """The request of one row."""

    item: str
    recipient: str
    action: str


@dataclass(frozen=True)
class AnyList:
    """A file, the request of each row, and the numbers of the hidden rows."""

    content: bytes
    asks: dict[int, Ask]
    hidden: frozenset[int]
    sheet: str | None
    hides_column: bool

    @property
    def hides_headings(self) -> bool:
        return bool(self.hidden - self.asks.keys())

    def asked(self, *, with_hidden: bool) -> set[Ask]:
        return {one for number, one in self.asks.items() if with_hidden or number not in self.hidden}


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: tuple[str, ...]


@st.composite
def any_lists(draw: st.DrawFn) -> AnyList:
    """Draw a list in a file of any of these kinds."""
    count = draw(st.integers(1, 4))

    def drawn(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(texts), min_size=count, max_size=count)))

    numbers, recipients, actions = drawn(NUMBERS), drawn(RECIPIENTS), drawn(("add", "remove"))
    has_market = draw(st.booleans())
    items = numbers if has_market else tuple(f"{number}:{MARKET}" for number in numbers)
    columns = [
        _Column("Supplier", (SUPPLIER,) * count),
        _Column(draw(st.sampled_from(_ITEM_HEADINGS)), items),
        _Column(draw(st.sampled_from(("Recipient", "Kunde"))), recipients),
    ]
    headings = draw(st.lists(st.sampled_from(_ACTION_HEADINGS), max_size=2))
    columns += [_Column(heading, actions) for heading in headings]
    has_headings = has_market or draw(st.booleans())
    if has_market:
        columns.append(_Column(draw(st.sampled_from(_MARKET_HEADINGS)), (MARKET,) * count))
    if has_headings:
        columns = draw(st.permutations(columns))
    if (has_headings or headings) and draw(st.booleans()):  # without, the fourth column is the action
        columns.append(_Column(draw(st.sampled_from(("Name", "Colour", ""))), drawn(("", "", *NOTES))))
    rows = [list(cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    asks: list[Ask | None] = [
        Ask(f"{number}:{MARKET}", recipient, action if headings else "add")
        for number, recipient, action in zip(numbers, recipients, actions, strict=True)
    ]
    header = [column.heading for column in columns]
    places = draw(st.lists(st.integers(0, count), max_size=2)) if has_headings else []
    for place in sorted(
        {draw(st.sampled_from((0, 0, count // 2))), *places} if has_headings else (), reverse=True
    ):
        rows.insert(place, header)
        asks.insert(place, None)
    if has_headings and draw(st.booleans()):
        rows.insert(0, [draw(st.sampled_from(_TITLES)), *[""] * (len(columns) - 1)])
        asks.insert(0, None)
    return draw(_files(rows, asks))


@st.composite
def _files(draw: st.DrawFn, rows: list[list[str]], asks: list[Ask | None]) -> AnyList:
    numbered = {number: ask for number, ask in enumerate(asks, start=1) if ask is not None}
    filled = frozenset(number for number, row in enumerate(rows, start=1) if any(row))
    if draw(st.booleans()):
        content = write_csv(rows[0], rows[1:])
        return AnyList(content, numbered, frozenset(), None, hides_column=False)
    hidden = (
        draw(st.frozensets(st.sampled_from(sorted(filled)), max_size=min(2, len(filled) - 1)))
        if draw(st.booleans())
        else frozenset()
    )
    before = hidden_column(draw(st.integers(1, len(rows[0])))) if draw(st.sampled_from((0, 0, 1))) else ""
    xml = "".join(
        text_row(number, *row).replace("<row", '<row hidden="1"' if number in hidden else "<row")
        for number, row in enumerate(rows, start=1)
    )
    sheets = [("list", "visible", xml, before)]
    other = text_row(1, "Supplier", "Item", "Recipient") + text_row(2, SUPPLIER, "OTHER-1", "OTHER-2")
    for state in draw(st.lists(st.sampled_from(("visible", "hidden", "veryHidden")), max_size=2)):
        sheets.insert(draw(st.integers(0, len(sheets))), (f"{state} {len(sheets)}", state, other, ""))
    return AnyList(xlsx_sheets(sheets), numbered, hidden, "list", hides_column=bool(before))


INTAKE = ListReader(lambda _: Names({}))


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
