"""The entries of the history, newest first: those that a filter finds, or the last ones of an item."""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from components.clock import start_of_day, time_column, time_of_day
from components.downloads import offer_downloads
from components.history.entry import KINDS, outcome_words, show_entry
from components.history.filter import clear_filter
from components.item.form import ItemForm
from components.item.saving import ask_undo, ask_undo_when_open
from components.links import HISTORY_PAGE, ITEM_PAGE, address_of_item, offer_item
from components.notices import show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.saving.in_words import by_whom, many, names_first
from item_visibility.storage.fallback import or_else
from item_visibility.storage.history.search import HistoryFilter, HistoryLine
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history import as_csv, as_xlsx, day_of_item

_LINES, _LINES_OF_ITEM = 50, 10
_PAGE, _ENTRY = "page", "entry"
_PAGE_DIGITS = 6
_DAY = "history_day"
_CHOSEN, _OPENED = "history.chosen", "history.opened"
_COLUMNS = {
    "Item": st.column_config.TextColumn("Item", width="medium"),
    "Change": st.column_config.TextColumn("Change", width=260),
    "Who": st.column_config.TextColumn("Who", width=135),
    "Outcome": st.column_config.TextColumn("Outcome", width=115),
    "Kind": st.column_config.TextColumn("Kind", width=115),
    "Supplier": st.column_config.TextColumn("Supplier", width=150),
    "Why": st.column_config.TextColumn("Why", width="medium"),
}
_OF_ITEM = ("Item", "Supplier", "Item number", "Supplier number")
_MINUS = "\N{MINUS SIGN}"


