"""Entries of the history as a table, newest first; a row that is chosen is opened below it."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from components.clock import time_column
from components.history.entry_labels import KINDS, ending
from components.table import chosen, key_for
from components.verbatim import showable
from item_visibility.saving.in_words import by_whom
from item_visibility.storage.history.search import HistoryLine
from item_visibility.use_cases.desk import Desk

_CHOSEN = "entry_table.chosen"
_COLUMNS = {
    "item": st.column_config.TextColumn("Item", width="medium"),
    "who": st.column_config.TextColumn("Who", width=135),
    "kind": st.column_config.TextColumn("Kind", width=115),
    "supplier": st.column_config.TextColumn("Supplier", width=150),
    "added": st.column_config.NumberColumn("Added", width=70, format="localized"),
    "removed": st.column_config.NumberColumn("Removed", width=80, format="localized"),
    "outcome": st.column_config.TextColumn("Outcome", width=115),
    "reason": st.column_config.TextColumn("Why", width="medium"),
    "item_number": st.column_config.TextColumn("Item number", width=155),
    "supplier_number": st.column_config.TextColumn("Supplier number", width=125),
}
_IN_ORDER = ("when", *_COLUMNS)
_OF_THE_ITEM = ("item", "supplier", "item_number", "supplier_number")
_OPTIONAL = ("reason", "supplier")


def show_lines(desk: Desk, lines: Sequence[HistoryLine]) -> str | None:
    """Draw entries of many items.

    Return the key of the entry chosen just now, "" when it was deselected, and None when the selection did
    not change.
    """
    return _draw(_table(desk, lines), lines, _IN_ORDER)


def show_lines_of_item(desk: Desk, lines: Sequence[HistoryLine]) -> str | None:
    """Draw entries of one item, which is named elsewhere. Return the same as `show_lines`."""
    columns = tuple(name for name in _IN_ORDER if name not in _OF_THE_ITEM)
    return _draw(_table(desk, lines), lines, columns)


def _draw(table: pd.DataFrame, lines: Sequence[HistoryLine], columns: Sequence[str]) -> str | None:
    key = key_for("history", [line.key for line in lines])
    if key not in st.session_state:
        st.session_state[_CHOSEN] = ""
    state = st.dataframe(
        table,
        key=key,
        hide_index=True,
        column_order=[name for name in columns if name not in _OPTIONAL or table[name].any()],
        column_config=_COLUMNS | {"when": time_column("When")},
        on_select="rerun",
        selection_mode="single-row",
        alt="History of changes, newest first",
    )
    opened = next((line.key for line in chosen(state, lines)), "")
    if opened == st.session_state[_CHOSEN]:
        return None
    st.session_state[_CHOSEN] = opened
    return opened


def _table(desk: Desk, lines: Sequence[HistoryLine]) -> pd.DataFrame:
    items = desk.names.item_titles(line.item for line in lines)
    suppliers = desk.names.supplier_names(line.item.supplier for line in lines)
    texts = {
        "who": [showable(by_whom(line.kind, line.person)) for line in lines],
        "kind": [KINDS[line.kind] for line in lines],
        "item": [showable(items[line.item]) for line in lines],
        "supplier": [showable(suppliers.get(line.item.supplier, "")) for line in lines],
        "item_number": [showable(line.item.supplier_item_id) for line in lines],
        "supplier_number": [showable(line.item.supplier) for line in lines],
        "outcome": [ending(line.kind, line.verdict, line.ended_at) for line in lines],
        "reason": [showable(line.reason) for line in lines],
    }
    numbers = {"added": [line.added for line in lines], "removed": [line.removed for line in lines]}
    columns = {name: pd.Series(values, dtype=str) for name, values in texts.items()}
    moments = pd.Series(pd.to_datetime([line.started_at for line in lines], utc=True))
    return pd.DataFrame(
        {"when": moments} | columns | {name: pd.Series(values, dtype=int) for name, values in numbers.items()}
    )
