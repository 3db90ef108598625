"""The form that names one number, known or not."""

import streamlit as st

from components.notices import Notice, keep_notice, kept_error
from components.verbatim import plain
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind, NamedRow

_LABELS = {
    Kind.SUPPLIER: ("Supplier number",),
    Kind.ITEM: ("Supplier number", "Item number"),
    Kind.RECIPIENT: ("Recipient number",),
}


def name_one(desk: Desk, kind: Kind) -> None:
    """Draw the fields of one directory row."""
    with st.expander("Name a number", icon=":material/add:", key="name_box"):
        for index, label in enumerate(_LABELS[kind]):
            st.text_input(plain(label), key=_key(index), autocomplete="off")
        st.text_input("Its name", key=_key("name"), autocomplete="off")
        if kind is Kind.ITEM:
            st.text_input("Its market", key=_key("market"), autocomplete="off")
        st.button("Keep name", key="keep_name", on_click=_keep, args=(desk, kind))


def _keep(desk: Desk, kind: Kind) -> None:
    keys = [_key(index) for index, _ in enumerate(_LABELS[kind])]
    row = NamedRow(
        tuple(st.session_state[key] for key in keys),
        st.session_state[_key("name")].strip(),
        st.session_state[_key("market")].strip() if kind is Kind.ITEM else "",
    )
    with kept_error("The name was not kept."):
        desk.directory.name(kind, row)
        for key in (*keys, _key("name")):
            st.session_state[key] = ""
        keep_notice(Notice("The name is kept.", (" · ".join((*row.ids, row.name)),)))


def _key(field: int | str) -> str:
    return f"new_name_{field}"
