"""Many items at once: bring a list, look at what it would do, apply it, and see how every row ended."""

import streamlit as st

from components.bulk.choose.columns import choose_columns, choose_fixed
from components.bulk.choose.findings import check_damage
from components.bulk.choose.source import choose_source, offer_template
from components.bulk.choose.start import (
    forget_press,
    is_applied,
    offer_preview,
    start_preview,
    tell_nothing_to_preview,
    was_pressed,
)
from components.bulk.demo_failures import offer_failing
from components.bulk.export_box import export_items
from components.bulk.job_list import list_jobs
from components.bulk.opened_job import show_job
from components.notices import show_kept_notice
from components.wiring import get_desk

desk = get_desk()

# 1. Bring a list, and say what holds for all of its rows. Nothing is sent.
with st.container(border=True, key="bulk_source"):
    source = choose_source(desk)
    fixed = choose_fixed(desk)
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_buttons"):
        offer_preview()
        offer_template()
        offer_failing(desk)
is_pressed = was_pressed()
show_kept_notice()

# 2. Look at what was understood: columns, damage, rows that are left out.
if source is not None and source.is_decided and not is_applied(source):
    choice = choose_columns(desk, source, fixed)
    checked = None if choice is None or choice.missing else check_damage(desk, source, choice.layout)
    if choice is not None and checked is not None:
        start_preview(desk, source, choice, checked, is_pressed=is_pressed)
elif is_pressed:
    tell_nothing_to_preview(source)
forget_press()

# 3. The job that the address names: its preview, Apply, its course, its results.
show_job(desk, source)

# 4. All jobs: who, what, when, how they ended.
list_jobs(desk)

# 5. The other way: who can see many items, as a file.
export_items(desk, source, fixed)
