"""The box for a customer's line, or several rows, with a supplier, an item and a recipient."""

import streamlit as st

from item_visibility.desk.check.question import Question, read_questions
from item_visibility.desk.use_cases import Desk

_BOX = "question"
_ASKED = "question_box.asked"
_SEEN = "question_box.seen"
_PARTS = ("supplier", "item", "recipient")


def ask_questions(desk: Desk) -> tuple[Question, ...]:
    """Return the last questions, from the box or the address; none before the first."""
    _follow_address()
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask"):
        st.text_input(
            "Paste a question",
            key=_BOX,
            on_change=_ask,
            args=(desk,),
            placeholder="Supplier, item and recipient: a line from a mail or a table, or a link; then Enter",
            autocomplete="off",
        )
        st.button("Check", key="check", type="primary", icon=":material/search:", on_click=_ask, args=(desk,))
    questions: tuple[Question, ...] = st.session_state.get(_ASKED, ())
    if not questions:
        st.caption("A row copied from a table will do: supplier, item, recipient.")
    return questions


def _ask(desk: Desk) -> None:
    text = st.session_state.get(_BOX, "")
    if not text.strip():
        return
    questions = read_questions(text, known=desk.names)
    st.session_state[_ASKED] = questions
    _put_address(questions[0] if len(questions) == 1 else Question())


def _put_address(question: Question) -> None:
    """Put the question into the address. An address holds one, so several leave none."""
    values = (question.supplier, question.supplier_item_id, question.recipient_id)
    for name, value in zip(_PARTS, values, strict=True):
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    st.session_state[_SEEN] = _address()


def _follow_address() -> None:
    seen = _address()
    if any(seen) and st.session_state.get(_SEEN) != seen:
        supplier, item, recipient = (part or None for part in seen)
        asked = Question(supplier=supplier, supplier_item_id=item, recipient_id=recipient)
        st.session_state[_ASKED] = (asked,)
    st.session_state[_SEEN] = seen


def _address() -> tuple[str, ...]:
    return tuple(st.query_params.get(name, "") for name in _PARTS)
