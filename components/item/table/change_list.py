"""The staged changes, above the table: what each does, for whom, and its way back."""

import streamlit as st

from components.item.table.row_key import row_key
from components.item.window_drafts import keep_draft, kept_draft
from components.verbatim import plain, verbatim
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.recipient_rows import by_name, staged_in_sight
from item_visibility.desk.use_cases import Desk

_HEIGHT_PX = 130
"""Three whole lines, always: a box that grew would push the table's rows under the next click."""


def show_changes(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """List the staged changes. Nothing staged yet, say how to begin."""
    if draft.is_empty and is_locked:
        return
    with st.container(border=True, height=_HEIGHT_PX, gap="xsmall", key="changes"):
        if draft.is_empty:
            begin = "Untick a recipient, or add one. " if draft.recipients else ""
            st.caption(f"{begin}Changes are listed here first; Save sends them.")
            return
        staged = staged_in_sight(draft)
        names = desk.names.recipient_names((*staged.adding, *staged.removing))
        with st.container(horizontal=True, gap="xsmall", key="changes_in_sight"):
            for recipient_id in by_name(staged.adding, names):
                _show_change(
                    desk,
                    draft,
                    recipient_id,
                    names,
                    ":green-badge[+ Adding]",
                    is_locked=is_locked,
                )
            for recipient_id in by_name(staged.removing, names):
                _show_change(
                    desk,
                    draft,
                    recipient_id,
                    names,
                    ":red-badge[\N{MINUS SIGN} Removing]",
                    is_locked=is_locked,
                )
        if staged.more:
            st.caption(plain(f"and {staged.more:,} more. Discard takes back all of them."))


def _show_change(  # noqa: PLR0913  (one argument a part of the row)
    desk: Desk, draft: Draft, recipient_id: str, names: dict[str, str], what: str, *, is_locked: bool
) -> None:
    name = names.get(recipient_id, "")
    number = verbatim(recipient_id)
    key = row_key("take_back", recipient_id)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", width="content", key=f"staged_{key}"
    ):
        st.markdown(f"{what} **{plain(name)}** {number}" if name else f"{what} {number}", width="content")
        st.button(
            f"Take back **{plain(name or recipient_id)}**",
            key=key,
            type="tertiary",
            icon=":material/undo:",
            disabled=is_locked,
            on_click=_take_back,
            args=(desk, draft.item, recipient_id),
        )


def _take_back(desk: Desk, item: ItemKey, recipient_id: str) -> None:
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, draft.with_taken_back(recipient_id))
