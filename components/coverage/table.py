"""The table: an item in each row, and up to ten recipients or sets in the columns."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from components.clock import time_column
from components.table import chosen, key_for
from components.verbatim import plain, showable
from item_visibility.use_cases.coverage.matrix import Coverage, CoverageRow
from item_visibility.use_cases.known_names import title_of_item

MAX_COLUMNS = 10
_ALT = "Known items, and which recipients can see each"
_ITEM, _DIFFERENCE, _READ, _PROBLEM = "Item", "Difference", "Last read", "Problem"
_SUPPLIER, _ITEM_NUMBER, _SUPPLIER_NUMBER = "Supplier", "Item number", "Supplier number"
_OWN = (_ITEM, _DIFFERENCE, _READ, _PROBLEM, _SUPPLIER, _ITEM_NUMBER, _SUPPLIER_NUMBER)
_ITEM_PX = 210
"""Streamlit does not pin a column that is wider than 60 % of a phone."""
_COLUMN_PX = 140


def show_table(coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]) -> None:
    """Draw the rows while they change. `suppliers` are names, for a coverage of all suppliers."""
    table, config = _table(coverage, rows, suppliers)
    st.dataframe(
        table,
        key="coverage_table_during_scan",
        hide_index=True,
        column_config=config,
        placeholder="never",
        alt=_ALT,
    )
    _say_what_is_left(coverage)


def tick_rows(
    coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]
) -> list[CoverageRow]:
    """Draw the rows, and return those that are ticked."""
    table, config = _table(coverage, rows, suppliers)
    ids = [column.id for column in coverage.columns]
    state = st.dataframe(
        table,
        key=key_for("coverage_table", (ids, [row.item.item for row in rows])),
        hide_index=True,
        column_config=config,
        on_select="rerun",
        selection_mode="multi-row",
        placeholder="never",
        alt=_ALT,
    )
    _say_what_is_left(coverage)
    return chosen(state, rows)


def _say_what_is_left(coverage: Coverage) -> None:
    if (count := len(coverage.columns)) > MAX_COLUMNS:
        st.caption(plain(f"The table shows the first {MAX_COLUMNS} of {count:,} columns; the file has all."))


def _table(
    coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, ColumnConfig]]:
    """Return the table without empty columns, and how its columns are drawn."""
    items = [row.item for row in rows]
    read_at = [pd.NaT if item.seen_at is None else pd.Timestamp(item.seen_at) for item in items]
    headings = _headings(coverage)
    names = [suppliers.get(item.item.supplier, "") for item in items] if suppliers else []
    numbers = [item.item.supplier for item in items] if _has_many_suppliers(rows) else []
    columns = {
        _ITEM: _texts(map(title_of_item, items)),
        _DIFFERENCE: _texts(row.difference.value for row in rows),
        **{heading: _texts(row.cells[at].words for row in rows) for at, heading in enumerate(headings)},
        _READ: pd.Series(read_at, dtype="datetime64[us, UTC]"),
        _PROBLEM: _texts(item.failure for item in items),
        _SUPPLIER: _texts(names),
        _ITEM_NUMBER: _texts(item.item.supplier_item_id for item in items),
        _SUPPLIER_NUMBER: _texts(numbers),
    }
    optional = (_DIFFERENCE, _PROBLEM, _SUPPLIER, _SUPPLIER_NUMBER)
    shown = {name: values for name, values in columns.items() if name not in optional or any(values)}
    config: dict[str, ColumnConfig] = {
        heading: st.column_config.TextColumn(width=_COLUMN_PX, help=plain(column.heading))
        for heading, column in zip(headings, coverage.columns, strict=False)
    }
    config[_ITEM] = st.column_config.TextColumn(pinned=True, width=_ITEM_PX)
    config[_READ] = time_column(_READ)
    return pd.DataFrame(shown), config


def _headings(coverage: Coverage) -> list[str]:
    """Return a different heading for each column that is shown: its name, with its number if need be."""
    headings: list[str] = []
    for place, column in enumerate(coverage.columns[:MAX_COLUMNS], 1):
        taken = {*headings, *_OWN}
        found = (showable(one) for one in (column.title, column.heading))
        numbered = f"{showable(column.heading)} [{place}]"
        headings.append(next((one for one in found if one not in taken), numbered))
    return headings


def _has_many_suppliers(rows: Sequence[CoverageRow]) -> bool:
    return len({row.item.item.supplier for row in rows}) > 1


def _texts(values: Iterable[str]) -> pd.Series:
    return pd.Series([showable(one) for one in values], dtype=str)
