"""The editable table: one row for each recipient, a tick for "can see", and the staged change."""

import pandas as pd
import streamlit as st

from components.item.window_drafts import VISIBLE, Mount, kept_draft, mounted
from components.verbatim import showable
from item_visibility.changes.draft import Draft
from item_visibility.desk.known_names import found_among
from item_visibility.desk.use_cases import Desk

FIND = "find_recipient"
_FIND_FROM = 10
_ROW_PX = 35
_ROWS_IN_SIGHT = 12


def edit_recipients(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the table of the draft's recipients. Its edits reach the draft when the next run starts."""
    names = desk.names.recipient_names(draft.recipients | draft.add)
    wanted = _find(draft)
    rows = tuple(
        sorted(
            found_among(draft.recipients | draft.add, names, wanted),
            key=lambda row: (row not in draft.add, row not in names, names.get(row, "").casefold(), row),
        )
    )
    if not rows:
        if wanted:
            st.caption("No recipient of this item fits what you look for.")
        elif not is_locked:
            st.caption("Nobody yet: enter the first numbers under Add recipients.")
        return
    mount = mounted(desk, draft, rows, wanted)
    table = _table(draft, names, mount)
    st.data_editor(
        table,
        key=mount.key,
        num_rows="fixed",
        hide_index=True,
        disabled=True if is_locked else [name for name in _COLUMNS if name != VISIBLE],
        column_order=[name for name in _COLUMNS if name not in _OPTIONAL or table[name].any()],
        column_config=_COLUMNS,
        height=min(len(mount.rows), _ROWS_IN_SIGHT) * _ROW_PX + _ROW_PX + 3,
        alt=f"Recipients of {draft.item.supplier_item_id}",
    )
    if kept_draft(desk, draft.item) != draft:
        st.rerun()  # after a server restart the browser sends its ticks only now


_COLUMNS = {
    VISIBLE: st.column_config.CheckboxColumn(
        "Can see", width=105, help="Untick to take the item out of sight"
    ),
    "recipient": st.column_config.TextColumn("Recipient", width="medium"),
    "name": st.column_config.TextColumn("Name", width="medium"),
    "change": st.column_config.TextColumn("Change", width=100),
    "note": st.column_config.TextColumn("Note", width="medium"),
}
_OPTIONAL = ("name", "note")
"""Columns that are shown only where they say something."""


def _find(draft: Draft) -> str:
    if len(draft.recipients | draft.add) <= _FIND_FROM:
        return ""
    return st.text_input(
        "Find in this list",
        key=FIND,
        type="search",
        placeholder="Part of a number or of a name",
    )


def _table(draft: Draft, names: dict[str, str], mount: Mount) -> pd.DataFrame:
    return pd.DataFrame(
        {
            VISIBLE: pd.Series(mount.ticks, dtype=bool),
            "recipient": pd.Series(map(showable, mount.rows), dtype=str),
            "name": pd.Series([names.get(row, "") for row in mount.rows], dtype=str),
            "change": pd.Series([_change(draft, row) for row in mount.rows], dtype=str),
            "note": pd.Series(mount.doubts, dtype=str),
        }
    )


def _change(draft: Draft, recipient_id: str) -> str:
    if recipient_id in draft.add:
        return "to add"
    if recipient_id in draft.remove:
        return "to remove"
    return "unchanged" if recipient_id in draft.recipients else "not added"
