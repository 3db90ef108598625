"""The page Check: questions that are typed, pasted or opened by a link, and their answers."""

from collections.abc import Iterable, Sequence
from functools import partial
from urllib.parse import urlencode

import streamlit as st

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
from components.finder.search_fields import ChoiceField, choose_one, chosen_one, put_one
from components.markdown_escape import listed, plain, verbatim
from components.notices import show_problem, step_button
from components.session import address_of_environment
from components.table import show_table
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

_BOX, _LINES = "question", "question_lines"
_QUESTIONS = "question_box.questions"
_ANSWERS = "question_box.answers"
_IN_FIELDS = "question_box.in_fields"
_VERDICTS = {
    AnswerKind.YES: (st.success, ":material/check_circle:"),
    AnswerKind.NO: (st.error, ":material/cancel:"),
    AnswerKind.REMOVED_HERE: (st.warning, ":material/pending:"),
    AnswerKind.NOT_KNOWN: (st.warning, ":material/help:"),
}


def ask_questions(desk: Desk) -> tuple[Answer, ...]:
    """Draw the field. Return the answers to the last questions, if any."""
    visit = unread_visit(_QUESTIONS)
    parts = {kind: part for kind in Kind if visit and (part := visit.first(kind.value))}
    if parts:
        st.session_state[_QUESTIONS] = (read_link(desk, parts),)
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
    questions: tuple[Question, ...] = st.session_state.get(_QUESTIONS, ())
    if not questions:
        st.caption(
            "Enter a sentence, an e-mail or copied rows that name the supplier, item "
            "and recipient."
        )
        if shown := example(desk):
            item, recipient = shown
            words = f"Can {recipient.name or recipient.id} see {desk.names.item_title(item)}?"
            step_button(
                words, _ask, desk, _BOX, words, key="example_question", icon="help"
            )
    if len(questions) > MOST_QUESTIONS:
        most = f"Only the first {MOST_QUESTIONS} questions are answered."
        st.warning(plain(most), icon=":material/cut:")
    visit = current_visit()
    asked = (desk.environment.name, visit and visit.key, questions)
    answered, answers = st.session_state.get(_ANSWERS, (None, ()))
    if answered != asked:  # read once per visit to the page and per press of Check
        answers = answer_questions(desk, questions[:MOST_QUESTIONS])
        st.session_state[_ANSWERS] = (asked, answers)
    return tuple(answers)


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


def _ask(desk: Desk, box: str, example: str = "") -> None:
    if example:
        st.session_state[box] = example
    text: str = st.session_state.get(box, "")
    if text.strip():
        _keep(read_questions(desk, text))


def _keep(questions: tuple[Question, ...]) -> None:
    st.session_state[_QUESTIONS] = questions
    _forget_answers()
    asked = questions[0].address if len(questions) == 1 else {}
    write_address({kind.value: asked.get(kind.value, "") for kind in Kind})


def _forget_answers() -> None:
    st.session_state.pop(_ANSWERS, None)


def _change_question(number: int, question: Question) -> None:
    questions: tuple[Question, ...] = st.session_state[_QUESTIONS]
    _keep((*questions[:number], question, *questions[number + 1 :]))


def _show_fields(desk: Desk, question: Question, number: int) -> None:
    def take(kind: Kind, key: str) -> None:
        if own_id := chosen_one(key):
            _change_question(number, question.with_entry(kind, own_id, desk.names))

    for column, kind in zip(st.columns(len(Kind)), Kind, strict=True):
        key, value = f"check_{kind.value}_{number}", question.ids.get(kind, "")
        in_fields: dict[str, str] = st.session_state.setdefault(_IN_FIELDS, {})
        if in_fields.get(key) != value:
            put_one(key, value)
            in_fields[key] = value
        supplier = question.ids.get(Kind.SUPPLIER) if kind is Kind.ITEM else None
        with column:
            one = ChoiceField(
                kind, key, supplier, about=question, on_choice=partial(take, kind, key)
            )
            choose_one(desk, one, label=kind.value.capitalize())
        if chosen_one(key) not in {"", value}:
            st.rerun()  # the answer above belongs to the previous question


