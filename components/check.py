"""The page Check: questions, typed, pasted or from a link, and their answers."""

from collections.abc import Iterable, Sequence
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from components import draw
from components.address import (
    BULK_PAGE,
    CONNECTION_PAGE,
    COVERAGE_PAGE,
    HISTORY_PAGE,
    ITEM_PAGE,
    address_of_item,
    current_visit,
    example,
    link_to,
    unread_visit,
    write_address,
)
from components.clock import full_time, time_of_day
from components.downloads import offer_download, offer_ticket
from components.draw import Alert
from components.finder.search_fields import ChoiceField, choose_one, chosen_one, put_one
from components.markdown_escape import as_code, escaped, listed, phrase
from components.notices import show_problem, step_button
from components.session import address_of_environment
from components.table import show_table
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import CallError
from item_visibility.lists.writer import write_xlsx
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.model.words import many
from item_visibility.use_cases.check.answer import (
    COLUMNS,
    Answer,
    AnswerKind,
    Reason,
    ReasonKind,
    customer_words,
    reason_words,
    sentence_of,
    table_row,
)
from item_visibility.use_cases.check.find_answer import answer_questions
from item_visibility.use_cases.check.question import (
    MOST_QUESTIONS,
    Question,
    read_link,
    read_questions,
)
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_file
from item_visibility.use_cases.find_by_name import market_of
from item_visibility.use_cases.ticket import ticket_of_answer

_BOX = "question"
_LINES = "question_lines"
_QUESTIONS = "check.questions"
_ANSWERS = "check.answers"
_IN_FIELDS = "check.in_fields"
_LANGUAGES = tuple(language.value for language in Language)
_VERDICTS: dict[AnswerKind, tuple[Alert, str]] = {
    AnswerKind.YES: ("success", ":material/check_circle:"),
    AnswerKind.NO: ("error", ":material/cancel:"),
    AnswerKind.REMOVED_HERE: ("warning", ":material/pending:"),
    AnswerKind.NOT_KNOWN: ("warning", ":material/help:"),
}


def ask_questions(desk: Desk) -> tuple[Answer, ...]:
    """Draw the field. Return the answers to the last questions, if any."""
    _take_question_from_address(desk)
    _draw_field(desk)

    questions: tuple[Question, ...] = st.session_state.get(_QUESTIONS, ())
    if not questions:
        _show_no_question(desk)
    if len(questions) > MOST_QUESTIONS:
        draw.warning(
            "Only the first {} questions are answered.",
            MOST_QUESTIONS,
            icon=":material/cut:",
        )

    # Read once for each visit to the page and each press of Check.
    visit = current_visit()
    asked = (desk.environment.name, visit and visit.key, questions)
    answered, answers = st.session_state.get(_ANSWERS, (None, ()))
    if answered != asked:
        answers = answer_questions(desk, questions[:MOST_QUESTIONS])
        st.session_state[_ANSWERS] = (asked, answers)
    return tuple(answers)


def _take_question_from_address(desk: Desk) -> None:
    visit = unread_visit(_QUESTIONS)
    if visit is None:
        return
    values = {kind: visit.first(kind.value) for kind in Kind}
    parts = {kind: value for kind, value in values.items() if value}
    if parts:
        st.session_state[_QUESTIONS] = (read_link(desk, parts),)


