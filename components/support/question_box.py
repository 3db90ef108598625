"""The questions of the page Check: typed, pasted, from a link, and corrected in three fields."""

from functools import partial

import streamlit as st

from components.address import current_visit, unread_visit
from components.finder.combobox import act_subject
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.links import example_item, example_recipient
from components.verbatim import plain
from item_visibility.use_cases.check.answer import Answer
from item_visibility.use_cases.check.question import MOST_QUESTIONS, Question
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_BOX, _LINES = "question", "question_lines"
_QUESTIONS = "question_box.questions"
_ANSWERS = "question_box.answers"
_IN_FIELDS = "question_box.in_fields"


def ask_questions(desk: Desk) -> tuple[Answer, ...]:
    """Draw the field, and return the answers to the last questions; none before the first."""
    _read_address(desk)
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Question", key=_BOX, placeholder="Names or numbers", autocomplete="off")
        st.form_submit_button(
            "Check", key="check", type="primary", icon=":material/search:", on_click=_ask, args=(desk, _BOX)
        )
    if st.button("Paste several lines", key="paste_lines", icon=":material/content_paste:"):
        _ask_lines(desk)
    questions: tuple[Question, ...] = st.session_state.get(_QUESTIONS, ())
    if not questions:
        _offer_example(desk)
    if len(questions) > MOST_QUESTIONS:
        words = plain(f"Only the first {MOST_QUESTIONS} questions are answered.")
        st.warning(words, icon=":material/cut:")
    return _answers(desk, questions[:MOST_QUESTIONS])


@st.dialog("Paste several lines")
def _ask_lines(desk: Desk) -> None:
    with st.form("ask_lines", border=False):
        st.text_area("Questions, one per line", key=_LINES, height=200)
        is_pressed = st.form_submit_button(
            "Check lines", key="check_lines", type="primary", on_click=_ask, args=(desk, _LINES)
        )
    if is_pressed:
        st.rerun()  # which closes the dialog, so that the answers are in view


def change_question(number: int, question: Question) -> None:
    """Put another question in the place of one: what the person corrected or chose."""
    questions: tuple[Question, ...] = st.session_state[_QUESTIONS]
    _keep((*questions[:number], question, *questions[number + 1 :]))


def check_again() -> None:
    """Read all again."""
    st.session_state.pop(_ANSWERS, None)


def show_fields(desk: Desk, question: Question, number: int) -> None:
    """Draw the supplier, item and recipient as they were understood. Another choice asks again."""
    for column, kind in zip(st.columns(len(Kind)), Kind, strict=True):
        key, value = f"check_{kind.value}_{number}", question.part(kind) or ""
        in_fields: dict[str, str] = st.session_state.setdefault(_IN_FIELDS, {})
        if in_fields.get(key) != value:
            put_one(key, value)
            in_fields[key] = value
        with column:
            choose_one(
                desk.names,
                kind,
                label=kind.value.capitalize(),
                key=key,
                placeholder="Name or number",
                about=act_subject(desk, question),
                supplier=question.supplier if kind is Kind.ITEM else None,
                on_choice=partial(_take, desk, question, kind, number, key),
            )
        if chosen_one(key) not in {"", value}:
            st.rerun()  # the answer above is that of the question before


def _take(desk: Desk, question: Question, kind: Kind, number: int, key: str) -> None:
    if own_id := chosen_one(key):
        change_question(number, question.with_entry(kind, own_id, desk.names))


def _offer_example(desk: Desk) -> None:
    st.caption("A sentence, a mail or rows copied from a table will do: supplier, item, recipient.")
    item, recipient = example_item(desk), example_recipient(desk)
    if item is None or recipient is None:
        return
    words = f"Can {recipient.name or recipient.id} see {desk.names.item_title(item)}?"
    st.button(
        plain(words),
        key="example_question",
        icon=":material/help:",
        on_click=_ask_example,
        args=(desk, words),
    )


def _ask_example(desk: Desk, words: str) -> None:
    st.session_state[_BOX] = words
    _ask(desk, _BOX)


def _ask(desk: Desk, box: str) -> None:
    text: str = st.session_state.get(box, "")
    if text.strip():
        _keep(desk.check.read(text))


def _keep(questions: tuple[Question, ...]) -> None:
    """Keep the questions, and put a single one into the address."""
    st.session_state[_QUESTIONS] = questions
    check_again()
    address = questions[0].address if len(questions) == 1 else {}
    for kind in Kind:
        st.query_params.pop(kind.value, None)
    st.query_params.update(address)


def _answers(desk: Desk, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
    """Return the answers, read once for each visit of the page and each press of Check."""
    visit = current_visit()
    asked = (desk.environment.name, visit and visit.key, questions)
    kept_for, answers = st.session_state.get(_ANSWERS, (None, ()))
    if kept_for != asked:
        answers = desk.check.answer(questions)
        st.session_state[_ANSWERS] = (asked, answers)
    return tuple(answers)


def _read_address(desk: Desk) -> None:
    visit = unread_visit(_QUESTIONS)
    parts = {kind: part for kind in Kind if visit and (part := visit.first(kind.value))}
    if parts:
        st.session_state[_QUESTIONS] = (desk.check.read_link(parts),)
