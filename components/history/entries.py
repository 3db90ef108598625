"""The entries of the history, newest first: those that a filter finds, or the last ones of an item."""

from collections.abc import Sequence

import streamlit as st

from components.clock import time_column
from components.downloads import offer_downloads
from components.history.day import show_day
from components.history.entry import KINDS, outcome_words, show_entry
from components.item.form import ItemForm
from components.item.saving import ask_undo, ask_undo_when_open
from components.links import HISTORY_PAGE, ITEM_PAGE, address_of_item
from components.notices import show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.errors import RecordsError
from item_visibility.saving.in_words import by_whom, names_first
from item_visibility.storage.fallback import or_else
from item_visibility.storage.history.search import HistoryFilter, HistoryLine
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history import as_xlsx

LINES, _LINES_OF_ITEM = 200, 10
_ENTRY = "entry"
_COLUMNS = {
    "Item": st.column_config.TextColumn("Item", width="medium"),
    "Change": st.column_config.TextColumn("Change", width=260),
    "Who": st.column_config.TextColumn("Who", width=120),
    "Outcome": st.column_config.TextColumn("Outcome", width=115),
    "Kind": st.column_config.TextColumn("Kind", width=115),
    "Supplier": st.column_config.TextColumn("Supplier", width=150),
    "Why": st.column_config.TextColumn("Why", width="medium"),
}
_OF_ITEM = ("Item", "Supplier", "Item number", "Supplier number")
_MINUS = "\N{MINUS SIGN}"


def list_history(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the newest entries that the filter finds, and below them the entry that is opened."""
    try:
        lines = desk.records.search.lines(wanted, limit=LINES + 1)
        if not lines:
            _show_none(wanted)
        else:
            if chosen := _show_lines(desk, lines[:LINES]):
                st.query_params[_ENTRY] = chosen
            if len(lines) > LINES:
                st.caption(
                    f"The newest {plain(str(LINES))} are shown. Filter for older ones, or download all."
                )
            _offer_files(desk, wanted)
        if wanted.item is not None:
            show_day(desk, wanted.item)
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
    opened = _show_lines(desk, lines, leave_out=_OF_ITEM)
    entry = or_else(None, lambda: desk.records.history.entry(opened))
    if entry is not None and show_entry(desk, entry):
        ask_undo(desk, form, opened)
        st.rerun()
    st.page_link(
        HISTORY_PAGE,
        label="All changes and export",
        icon=":material/open_in_full:",
        query_params=address_of_item(item),
    )


def _show_lines(desk: Desk, lines: Sequence[HistoryLine], *, leave_out: Sequence[str] = ()) -> str:
    """Draw the entries. Return the key of the chosen one, or an empty text."""
    items = desk.names.item_titles(line.item for line in lines)
    suppliers = desk.names.supplier_names(line.item.supplier for line in lines)
    changed = {one for line in lines for one in (*line.added_ids, *line.removed_ids)}
    names = desk.names.recipient_names(changed)
    columns = ("When", "Item", "Who", "Change", "Outcome", "Kind", "Supplier", "Why", *_OF_ITEM[2:])
    rows = [
        (
            line.started_at,
            items[line.item],
            by_whom(line.kind, line.person),
            _change(line, names),
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
    picked = show_table(
        [[row[at] for at in shown] for row in rows],
        [columns[at] for at in shown],
        key="history",
        about=[line.key for line in lines],
        alt="History of changes, newest first",
        config=_COLUMNS | {"When": time_column("When")},
        optional=("Why", "Supplier"),
        choose="single-row",
    )
    return next((lines[at].key for at in picked), "")


def _change(line: HistoryLine, names: dict[str, str]) -> str:
    """Return who was added and removed: by name, after a plus or a minus, the rest counted."""
    parts = []
    for sign, ids, count in (("+", line.added_ids, line.added), (_MINUS, line.removed_ids, line.removed)):
        if ids:
            who = ", ".join(names.get(one) or one for one in names_first(ids, names))
            more = f" and {count - len(ids):,} more" if count > len(ids) else ""
            parts.append(f"{sign} {who}{more}")
    return ", ".join(parts)


def _show_none(wanted: HistoryFilter) -> None:
    """Say that there is nothing, and what to do next."""
    words = "No change matches these filters: clear one of them."
    if wanted == HistoryFilter():
        words = "No change is on record yet. What is saved on an item appears here."
    st.info(words, icon=":material/info:")


def _offer_files(desk: Desk, wanted: HistoryFilter) -> None:
    offer_downloads(
        [
            ("XLSX", "history.xlsx", lambda: as_xlsx(desk.records.search.all(wanted))),
        ],
        key="history",
    )
