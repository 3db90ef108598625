"""The box for a customer's line, or several rows, with a supplier, an item and a recipient."""

import streamlit as st

from components.examples import example_item, example_recipient
from components.verbatim import plain
from item_visibility.desk.check.question import Question
from item_visibility.desk.check.question_rows import read_questions
from item_visibility.desk.use_cases import Desk

_BOX = "question"
_ROWS = "question_rows"
_IS_SEVERAL = "several_lines"
_ASKED = "question_box.asked"
_SEEN = "question_box.seen"
_PARTS = ("supplier", "item", "recipient")


def ask_questions(desk: Desk) -> tuple[Question, ...]:
    """Return the last questions, from the box or the address; none before the first."""
    _follow_address()
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask"):
        _draw_field(desk)
        st.button("Check", key="check", type="primary", icon=":material/search:", on_click=_ask, args=(desk,))
    st.toggle("Several lines", key=_IS_SEVERAL, help="One question a line, each with its own answer.")
    questions: tuple[Question, ...] = st.session_state.get(_ASKED, ())
    if not questions:
        st.caption(
            "Names or numbers, in English or German, as they stand in a mail. "
            "A row copied from a table will do: supplier, item, recipient."
        )
        _offer_example(desk)
    return questions


def change_question(number: int, question: Question) -> None:
    """Put another question in the place of one of the last: what the person corrected or chose."""
    asked: tuple[Question, ...] = st.session_state[_ASKED]
    _keep((*asked[:number], question, *asked[number + 1 :]))


def _draw_field(desk: Desk) -> None:
    if st.session_state.get(_IS_SEVERAL):
        st.text_area(
            "Paste a question",
            key=_ROWS,
            on_change=_ask,
            args=(desk,),
            placeholder="One question a line; then Check",
        )
    else:
        st.text_input(
            "Paste a question",
            key=_BOX,
            on_change=_ask,
            args=(desk,),
            placeholder="Can Sonnenhof see the oat biscuits 250 g in Germany? Names or numbers; then Enter",
            autocomplete="off",
        )


def _offer_example(desk: Desk) -> None:
    item, recipient = example_item(desk), example_recipient(desk)
    if item is None or recipient is None:
        return
    words = f"Can {recipient.name or recipient.id} see {desk.names.item_title(item)}?"
    question = Question(
        supplier=item.supplier, supplier_item_id=item.supplier_item_id, recipient_id=recipient.id
    )
    st.button(
        plain(words), key="example_question", icon=":material/help:", on_click=_keep, args=((question,),)
    )


def _ask(desk: Desk) -> None:
    text = st.session_state.get(_ROWS if st.session_state.get(_IS_SEVERAL) else _BOX, "")
    if not text.strip():
        return
    _keep(read_questions(text, known=desk.names, finder=desk.finder))


def _keep(questions: tuple[Question, ...]) -> None:
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
