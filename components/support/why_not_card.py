"""Why can they not see it? The most probable reason and its one step, the others, the words to send."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from components.clock import full_time, time_of_day
from components.session import address_of_environment
from components.support.question_box import change_question
from components.verbatim import plain
from item_visibility.use_cases.check.answer_sentences import CheckAnswer
from item_visibility.use_cases.check.question.parts import Question
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.why_not.customer_words import customer_words
from item_visibility.use_cases.why_not.explain import MOST_READ, ask_instead
from item_visibility.use_cases.why_not.next_step_words import advice_in_words, step_in_words
from item_visibility.use_cases.why_not.reason_words import reason_in_words
from item_visibility.use_cases.why_not.reasons import NextStep, Reason, WhyNot

_PAGES = Path(__file__).resolve().parents[2] / "pages"
_ITEM_PAGE, _BULK_PAGE = _PAGES / "items" / "item.py", _PAGES / "items" / "bulk.py"
_CONNECTION_PAGE = _PAGES / "system" / "connection.py"
_OTHERS = 4
_ICONS = {
    NextStep.ASK_AGAIN: ":material/refresh:",
    NextStep.ASK_INSTEAD: ":material/arrow_forward:",
    NextStep.ADD: ":material/playlist_add:",
}


def explain(desk: Desk, question: Question, answer: CheckAnswer, *, is_alone: bool) -> WhyNot | None:
    """Return the reasons for an answer that is no yes. Of many answers, each reads one other item at most."""
    most_read = MOST_READ if is_alone else 1
    return desk.why_not.explain(question, answer, most_read=most_read)


def show_reasons(desk: Desk, question: Question, why_not: WhyNot, number: int) -> None:
    """Draw the most probable reason with what to do, and the others below it."""
    with st.container(key=f"why_not_{number}"):
        _show_first(desk, question, why_not, number)
        _show_others(desk, question, why_not, number)
        if not why_not.is_looked_up:
            st.caption("What was changed or planned here could not be read.")


def show_customer_words(why_not: WhyNot, answer: CheckAnswer, number: int) -> None:
    """Draw what to tell the customer, to be copied."""
    words = customer_words(why_not, answer, when=full_time)
    with st.container(gap="xsmall", key=f"customer_words_{number}"):
        st.caption("To tell the customer")
        st.code(words, language=None, wrap_lines=True)


def _show_first(desk: Desk, question: Question, why_not: WhyNot, number: int) -> None:
    first = why_not.first
    if not first.is_said_by_answer:
        st.markdown(f"**{plain(reason_in_words(first, why_not, when=time_of_day))}**")
    if advice := advice_in_words(first, is_locked=desk.is_locked):
        st.markdown(plain(advice))
    _show_step(desk, question, why_not, first, f"{number}_first")


def _show_others(desk: Desk, question: Question, why_not: WhyNot, number: int) -> None:
    if not why_not.others:
        return
    st.caption("Other possible reasons")
    for position, reason in enumerate(why_not.others[:_OTHERS]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"other_{number}_{position}"):
            st.markdown(plain(reason_in_words(reason, why_not, when=time_of_day)))
            _show_step(desk, question, why_not, reason, f"{number}_{position}")


def _show_step(desk: Desk, question: Question, why_not: WhyNot, reason: Reason, name: str) -> None:
    """Draw the one step that helps; none where the customer is to be asked."""
    words, item = step_in_words(reason, why_not), why_not.item
    address = {"supplier": item.supplier, "item": item.supplier_item_id}
    match reason.next_step:
        case NextStep.ADD if not desk.is_locked:
            _link(_ITEM_PAGE, words, address | {"add": why_not.recipient_id})
        case NextStep.ASK_INSTEAD:
            number = int(name.partition("_")[0])
            _button(words, reason, name, change_question, number, ask_instead(question, reason))
        case NextStep.ASK_AGAIN:
            _button(words, reason, name)
        case NextStep.OPEN_JOB:
            _link(_BULK_PAGE, words, {"job": reason.key})
        case NextStep.EXAMINE:
            _link(_CONNECTION_PAGE, words, {})


def _button(
    words: str, reason: Reason, name: str, on_click: Callable[..., None] | None = None, *args: object
) -> bool:
    return st.button(
        plain(words),
        key=f"why_not_step_{name}",
        icon=_ICONS[reason.next_step],
        type="primary" if name.endswith("first") else "secondary",
        wrap=True,
        on_click=on_click,
        args=args,
    )


def _link(page: Path, words: str, address: dict[str, str]) -> None:
    st.page_link(
        page,
        label=plain(words),
        icon=":material/arrow_forward:",
        query_params=address | address_of_environment(),
    )
