"""The coverage as a table: the same words as the map, for the keyboard and for who cannot see colours."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from components.coverage.last_read import last_read
from components.table_state import key_for
from components.verbatim import called, described, plain, showable, verbatim
from components.wiring import address_of_environment
from item_visibility.desk.coverage.matrix import Coverage, MatrixColumn, cell_of
from item_visibility.desk.known_names import market_of_item, title_of_item
from item_visibility.records.scans.seen_items import SeenItem

_PAGES = Path(__file__).resolve().parents[2] / "pages"
_FIRST, _LAST = ("Item", "Last read"), "Item number"
_TITLE_PX, _WIDTH_PX = 210, 180  # wider than 60 % of a telephone, a pinned column is let go


def show_cells(part: Coverage) -> None:
    """Draw the table, and below it what a chosen cell says, with the ways to the item and to its check."""
    headings = _headings(part.columns)
    cells = [
        (
            showable(title_of_item(item)),
            last_read(item),
            *(cell_of(item, column).words for column in part.columns),
            showable(item.item.supplier_item_id),
        )
        for item in part.items
    ]
    state = st.dataframe(
        pd.DataFrame(cells, columns=[*_FIRST, *headings, _LAST], dtype=str),
        key=key_for("coverage_table", (headings, [item.item for item in part.items])),
        hide_index=True,
        column_config=dict.fromkeys(headings, st.column_config.TextColumn(width=_WIDTH_PX))
        | {"Item": st.column_config.TextColumn(pinned=True, width=_TITLE_PX)},
        on_select="rerun",
        selection_mode="single-cell",
        alt="Which recipients can see which items, as last read",
    )
    chosen = state["selection"]["cells"]
    if not chosen:
        st.caption("Choose a cell to see its age and to open the item.")
        return
    row, heading = chosen[0]
    if 0 <= row < len(part.items):
        columns = dict(zip(headings, part.columns, strict=True))
        _show_chosen(part.items[row], columns.get(heading))


def _show_chosen(item: SeenItem, column: MatrixColumn | None) -> None:
    key = item.item
    title = called(key.supplier_item_id, item.name, market=market_of_item(item))
    read = plain(last_read(item))
    if column is None:
        st.markdown(f"{title} · last read {read}")
    else:
        who = verbatim(column.id) if column.is_set else described(column.id, column.name)
        st.markdown(f"{who}: **{plain(cell_of(item, column).words)}** · {title} · last read {read}")
    address = {"supplier": key.supplier, "item": key.supplier_item_id} | address_of_environment()
    if column is not None and not column.is_set and showable(column.id) == column.id:
        address |= {"recipient": column.id}
    with st.container(horizontal=True, key="coverage_ways"):
        st.page_link(
            _PAGES / "items" / "item.py",
            label="Open the item",
            icon=":material/visibility:",
            query_params=address,
        )
        if "recipient" in address:
            st.page_link(
                _PAGES / "support" / "check.py",
                label="Check it now, and why",
                icon=":material/help:",
                query_params=address,
            )


def _headings(columns: Sequence[MatrixColumn]) -> list[str]:
    """Return a heading for each column; of two alike the second has its place behind it."""
    found: list[str] = []
    for column in columns:
        heading = showable(column.heading)
        found.append(f"{heading} ({len(found) + 1})" if heading in {*found, *_FIRST, _LAST} else heading)
    return found
