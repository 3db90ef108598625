"""Names of suppliers, items and recipients, and the sets of recipients."""

import streamlit as st

from components.directory import (
    edit_names,
    edit_sets,
    exchange_names,
    exchange_sets,
    name_one,
)
from components.notices import error_shown, show_notices
from components.session import get_desk
from item_visibility.access.people import Role
from item_visibility.model.known_ids import Kind

_KINDS = {"Suppliers": Kind.SUPPLIER, "Items": Kind.ITEM, "Recipients": Kind.RECIPIENT}

desk = get_desk()

# 1. Choose a part of the directory.
part = st.segmented_control(
    "Part of the directory",
    ("Suppliers", "Items", "Recipients", "Recipient sets"),
    key="directory_part",
    default="Recipients",
    required=True,
    label_visibility="collapsed",
)
kind = _KINDS.get(part)
show_notices()

# 2. Names: find and edit them, add one, import or export a file.
if kind is not None:
    exchange_names(desk, kind)
    if desk.access.allows(Role.EDITOR):
        name_one(desk, kind)
    with error_shown("The names could not be read. Nothing was changed."):
        edit_names(desk, kind)

# 3. Recipient sets: make one, edit one, import or export a file.
else:
    exchange_sets(desk)
    with error_shown("The recipient sets could not be read. Nothing was changed."):
        edit_sets(desk)
