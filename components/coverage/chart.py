"""The chart of the coverage: a cell for each item and recipient, with a link to the item.

Names and ids are values in lists that the axes look up by number: no character in them means anything to
Vega.
"""

from typing import Any
from urllib.parse import urlencode

import altair as alt
import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.links import address_of_item
from components.verbatim import plain, visible
from item_visibility.use_cases.coverage import CellState, Coverage
from item_visibility.use_cases.known_names import title_of_item

MAX_ITEMS, MAX_COLUMNS = 100, 50
_ROW_PX, _LABEL_PX, _HEAD_PX, _LEGEND_PX = 20, 230, 200, 130
_WIDE_COLUMNS, _WIDE_PX, _NARROW_PX = 20, 44, 22
_GRAY = "#8a94a6"
_LOOKS = {
    CellState.CAN: ("✓ yes", "✓", "#1b66d1", "#ffffff"),
    CellState.PARTLY: ("% some of the set", "%", "#b35c00", "#ffffff"),
    CellState.CANNOT: ("no", "", f"{_GRAY}33", _GRAY),
    CellState.UNKNOWN: ("? not known", "?", "#00000000", _GRAY),
}
"""The words of the legend, the sign in the cell, its color, and the color of the sign."""
_TOOLTIP = ("Item", "Item number", "Recipient", "Number", "Answer", "Last read")


def show_chart(coverage: Coverage) -> None:
    """Draw the chart of the first 100 items and 50 columns."""
    columns = coverage.columns[:MAX_COLUMNS]
    step = _WIDE_PX if len(columns) <= _WIDE_COLUMNS else _NARROW_PX
    st.altair_chart(
        _chart(coverage),
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


def _chart(coverage: Coverage) -> alt.LayerChart:
    items = [visible(title_of_item(row.item)) for row in coverage.rows[:MAX_ITEMS]]
    columns = [visible(one.title) for one in coverage.columns[:MAX_COLUMNS]]
    cells = _cells(coverage, items, columns)
    states = {CellState.CAN, CellState.CANNOT, *cells["state"]}
    words, _, colors, inks = zip(*(look for state, look in _LOOKS.items() if state in states), strict=True)
    plain_axis: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
    base = alt.Chart(cells).encode(
        x=alt.X(
            "column:O",
            title=None,
            axis=alt.Axis(
                labelExpr="columns[datum.value]",
                orient="top",
                labelAngle=-90,
                labelLimit=150,
                labelOverlap="greedy",  # on a phone there is no room for all
                **plain_axis,
            ),
        ),
        y=alt.Y(
            "row:O",
            title=None,
            axis=alt.Axis(
                labelExpr="items[datum.value]", labelLimit=_LABEL_PX - 10, labelOverlap=False, **plain_axis
            ),
        ),
        href="link:N",
        description="description:N",
        tooltip=[alt.Tooltip(f"{name}:N") for name in _TOOLTIP],
    )
    legend = alt.Legend(orient="top", title=None, symbolType="square", labelLimit=0, columns=1)
    squares = base.mark_rect(cursor="pointer", stroke=_GRAY, strokeWidth=0.5).encode(
        color=alt.Color("look:N", scale=alt.Scale(domain=words, range=colors), legend=legend)
    )
    signs = base.mark_text(cursor="pointer", fontWeight="bold", aria=False).encode(
        text="sign:N",
        stroke=alt.value(None),
        fill=alt.Fill("look:N", scale=alt.Scale(domain=words, range=inks), legend=None),
    )
    chart: alt.LayerChart = (
        alt.layer(squares, signs)
        .resolve_scale(color="independent", fill="independent")
        .add_params(alt.param("items", value=items), alt.param("columns", value=columns))
        .properties(height=len(items) * _ROW_PX + _HEAD_PX)
    )
    return chart


def _cells(coverage: Coverage, items: list[str], columns: list[str]) -> pd.DataFrame:
    cells = []
    for row, title, row_number in zip(coverage.rows, items, range(MAX_ITEMS), strict=False):
        key, seen_at = row.item.item, row.item.seen_at
        # The address is relative to this page: the app may run below a path.
        link = "./?" + urlencode(address_of_item(key))
        read = "never" if seen_at is None else time_of_day(seen_at)
        for number, (column, name) in enumerate(zip(coverage.columns, columns, strict=False)):
            cell = row.cells[number]
            words, sign, *_ = _LOOKS[cell.state]
            own_id = "" if column.is_set else visible(column.id)
            place = (
                row_number,
                number,
                cell.state.value,
                words,
                sign,
                link,
                f"{title}, {name}: {cell.words}",
            )
            cells.append((*place, title, visible(key.supplier_item_id), name, own_id, cell.words, read))
    names = ["row", "column", "state", "look", "sign", "link", "description", *_TOOLTIP]
    return pd.DataFrame(cells, columns=names)
