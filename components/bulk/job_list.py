"""The jobs of this environment, newest first: who, what, when, and the outcome."""

from datetime import datetime

import pandas as pd
import streamlit as st

from components.bulk.choose.source import paste_example
from components.bulk.job_address import open_job, opened_job
from components.bulk.job_labels import STATES, results
from components.bulk.steps import has_left, return_to_job
from components.clock import time_column
from components.links import example_item, example_recipient
from components.notices import show_error
from components.table import chosen, key_for
from components.verbatim import showable
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.job import Job
from item_visibility.use_cases.desk import Desk

_JOBS = 20
_STATE_PX = 150


def list_jobs(desk: Desk) -> None:
    """Draw the table. A chosen row opens the page of its job."""
    try:
        jobs = [job for job in desk.bulk.store.jobs(limit=_JOBS) if not job.is_given_up]
    except ItemVisibilityError as error:
        show_error("The jobs could not be read. Nothing was changed.", error, key="bulk_list_error")
        return
    st.header("Jobs")
    if not jobs:
        st.caption("No job yet. Upload a list or paste rows: nothing is sent before you press Apply.")
        _offer_example(desk)
        return
    columns = ["When", "Who", "What", "Items", "State", "Outcome", "Why"]
    frame = pd.DataFrame([_row(job) for job in jobs], columns=columns)
    state = st.dataframe(
        frame,
        key=key_for("bulk_jobs", [job.key for job in jobs]),
        hide_index=True,
        column_order=[name for name in columns if name != "Why" or frame[name].any()],
        column_config={"When": time_column("When"), "State": st.column_config.TextColumn(width=_STATE_PX)},
        on_select="rerun",
        selection_mode="single-row",
        alt="Bulk jobs, newest first",
    )
    key = next((job.key for job in chosen(state, jobs)), "")
    if key and (key != opened_job() or has_left(key)):
        open_job(key)
        return_to_job()
        st.rerun()


def offer_all_jobs() -> None:
    """Draw the button that leads from an opened job back to the list of jobs."""
    st.button("All jobs", key="all_jobs", icon=":material/arrow_back:", on_click=open_job, args=("",))


def _offer_example(desk: Desk) -> None:
    item, recipient = example_item(desk), example_recipient(desk)
    if item is None or recipient is None:
        return
    row = f"{item.supplier}\t{item.supplier_item_id}\t{recipient.id}"
    st.button(
        "Paste an example",
        key="bulk_example",
        icon=":material/content_paste:",
        on_click=paste_example,
        args=(f"Supplier\tItem\tRecipient\n{row}",),
    )


def _row(job: Job) -> tuple[datetime, str, str, int, str, str, str]:
    kind = "Undo: " if job.undo_of else "Retry: " if job.retry_of else ""
    return (
        job.created_at,
        showable(job.person),
        showable(f"{kind}{job.title}"),
        job.item_count,
        STATES[job.state],
        results(job) if job.outcomes else "",
        showable(job.reason),
    )