def _draw_field(desk: Desk) -> None:
    with (
        st.form("ask", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            "Question", key=_BOX, placeholder="Names or numbers", autocomplete="off"
        )
        st.form_submit_button(
            "Check",
            key="check",
            type="primary",
            icon=":material/search:",
            on_click=_ask,
            args=(desk, _BOX),
        )
    if st.button(
        "Paste several lines", key="paste_lines", icon=":material/content_paste:"
    ):
        _ask_lines(desk)


def _show_no_question(desk: Desk) -> None:
    draw.caption(
        "Enter a sentence, an e-mail or copied rows that name the supplier, item and "
        "recipient."
    )
    shown = example(desk)
    if shown is None:
        return
    item, recipient = shown
    question = (
        f"Can {recipient.name or recipient.id} see {desk.names.item_title(item)}?"
    )
    step_button(
        question,
        _ask_example,
        desk,
        question,
        key="example_question",
        icon="help",
    )


@st.dialog("Paste several lines")
def _ask_lines(desk: Desk) -> None:
    with st.form("ask_lines", border=False):
        st.text_area("Questions, one per line", key=_LINES, height=200)
        is_pressed = st.form_submit_button(
            "Check lines",
            key="check_lines",
            type="primary",
            on_click=_ask,
            args=(desk, _LINES),
        )
    if is_pressed:
        st.rerun()  # close the dialog


def _ask_example(desk: Desk, question: str) -> None:
    st.session_state[_BOX] = question
    _ask(desk, _BOX)


def _ask(desk: Desk, box: str) -> None:
    text = st.session_state.get(box, "")
    if text.strip():
        _set_questions(read_questions(desk, text))


def _set_questions(questions: tuple[Question, ...]) -> None:
    st.session_state[_QUESTIONS] = questions
    _forget_answers()
    address = questions[0].address if len(questions) == 1 else {}
    write_address({kind.value: address.get(kind.value, "") for kind in Kind})


def _forget_answers() -> None:
    st.session_state.pop(_ANSWERS, None)


def _change_question(number: int, question: Question) -> None:
    questions: tuple[Question, ...] = st.session_state[_QUESTIONS]
    _set_questions((*questions[:number], question, *questions[number + 1 :]))


def _show_fields(desk: Desk, question: Question, number: int) -> None:
    for column, kind in zip(st.columns(len(Kind)), Kind, strict=True):
        with column:
            _show_field(desk, question, kind, number)


def _show_field(desk: Desk, question: Question, kind: Kind, number: int) -> None:
    key = f"check_{kind.value}_{number}"
    value = question.ids.get(kind, "")

    # Write the question's id into the field when the question has changed.
    in_fields: dict[str, str] = st.session_state.setdefault(_IN_FIELDS, {})
    if in_fields.get(key) != value:
        put_one(key, value)
        in_fields[key] = value

    def use_choice() -> None:
        chosen_id = chosen_one(key)
        if chosen_id:
            changed = question.with_entry(kind, chosen_id, desk.names)
            _change_question(number, changed)

    field = ChoiceField(
        kind,
        key,
        question.ids.get(Kind.SUPPLIER) if kind is Kind.ITEM else None,
        about=question,
        on_choice=use_choice,
    )
    choose_one(desk, field, label=kind.value.capitalize())
    if chosen_one(key) not in {"", value}:
        st.rerun()  # the answer above belongs to the previous question


def show_answers(desk: Desk, answers: Sequence[Answer]) -> None:
    """Draw a single answer in full.

    Draw several answers as a table, with the chosen answer below it.
    """
    if len(answers) == 1:
        _show_answer(desk, answers[0], 0)
        _show_link(answers[0].question)
    elif answers:
        _show_table(desk, answers)


def _show_link(question: Question) -> None:
    draw.caption("Link to this question")
    page = (st.context.url or "").partition("?")[0]
    address = urlencode(address_of_environment() | question.address)
    st.code(f"{page}?{address}", language=None, wrap_lines=True)


def _show_table(desk: Desk, answers: Sequence[Answer]) -> None:
    rows = [table_row(answer) for answer in answers]
    picked = show_table(
        rows,
        COLUMNS,
        key="answers",
        alt="Answers, one row for each question",
        # Pinned, so that the answer stays in view on a phone.
        config={"Answer": st.column_config.TextColumn(pinned=True)},
        choose="single-row",
        about=[answer.question for answer in answers],
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Copy", key="copy_answers", icon=":material/content_copy:"):
            lines = ["\t".join(row) for row in (COLUMNS, *rows)]
            st.code("\n".join(lines), language=None)
        make = partial(write_xlsx, COLUMNS, rows)
        offer_download(
            "Download XLSX",
            "answers.xlsx",
            partial(export_file, desk, make),
            key="download_answers",
        )

    if picked:
        _show_answer(desk, answers[picked[0]], picked[0])
    else:
        draw.caption("Choose a row to see why, and what to send to the customer.")


def _show_answer(desk: Desk, answer: Answer, number: int) -> None:
    question = answer.question
    with st.container(border=True, key=f"answer_{number}"):
        _show_verdict(answer)
        _show_doubts(answer, number)
        if answer.reason is not None:
            _offer_next_step(desk, answer, answer.reason, number)
        _show_fields(desk, question, number)
        if question.not_understood:
            draw.markdown("Not understood: {}", listed(question.not_understood))

        if question.item is None or question.recipient_id is None:
            draw.caption("The service was not asked.")
            return
        _show_customer_words(answer, number)
        draw.caption("{}", _read_words(answer))
        offer_ticket(partial(ticket_of_answer, desk, answer), key=f"answer_{number}")
        _show_links(question.item, question.recipient_id)


def _show_verdict(answer: Answer) -> None:
    kind, icon = _VERDICTS[answer.kind]
    draw.alert("{}", sentence_of(answer, when=time_of_day), kind=kind, icon=icon)
    reason = reason_words(answer, when=time_of_day)
    if reason:
        draw.markdown("**{}**", reason)

    error = answer.read.error
    if error is not None:
        st.text(error.advice)
    if isinstance(error, CallError):
        show_problem(error.problem)


def _show_doubts(answer: Answer, number: int) -> None:
    for doubt in answer.question.doubts:
        draw.markdown("Which {} is {}?", doubt.kind.value, as_code(doubt.text))
        if not doubt.alike:
            draw.markdown("This name is not in the directory. Enter its number below.")
        _offer_choices(answer, doubt.kind, doubt.alike, number)


def _show_customer_words(answer: Answer, number: int) -> None:
    draw.caption("Text for the customer")
    tabs = st.tabs(
        _LANGUAGES,
        default=answer.question.language.value,
        key=f"language_{number}",
    )
    for tab, language in zip(tabs, Language, strict=True):
        tab.code(customer_words(answer, language), language=None, wrap_lines=True)


def _show_links(item: ItemKey, recipient_id: str) -> None:
    of_item = address_of_item(item)
    of_recipient = {"supplier": item.supplier, "recipient": recipient_id}
    with st.container(horizontal=True):
        link_to(
            HISTORY_PAGE,
            "What changed, when and by whom",
            "history",
            of_item | of_recipient,
        )
        link_to(ITEM_PAGE, "Open this item", "visibility", of_item)
        link_to(
            COVERAGE_PAGE,
            "See what else this recipient can see",
            "person_search",
            of_recipient,
        )


def _read_words(answer: Answer) -> str:
    read = answer.read
    asked = f"Asked at {full_time(read.at)}"
    if read.listed is not None:
        count = many(len(read.listed), "recipient")
        return (
            f"{asked} · {count} listed · The dashboard cannot see whether the "
            "recipients received the item."
        )
    return asked if read.exchanges else "The service was not asked."


def _offer_choices(
    answer: Answer, kind: Kind, choices: Iterable[NameRow], number: int
) -> None:
    with st.container(horizontal=True, key=f"choices_{kind.value}_{number}"):
        for position, choice in enumerate(choices):
            parts = (choice.name, market_of(choice), choice.id)
            st.button(
                escaped(" · ".join(filter(None, parts))),
                key=f"choose_{kind.value}_{number}_{position}",
                icon=":material/arrow_forward:",
                on_click=_change_question,
                args=(number, answer.question.with_choice(kind, choice)),
            )


def _offer_next_step(desk: Desk, answer: Answer, reason: Reason, number: int) -> None:
    """Draw what can be done about an answer that is not yes."""
    item = answer.question.item
    of_item = address_of_item(item) if item else {}
    kind = reason.kind
    is_under_way = kind is ReasonKind.UNDER_WAY

    if reason.near:
        _offer_choices(answer, reason.near_kind, reason.near, number)
    elif is_under_way and reason.key:
        link_to(BULK_PAGE, "Open the job", "arrow_forward", {"job": reason.key})
    elif is_under_way or answer.kind is AnswerKind.REMOVED_HERE:
        st.button(
            "Check again",
            key=f"again_{number}",
            icon=":material/refresh:",
            on_click=_forget_answers,
        )
    elif kind is ReasonKind.NOT_READ:
        link_to(CONNECTION_PAGE, "Is it us or them?", "electrical_services", {})
    elif kind is ReasonKind.ALL_REMOVED:
        link_to(
            HISTORY_PAGE,
            "See what was removed, and why",
            "history",
            of_item | {"entry": reason.key},
        )
    elif kind is ReasonKind.UNKNOWN_ID:
        # Similar ids, if any, are offered above.
        return
    elif desk.is_locked:
        draw.markdown("To give the recipient access, ask an editor.")
    else:
        recipient = answer.rows[Kind.RECIPIENT]
        link_to(
            ITEM_PAGE,
            phrase("Open the item to add {}", recipient.name or recipient.id),
            "playlist_add",
            of_item | {"add": answer.question.recipient_id or ""},
        )
