"""How a question was read: what may be meant by its words, and each part to be corrected."""

import streamlit as st

from components.support.question_box import change_question
from components.verbatim import plain, verbatim
from item_visibility.desk.check.question import Doubt, Question
from item_visibility.desk.check.question_parts import choose, corrected, swapped
from item_visibility.desk.check.question_words import Role
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.use_cases import Desk

_LABELS = {
    Role.SUPPLIER: "Supplier asked about",
    Role.ITEM: "Item asked about",
    Role.RECIPIENT: "Recipient asked about",
}


def ask_what_is_meant(question: Question, number: int) -> None:
    """Offer the known names for each part that is not clear: one click chooses."""
    for doubt in question.doubts:
        _ask_about(question, doubt, number)


def _ask_about(question: Question, doubt: Doubt, number: int) -> None:
    if not doubt.choices:
        st.markdown(f"The {plain(doubt.role.value)} {verbatim(doubt.text)} is not in the directory.")
        return
    st.markdown(f"Which {plain(doubt.role.value)} is {verbatim(doubt.text)}?")
    with st.container(horizontal=True, key=f"meant_{doubt.role.value}_{number}"):
        for position, choice in enumerate(doubt.choices):
            st.button(
                _label(choice),
                key=f"mean_{doubt.role.value}_{number}_{position}",
                on_click=change_question,
                args=(number, choose(question, doubt.role, choice)),
            )


def _label(choice: Choice) -> str:
    return " · ".join(plain(text) for text in (choice.name, choice.market, choice.id) if text)


def correct_reading(desk: Desk, question: Question, number: int) -> None:
    """Draw each part as it was read, to be corrected by name or number."""
    parts = {
        Role.SUPPLIER: question.supplier,
        Role.ITEM: question.supplier_item_id,
        Role.RECIPIENT: question.recipient_id,
    }
    with st.popover("Correct the reading", icon=":material/edit:", key=f"reading_{number}"):
        for role, value in parts.items():
            key = f"read_{role.value}_{number}"
            st.session_state[key] = value or ""
            st.text_input(
                _LABELS[role],
                key=key,
                on_change=_correct,
                args=(desk, question, number, role),
                autocomplete="off",
            )
        st.button(
            "Swap supplier and recipient",
            key=f"swap_{number}",
            icon=":material/swap_horiz:",
            on_click=change_question,
            args=(number, swapped(question)),
        )


def _correct(desk: Desk, question: Question, number: int, role: Role) -> None:
    text: str = st.session_state[f"read_{role.value}_{number}"]
    change_question(number, corrected(question, role, text, finder=desk.finder))
