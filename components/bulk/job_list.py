"""The jobs of this environment, newest first, and the words for their states and outcomes."""

import streamlit as st

from components.bulk.list_form import put_paste
from components.bulk.opened_job import open_job
from components.clock import time_column
from components.links import example_item, example_recipient
from components.notices import show_error
from components.table import show_table
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.job import JobState
from item_visibility.use_cases.desk import Desk

STATES = {
    JobState.READING: "Preview is being read",
    JobState.PREVIEWED: "Previewed, not applied",
    JobState.QUEUED: "Waiting its turn",
    JobState.RUNNING: "Running",
    JobState.WAITING: "Waiting for the service",
    JobState.PAUSED: "Paused",
    JobState.CANCELLED: "Cancelled",
    JobState.ENDED: "Ended",
}
_JOBS = 20


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
    picked = show_table(
        [
            (
                job.created_at,
                ("Undo: " if job.undo_of else "Retry: " if job.retry_of else "") + job.title,
                STATES[job.state],
                job.rows_in_words if job.outcomes else "",
                job.person,
                job.item_count,
                job.reason,
            )
            for job in jobs
        ],
        ["When", "What", "State", "Outcome", "Who", "Items", "Why"],
        key="bulk_jobs",
        about=[job.key for job in jobs],
        alt="Bulk jobs, newest first",
        config={"When": time_column("When"), "State": st.column_config.TextColumn(width=150)},
        optional=("Why",),
        choose="single-row",
    )
    for at in picked:
        open_job(jobs[at].key)
        st.rerun()


def _offer_example(desk: Desk) -> None:
    item, recipient = example_item(desk), example_recipient(desk)
    if item is None or recipient is None:
        return
    row = f"{item.supplier}\t{item.supplier_item_id}\t{recipient.id}"
    st.button(
        "Paste an example",
        key="bulk_example",
        icon=":material/content_paste:",
        on_click=put_paste,
        args=(f"Supplier\tItem\tRecipient\n{row}",),
    )
