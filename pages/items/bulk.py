"""Many items at once: choose a list, review what it would do, apply it, and see how every row ended."""

import streamlit as st

from components.bulk.choose.columns import choose_columns, choose_values
from components.bulk.choose.findings import decide_about_findings
from components.bulk.choose.source import choose_source
from components.bulk.choose.start import (
    offer_preview,
    offer_template,
    settle_press,
    start_preview,
    then_words,
)
from components.bulk.choose.steps import Step, find_opened_job, leave_job_for_new_list, open_form, show_steps
from components.bulk.demo_failures import offer_failing
from components.bulk.export_box import export_items
from components.bulk.job_list import list_jobs, offer_all_jobs
from components.bulk.job_page import show_job
from components.notices import show_notices
from components.session import get_desk
from components.verbatim import plain

desk = get_desk()
job = find_opened_job(desk)
step = show_steps(job)

# 1. Choose a list, and the values for all rows. Nothing is sent.
with open_form(step):
    with st.container(key="bulk_source"):  # a fixed container, so the fields below keep their text
        source = choose_source(desk)
    source, fixed, is_settled = choose_values(desk, source)
    if source is None:
        offer_template()
leave_job_for_new_list("" if source is None else source.stamp)
with st.container(horizontal=True, vertical_alignment="center", key="bulk_buttons"):
    offer_preview(source, step)
    offer_failing(desk)
settle_press(source)
show_notices()
if step is Step.CHOOSE and source is not None and source.is_decided and is_settled:
    checked = choose_columns(desk, source, fixed, then=then_words(source))
    if checked is not None:
        decide_about_findings(source.stamp, checked)
        start_preview(desk, source, checked)
elif step is Step.CHOOSE and source is not None and not source.is_decided:
    words = f"Decide above which rows belong to the list; {then_words(source)}."
    st.info(plain(words), icon=":material/rule:")

# 2. and 3. The job in the address: its preview and Apply, its progress, its results.
show_job(desk, job, step)

# All jobs: who, what, when, outcome. An opened job has the page to itself.
if step is Step.CHOOSE:
    list_jobs(desk)
else:
    offer_all_jobs()

# Export: who can see many items, as a file.
export_items(desk, source, fixed)