def list_history(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the page of entries in the address, or the newest ones, and the opened entry below it."""
    try:
        number = _page_number()
        lines, is_more = _page(desk, wanted, number)
        if not lines and number > 1:
            number = 1
            lines, is_more = _page(desk, wanted, number)
        if lines:
            _open(_show_lines(desk, lines))
        else:
            _show_none(desk, wanted)
        with st.container(horizontal=True, vertical_alignment="center", key="history_ways"):
            _offer_pages(number, is_more=is_more)
            if lines:
                _offer_files(desk, wanted)
        if wanted.item is not None:
            _show_day(desk, wanted.item)
        entry = desk.records.history.entry(st.query_params.get(_ENTRY, ""))
    except RecordsError as error:
        show_error("The history could not be read. Nothing was changed.", error)
        return
    if entry is None:
        if lines:
            st.caption("Choose a row to see its details, or to undo it.")
    elif show_entry(desk, entry):
        item = entry.request.item
        ask_undo_when_open(desk, item, entry.request.key)
        st.switch_page(ITEM_PAGE, query_params=address_of_item(item))


@st.fragment
def show_item_history(desk: Desk, form: ItemForm) -> None:
    """Draw the last entries of the open item, folded. A chosen row shows its details, and Undo."""
    history = st.expander(
        "History of this item", icon=":material/history:", key="item_history", on_change="rerun"
    )
    if history.open:
        with history:
            _show_item_entries(desk, form)


def _show_item_entries(desk: Desk, form: ItemForm) -> None:
    item = form.item
    wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id)
    try:
        lines = desk.records.search.lines(wanted, limit=_LINES_OF_ITEM)
    except RecordsError:
        st.warning("The history of this item could not be read.", icon=":material/history_off:")
        return
    if not lines:
        st.caption("Nothing was changed here yet, and no change made elsewhere was seen.")
        return
    if (chosen := _show_lines(desk, lines, leave_out=_OF_ITEM)) is not None:
        st.session_state[_OPENED] = chosen
    opened = st.session_state.get(_OPENED, "")
    entry = or_else(None, lambda: desk.records.history.entry(opened))
    if entry is not None and entry.request.item == item and show_entry(desk, entry):
        ask_undo(desk, form, opened)
        st.rerun()
    st.page_link(
        HISTORY_PAGE,
        label="All changes and export",
        icon=":material/open_in_full:",
        query_params=address_of_item(item),
    )


def _show_lines(desk: Desk, lines: Sequence[HistoryLine], *, leave_out: Sequence[str] = ()) -> str | None:
    """Draw the entries.

    Return the key of the entry chosen just now, "" when it was deselected, and None when the selection did
    not change.
    """
    items = desk.names.item_titles(line.item for line in lines)
    suppliers = desk.names.supplier_names(line.item.supplier for line in lines)
    changed = {one for line in lines for one in (*line.added_ids, *line.removed_ids)}
    names = desk.names.recipient_names(changed)
    columns = ("When", "Item", "Change", "Who", "Outcome", "Kind", "Supplier", "Why", *_OF_ITEM[2:])
    rows = [
        (
            line.started_at,
            items[line.item],
            _change(line, names),
            by_whom(line.kind, line.person),
            outcome_words(line.kind, line.verdict, line.ended_at),
            KINDS[line.kind],
            suppliers.get(line.item.supplier, ""),
            line.reason,
            line.item.supplier_item_id,
            line.item.supplier,
        )
        for line in lines
    ]
    shown = [at for at, name in enumerate(columns) if name not in leave_out]
    keys = tuple(line.key for line in lines)
    picked = show_table(
        [[row[at] for at in shown] for row in rows],
        [columns[at] for at in shown],
        key="history",
        about=keys,
        alt="History of changes, newest first",
        config=_COLUMNS | {"When": time_column("When")},
        optional=("Why", "Supplier"),
        choose="single-row",
    )
    opened = next((lines[at].key for at in picked), "")
    keys_before, opened_before = st.session_state.get(_CHOSEN, (keys, ""))
    st.session_state[_CHOSEN] = (keys, opened)
    return None if opened == (opened_before if keys_before == keys else "") else opened


def _change(line: HistoryLine, names: dict[str, str]) -> str:
    """Return who was added and removed: by name, after a plus or a minus, the rest counted."""
    parts = []
    for sign, ids, count in (("+", line.added_ids, line.added), (_MINUS, line.removed_ids, line.removed)):
        if ids:
            who = ", ".join(names.get(one) or one for one in names_first(ids, names))
            more = f" and {count - len(ids):,} more" if count > len(ids) else ""
            parts.append(f"{sign} {who}{more}")
    return ", ".join(parts)


def _show_none(desk: Desk, wanted: HistoryFilter) -> None:
    """Say that there is nothing, and offer the way to something."""
    if wanted == HistoryFilter():
        st.info("No change is on record yet. What is saved on an item appears here.", icon=":material/info:")
        offer_item(desk)
        return
    st.info("No change matches these filters.", icon=":material/search_off:")
    st.button("Show all changes", key="history_all", icon=":material/filter_alt_off:", on_click=clear_filter)


def _show_day(desk: Desk, item: ItemKey) -> None:
    """Ask for a day, and draw who could see the item on it."""
    day = st.date_input("Who could see it on …", value=None, key=_DAY, width=260)
    if day is None:
        return
    start, end = start_of_day(day), start_of_day(day + timedelta(days=1))
    past = day_of_item(desk.records.search, item, start=start, end=end)
    if past is None:
        st.info("This is not on record here: the first entry is later.", icon=":material/info:")
        return
    spans, names = past.spans, desk.names.recipient_names(past.spans)
    read_at = plain(f"last read {time_of_day(past.read_at)}")
    st.markdown(f"**{plain(many(len(spans), 'recipient'))}** · {read_at}")
    show_table(
        [
            (
                names.get(one, ""),
                one,
                time_of_day(since) if (since := spans[one][0]) and since >= start else "",
                time_of_day(until) if (until := spans[one][1]) and until < end else "",
            )
            for one in names_first(spans, names)
        ],
        ["Name", "Recipient", "Since", "Until"],
        key="history_day_table",
        alt="Who could see the item on that day",
        optional=("Name", "Since", "Until"),
    )
    st.caption("From the changes recorded here. A change made elsewhere counts from when it was first seen.")


def _page_number() -> int:
    """Return the number of the page in the address; 1 is the newest."""
    text = st.query_params.get(_PAGE, "")
    return max(1, int(text)) if text.isdecimal() and len(text) <= _PAGE_DIGITS else 1


def _page(desk: Desk, wanted: HistoryFilter, number: int) -> tuple[Sequence[HistoryLine], bool]:
    """Return the entries of a page, and whether there are older ones."""
    lines = desk.records.search.lines(wanted, limit=_LINES + 1, skip=(number - 1) * _LINES)
    return lines[:_LINES], len(lines) > _LINES


def _offer_pages(number: int, *, is_more: bool) -> None:
    if number == 1 and not is_more:
        return
    for label, icon, page, is_there in (
        ("Newest", "first_page", 1, number > 1),
        ("Newer", "chevron_left", number - 1, number > 1),
        ("Older", "chevron_right", number + 1, is_more),
    ):
        st.button(
            label,
            key=f"history_{label.lower()}",
            icon=f":material/{icon}:",
            disabled=not is_there,
            on_click=_write,
            args=({_PAGE: str(page) if page > 1 else None},),
        )


def _open(key: str | None) -> None:
    """Put the chosen entry into the address, so that a link opens it."""
    if key is not None:
        _write({_PAGE: st.query_params.get(_PAGE), _ENTRY: key})


def _write(place: dict[str, str | None]) -> None:
    """Put the place in the history into the address, in one step of Back."""
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {_PAGE, _ENTRY}}
    st.query_params.from_dict(others | {name: value for name, value in place.items() if value})


def _offer_files(desk: Desk, wanted: HistoryFilter) -> None:
    offer_downloads(
        [
            ("XLSX", "history.xlsx", lambda: as_xlsx(desk.records.search.all(wanted))),
            ("CSV to read in Excel", "history.csv", lambda: as_csv(desk.records.search.all(wanted))),
        ],
        key="history",
        caption="In the CSV file, values that a spreadsheet could run as formulas begin with an apostrophe.",
    )
