"""The answers to support questions: yes, no or not known, each with its time and a link."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from components.clock import full_time, time_of_day
from components.notices import show_problem
from components.session import address_of_environment
from components.support.question_box import change_question
from components.support.question_reading import ask_what_is_meant, show_reading
from components.support.why_not_card import explain, show_customer_words, show_reasons
from components.ticket import offer_ticket
from components.verbatim import listed, plain, verbatim
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import CallError
from item_visibility.lists.numbers import market_hint
from item_visibility.saving.in_words import many
from item_visibility.use_cases.check.answer_sentences import CheckAnswer, CheckKind
from item_visibility.use_cases.check.question.parts import IN_ORDER, Question, QuestionRole, choose
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import Choice
from item_visibility.use_cases.why_not.change_words import change_in_words
from item_visibility.use_cases.why_not.customer_words import CANNOT_KNOW

MOST_ANSWERS = 20
_PAGES = Path(__file__).resolve().parents[2] / "pages"
_ITEM_PAGE, _HISTORY_PAGE = _PAGES / "items" / "item.py", _PAGES / "support" / "history.py"
_COVERAGE_PAGE = _PAGES / "support" / "coverage.py"


def show_answers(desk: Desk, questions: Sequence[Question]) -> None:
    """Read each item now and draw each answer as a card. Say how many rows were too many to answer."""
    if not questions:
        return
    for number, question in enumerate(questions[:MOST_ANSWERS]):
        _show_answer(desk, question, number, is_alone=len(questions) == 1)
    if len(questions) > MOST_ANSWERS:
        left = plain(f"{len(questions) - MOST_ANSWERS} more rows")
        st.warning(f"Not answered: {left}. Ask about them separately.", icon=":material/playlist_remove:")
    st.caption(plain(CANNOT_KNOW))


def _show_answer(desk: Desk, question: Question, number: int, *, is_alone: bool) -> None:
    answer = desk.check(question)
    with st.container(border=True, key=f"answer_{number}" if number else "answer"):
        _show_verdict(answer)
        why_not = explain(desk, question, answer, is_alone=is_alone)
        if why_not is not None:
            show_reasons(desk, question, why_not, number)
        for words in filter(None, (answer.message, answer.advice)):
            st.text(words)
        if isinstance(answer.error, CallError):
            show_problem(answer.error.problem)
        ask_what_is_meant(question, number)
        _show_candidates(answer, question, number)
        if why_not is not None:
            show_customer_words(why_not, answer, number)
        show_reading(desk, question, number)
        if question.left_over:
            st.markdown(f"Not used for this answer: {listed(question.left_over)}")
        st.caption(plain(_asked(answer)))
        if answer.item is not None:
            offer_ticket(lambda: desk.tickets.of_answer(answer, why_not), key=f"answer_{number}")
        if answer.item is not None and not answer.is_without_market:
            _show_changes(desk, answer.item, answer.recipient_id)
            _link_to(answer.item)
            _link_to_recipient(answer.item, answer.recipient_id)
        if answer.item is not None and is_alone:
            _show_link(question)


def _show_candidates(answer: CheckAnswer, question: Question, number: int) -> None:
    """Say for each known item of the same number whether the recipient can see it, those it can see first.

    One click asks about that item alone.
    """
    is_about_market = answer.is_without_market or answer.names_other_market
    if answer.item is None or not answer.instead or not is_about_market:
        return
    first = sorted(answer.instead, key=lambda one: one.kind is not CheckKind.YES)
    items = [(one.kind, one.item) for one in first if one.item is not None]
    said = ", ".join(_in_market(kind, item) for kind, item in items)
    if answer.is_without_market:
        st.markdown(f"No entry for {verbatim(answer.item.supplier_item_id)} without a market: {said}.")
    else:
        st.markdown(f"Known here with this number: {said}.")
    with st.container(horizontal=True, key=f"candidates_{number}"):
        for position, (_, item) in enumerate(items):
            st.button(
                _market(item),
                key=f"candidate_{number}_{position}",
                icon=":material/arrow_forward:",
                on_click=change_question,
                args=(
                    number,
                    choose(question, QuestionRole.ITEM, Choice((item.supplier, item.supplier_item_id))),
                ),
            )


def _in_market(kind: CheckKind, item: ItemKey) -> str:
    match kind:
        case CheckKind.YES:
            return f"**yes for {_market(item)}**"
        case CheckKind.NO:
            return f"no for {_market(item)}"
        case CheckKind.NOT_KNOWN:
            return f"not known for {_market(item)}"


def _market(item: ItemKey) -> str:
    """Return the market of an item with its number, or the whole id if it names none."""
    item_id = item.supplier_item_id
    market, colon, end = market_hint(item_id), *item_id.rpartition(":")[1:]
    return f"{plain(market)} ({verbatim(colon + end)})" if market and colon else verbatim(item_id)


def _show_verdict(answer: CheckAnswer) -> None:
    match answer.kind:
        case CheckKind.YES:
            st.success(plain(answer.sentence), icon=":material/check_circle:")
        case CheckKind.NO:
            st.error(plain(answer.sentence), icon=":material/cancel:")
        case CheckKind.NOT_KNOWN:
            st.warning(plain(answer.sentence), icon=":material/help:")


def _asked(answer: CheckAnswer) -> str:
    """Return when the service was asked, and how many it listed."""
    if not answer.is_asked:
        return "The service was not asked."
    listed_ = "" if answer.listed is None else f" · {many(len(answer.listed), 'recipient')} listed"
    return f"Asked at {full_time(answer.answered_at)}{listed_}"


def _show_changes(desk: Desk, item: ItemKey, recipient_id: str | None) -> None:
    """Say the last change of this recipient on this item, and lead to all of them."""
    change = None if recipient_id is None else desk.why_not.last_change(item, recipient_id)
    if recipient_id is None or change is None:
        return
    st.caption(plain(f"Last change: {change_in_words(change, when=time_of_day)}"))
    st.page_link(
        _HISTORY_PAGE,
        label="What changed, when and by whom",
        icon=":material/history:",
        query_params={"supplier": item.supplier, "item": item.supplier_item_id, "recipient": recipient_id}
        | address_of_environment(),
    )


def _link_to(item: ItemKey) -> None:
    st.page_link(
        _ITEM_PAGE,
        label="Open this item",
        icon=":material/visibility:",
        query_params={"supplier": item.supplier, "item": item.supplier_item_id} | address_of_environment(),
    )


def _link_to_recipient(item: ItemKey, recipient_id: str | None) -> None:
    if recipient_id is not None:
        st.page_link(
            _COVERAGE_PAGE,
            label="See what else this recipient can see",
            icon=":material/person_search:",
            query_params={"recipient": recipient_id, "supplier": item.supplier} | address_of_environment(),
        )


def _show_link(question: Question) -> None:
    """Show the address of this answer: whoever opens it asks the same question again, at that time."""
    parts = address_of_environment() | _parts(question)
    address = (st.context.url or "").partition("?")[0]
    st.caption("Link to this question")
    st.code(f"{address}?{urlencode(parts)}", language=None, wrap_lines=True)


def _parts(question: Question) -> dict[str, str]:
    """Return the parts of the address that ask the question again."""
    return {role.value: part for role in IN_ORDER if (part := question.part(role))}
