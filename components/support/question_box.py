"""The field for what a customer asks, and a larger one for several lines, which the first would join."""

import streamlit as st

from components.address import unread_visit
from components.links import example_item, example_recipient
from components.verbatim import plain
from item_visibility.use_cases.check.question.each_row import read_questions
from item_visibility.use_cases.check.question.parts import IN_ORDER, Question
from item_visibility.use_cases.desk import Desk

_BOX, _LINES = "question", "question_lines"
_ASKED = "question_box.asked"


def ask_questions(desk: Desk) -> tuple[Question, ...]:
    """Return the last questions, from the box or the address; none before the first."""
    _read_address()
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Question", key=_BOX, placeholder="Names or numbers", autocomplete="off")
        st.form_submit_button(
            "Check", key="check", type="primary", icon=":material/search:", on_click=_ask, args=(desk, _BOX)
        )
    with st.popover("Paste several lines", key="paste_lines"), st.form("ask_lines", border=False):
        st.text_area("Questions, one per line", key=_LINES, height=200)
        st.form_submit_button("Check lines", key="check_lines", on_click=_ask, args=(desk, _LINES))
    questions: tuple[Question, ...] = st.session_state.get(_ASKED, ())
    if not questions:
        _offer_example(desk)
    return questions


def change_question(number: int, question: Question) -> None:
    """Put another question in the place of one of the last: what the person corrected or chose."""
    asked: tuple[Question, ...] = st.session_state[_ASKED]
    _keep((*asked[:number], question, *asked[number + 1 :]))


def _offer_example(desk: Desk) -> None:
    st.caption("A sentence, a mail or rows copied from a table will do: supplier, item, recipient.")
    item, recipient = example_item(desk), example_recipient(desk)
    if item is None or recipient is None:
        return
    words = f"Can {recipient.name or recipient.id} see {desk.names.item_title(item)}?"
    question = Question(
        supplier=item.supplier, supplier_item_id=item.supplier_item_id, recipient_id=recipient.id
    )
    st.button(
        plain(words),
        key="example_question",
        icon=":material/help:",
        on_click=_ask_example,
        args=(words, question),
    )


def _ask_example(words: str, question: Question) -> None:
    st.session_state[_BOX] = words
    _keep((question,))


def _ask(desk: Desk, box: str) -> None:
    text: str = st.session_state.get(box, "")
    if text.strip():
        _keep(read_questions(text, known=desk.names, finder=desk.finder))


def _keep(questions: tuple[Question, ...]) -> None:
    st.session_state[_ASKED] = questions
    _put_address(questions[0] if len(questions) == 1 else Question())


def _put_address(question: Question) -> None:
    """Put the question into the address. An address holds one, so several leave none."""
    for role in IN_ORDER:
        value = question.part(role)
        if value:
            st.query_params[role.value] = value
        else:
            st.query_params.pop(role.value, None)


def _read_address() -> None:
    visit = unread_visit("check")
    parts = [visit.first(role.value) or None for role in IN_ORDER] if visit is not None else []
    if any(parts):
        supplier, item, recipient = parts
        asked = Question(supplier=supplier, supplier_item_id=item, recipient_id=recipient)
        st.session_state[_ASKED] = (asked,)
