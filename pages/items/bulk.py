"""Many items at once: upload a list, preview it, apply it, and check the outcome of every row."""

import streamlit as st

from components.bulk.choose.columns import choose_columns, choose_fixed
from components.bulk.choose.findings import decide_about_damage
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

# 1. Upload or paste a list, and set the values for all rows. Nothing is sent.
with st.container(border=True, key="bulk_source"):
    source = choose_source(desk)
    fixed = choose_fixed(desk)
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_buttons"):
        offer_preview()
        offer_template()
        offer_failing(desk)
is_pressed = was_pressed()
show_kept_notice()

# 2. Check how it was read: columns, damage, skipped rows.
if source is not None and source.is_decided and not is_applied(source):
    checked = choose_columns(desk, source, fixed)
    if checked is not None:
        decide_about_damage(source.stamp, checked)
        start_preview(desk, source, checked, is_pressed=is_pressed)
elif is_pressed:
    tell_nothing_to_preview(source)
forget_press()

# 3. The job in the address: preview, Apply, progress, results.
show_job(desk, source)

# 4. All jobs: who, what, when, outcome.
list_jobs(desk)

# 5. Export: who can see many items, as a file.
export_items(desk, source, fixed)
