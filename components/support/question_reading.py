"""Shows how a question was read: its parts as chips to correct, and the meanings of unclear words."""

from functools import partial

import streamlit as st

from components.finder.combobox import act_subject
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.support.question_box import change_question
from components.verbatim import plain, verbatim
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.check.question.by_number import corrected
from item_visibility.use_cases.check.question.parts import (
    IN_ORDER,
    KINDS,
    Doubt,
    Question,
    QuestionRole,
    choose,
    swapped,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import Choice

_OPEN = "question_reading.open"
"""The key of the field that is open: one at a time."""
_SHOWN = "question_reading.shown"
"""The id that the open field shows, with its key."""


def show_reading(desk: Desk, question: Question, number: int) -> None:
    """Draw the parts of the question as it was read. A click on one opens its field, to correct it."""
    keys = {f"read_{role.value}_{number}": role for role in reversed(IN_ORDER)}
    with st.container(horizontal=True, key=f"reading_{number}"):
        for key, role in keys.items():
            st.button(
                _chip(desk, question, role),
                key=f"chip_{key}",
                icon=":material/edit:",
                wrap=True,
                on_click=_open_or_close,
                args=(key,),
            )
        st.button(
            "Swap supplier and recipient",
            key=f"swap_{number}",
            type="tertiary",
            icon=":material/swap_horiz:",
            on_click=change_question,
            args=(number, swapped(question)),
        )
    opened = st.session_state.get(_OPEN)
    if opened in keys:
        _correct(desk, question, keys[opened], number, opened)


def _open_or_close(key: str) -> None:
    st.session_state[_OPEN] = None if st.session_state.get(_OPEN) == key else key
    st.session_state.pop(_SHOWN, None)


def _correct(desk: Desk, question: Question, role: QuestionRole, number: int, key: str) -> None:
    value = question.part(role) or ""
    if st.session_state.get(_SHOWN) != (key, value):
        put_one(key, value)
        st.session_state[_SHOWN] = (key, value)
    choose_one(
        desk.finder,
        KINDS[role],
        label=f"{role.value.capitalize()} asked about",
        key=key,
        placeholder="Name or number",
        about=act_subject(desk, question),
        supplier=question.supplier if role is QuestionRole.ITEM else None,
        on_choice=partial(_take, desk, question, role, number, key),
    )
    if chosen_one(key) not in {"", value}:
        st.rerun()  # the answer above is still that of the question before


def _take(desk: Desk, question: Question, role: QuestionRole, number: int, key: str) -> None:
    chosen = chosen_one(key)
    if chosen:
        st.session_state[_OPEN] = None
        change_question(number, corrected(question, role, chosen, known=desk.names))


def _chip(desk: Desk, question: Question, role: QuestionRole) -> str:
    """Return one part with its name, market and number; with a question mark where it is not known."""
    words = plain(role.value.capitalize())
    value = question.part(role)
    if value is None:
        return f"{words} ?"
    item = ItemKey(question.supplier or "", value)
    title = desk.finder.chosen(KINDS[role], value, supplier=item.supplier).name
    if title and role is QuestionRole.ITEM:
        title = desk.names.item_title(item)
    name = f"**{plain(title)}** " if title else ""
    return f"{words} {name}{verbatim(value)}"


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
