"""The filter of the history. It is in the address, so that a link shows the same."""

from datetime import date, datetime, timedelta

import streamlit as st

from components.clock import local_zone, start_of_day
from components.finder.one_choice import choose_one, put_one
from components.history.entry import KINDS, OPEN, VERDICTS
from components.verbatim import plain
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_FIELDS = ("person", "outcome", "kind", "since", "until")
"""Keys of fields that Streamlit binds to the query parameters of these names."""
_FOUND = {f"history_{kind.value}": kind for kind in Kind}
_PLACE = ("page", "entry")
_OUTCOMES: dict[str, Verdict | None] = {words: verdict for verdict, words in VERDICTS.items()} | {OPEN: None}
_KINDS: dict[str, ChangeKind] = {words: kind for kind, words in KINDS.items()}
_WEEK = timedelta(days=6)


def filter_history(desk: Desk) -> HistoryFilter:
    """Draw the filter and return it."""
    with st.container(key="history_filter"):
        columns = st.columns(4)
        with columns[0]:
            person = st.text_input(
                "By", key="person", bind="query-params", placeholder="Anybody", on_change=_leave_place
            )
        found: list[str] = []
        for column, (key, kind) in zip(columns[1:], _FOUND.items(), strict=True):
            with column:
                found.append(_choose(desk, key, kind, supplier=found[0] if kind is Kind.ITEM else None))
        with st.container(horizontal=True, key="history_shortcuts"):
            st.button("Last 7 days", key="history_week", icon=":material/date_range:", on_click=_set_week)
            st.button("Mine", key="history_mine", icon=":material/person:", on_click=_set_mine, args=(desk,))
            count = sum(bool(st.query_params.get(name)) for name in _FIELDS[1:])
            label = plain(f"More filters ({count})") if count else "More filters"
            with st.popover(label, icon=":material/filter_alt:", key="history_more"):
                outcome, kind_words, since, until = _more_fields()
    supplier, item, recipient = found
    return HistoryFilter(
        person=person or None,
        supplier=supplier or None,
        supplier_item_id=item or None,
        recipient_id=recipient or None,
        verdict=_OUTCOMES.get(outcome or ""),
        is_open=outcome == OPEN,
        kind=_KINDS.get(kind_words or ""),
        since=None if since is None else start_of_day(since),
        until=None if until is None or until == date.max else start_of_day(until + timedelta(days=1)),
    )


def _more_fields() -> tuple[str | None, str | None, date | None, date | None]:
    outcome, kind = (
        st.selectbox(
            label,
            tuple(words),
            index=None,
            key=key,
            bind="query-params",
            placeholder="Any",
            on_change=_leave_place,
        )
        for label, key, words in (("Outcome", "outcome", _OUTCOMES), ("Kind of change", "kind", _KINDS))
    )
    since, until = (
        st.date_input(label, value=None, key=key, bind="query-params", on_change=_leave_place)
        for label, key in (("From day", "since"), ("To day", "until"))
    )
    return outcome, kind, since, until


def clear_filter() -> None:
    """Remove every filter."""
    for key in _FIELDS:
        st.session_state[key] = "" if key == "person" else None
    for key, kind in _FOUND.items():
        put_one(key, "", query=kind.value)
    _leave_place()


def _choose(desk: Desk, key: str, kind: Kind, *, supplier: str | None) -> str:
    is_off = supplier == "" and not st.query_params.get(kind.value)
    return choose_one(
        desk.names,
        kind,
        label=plain(kind.value.capitalize()),
        key=key,
        query=kind.value,
        placeholder="Any item; needs the supplier" if supplier == "" else plain(f"Any {kind.value}"),
        about=repr((desk.environment.name, supplier)),
        supplier=supplier,
        is_off=is_off,
        on_choice=_leave_place,
    )


def _set_week() -> None:
    st.session_state["since"], st.session_state["until"] = datetime.now(local_zone()).date() - _WEEK, None
    _leave_place()


def _set_mine(desk: Desk) -> None:
    st.session_state["person"] = desk.access.person().name
    _leave_place()


def _leave_place() -> None:
    """Return to the newest entries: the place in the list belongs to another filter."""
    for name in _PLACE:
        if name in st.query_params:
            del st.query_params[name]
