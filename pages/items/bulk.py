"""Many items at once: choose a list, review what it would do, apply it, and see how every row ended."""

import streamlit as st

from components.bulk.demo_failures import offer_failing
from components.bulk.export_box import export_items
from components.bulk.job_list import list_jobs
from components.bulk.job_page import show_job
from components.bulk.list_form import choose_list
from components.bulk.list_review import offer_preview, review_list
from components.bulk.opened_job import Step, close_job, find_opened_job, show_steps
from components.notices import show_notices
from components.session import get_desk

desk = get_desk()
job = find_opened_job(desk)
step = show_steps(job)

# 1. Choose a list, and the values for all rows. Nothing is sent.
with st.expander("Choose a list", expanded=step is Step.CHOOSE, icon=":material/upload_file:"):
    source, fixed, is_settled = choose_list(desk)
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_buttons"):
        offer_preview()
        offer_failing(desk)
show_notices()

# 2. and 3. The opened job: its preview and Apply, its progress, its results.
show_job(desk, job)

# Without one, what is unclear in the list is decided, and the jobs are listed.
if job is None:
    review_list(desk, source, fixed, is_settled=is_settled)
    list_jobs(desk)
else:
    st.button(
        "Back to the list and all jobs", key="all_jobs", icon=":material/arrow_back:", on_click=close_job
    )

# Export: who can see many items, as a file.
export_items(desk, source, fixed)
