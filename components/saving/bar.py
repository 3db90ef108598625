"""The bar that stays in sight: staged changes, Save, Discard, and the count of a large removal."""

import streamlit as st

from components.saving.press import CONFIRM, REASON, confirm_these, discard, is_mistyped, start_save
from components.saving.shortcuts import listen_for_shortcuts
from components.verbatim import plain
from item_visibility.changes.draft import Draft
from item_visibility.desk.use_cases import Desk

_MINUS = "\N{MINUS SIGN}"


def show_save_bar(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the bar at the bottom of the window."""
    listen_for_shortcuts()
    with st.bottom:
        if draft.confirm_count is not None and not is_locked:
            _ask_count(draft)
        if not draft.is_empty and not is_locked:
            st.text_input(
                "Why (optional)",
                key=REASON,
                placeholder="For the history, such as the number of a ticket",
                autocomplete="off",
            )
        with st.container(horizontal=True, vertical_alignment="center", key="save_bar"):
            st.markdown(_summary(draft), width="stretch")
            with st.container(horizontal=True, wrap=False, width="content", key="save_buttons"):
                st.button(  # enabled with nothing staged, too: the click that leaves the add box saves
                    "Save",
                    key="save",
                    type="secondary" if draft.is_empty else "primary",
                    icon=":material/check:",
                    disabled=is_locked,
                    on_click=start_save,
                    args=(desk, draft),
                )
                st.button(
                    "Discard",
                    key="discard",
                    icon=":material/close:",
                    disabled=is_locked or draft.is_empty,
                    on_click=discard,
                    args=(desk, draft.item),
                )


def _summary(draft: Draft) -> str:
    if draft.is_empty:
        return "Nothing to save"
    return f"**{plain(f'+{len(draft.add)} {_MINUS}{len(draft.remove)}')}** · staged"


def _ask_count(draft: Draft) -> None:
    count, everyone = len(draft.remove), len(draft.recipients)
    left = "Nobody will see the item any more." if not draft.wanted else "That is more than half."
    st.warning(
        plain(
            f"This takes the item away from {count} of {everyone} recipients. {left} "
            f"Type {count} to confirm, then save."
        ),
        icon=":material/warning:",
    )
    confirm_these(draft)
    st.text_input("Number of recipients to remove", key=CONFIRM, autocomplete="off")
    if is_mistyped(draft):
        st.error(
            "Nothing was saved: the number does not fit. Type it, then save again.", icon=":material/error:"
        )
