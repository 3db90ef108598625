"""The filter of the history. It is in the address, so that a link shows the same."""

from datetime import date, datetime, timedelta

import streamlit as st

from components.clock import local_zone, start_of_day
from components.finder.one_choice import choose_one
from components.history.entry import KINDS, OPEN, VERDICTS
from components.verbatim import plain
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_OUTCOMES: dict[str, Verdict | None] = {words: verdict for verdict, words in VERDICTS.items()} | {OPEN: None}
_KINDS: dict[str, ChangeKind] = {words: kind for kind, words in KINDS.items()}
_WEEK = timedelta(days=6)
"""Today and the six days before it."""


def filter_history(desk: Desk) -> HistoryFilter:
    """Draw the filter and return it. Streamlit binds the fields to query parameters named as their keys."""
    with st.container(key="history_filter"):
        columns = st.columns(4)
        with columns[0]:
            person = st.text_input("By", key="person", bind="query-params", placeholder="Anybody")
        with columns[1]:
            supplier = _choose(desk, Kind.SUPPLIER)
        with columns[2]:
            item = _choose(desk, Kind.ITEM, supplier=supplier)
        with columns[3]:
            recipient = _choose(desk, Kind.RECIPIENT)
        with st.container(horizontal=True):
            st.button("Last 7 days", key="history_week", icon=":material/date_range:", on_click=_set_week)
            st.button("Mine", key="history_mine", icon=":material/person:", on_click=_set_mine, args=(desk,))
            with st.popover("More filters", icon=":material/filter_alt:", key="history_more"):
                outcome = _select("Outcome", "outcome", _OUTCOMES)
                kind = _select("Kind of change", "kind", _KINDS)
                since = st.date_input("From day", value=None, key="since", bind="query-params")
                until = st.date_input("To day", value=None, key="until", bind="query-params")
    return HistoryFilter(
        person=person or None,
        supplier=supplier or None,
        supplier_item_id=item or None,
        recipient_id=recipient or None,
        verdict=_OUTCOMES.get(outcome),
        is_open=outcome == OPEN,
        kind=_KINDS.get(kind),
        since=None if since is None else start_of_day(since),
        until=None if until is None or until == date.max else start_of_day(until + timedelta(days=1)),
    )


def _set_week() -> None:
    st.session_state["since"], st.session_state["until"] = datetime.now(local_zone()).date() - _WEEK, None


def _set_mine(desk: Desk) -> None:
    st.session_state["person"] = desk.access.person().name


def _choose(desk: Desk, kind: Kind, *, supplier: str | None = None) -> str:
    needs_supplier = supplier == ""
    return choose_one(
        desk.names,
        kind,
        label=plain(kind.value.capitalize()),
        key=f"history_{kind.value}",
        query=kind.value,
        placeholder="Any item; needs the supplier" if needs_supplier else plain(f"Any {kind.value}"),
        about=repr((desk.environment.name, supplier)),
        supplier=supplier,
        is_off=needs_supplier and not st.query_params.get(kind.value),
    )


def _select(label: str, key: str, options: dict[str, Verdict | None] | dict[str, ChangeKind]) -> str:
    return (
        st.selectbox(
            plain(label), tuple(options), index=None, key=key, bind="query-params", placeholder="Any"
        )
        or ""
    )
