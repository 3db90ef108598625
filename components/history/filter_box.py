"""The filter of the history. It is in the address, so that a link shows the same."""

from datetime import date, timedelta

import streamlit as st

from components.clock import start_of_day
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.followed_address import is_from_person, note_address
from components.history.entry_labels import KINDS, OPEN, VERDICTS
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_WHO = "history"
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
    _follow_address()
    with st.container(key="history_filter"):
        _draw_who_and_what(desk)
        _draw_choices()
    return _filter()


def _draw_who_and_what(desk: Desk) -> None:
    about = desk.environment.name
    columns = st.columns(4)
    with columns[0]:
        st.text_input("By", key="history_person", on_change=_write_address, placeholder="Anybody")
    chosen = _address()["supplier"]
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
    address = st.query_params.to_dict()
    st.query_params.from_dict(
        {name: value for name, value in address.items() if name not in {*_NAMES, *_CURSOR}}
    )


def _filter() -> HistoryFilter:
    values = _address()
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


def _follow_address() -> None:
    """Read the filter from a new address: an opened link, or Back and Forward."""
    values = _address()
    is_new = is_from_person(_WHO, _seen())
    if "history_person" in st.session_state and not is_new:
        return
    note_address(_WHO, _seen(), before=_seen())
    st.session_state["history_person"] = values["person"]
    for name in _FOUND:
        put_one(f"history_{name}", values[name])
    for name in _CHOICES:
        st.session_state[f"history_{name}"] = _WORDS[name].get(values[name])
    for name in _DAYS:
        st.session_state[f"history_{name}"] = _day(values[name])


def _write_address() -> None:
    """Put the filter into the address, and drop the old cursor."""
    values = {name: st.session_state[f"history_{name}"] for name in ("person", *_CHOICES, *_DAYS)}
    values |= {name: chosen_one(f"history_{name}") for name in _FOUND}
    for name in _CHOICES:
        codes = {words: code for code, words in _WORDS[name].items()}
        values[name] = codes.get(values[name])
    for name in _DAYS:
        values[name] = values[name].isoformat() if values[name] else None
    before, address = _seen(), st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {*_NAMES, *_CURSOR}}
    st.query_params.from_dict(others | {name: value for name, value in values.items() if value})
    note_address(_WHO, _seen(), before=before)


def _seen() -> tuple[str, ...]:
    return tuple(_address().values())


def _address() -> dict[str, str]:
    return {name: st.query_params.get(name, "") for name in _NAMES}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
