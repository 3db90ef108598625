"""Coverage: which recipients can see which known items, as last read; or one recipient's view."""

from functools import partial

import streamlit as st

from components.coverage.choice import choose_coverage
from components.coverage.results import show_coverage
from components.coverage.scan import show_with_scan
from components.session import get_desk

desk = get_desk()

# 1. Choose a supplier, recipients and sets. The address holds the choice.
choice = choose_coverage(desk)

# 2. See what is known, and read all items now; what was read so far is shown during the scan.
if choice is None:
    st.info("Choose a supplier or a recipient: the known items are listed here.", icon=":material/grid_on:")
else:
    show_with_scan(desk, choice.supplier, partial(show_coverage, desk, choice))
