"""The recipients that can see the item: a table with a tick for each, or a list of checkboxes."""

import streamlit as st

from components.item.table.mounted_table import NAME, NOTE, RECIPIENT, VISIBLE, mounted
from components.item.table.recipient_list import edit_list
from components.item.table.touch import TICK_PX, ease_touch
from components.shell.late_edits import let_edits_arrive
from components.verbatim import showable
from item_visibility.changes.draft import Draft
from item_visibility.desk.use_cases import Desk

FIND = "find_recipient"
AS_LIST = "list_view"
_FIND_FROM = 10
_ROW_PX = 35
_ROWS_IN_SIGHT = 12


def edit_recipients(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the recipients. Ticks of the table reach the draft when the next run starts."""
    ease_touch(row_px=_ROW_PX)
    if not draft.recipients:
        if draft.is_empty and not is_locked:
            st.caption("Nobody yet: enter the first names or numbers under Add recipients.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="recipients_head"):
        is_list = st.toggle(  # at the left: the table's own tools cover what stands above its right end
            "List view",
            key=AS_LIST,
            persist_state="session",
            on_change=let_edits_arrive,
            help="Checkboxes instead of the table: for the keyboard, a screen reader, or a small screen",
        )
        wanted = _find(draft)
    if is_list:
        edit_list(desk, draft, wanted, is_locked=is_locked)
    else:
        _edit_table(desk, draft, wanted, is_locked=is_locked)


def _edit_table(desk: Desk, draft: Draft, wanted: str, *, is_locked: bool) -> None:
    mount = mounted(desk, draft, wanted, is_locked=is_locked)
    if mount is None:
        st.caption("No recipient of this item matches your search.")
        return
    with st.container(key="recipients_table"):
        st.data_editor(
            mount.table,
            key=mount.key,
            num_rows="fixed",
            hide_index=True,
            disabled=True if is_locked else [NAME, RECIPIENT, NOTE],
            column_config=_COLUMNS,
            row_height=_ROW_PX,
            height=min(len(mount.rows), _ROWS_IN_SIGHT) * _ROW_PX + _ROW_PX + 3,
            alt=_alt(desk, draft),
        )


_COLUMNS = {
    VISIBLE: st.column_config.CheckboxColumn(
        "Can see", width=TICK_PX, pinned=True, help="Untick to take the item out of sight"
    ),
    NAME: st.column_config.TextColumn("Name", width=150),
    RECIPIENT: st.column_config.TextColumn("Recipient", width=113),
    NOTE: st.column_config.TextColumn("Note", width="medium"),
}


def _alt(desk: Desk, draft: Draft) -> str:
    item_id, title = draft.item.supplier_item_id, desk.names.item_title(draft.item)
    return showable(
        f"Recipients of {title}" if title.startswith(item_id) else f"Recipients of {title} · {item_id}"
    )


def _find(draft: Draft) -> str:
    if len(draft.recipients) <= _FIND_FROM:
        return ""
    return st.text_input(
        "Find in this list",
        key=FIND,
        type="search",
        placeholder="Part of a name or of a number",
    )
