"""What can this recipient see among the known items, and what is missing against another or a set?"""

from functools import partial

import streamlit as st

from components.scans.recipient_choice import choose_recipient
from components.scans.scan_progress import show_with_scan
from components.scans.visible_items import show_visible_items
from components.wiring import get_desk

desk = get_desk()

# 1. Choose a recipient; a supplier, or all; and what to compare with. The address holds the choice.
choice = choose_recipient(desk)

# 2. Look: what was seen last, with its age. While all items are read anew, each shows at once.
if choice is None:
    st.info("Choose a recipient: its items are listed here.", icon=":material/person_search:")
else:
    show_with_scan(desk, choice.supplier, partial(show_visible_items, desk, choice))
