"""Recipient texts that may not be numbers: shown, and asked about."""

import streamlit as st

from components.notices import Notice, keep_notice
from components.text_table import show_table
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.paste import DoubtfulText

_ASKED = "doubtful_texts.asked"


def recipients_in(desk: Desk, key: str, *, there: frozenset[str] = frozenset()) -> tuple[str, ...] | None:
    """Return the recipients in this field, or None while a question about its texts is open."""
    text = st.session_state[key]
    asked: dict[str, tuple[DoubtfulText, ...]] = st.session_state.setdefault(_ASKED, {})
    is_answered = bool(st.session_state.get(_key_of_answer(key)))
    answered = frozenset(one.text for one in asked.get(key, ())) if is_answered else frozenset()
    entered = desk.entered.read(text, listed=there, as_numbers=answered)
    st.session_state[_key_of_answer(key)] = False
    if not entered.doubtful:
        asked.pop(key, None)
        return entered.ids
    asked[key] = entered.doubtful
    keep_notice(Notice("Nothing was changed: some of what you entered is perhaps no number."))
    return None


def ask_about_texts(key: str) -> None:
    """Draw the doubtful texts of this field, and a checkbox to use them as numbers."""
    doubtful: tuple[DoubtfulText, ...] = st.session_state.get(_ASKED, {}).get(key, ())
    if not doubtful:
        return
    show_texts(doubtful, key=f"{key}_doubtful")
    st.checkbox("Use these texts as numbers", key=_key_of_answer(key))


def show_texts(doubtful: tuple[DoubtfulText, ...], *, key: str) -> None:
    """Draw the texts with the recipients of similar names."""
    rows = [(one.text, " · ".join(f"{number} {name}" for number, name in one.alike)) for one in doubtful]
    show_table(rows, ["Text", "Perhaps"], key=key, alt="Texts that are perhaps no numbers")


def _key_of_answer(key: str) -> str:
    return f"{key}_as_numbers"
