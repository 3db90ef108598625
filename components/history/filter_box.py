"""The filter of the history. It is in the address, so that a link shows the same."""

from datetime import date, timedelta

import streamlit as st

from components.clock import start_of_day
from components.history.entry_labels import KINDS, OPEN, VERDICTS
from item_visibility.changes.outcome import Verdict
from item_visibility.changes.request import ChangeKind
from item_visibility.records.history.search import HistoryFilter

_SEEN = "filter_box.seen"
_TEXTS = ("person", "supplier", "item", "recipient")
_CHOICES = ("outcome", "kind")
_DAYS = ("since", "until")
_NAMES = (*_TEXTS, *_CHOICES, *_DAYS)
_CURSOR = ("older", "newer", "entry")
_OUTCOME_WORDS = {verdict.value: words for verdict, words in VERDICTS.items()} | {"open": OPEN}
_KIND_WORDS = {kind.value: words for kind, words in KINDS.items()}
_WORDS = {"outcome": _OUTCOME_WORDS, "kind": _KIND_WORDS}


def filter_history() -> HistoryFilter:
    """Draw the filter and return it."""
    _follow_address()
    with st.container(key="history_filter"):
        _draw_texts()
        _draw_choices()
    return _filter()


def _draw_texts() -> None:
    person, supplier, item, recipient = st.columns(4)
    with person:
        st.text_input("By", key="history_person", on_change=_write_address, placeholder="Anybody")
    with supplier:
        st.text_input(
            "Supplier number", key="history_supplier", on_change=_write_address, placeholder="Any supplier"
        )
    with item:
        st.text_input(
            "Item number",
            key="history_item",
            on_change=_write_address,
            placeholder="Any item; needs the supplier",
        )
    with recipient:
        st.text_input(
            "Recipient number", key="history_recipient", on_change=_write_address, placeholder="Any recipient"
        )


def _draw_choices() -> None:
    outcome, kind, since, until = st.columns(4)
    with outcome:
        st.selectbox(
            "Outcome",
            tuple(_OUTCOME_WORDS.values()),
            index=None,
            key="history_outcome",
            on_change=_write_address,
            placeholder="Any outcome",
        )
    with kind:
        st.selectbox(
            "Kind of change",
            tuple(_KIND_WORDS.values()),
            index=None,
            key="history_kind",
            on_change=_write_address,
            placeholder="Any kind",
        )
    with since:
        st.date_input("From day", value=None, key="history_since", on_change=_write_address)
    with until:
        st.date_input("To day", value=None, key="history_until", on_change=_write_address)


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
    if "history_person" in st.session_state and st.session_state.get(_SEEN) == values:
        return
    st.session_state[_SEEN] = values
    for name in _TEXTS:
        st.session_state[f"history_{name}"] = values[name]
    for name in _CHOICES:
        st.session_state[f"history_{name}"] = _WORDS[name].get(values[name])
    for name in _DAYS:
        st.session_state[f"history_{name}"] = _day(values[name])


def _write_address() -> None:
    """Put the filter into the address, and drop the old cursor."""
    values = {name: st.session_state[f"history_{name}"] for name in _NAMES}
    for name in _CHOICES:
        codes = {words: code for code, words in _WORDS[name].items()}
        values[name] = codes.get(values[name])
    for name in _DAYS:
        values[name] = values[name].isoformat() if values[name] else None
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {*_NAMES, *_CURSOR}}
    st.query_params.from_dict(others | {name: value for name, value in values.items() if value})
    st.session_state[_SEEN] = _address()


def _address() -> dict[str, str]:
    return {name: st.query_params.get(name, "") for name in _NAMES}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
