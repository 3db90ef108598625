"""One entry of the history: who, what and why, and the outcome for each recipient."""

from datetime import datetime

import streamlit as st

from components.clock import full_time, time_of_day
from components.item.result import show_steps
from components.notices import show_problem
from components.ticket import offer_ticket
from components.verbatim import described, listed, plain, showable, verbatim
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.in_words import by_whom
from item_visibility.saving.outcome import OthersChanges, Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import ticket_of_save

KINDS = {
    ChangeKind.EDIT: "Change",
    ChangeKind.UNDO: "Undo",
    ChangeKind.OBSERVED: "Made elsewhere",
    ChangeKind.BULK: "Bulk job",
}
VERDICTS = {
    Verdict.VERIFIED: "Verified",
    Verdict.NOT_CONFIRMED: "Not confirmed",
    Verdict.DIFFERS: "Not everything",
    Verdict.NOTHING_SENT: "Nothing changed",
}
OPEN = "Not known yet"


def outcome_words(kind: ChangeKind, verdict: Verdict | None, ended_at: datetime | None) -> str:
    """Return the outcome in a word or two."""
    if kind is ChangeKind.OBSERVED:
        return "Seen by a read"
    return OPEN if verdict is None or ended_at is None else VERDICTS[verdict]


def show_entry(desk: Desk, entry: HistoryEntry) -> bool:
    """Draw the entry. Return True when its Undo was pressed."""
    request = entry.request
    with st.container(border=True, key="history_entry"):
        kind = plain(KINDS[request.kind])
        st.header(f"{kind} · {plain(by_whom(request.kind, request.person))}", anchor=False)
        supplier = described(request.item.supplier, desk.names.supplier_name(request.item.supplier))
        item = described(request.item.supplier_item_id, desk.names.item_name(request.item))
        st.markdown(f"{_time(entry)}  \nItem {item} of supplier {supplier} at {verbatim(entry.service)}")
        _show_words(entry)
        show_steps(desk, entry.steps, key="history_steps")
        show_problem(next((one.problem for one in entry.steps if one.problem is not None), None))
        _show_others(desk, entry)
        with st.container(horizontal=True, key="entry_buttons"):
            is_undo_pressed = _offer_undo(desk, entry)
            offer_ticket(lambda: ticket_of_save(desk, request.key), key="entry")
    return is_undo_pressed


def _offer_undo(desk: Desk, entry: HistoryEntry) -> bool:
    """Draw the button that undoes this entry, or redoes it if it is an undo.

    Changes made elsewhere cannot be undone here.
    """
    if not entry.is_undoable or desk.is_locked:
        return False
    is_undo = entry.request.kind is ChangeKind.UNDO
    return st.button(
        "Redo this change" if is_undo else "Undo this change",
        key="undo_entry",
        icon=":material/redo:" if is_undo else ":material/undo:",
    )


def _time(entry: HistoryEntry) -> str:
    begun, ended = entry.started_at, entry.result.ended_at if entry.result else None
    if entry.seen_before_at is not None:
        return plain(f"Between {time_of_day(entry.seen_before_at)} and {time_of_day(begun)}")
    words = plain(outcome_words(entry.request.kind, entry.verdict, ended))
    if ended is None:
        return f"{plain(f'Begun {time_of_day(begun)}')} · {words}"
    return f"{plain(time_of_day(begun))} · **{words}**"


def _show_words(entry: HistoryEntry) -> None:
    begun = entry.started_at if entry.seen_before_at is None else entry.seen_before_at
    until = f" to {full_time(entry.result.ended_at)}" if entry.result else ""
    after = entry.result.after if entry.result else None
    lists = f"recipients: {_count(entry.request.base)} before, {_count(after)} after"
    st.caption(plain(f"{full_time(begun)}{until} · {lists}"))
    if entry.request.reason:
        st.text(f"Why: {showable(entry.request.reason)}")
    if entry.was_settled_later:
        st.caption("The program stopped during this save. Its outcome was read later.")
    for words in filter(None, (entry.result.message, entry.result.advice) if entry.result else ()):
        st.text(showable(words))


def _show_others(desk: Desk, entry: HistoryEntry) -> None:
    others = entry.result.others if entry.result else OthersChanges()
    names = desk.names.recipient_names(others.added | others.removed)
    for verb, recipients in (("Added", others.added), ("Removed", others.removed)):
        if recipients:
            st.markdown(f"{verb} meanwhile: {listed(recipients, names)}")


def _count(recipients: frozenset[str] | None) -> str:
    return "not known" if recipients is None else f"{len(recipients):,}"
