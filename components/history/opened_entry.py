"""One entry: who, what and why, the outcome for each recipient, and the list before and after."""

import pandas as pd
import streamlit as st

from components.clock import full_time, time_of_day
from components.history.entry_labels import GOALS, KINDS, ending
from components.notices import show_problem
from components.table import show_table
from components.ticket import offer_ticket
from components.verbatim import described, listed, plain, showable, verbatim
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.in_words import by_whom
from item_visibility.saving.outcome import OthersChanges
from item_visibility.saving.request import ChangeKind
from item_visibility.use_cases.desk import Desk

_ROWS = 1_000
"""The number of recipients shown of a list; changed ones come first."""


def show_entry(desk: Desk, entry: HistoryEntry) -> None:
    """Draw the entry."""
    with st.container(border=True, key="history_entry"):
        request = entry.request
        kind = plain(KINDS[request.origin.kind])
        st.header(f"{kind} · {plain(by_whom(request.origin.kind, request.person))}", anchor=False)
        supplier = described(request.item.supplier, desk.names.supplier_name(request.item.supplier))
        item = described(request.item.supplier_item_id, desk.names.item_name(request.item))
        st.markdown(f"{_time(entry)}  \nItem {item} of supplier {supplier} at {verbatim(entry.service)}")
        names = desk.names.recipient_names(_everyone(entry))
        _show_words(entry)
        _show_steps(entry, names)
        _show_others(entry, names)
        st.caption(_exact_times(entry))
        offer_ticket(lambda: desk.tickets.of_save(request.key), key="entry")
        _show_lists(entry, names)


def offer_undo(desk: Desk, entry: HistoryEntry) -> bool:
    """Draw the button that undoes this entry, or redoes it if it is an undo; True when it was pressed.

    Changes made elsewhere cannot be undone here.
    """
    if not entry.is_undoable or desk.is_locked:
        return False
    is_undo = entry.request.origin.kind is ChangeKind.UNDO
    return st.button(
        "Redo this change" if is_undo else "Undo this change",
        key="undo_entry",
        icon=":material/redo:" if is_undo else ":material/undo:",
    )


def _time(entry: HistoryEntry) -> str:
    ended_at = entry.result.ended_at if entry.result else None
    ended = ending(entry.request.origin.kind, entry.verdict, ended_at)
    if entry.seen_before_at is not None:
        return plain(f"Between {time_of_day(entry.seen_before_at)} and {time_of_day(entry.started_at)}")
    if ended_at is None:
        return plain(f"Begun {time_of_day(entry.started_at)} · {ended}")
    return f"{plain(time_of_day(entry.started_at))} · **{plain(ended)}**"


def _exact_times(entry: HistoryEntry) -> str:
    """Return the times to the second."""
    begun = entry.started_at if entry.seen_before_at is None else entry.seen_before_at
    ended = entry.result.ended_at if entry.result else None
    until = f" to {full_time(ended)}" if ended else ""
    return plain(f"{full_time(begun)}{until}")


def _show_words(entry: HistoryEntry) -> None:
    if entry.request.reason:
        st.text(f"Why: {showable(entry.request.reason)}")
    if entry.was_settled_later:
        st.caption("The program stopped during this save. How it ended was read later.")
    for words in filter(None, (entry.result.message, entry.result.advice) if entry.result else ()):
        st.text(showable(words))


def _show_steps(entry: HistoryEntry, names: dict[str, str]) -> None:
    rows = [
        (
            names.get(result.step.recipient_id, ""),
            result.step.recipient_id,
            GOALS[result.step.goal],
            result.outcome.capitalize(),
            str(result.attempts),
            result.message,
        )
        for result in entry.steps
    ]
    show_table(
        rows,
        ["Name", "Recipient", "Change", "Outcome", "Calls", "Why"],
        key="history_steps",
        alt="What was asked for each recipient, and how it ended",
        optional=("Name", "Why"),
    )
    show_problem(next((result.problem for result in entry.steps if result.problem is not None), None))


def _show_others(entry: HistoryEntry, names: dict[str, str]) -> None:
    others = entry.result.others if entry.result else OthersChanges()
    if others.added:
        st.markdown(f"Added meanwhile: {listed(others.added, names)}")
    if others.removed:
        st.markdown(f"Removed meanwhile: {listed(others.removed, names)}")


def _show_lists(entry: HistoryEntry, names: dict[str, str]) -> None:
    before, after = entry.request.base or frozenset(), _after(entry) or frozenset()
    everyone = sorted(_everyone(entry), key=lambda one: ((one in before) is (one in after), one))
    with st.expander("The list before and after", icon=":material/difference:", key="history_difference"):
        st.caption(plain(f"{_count(entry.request.base)} before, {_count(_after(entry))} after"))
        rows = [
            (showable(names.get(one, "")), showable(one), one in before, one in after)
            for one in everyone[:_ROWS]
        ]
        st.dataframe(
            pd.DataFrame(rows, columns=["Name", "Recipient", "Before", "After"]),
            key="history_lists",
            hide_index=True,
            alt="Who could see the item before and after, what changed first",
        )
        if len(everyone) > _ROWS:
            st.caption(plain(f"and {len(everyone) - _ROWS:,} more"))


def _everyone(entry: HistoryEntry) -> frozenset[str]:
    asked = frozenset(result.step.recipient_id for result in entry.steps)
    return asked | (entry.request.base or frozenset()) | (_after(entry) or frozenset())


def _after(entry: HistoryEntry) -> frozenset[str] | None:
    return entry.result.after if entry.result else None


def _count(recipients: frozenset[str] | None) -> str:
    return "not known" if recipients is None else f"{len(recipients):,}"
