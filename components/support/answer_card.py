"""One answer as a card, with why not, the next step and words for the customer; several as a table."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from components.clock import full_time, time_of_day
from components.links import (
    BULK_PAGE,
    CONNECTION_PAGE,
    COVERAGE_PAGE,
    HISTORY_PAGE,
    ITEM_PAGE,
    address_of_item,
)
from components.notices import show_problem
from components.session import address_of_environment
from components.support.question_box import change_question, check_again, show_fields
from components.table import show_table
from components.ticket import offer_ticket
from components.verbatim import listed, plain, verbatim
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import CallError
from item_visibility.saving.in_words import many
from item_visibility.use_cases.check.answer import Answer, AnswerKind, Reason, ReasonKind
from item_visibility.use_cases.check.answer_words import (
    COLUMNS,
    answers_as_xlsx,
    customer_words,
    reason_words,
    sentence_of,
    table_row,
)
from item_visibility.use_cases.check.question import Doubt
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import Choice
from item_visibility.use_cases.ticket import ticket_of_answer


def show_answers(desk: Desk, answers: Sequence[Answer]) -> None:
    """Draw one answer as a card; several as a table to copy and download, and the card of the chosen row."""
    if len(answers) == 1:
        _show_answer(desk, answers[0], 0)
        st.caption("Link to this question")
        address = urlencode(address_of_environment() | answers[0].question.address)
        st.code(f"{(st.context.url or '').partition('?')[0]}?{address}", language=None, wrap_lines=True)
    if len(answers) < 2:  # noqa: PLR2004  (one is a card)
        return
    rows = [table_row(one) for one in answers]
    picked = show_table(
        rows,
        COLUMNS,
        key="answers",
        alt="Answers, one row for each question",
        config={"Answer": st.column_config.TextColumn(pinned=True)},  # in view on a phone
        choose="single-row",
        about=[one.question for one in answers],
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Copy", key="copy_answers", icon=":material/content_copy:"):
            st.code("\n".join("\t".join(row) for row in (COLUMNS, *rows)), language=None)
        st.download_button(
            "Download XLSX",
            lambda: answers_as_xlsx(answers),
            file_name="answers.xlsx",
            key="download_answers",
            icon=":material/download:",
            on_click="ignore",
        )
    if picked:
        _show_answer(desk, answers[picked[0]], picked[0])
    else:
        st.caption("Choose a row to see why, and what to send to the customer.")


def _show_answer(desk: Desk, answer: Answer, number: int) -> None:
    question = answer.question
    with st.container(border=True, key=f"answer_{number}"):
        _show_verdict(answer)
        if words := reason_words(answer, when=time_of_day):
            st.markdown(f"**{plain(words)}**")
        if answer.error is not None:
            st.text(answer.error.advice)
        if isinstance(answer.error, CallError):
            show_problem(answer.error.problem)
        for doubt in question.doubts:
            _ask_about(answer, doubt, number)
        if answer.reason is not None:
            _show_step(desk, answer, answer.reason, number)
        show_fields(desk, question, number)
        if question.not_understood:
            st.markdown(f"Not understood: {listed(question.not_understood)}")
        if question.item is None or question.recipient_id is None:
            st.caption("The service was not asked.")
            return
        _show_customer_words(answer, number)
        st.caption(plain(_read_words(answer)))
        offer_ticket(lambda: ticket_of_answer(desk, answer), key=f"answer_{number}")
        _show_links(question.item, question.recipient_id)


def _show_verdict(answer: Answer) -> None:
    words = plain(sentence_of(answer, when=time_of_day))
    match answer.kind:
        case AnswerKind.YES:
            st.success(words, icon=":material/check_circle:")
        case AnswerKind.NO:
            st.error(words, icon=":material/cancel:")
        case AnswerKind.PENDING:
            st.warning(words, icon=":material/pending:")
        case AnswerKind.NOT_KNOWN:
            st.warning(words, icon=":material/help:")


def _ask_about(answer: Answer, doubt: Doubt, number: int) -> None:
    """Offer the known ids for a part in doubt: one click chooses."""
    st.markdown(f"Which {plain(doubt.kind.value)} is {verbatim(doubt.text)}?")
    if not doubt.choices:
        st.markdown("It is not in the directory. Enter its number below.")
    _offer(answer, doubt.kind, doubt.choices, number)


def _offer(answer: Answer, kind: Kind, choices: Iterable[Choice], number: int) -> None:
    with st.container(horizontal=True, key=f"choices_{kind.value}_{number}"):
        for position, choice in enumerate(choices):
            label = " · ".join(plain(text) for text in (choice.name, choice.market, choice.id) if text)
            st.button(
                label,
                key=f"choose_{kind.value}_{number}_{position}",
                icon=":material/arrow_forward:",
                on_click=change_question,
                args=(number, answer.question.with_choice(kind, choice)),
            )


def _show_step(desk: Desk, answer: Answer, reason: Reason, number: int) -> None:
    """Draw the one thing to do next."""
    question, kind = answer.question, reason.kind
    add = (ReasonKind.ADD_FAILED, ReasonKind.REMOVED, ReasonKind.REMOVED_ELSEWHERE, ReasonKind.NEVER_ADDED)
    if reason.items or reason.recipients:
        items = [
            desk.names.chosen(Kind.ITEM, one.supplier_item_id, supplier=one.supplier) for one in reason.items
        ]
        _offer(answer, Kind.ITEM, items, number)
        recipients = [desk.names.chosen(Kind.RECIPIENT, one) for one in reason.recipients]
        _offer(answer, Kind.RECIPIENT, recipients, number)
    elif answer.kind is AnswerKind.PENDING or (kind is ReasonKind.UNDER_WAY and not reason.job):
        st.button("Check again", key=f"again_{number}", icon=":material/refresh:", on_click=check_again)
    elif kind is ReasonKind.NOT_READ:
        _link(CONNECTION_PAGE, "Is it us or them?", "electrical_services", {})
    elif kind is ReasonKind.UNDER_WAY:
        _link(BULK_PAGE, "Open the job", "arrow_forward", {"job": reason.key})
    elif question.item is not None and kind is ReasonKind.ALL_REMOVED:
        address = address_of_item(question.item) | {"entry": reason.key}
        _link(HISTORY_PAGE, "See what was removed, and why", "history", address)
    elif question.item is not None and kind in add and desk.is_locked:
        st.markdown("To give it access, ask an editor.")
    elif question.item is not None and kind in add and question.recipient_id:
        address = address_of_item(question.item) | {"add": question.recipient_id}
        _link(ITEM_PAGE, f"Open the item to add {plain(answer.recipient)}", "playlist_add", address)


def _show_customer_words(answer: Answer, number: int) -> None:
    st.caption("To send to the customer")
    labels = [plain(one.value) for one in Language]
    tabs = st.tabs(labels, default=plain(answer.question.language.value), key=f"language_{number}")
    for tab, language in zip(tabs, Language, strict=True):
        tab.code(customer_words(answer, language), language=None, wrap_lines=True)


def _read_words(answer: Answer) -> str:
    """Return when the service was asked, how many it listed, and what it cannot know."""
    if answer.listed is None:
        return (
            f"Asked at {full_time(answer.answered_at)}" if answer.exchanges else "The service was not asked."
        )
    count = many(len(answer.listed), "recipient")
    return (
        f"Asked at {full_time(answer.answered_at)} · {count} listed · We cannot see whether they received it."
    )


def _show_links(item: ItemKey, recipient_id: str) -> None:
    with st.container(horizontal=True):
        of_pair = address_of_item(item) | {"recipient": recipient_id}
        _link(HISTORY_PAGE, "What changed, when and by whom", "history", of_pair)
        _link(ITEM_PAGE, "Open this item", "visibility", address_of_item(item))
        of_recipient = {"supplier": item.supplier, "recipient": recipient_id} | address_of_environment()
        _link(COVERAGE_PAGE, "See what else this recipient can see", "person_search", of_recipient)


def _link(page: Path, words: str, icon: str, address: dict[str, str]) -> None:
    st.page_link(
        page,
        label=words,
        icon=f":material/{icon}:",
        query_params=address | address_of_environment(),
    )
