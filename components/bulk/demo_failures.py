"""The demo switch that makes a share of calls fail, to show how a bulk job copes."""

from dataclasses import replace

import streamlit as st

from components.verbatim import plain
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.desk import Desk

_KEY = "bulk_failing"
_PERCENT = 30


def offer_failing(desk: Desk) -> None:
    """Draw the switch, which takes effect with the next call. Draw nothing outside a demo."""
    if desk.demo is None:
        return
    st.session_state[_KEY] = desk.demo.read_switches().failing_share > 0
    st.toggle(plain(f"Let {_PERCENT} % of the calls fail"), key=_KEY, on_change=_set, args=(desk.demo,))


def _set(demo: DemoControls) -> None:
    share = _PERCENT / 100 if st.session_state[_KEY] else 0.0
    demo.set_switches(replace(demo.read_switches(), failing_share=share))
