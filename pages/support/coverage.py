"""Coverage of a supplier: which recipients can see which of its items, as last read, and how old that is."""

from functools import partial

import streamlit as st

from components.coverage.choice_box import choose_coverage
from components.coverage.what_is_known import show_coverage
from components.scans.scan_progress import show_with_scan
from components.wiring import get_desk

desk = get_desk()

# 1. Choose the supplier, its items, and the recipients or sets. The choice stands in the address.
wanted = choose_coverage(desk)

# 2. Look at what is known, and read the items anew; what was read so far shows while the others are read.
if wanted is None:
    st.info("Choose a supplier, and whom to show: its items are listed here.", icon=":material/grid_on:")
else:
    show_with_scan(desk, wanted.supplier, partial(show_coverage, desk, wanted))
