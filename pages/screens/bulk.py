"""Many items at once: choose a list, review what it would do, and apply it."""

import streamlit as st

from components import draw
from components.bulk.export_box import export_items
from components.bulk.job_page import list_jobs, show_job, show_steps
from components.bulk.list_form import choose_list
from components.bulk.list_review import offer_preview, review_list
from components.bulk.opened_job import close_job, find_opened_job
from components.notices import error_shown, show_notices, step_button
from components.session import get_desk
from item_visibility.access.people import Role

desk = get_desk()
job = find_opened_job(desk)
source = None

# 1. Choose a list, and the values for all rows. Nothing is sent.
if desk.access.allows(Role.EDITOR):
    is_choosing = show_steps(job)
    with st.expander(
        "Choose a list", expanded=is_choosing, icon=":material/upload_file:"
    ):
        source = choose_list(desk)
        offer_preview()
else:
    draw.caption(
        "You can look at jobs and make exports. To change many items, ask for the "
        "role editor."
    )
show_notices()

# 2. and 3. Show the opened job: its preview with the button "Apply", its progress, its
# results.
show_job(desk, job)

# Without an opened job: decide about unclear parts of the list, or open another job.
if job is None:
    review_list(desk, source)
    with error_shown(
        "The jobs could not be read. Running jobs continue.", key="bulk_list_error"
    ):
        list_jobs(desk)
else:
    step_button(
        "Back to the list and all jobs", close_job, key="all_jobs", icon="arrow_back"
    )

# Export: who can see many items, as a file.
export_items(desk, source)