def show_answers(desk: Desk, answers: Sequence[Answer]) -> None:
    """Draw a single answer in full, or a table of several answers with the chosen answer below it."""
    if len(answers) == 1:
        _show_answer(desk, answers[0], 0)
        st.caption("Link to this question")
        address = urlencode(address_of_environment() | answers[0].question.address)
        st.code(
            f"{(st.context.url or '').partition('?')[0]}?{address}",
            language=None,
            wrap_lines=True,
        )
    if len(answers) < 2:
        return
    rows = [table_row(one) for one in answers]
    picked = show_table(
        rows,
        COLUMNS,
        key="answers",
        alt="Answers, one row for each question",
        config={
            "Answer": st.column_config.TextColumn(pinned=True)
        },  # so that it stays in view on a phone
        choose="single-row",
        about=[one.question for one in answers],
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Copy", key="copy_answers", icon=":material/content_copy:"):
            st.code(
                "\n".join("\t".join(row) for row in (COLUMNS, *rows)), language=None
            )
        offer_download(
            "Download XLSX",
            "answers.xlsx",
            partial(export_file, desk, partial(write_xlsx, COLUMNS, rows)),
            key="download_answers",
        )
    if picked:
        _show_answer(desk, answers[picked[0]], picked[0])
    else:
        st.caption("Choose a row to see why, and what to send to the customer.")


def _show_answer(desk: Desk, answer: Answer, number: int) -> None:
    question = answer.question
    with st.container(border=True, key=f"answer_{number}"):
        draw, icon = _VERDICTS[answer.kind]
        draw(plain(sentence_of(answer, when=time_of_day)), icon=icon)
        if words := reason_words(answer, when=time_of_day):
            st.markdown(f"**{plain(words)}**")
        if answer.read.error is not None:
            st.text(answer.read.error.advice)
        if isinstance(answer.read.error, CallError):
            show_problem(answer.read.error.problem)
        for doubt in question.doubts:
            st.markdown(f"Which {plain(doubt.kind.value)} is {verbatim(doubt.text)}?")
            if not doubt.alike:
                st.markdown(
                    "This name is not in the directory. Enter its number below."
                )
            _offer(answer, doubt.kind, doubt.alike, number)
        if answer.reason is not None:
            _show_step(desk, answer, answer.reason, number)
        _show_fields(desk, question, number)
        if question.not_understood:
            st.markdown(f"Not understood: {listed(question.not_understood)}")
        if question.item is None or question.recipient_id is None:
            st.caption("The service was not asked.")
            return
        st.caption("Text for the customer")
        labels = [plain(one.value) for one in Language]
        tabs = st.tabs(
            labels, default=plain(question.language.value), key=f"language_{number}"
        )
        for tab, language in zip(tabs, Language, strict=True):
            tab.code(customer_words(answer, language), language=None, wrap_lines=True)
        st.caption(plain(_read_words(answer)))
        offer_ticket(partial(ticket_of_answer, desk, answer), key=f"answer_{number}")
        with st.container(horizontal=True):
            of_item = address_of_item(question.item)
            of_pair = of_item | {"recipient": question.recipient_id}
            link_to(HISTORY_PAGE, "What changed, when and by whom", "history", of_pair)
            link_to(ITEM_PAGE, "Open this item", "visibility", of_item)
            of_recipient = {name: of_pair[name] for name in ("supplier", "recipient")}
            link_to(
                COVERAGE_PAGE,
                "See what else this recipient can see",
                "person_search",
                of_recipient,
            )


def _read_words(answer: Answer) -> str:
    read = answer.read
    asked = f"Asked at {full_time(read.at)}"
    if read.listed is None:
        return asked if read.exchanges else "The service was not asked."
    count = many(len(read.listed), "recipient")
    return f"{asked} · {count} listed · The dashboard cannot see whether the recipients received the item."


def _offer(answer: Answer, kind: Kind, choices: Iterable[NameRow], number: int) -> None:
    with st.container(horizontal=True, key=f"choices_{kind.value}_{number}"):
        for position, choice in enumerate(choices):
            label = " · ".join(
                plain(text)
                for text in (choice.name, market_of(choice), choice.id)
                if text
            )
            st.button(
                label,
                key=f"choose_{kind.value}_{number}_{position}",
                icon=":material/arrow_forward:",
                on_click=_change_question,
                args=(number, answer.question.with_choice(kind, choice)),
            )


def _show_step(desk: Desk, answer: Answer, reason: Reason, number: int) -> None:
    item, kind = answer.question.item, reason.kind
    of_item = address_of_item(item) if item else {}
    if reason.near:
        _offer(answer, reason.near_kind, reason.near, number)
    elif answer.kind is AnswerKind.REMOVED_HERE or (
        kind is ReasonKind.UNDER_WAY and not reason.key
    ):
        st.button(
            "Check again",
            key=f"again_{number}",
            icon=":material/refresh:",
            on_click=_forget_answers,
        )
    elif kind is ReasonKind.NOT_READ:
        link_to(CONNECTION_PAGE, "Is it us or them?", "electrical_services", {})
    elif kind is ReasonKind.UNDER_WAY:
        link_to(BULK_PAGE, "Open the job", "arrow_forward", {"job": reason.key})
    elif kind is ReasonKind.ALL_REMOVED:
        link_to(
            HISTORY_PAGE,
            "See what was removed, and why",
            "history",
            of_item | {"entry": reason.key},
        )
    elif kind is not ReasonKind.UNKNOWN_ID and desk.is_locked:
        st.markdown("To give the recipient access, ask an editor.")
    elif kind is not ReasonKind.UNKNOWN_ID:
        to_add = of_item | {"add": answer.question.recipient_id or ""}
        recipient = answer.rows[Kind.RECIPIENT]
        link_to(
            ITEM_PAGE,
            f"Open the item to add {plain(recipient.name or recipient.id)}",
            "playlist_add",
            to_add,
        )
