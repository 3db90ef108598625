"""Switches for the bundled demo service: the behaviour that the specification leaves open."""

from dataclasses import fields

import streamlit as st

from components.notices import Notice, keep_notice
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.demo import DemoControls, DemoSwitches

_PREFIX = "demo_"
_TOGGLES = (
    ("put_merges", "Setting a list merges", "Off: it replaces"),
    ("empty_is_not_found", "An empty item is not found (404)", "Off: it is an empty list"),
)
_SLIDERS = (
    ("read_lag_s", "Read lag (seconds)", 3.0, 0.5),
    ("failing_share", "Share of calls that fail", 0.9, 0.1),
)


def show_demo_switches(demo: DemoControls, item: ItemKey | None) -> None:
    """Draw the switches. Each takes effect with the next call."""
    st.header("Try what the specification leaves open")
    st.caption(
        "A switch takes effect with the next call. The dashboard must be right either way: "
        "change a switch, then save on the item page."
    )
    _fill(demo.read_switches())
    left, right = st.columns(2)
    with left:
        for name, label, off in _TOGGLES:
            st.toggle(label, key=f"{_PREFIX}{name}", on_change=_apply, args=(demo,), help=off)
    with right:
        for name, label, most, step in _SLIDERS:
            st.slider(label, 0.0, most, step=step, key=f"{_PREFIX}{name}", on_change=_apply, args=(demo,))
    with st.container(horizontal=True, key="demo_actions"):
        st.button(
            "Someone else edits the item",
            key="someone_else_edits",
            icon=":material/group:",
            disabled=item is None,
            on_click=_let_someone_edit,
            args=(demo, item),
            help="Adds one recipient and takes one away on the item that is open on the item page",
        )
        st.button(
            "Restore the sample data",
            key="reset_demo",
            icon=":material/restart_alt:",
            on_click=_reset,
            args=(demo,),
            help="Resets the switches too. Names, sets, history and jobs stay",
        )


def _fill(switches: DemoSwitches) -> None:
    for field in fields(switches):
        st.session_state[f"{_PREFIX}{field.name}"] = getattr(switches, field.name)


def _apply(demo: DemoControls) -> None:
    names = [field.name for field in fields(DemoSwitches)]
    demo.set_switches(DemoSwitches(**{name: st.session_state[f"{_PREFIX}{name}"] for name in names}))


def _let_someone_edit(demo: DemoControls, item: ItemKey | None) -> None:
    if item is not None:
        demo.someone_else_edits(item)
        keep_notice(Notice("Someone else added one recipient to the item and took one away."))


def _reset(demo: DemoControls) -> None:
    demo.reset()
    keep_notice(
        Notice(
            "The sample data and the switches are those of a new demo. "
            "Names, sets, history and jobs were not changed."
        )
    )
