"""Review: who keeps an item of a supplier and who does not; when it is looked at again; what is due."""

import streamlit as st

from components.review.due_list import list_due
from components.review.due_notice import show_due
from components.review.opened_sheet import pick_supplier
from components.review.sheet import show_sheet
from components.wiring import get_desk

desk = get_desk()

# End dates that have come, of all suppliers.
show_due(desk)

# 1. Choose the supplier. Supplier and item stand in the address, so that a link opens the same.
supplier = pick_supplier(desk)

# 2. One item at a time: keep or remove. Nothing is sent: the result is a bulk preview.
with st.container(key="review"):
    if supplier:
        show_sheet(desk, supplier)

# 3. The items that are due, of all suppliers.
list_due(desk, supplier)
