"""The map: one Altair chart with a cell for each item and recipient. Each cell links to its item.

Names and ids are values in lists that the axes look up by number: no character in them means anything to
Vega.
"""

from typing import Any
from urllib.parse import urlencode

import altair as alt
import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.session import address_of_environment
from components.verbatim import plain, visible
from item_visibility.storage.scans.seen_items import SeenItem
from item_visibility.use_cases.coverage.matrix import CellState, Coverage
from item_visibility.use_cases.known_names import title_of_item

MAX_ITEMS, MAX_COLUMNS = 100, 50
_ROW_PX, _LABEL_PX, _HEAD_PX, _LEGEND_PX = 20, 230, 200, 130
_WIDE_COLUMNS, _WIDE_PX, _NARROW_PX = 20, 44, 22
_BLUE, _ORANGE, _GRAY, _WHITE = "#1b66d1", "#b35c00", "#8a94a6", "#ffffff"
_LOOKS = {
    CellState.CAN: ("✓ yes", "✓", _BLUE, _WHITE),
    CellState.PARTLY: ("% some of the set", "%", _ORANGE, _WHITE),
    CellState.CANNOT: ("no", "", "#8a94a633", _GRAY),
    CellState.UNKNOWN: ("? not known", "?", "#00000000", _GRAY),
}
"""The words of the legend, the sign in the cell, its color, and the color of the sign."""
_AXIS: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
_TOOLTIP = ("Item", "Item number", "Recipient", "Number", "Answer", "Last read")


def show_map(coverage: Coverage) -> None:
    """Draw the map of the first 100 items and 50 columns."""
    items = [row.item for row in coverage.rows[:MAX_ITEMS]]
    columns = coverage.columns[:MAX_COLUMNS]
    step = _WIDE_PX if len(columns) <= _WIDE_COLUMNS else _NARROW_PX
    st.altair_chart(
        _chart(_cells(coverage), [title_of_item(item) for item in items], [one.title for one in columns]),
        width=_LABEL_PX + max(len(columns) * step, _LEGEND_PX),
        theme=None,
        key="coverage_map",
        alt="Map of the items and the recipients that can see them. The table says the same",
    )
    left = []
    if len(coverage.rows) > MAX_ITEMS:
        left.append(f"the first {MAX_ITEMS} of {len(coverage.rows):,} items")
    if len(coverage.columns) > MAX_COLUMNS:
        left.append(f"the first {MAX_COLUMNS} of {len(coverage.columns):,} columns")
    if coverage.seen_recipients > len(coverage.columns):
        left.append(f"the {len(coverage.columns)} recipients seen most of {coverage.seen_recipients:,}")
    if left:
        st.caption(plain(f"The map shows {' and '.join(left)}. Click a cell to open its item."))


def _chart(cells: pd.DataFrame, items: list[str], columns: list[str]) -> alt.LayerChart:
    states = {CellState.CAN, CellState.CANNOT, *cells["state"]}
    looks = [look for state, look in _LOOKS.items() if state in states]
    scale = alt.Scale(domain=[words for words, *_ in looks], range=[color for *_, color, _ in looks])
    signs = alt.Scale(domain=[words for words, *_ in looks], range=[ink for *_, ink in looks])
    columns_axis = alt.Axis(
        labelExpr="columns[datum.value]",
        orient="top",
        labelAngle=-90,
        labelLimit=150,
        labelOverlap="greedy",  # on a phone there is no room for all
        **_AXIS,
    )
    items_axis = alt.Axis(
        labelExpr="items[datum.value]", labelLimit=_LABEL_PX - 10, labelOverlap=False, **_AXIS
    )
    base = alt.Chart(cells).encode(
        x=alt.X("column:O", axis=columns_axis, title=None),
        y=alt.Y("row:O", axis=items_axis, title=None),
        href="link:N",
        description="description:N",
        tooltip=[alt.Tooltip(f"{name}:N") for name in _TOOLTIP],
    )
    legend = alt.Legend(orient="top", title=None, symbolType="square", labelLimit=0, columns=1)
    squares = base.mark_rect(cursor="pointer", stroke=_GRAY, strokeWidth=0.5).encode(
        color=alt.Color("look:N", scale=scale, legend=legend)
    )
    marks = base.mark_text(cursor="pointer", fontWeight="bold", aria=False).encode(
        text="sign:N", stroke=alt.value(None), fill=alt.Fill("look:N", scale=signs, legend=None)
    )
    chart: alt.LayerChart = (
        alt.layer(squares, marks)
        .resolve_scale(color="independent", fill="independent")
        .add_params(
            alt.param("items", value=[visible(one) for one in items]),
            alt.param("columns", value=[visible(one) for one in columns]),
        )
        .properties(height=len(items) * _ROW_PX + _HEAD_PX)
    )
    return chart


def _cells(coverage: Coverage) -> pd.DataFrame:
    cells = []
    columns = coverage.columns[:MAX_COLUMNS]
    for row_number, row in enumerate(coverage.rows[:MAX_ITEMS]):
        item, link = row.item, _link_to(row.item)
        title, own_id = visible(title_of_item(item)), visible(item.item.supplier_item_id)
        read = "never" if item.seen_at is None else time_of_day(item.seen_at)
        for number, (column, cell) in enumerate(zip(columns, row.cells, strict=False)):
            words, sign, *_ = _LOOKS[cell.state]
            whom = (visible(column.title), "" if column.is_set else visible(column.id))
            place = (row_number, number, cell.state.value, words, sign, link)
            description = f"{title}, {whom[0]}: {cell.words}"
            cells.append((*place, description, title, own_id, *whom, cell.words, read))
    return pd.DataFrame(
        cells, columns=["row", "column", "state", "look", "sign", "link", "description", *_TOOLTIP]
    )


def _link_to(item: SeenItem) -> str:
    """Return the address of the item, relative to this page: the app may run below a path."""
    key = item.item
    return "./?" + urlencode(
        {"supplier": key.supplier, "item": key.supplier_item_id} | address_of_environment()
    )
