"""A small page with the field that adds recipients, above a form. It counts its own runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `streamlit run` knows only this folder

import streamlit as st

from components.finder.choices import (
    choose_recipients,
    chosen_recipients,
    forget_chosen,
    put_recipients,
)
from components.session import get_desk
from item_visibility.client.identifiers import ItemKey

KEY = "add_recipients"

desk = get_desk()
item = ItemKey(st.query_params["supplier"], st.query_params["item"])
about = repr(item)
listed = desk.read(item).recipients or frozenset()
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
if "add" in st.query_params:
    put_recipients(desk, KEY, st.query_params.get_all("add"), about=about)
    del st.query_params["add"]


def save() -> None:
    """Keep what would be saved, and empty the field."""
    chosen = chosen_recipients(desk, KEY, about=about, listed=listed)
    st.session_state["saved"] = chosen
    if not chosen.undecided:
        forget_chosen(KEY)


st.title("Add recipients to an item")
st.text(f"Runs of the page: {st.session_state['runs']}")
choose_recipients(desk, label="Add recipients", key=KEY, about=about, listed=listed, groups_for=item)
with st.form("form", border=False, enter_to_submit=False):
    columns = {"Can see": [True] * len(listed), "Recipient": sorted(listed)}
    st.data_editor(columns, key="table", height=300, alt="Recipients of the item")
    st.form_submit_button("Save", key="save", on_click=save)
saved = st.session_state.get("saved")
if saved is not None:
    st.text(f"Saved: {', '.join(sorted(saved.ids))}")
    st.text(f"Chips: {', '.join(saved.chips)}")
    st.text(f"Undecided: {', '.join(saved.undecided)}")
