"""The answer to a support question: yes, no or not known, with its time and a link."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from components.clock import full_time
from components.notices import show_problem
from components.verbatim import described, plain
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.check import CheckAnswer, CheckKind
from item_visibility.desk import Desk
from item_visibility.errors import CallError
from item_visibility.question import Question

_ITEM_PAGE = Path(__file__).resolve().parent.parent / "pages" / "items" / "item.py"


def show_answer(desk: Desk, question: Question) -> None:
    """Read the item now, and draw the answer as a card."""
    answer = desk.check(question)
    with st.container(border=True, key="answer"):
        _show_verdict(answer)
        for words in filter(None, (answer.message, answer.advice)):
            st.text(words)
        if isinstance(answer.error, CallError):
            show_problem(answer.error.problem)
        _show_question(desk, question)
        st.caption(plain(f"Asked at {full_time(answer.answered_at)}"))
        if answer.item is not None:
            _link_to(answer.item)
            _show_link(question)
    st.caption(
        '"Can see" is what the service records. Whether the recipient subscribed to the item, '
        "and whether the data was delivered, this service cannot know."
    )


def _show_verdict(answer: CheckAnswer) -> None:
    match answer.kind:
        case CheckKind.YES:
            st.success(plain(answer.sentence), icon=":material/check_circle:")
        case CheckKind.NO:
            st.error(plain(answer.sentence), icon=":material/cancel:")
        case CheckKind.NOT_KNOWN:
            st.warning(plain(answer.sentence), icon=":material/help:")


def _show_question(desk: Desk, question: Question) -> None:
    supplier, item_id, recipient_id = question.supplier, question.supplier_item_id, question.recipient_id
    if recipient_id is not None:
        name = desk.recipient_names([recipient_id]).get(recipient_id, "")
        st.markdown(f"Recipient {described(recipient_id, name)}")
    if item_id is not None:
        name = "" if supplier is None else desk.item_name(ItemKey(supplier, item_id))
        st.markdown(f"Item {described(item_id, name)}")
    if supplier is not None:
        st.markdown(f"Supplier {described(supplier, desk.supplier_name(supplier))}")


def _link_to(item: ItemKey) -> None:
    st.page_link(
        _ITEM_PAGE,
        label="Open this item",
        icon=":material/visibility:",
        query_params={"supplier": item.supplier, "item": item.supplier_item_id},
    )


def _show_link(question: Question) -> None:
    """The address of this answer: whoever opens it asks the same question again, at that time."""
    parts = address_of_environment() | {
        "supplier": question.supplier or "",
        "item": question.supplier_item_id or "",
        "recipient": question.recipient_id or "",
    }
    address = (st.context.url or "").partition("?")[0]
    st.caption("Link to this question")
    st.code(f"{address}?{urlencode(parts)}", language=None, wrap_lines=True)
