"""The choice of the part of the directory to show."""

import streamlit as st

from item_visibility.use_cases.directory import Kind

_KEY = "directory_part"
_KINDS = {"Suppliers": Kind.SUPPLIER, "Items": Kind.ITEM, "Recipients": Kind.RECIPIENT}


def choose_part() -> Kind | None:
    """Return the kind of names that the person looks at; None for recipient sets."""
    part = st.segmented_control(
        "Part of the directory",
        ("Suppliers", "Items", "Recipients", "Recipient sets"),
        key=_KEY,
        default="Recipients",
        required=True,
        label_visibility="collapsed",
    )
    return _KINDS.get(part)
