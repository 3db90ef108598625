"""A demo's hard case for the save: lists merge, and somebody else edits the open item."""

from dataclasses import replace

import streamlit as st

from components.notices import Notice, keep_notice
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.demo import DemoControls
from item_visibility.desk.use_cases import Desk


def offer_hard_case(desk: Desk, item: ItemKey, *, is_locked: bool) -> None:
    """In a demo, offer to make the next save hard."""
    if desk.demo is None:
        return
    st.button(
        "Make the next save hard",
        key="hard_case",
        icon=":material/science:",
        disabled=is_locked,
        on_click=_make_hard,
        args=(desk.demo, item),
        help="The demo's service merges lists from now on, and someone else edits this item",
    )


def _make_hard(demo: DemoControls, item: ItemKey) -> None:
    demo.set_switches(replace(demo.read_switches(), put_merges=True))
    demo.someone_else_edits(item)
    keep_notice(
        Notice(
            "The demo's service merges lists now, and someone else edited this item: the list below is old. "
            "Save a change: each recipient is sent alone, and the list is read back."
        )
    )
