"""A list is read exactly as it says or not at all, whatever else is in its file."""

from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from item_visibility.cli.list_commands import DesiredList, read_list
from item_visibility.errors import FileError
from item_visibility.lists.writer import write_csv
from item_visibility.storage.names import Names
from item_visibility.use_cases.bulk_lists import HiddenCells, ListReader
from tests.lists.workbooks import hidden_column, text_row, xlsx_sheets

SUPPLIER, MARKET = "9521000010000", "276"
NUMBERS = ("09521000010017", "09521000010024", "09521000010031")
RECIPIENTS = ("9522000010007", "9522000020006", "9522000030005")
ACTION_HEADINGS = ("Action", "Actions", "to do", "Verfahren", "", "Status")
NOTES = ("", "", "call Anna", "urgent", "x", "remove", "please add", "ok", "2 boxes")
OTHER = text_row(1, "Supplier", "Item", "Recipient") + text_row(2, SUPPLIER, "OTHER-1", "OTHER-2")
READER = ListReader(lambda _: Names({}))

Ask = tuple[str, str, str]
"""The item, the recipient and the action of one row."""


@dataclass(frozen=True)
class AnyList:
    """A file, the request of each row, and the numbers of the hidden rows."""

    content: bytes
    asks: dict[int, Ask]
    hidden: frozenset[int] = frozenset()
    sheet: str | None = None
    hides_column: bool = False


def one_of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


@st.composite
def rows_of_lists(draw: st.DrawFn) -> list[tuple[list[str], Ask | None]]:
    """Draw the cells of each row with its request; a title and headings have none."""
    count = draw(st.integers(1, 4))

    def cells(*texts: str) -> list[str]:
        return draw(st.lists(one_of(*texts), min_size=count, max_size=count))

    numbers, recipients, actions = cells(*NUMBERS), cells(*RECIPIENTS), cells("add", "remove")
    has_market, asks_actions = draw(st.booleans()), draw(st.integers(0, 2))
    has_headings = has_market or draw(st.booleans())
    items = [f"{number}:{MARKET}" for number in numbers]
    columns = [
        ["Supplier", *[SUPPLIER] * count],
        [draw(one_of("Item", "GTIN", "Artikel")), *(numbers if has_market else items)],
        [draw(one_of("Recipient", "Kunde")), *recipients],
    ]
    columns += [[draw(one_of(*ACTION_HEADINGS)), *actions] for _ in range(asks_actions)]
    if has_market:
        heading = draw(one_of("Zielmarkt", "Zielland", "target market", "Land", "Mercado"))
        columns.append([heading, *[MARKET] * count])
    if has_headings:
        columns = draw(st.permutations(columns))
    if (has_headings or asks_actions) and draw(st.booleans()):  # without, the fourth column is the action
        columns.append([draw(one_of("Name", "Colour", "")), *cells(*NOTES)])
    header, *filled = map(list, zip(*columns, strict=True))
    asks = zip(items, recipients, actions if asks_actions else ["add"] * count, strict=True)
    rows: list[tuple[list[str], Ask | None]] = list(zip(filled, asks, strict=True))
    if has_headings:
        first, more = (
            draw(st.sampled_from((0, 0, count // 2))),
            draw(st.lists(st.integers(0, count), max_size=2)),
        )
        for place in sorted({first, *more}, reverse=True):
            rows.insert(place, (header, None))
        if draw(st.booleans()):
            rows.insert(0, ([draw(one_of("Spring list", "2026-01-02")), *[""] * (len(header) - 1)], None))
    return rows


@st.composite
def any_lists(draw: st.DrawFn) -> AnyList:
    """Draw a list as CSV, or as a workbook that hides rows, a column and other sheets."""
    rows = draw(rows_of_lists())
    texts = [cells for cells, _ in rows]
    asks = {number: ask for number, (_, ask) in enumerate(rows, start=1) if ask is not None}
    if draw(st.booleans()):
        return AnyList(write_csv(texts[0], texts[1:]), asks)
    filled = [number for number, cells in enumerate(texts, start=1) if any(cells)]
    most = draw(st.sampled_from((0, min(2, len(filled) - 1))))
    hidden = draw(st.frozensets(st.sampled_from(filled), max_size=most))
    before = hidden_column(draw(st.integers(1, len(texts[0])))) if draw(st.sampled_from((0, 0, 1))) else ""
    xml = "".join(
        text_row(number, *cells).replace("<row", '<row hidden="1"' if number in hidden else "<row")
        for number, cells in enumerate(texts, start=1)
    )
    sheets = [("list", "visible", xml, before)]
    for state in draw(st.lists(one_of("visible", "hidden", "veryHidden"), max_size=2)):
        sheets.insert(draw(st.integers(0, len(sheets))), (f"{state} {len(sheets)}", state, OTHER, ""))
    return AnyList(xlsx_sheets(sheets), asks, hidden, "list", hides_column=bool(before))


def read_or_refuse(brought: AnyList, **options: object) -> DesiredList:
    try:
        return read_list(READER, brought.content, **options)
    except FileError as error:
        return DesiredList(complaints=(error.message,))


@settings(max_examples=150, deadline=None)
@given(brought=any_lists(), hidden=st.none() | st.sampled_from(HiddenCells), is_named=st.booleans())
def test_a_list_is_read_exactly_as_it_says_or_not_at_all(
    brought: AnyList,
    hidden: HiddenCells | None,
    is_named: bool,  # noqa: FBT001  (given by its name)
) -> None:
    assume(hidden is not HiddenCells.SKIP or brought.hidden <= brought.asks.keys())
    wanted = read_or_refuse(brought, sheet=brought.sheet if is_named else None, hidden=hidden)
    skipped = brought.hidden if hidden is HiddenCells.SKIP else frozenset()
    asked = {(one.item.supplier_item_id, who, "add") for one in wanted.items for who in one.add}
    asked |= {(one.item.supplier_item_id, who, "remove") for one in wanted.items for who in one.remove}
    is_as_it_says = asked == {ask for number, ask in brought.asks.items() if number not in skipped} and (
        skipped == {row.number for row in wanted.skipped}
    )
    assert is_as_it_says or wanted.complaints or (brought.hides_column and hidden is HiddenCells.SKIP)


@settings(max_examples=80, deadline=None)
@given(brought=any_lists())
def test_a_pruned_list_is_set_to_all_that_it_names_or_not_at_all(brought: AnyList) -> None:
    wanted = read_or_refuse(brought, sheet=brought.sheet, hidden=HiddenCells.USE, prune=True)
    exactly = {(one.item.supplier_item_id, who) for one in wanted.items for who in one.exactly or ()}
    assert wanted.complaints or exactly == {ask[:2] for ask in brought.asks.values()}
