"""The bar that stays in sight at the bottom: what happened last, Undo or Discard, and Save."""

from pathlib import Path

import streamlit as st

from components.notices import show_error, show_notice
from components.saving.early_press import listen_for_presses
from components.saving.press import (
    REASON,
    discard,
    follow_save,
    is_running,
    lost_press,
    note_lost_press,
    refused_save,
    start_early_save,
    start_save,
    tell_why_not,
    told,
)
from components.saving.told_outcome import offer_save_evidence, offer_undo, show_outcome, verified_line
from components.verbatim import plain
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import plan_in_numbers, plan_in_words
from item_visibility.changes.request import ChangeKind
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.use_cases import Desk

_mount_announced = st.components.v2.component(
    "save_bar_announced",
    html='<div class="save-bar-announced" role="status"></div>',
    css=Path(__file__).with_suffix(".css").read_text("utf-8"),
    isolate_styles=False,
    js="""
export default function ({ data, parentElement }) {
  const status = parentElement.querySelector("[role=status]")
  if (status.textContent !== data.words) status.textContent = data.words
}
""",
)


def show_save_bar(desk: Desk, draft: Draft, save: SaveStatus | None, *, is_locked: bool) -> None:
    """Draw the bar. It grows upwards: Save stays at the right of the last line."""
    listen_for_presses(
        key="presses",
        buttons={"save": not is_locked and not draft.is_empty},
        is_patient=not is_locked,
        shortcuts={"S": "save", "Shift+X": "discard"},
        on_press=lambda: start_early_save(desk, draft),
        on_miss=tell_why_not,
    )
    with st.bottom:
        news = st.container(key="bar_news")
        line = st.container(
            horizontal=True,
            wrap=False,
            horizontal_alignment="right",
            vertical_alignment="bottom",
            gap="xsmall",
            key="save_bar",
        )
    with line:
        _show_line(desk, draft, save, is_locked=is_locked)
    with news:
        _show_news(desk, draft, save)


def ask_reason(draft: Draft, *, is_locked: bool) -> None:
    """Draw the field for the reason of a change, while something is staged."""
    if not draft.is_empty and not is_locked:
        st.text_input(
            "Why (optional)",
            key=REASON,
            placeholder="For the history, such as the number of a ticket",
            autocomplete="off",
        )


def _show_news(desk: Desk, draft: Draft, save: SaveStatus | None) -> None:
    """Say what went wrong, what is going on, and what to look at first."""
    if is_running(save):
        follow_save(desk, draft.item)
    elif save is not None:
        show_outcome(desk, save, draft)
    if (refusal := refused_save()) is not None:
        show_error("Nothing was saved.", refusal)
    for notice in filter(None, (told(), lost_press())):
        show_notice(notice)
    if not draft.is_empty and draft.origin.kind is ChangeKind.UNDO:
        names = desk.names.recipient_names(draft.add | draft.remove)
        st.markdown(f"**Undo:** {plain(plan_in_words(draft.add, draft.remove, names))} · not saved yet")


def _show_line(desk: Desk, draft: Draft, save: SaveStatus | None, *, is_locked: bool) -> None:
    """Draw each part in a place of its own: a part that moves stands twice while the rest is drawn."""
    line = "" if save is None else verified_line(desk, save, draft)
    words = st.container(key="bar_words")
    _mount_announced(key="save_bar_announced", data={"words": line}, height=1)
    proof, undo, drop, keep = (
        st.container(width="content", key=f"bar_{name}") for name in ("evidence", "undo", "discard", "save")
    )
    with words:
        if line:
            st.markdown(f":green[:material/check:] {plain(line)}")
        elif draft.is_empty and not is_running(save):
            st.caption("Nothing to save")
    with proof:
        if save is not None:
            offer_save_evidence(desk, save, draft)
    with undo:
        if save is not None and not is_locked:
            offer_undo(desk, save, draft)
    with drop:
        if not draft.is_empty:
            st.button("Discard", key="discard", disabled=is_locked, on_click=discard, args=(desk, draft.item))
    with keep:
        if st.button(
            _label(draft),
            key="save",
            type="secondary" if draft.is_empty else "primary",
            disabled=is_locked or draft.is_empty,
            on_click=start_save,
            args=(desk, draft),
        ):
            note_lost_press()


def _label(draft: Draft) -> str:
    return "Save" if draft.is_empty else f"Save: {plain(plan_in_numbers(draft.add, draft.remove))}"
