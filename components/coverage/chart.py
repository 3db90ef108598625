"""The map of the coverage: a cell for each item and recipient. The table says the same."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.verbatim import plain, visible
from item_visibility.use_cases.coverage import CellState, Coverage, CoverageColumn, CoverageRow
from item_visibility.use_cases.known_names import title_of_item

MAX_ITEMS, MAX_COLUMNS = 100, 50
_ROW_PX, _COLUMN_PX, _LABEL_PX, _HEAD_PX, _LEGEND_PX = 20, 44, 230, 200, 200
_GRAY = "#8a94a6"
_LOOKS = {
    CellState.CAN: ("yes", "#1b66d1"),
    CellState.PARTLY: ("some of the set", "#b35c00"),
    CellState.CANNOT: ("no", f"{_GRAY}33"),
    CellState.UNKNOWN: ("not known", "#00000000"),
}
"""The words of the legend, and the color."""


def show_chart(coverage: Coverage) -> None:
    """Draw the map of the first 100 items and 50 columns."""
    rows, columns = coverage.rows[:MAX_ITEMS], coverage.columns[:MAX_COLUMNS]
    cells = _cells(rows, columns)
    words, colors = zip(*(look for look in _LOOKS.values() if look[0] in set(cells["Look"])), strict=True)
    bare: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
    top = alt.Axis(orient="top", labelAngle=-90, labelLimit=150, labelOverlap="greedy", **bare)
    left = alt.Axis(labelLimit=_LABEL_PX - 10, labelOverlap=False, **bare)
    legend = alt.Legend(orient="top", title=None, symbolType="square", columns=1)
    chart = (
        alt.Chart(cells)
        .mark_rect(stroke=_GRAY, strokeWidth=0.5)
        .encode(
            x=alt.X("Recipient:N", sort=None, title=None, axis=top),
            y=alt.Y("Item:N", sort=None, title=None, axis=left),
            color=alt.Color("Look:N", scale=alt.Scale(domain=words, range=colors), legend=legend),
            tooltip=[f"{name}:N" for name in ("Item", "Recipient", "Answer", "Last read")],
        )
        .properties(height=len(rows) * _ROW_PX + _HEAD_PX)
    )
    st.altair_chart(
        chart,
        width=_LABEL_PX + max(len(columns) * _COLUMN_PX, _LEGEND_PX),  # on a phone the map gets narrower
        theme=None,
        key="coverage_map",
        alt="Map of the items and the recipients that can see them. The table says the same",
    )
    left_out = []
    if len(coverage.rows) > MAX_ITEMS:
        left_out.append(f"the first {MAX_ITEMS} of {len(coverage.rows):,} items")
    if len(coverage.columns) > MAX_COLUMNS:
        left_out.append(f"the first {MAX_COLUMNS} of {len(coverage.columns):,} columns")
    if coverage.seen_recipients > len(coverage.columns):
        left_out.append(f"the {len(coverage.columns)} recipients seen most of {coverage.seen_recipients:,}")
    if left_out:
        st.caption(plain(f"The map shows {' and '.join(left_out)}."))


def distinct(titles: Sequence[str], full: Sequence[str], *, taken: Sequence[str] = ()) -> list[str]:
    """Return a different text for each: its title; the full text, or its place, where titles are equal."""
    everything = [*taken, *titles]
    names = [
        title if everything.count(title) == 1 else words for title, words in zip(titles, full, strict=True)
    ]
    everything = [*taken, *names]
    return [name if everything.count(name) == 1 else f"{name} [{at}]" for at, name in enumerate(names, 1)]


def _cells(rows: Sequence[CoverageRow], columns: Sequence[CoverageColumn]) -> pd.DataFrame:
    titles = [visible(title_of_item(row.item)) for row in rows]
    numbered = [
        f"{title} ({visible(row.item.item.supplier_item_id)})"
        for title, row in zip(titles, rows, strict=True)
    ]
    recipients = distinct([visible(one.title) for one in columns], [visible(one.heading) for one in columns])
    cells = [
        (item, recipient, _LOOKS[cell.state][0], cell.words, _read_at(row))
        for item, row in zip(distinct(titles, numbered), rows, strict=True)
        for recipient, cell in zip(recipients, row.cells, strict=False)
    ]
    return pd.DataFrame(cells, columns=["Item", "Recipient", "Look", "Answer", "Last read"])


def _read_at(row: CoverageRow) -> str:
    return "never" if row.item.seen_at is None else time_of_day(row.item.seen_at)
