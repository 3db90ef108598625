"""The one dialog before a large change, or an undo beside other edits: who, and one line to type."""

from functools import partial

import streamlit as st

from components.saving.asking import COUNT, asked_about, is_answered, stop_asking
from components.saving.early_press import listen_for_presses
from components.saving.press import save_asked
from components.verbatim import plain
from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import named, plan_in_numbers, plan_in_words
from item_visibility.desk.use_cases import Desk

_NAMED = 10
_LOOKED_UP = 1000
"""Names that are looked up at most, to show ten of them."""


def show_question(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Open the dialog while changes of this item wait for an answer."""
    asked = asked_about(desk, draft.item)
    if asked is None:
        return
    if is_locked:
        stop_asking()
        return
    st.dialog(_title(asked), on_dismiss=stop_asking)(_question)(desk, asked)


def _title(asked: AskedSave) -> str:
    changes = asked.changes
    if changes.confirmation is None:
        return "Undo by itself?"
    return plain(changes.confirmation.question)


def _question(desk: Desk, asked: AskedSave) -> None:
    if asked_about(desk, asked.changes.item) is None:
        st.rerun()
    changes = asked.changes
    names = desk.names.recipient_names(_some(changes.add) | _some(changes.remove))
    for verb, who in (("Remove:", changes.remove), ("Add:", changes.add)):
        if who:
            st.markdown(f"**{verb}** {plain(named(who, names, limit=_NAMED))}")
    if changes.confirmation is not None:
        st.markdown(plain(changes.confirmation.why))
    if asked.is_beside_others:
        _tell_what_stays(desk, asked)
    if changes.confirmation is not None:
        st.text_input(
            plain(f"Type {changes.confirmation.count}"), key=COUNT, live="100ms", autocomplete="off"
        )
    save = partial(save_asked, desk, asked)
    is_on = is_answered(asked)
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall", key="confirm_buttons"):
        st.button("Cancel", key="confirm_cancel", on_click=stop_asking)
        st.button(_label(asked), key="confirm", type="primary", disabled=not is_on, on_click=save)
    listen_for_presses(
        key="confirm_presses",
        buttons={"confirm": is_on},
        fields={COUNT: "confirm"},
        on_press=save,
        on_miss=lambda: None,
    )


def _tell_what_stays(desk: Desk, asked: AskedSave) -> None:
    add, remove = asked.add_beside, asked.remove_beside
    names = desk.names.recipient_names(_some(add) | _some(remove))
    st.markdown(plain(f"This stays staged, and is not saved now: {plan_in_words(add, remove, names)}."))


def _label(asked: AskedSave) -> str:
    changes = asked.changes
    verb = "Undo" if asked.is_beside_others else "Save"
    return f"{verb}: {plain(plan_in_numbers(changes.add, changes.remove))}"


def _some(recipient_ids: frozenset[str]) -> frozenset[str]:
    return frozenset(sorted(recipient_ids)[:_LOOKED_UP])
