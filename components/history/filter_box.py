"""The filter of the history. It is in the address, so that a link shows the same."""

from collections.abc import Mapping
from datetime import date, timedelta

import streamlit as st

from components.address import unread_visit
from components.clock import start_of_day
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.history.entry_labels import KINDS, OPEN, VERDICTS
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_FOUND = tuple(kind.value for kind in Kind)
_CHOICES = ("outcome", "kind")
_DAYS = ("since", "until")
_NAMES = ("person", *_FOUND, *_CHOICES, *_DAYS)
_CURSOR = ("older", "newer", "entry")
_OUTCOME_WORDS = {verdict.value: words for verdict, words in VERDICTS.items()} | {"open": OPEN}
_KIND_WORDS = {kind.value: words for kind, words in KINDS.items()}
_WORDS = {"outcome": _OUTCOME_WORDS, "kind": _KIND_WORDS}


def filter_history(desk: Desk) -> HistoryFilter:
    """Draw the filter and return it."""
    _read_address()
    if _in_address() != _values():
        _write_address()
    with st.container(key="history_filter"):
        _draw_who_and_what(desk)
        _draw_choices()
    return _filter()


def _draw_who_and_what(desk: Desk) -> None:
    about = desk.environment.name
    columns = st.columns(4)
    with columns[0]:
        st.text_input("By", key="history_person", on_change=_write_address, placeholder="Anybody")
    chosen = _values()["supplier"]
    for column, kind, supplier in zip(columns[1:], Kind, (None, chosen, None), strict=True):
        with column:
            choose_one(
                desk.finder,
                kind,
                label=kind.value.capitalize(),
                key=f"history_{kind.value}",
                placeholder="Any item; needs the supplier" if supplier == "" else f"Any {kind.value}",
                about=repr((about, supplier)),
                supplier=supplier,
                is_off=supplier == "" and not chosen_one(f"history_{kind.value}"),
                on_choice=_write_address,
            )


def _draw_choices() -> None:
    outcome, kind, since, until = st.columns(4)
    for column, label, name, words in (
        (outcome, "Outcome", "outcome", _OUTCOME_WORDS),
        (kind, "Kind of change", "kind", _KIND_WORDS),
    ):
        column.selectbox(
            label,
            tuple(words.values()),
            index=None,
            key=f"history_{name}",
            on_change=_write_address,
            placeholder=f"Any {name}",
        )
    since.date_input("From day", value=None, key="history_since", on_change=_write_address)
    until.date_input("To day", value=None, key="history_until", on_change=_write_address)


def show_all_changes() -> None:
    """Take every filter away."""
    _fill({})
    _write_address()


def _filter() -> HistoryFilter:
    values = _values()
    outcome, kind = values["outcome"], values["kind"]
    since, until = _day(values["since"]), _day(values["until"])
    is_verdict = outcome in set(Verdict)
    return HistoryFilter(
        person=values["person"] or None,
        supplier=values["supplier"] or None,
        supplier_item_id=values["item"] or None,
        recipient_id=values["recipient"] or None,
        verdict=Verdict(outcome) if is_verdict else None,
        is_open=outcome == "open",
        kind=ChangeKind(kind) if kind in set(ChangeKind) else None,
        since=None if since is None else start_of_day(since),
        until=None if until is None or until == date.max else start_of_day(until + timedelta(days=1)),
    )


def _read_address() -> None:
    """Fill in the filter from the address of an opened page, or of Back and Forward."""
    visit = unread_visit("history")
    if visit is not None:
        _fill({name: visit.first(name) for name in _NAMES})


def _fill(values: Mapping[str, str]) -> None:
    st.session_state["history_person"] = values.get("person", "")
    for name in _FOUND:
        put_one(f"history_{name}", values.get(name, ""))
    for name in _CHOICES:
        st.session_state[f"history_{name}"] = _WORDS[name].get(values.get(name, ""))
    for name in _DAYS:
        st.session_state[f"history_{name}"] = _day(values.get(name, ""))


def _values() -> dict[str, str]:
    """Return what the filter holds, as it is written in the address."""
    state = st.session_state
    values = {"person": state["history_person"]}
    values |= {name: chosen_one(f"history_{name}") for name in _FOUND}
    for name in _CHOICES:
        codes = {words: code for code, words in _WORDS[name].items()}
        values[name] = codes.get(state[f"history_{name}"], "")
    for name in _DAYS:
        day = state[f"history_{name}"]
        values[name] = day.isoformat() if day else ""
    return values


def _write_address() -> None:
    """Put the filter into the address. A page of another filter begins at its newest entry."""
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {*_NAMES, *_CURSOR}}
    st.query_params.from_dict(others | {name: value for name, value in _values().items() if value})


def _in_address() -> dict[str, str]:
    return {name: st.query_params.get(name, "") for name in _NAMES}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
