"""The skipped rows of a list with the reasons: before it is applied, and with its job."""

from collections.abc import Sequence

import streamlit as st

from components.table import show_table
from components.verbatim import plain, visible
from item_visibility.saving.job import Job, SkippedRow
from item_visibility.use_cases.desk import Desk

_SHOWN = 200


def show_skipped(skipped: Sequence[SkippedRow]) -> None:
    """Draw the rows that would be skipped, folded, with the reasons."""
    if not skipped:
        return
    with st.expander("Skipped rows, and why", icon=":material/rule:", key="bulk_skipped"):
        show_table(
            [(str(row.number), visible(row.reason)) for row in skipped],
            ["Row", "Why"],
            key="bulk_problems",
            alt="Skipped rows, and why",
            limit=_SHOWN,
        )


def show_skipped_rows(desk: Desk, job: Job) -> None:
    """Draw the rows of the list that the job skips, folded, with the reasons."""
    if not job.skipped:
        return
    with st.expander("Skipped rows of the list, and why", icon=":material/rule:", key="job_skipped"):
        rows = desk.bulk.store.skipped_rows(job.key, limit=_SHOWN)
        show_table(
            [
                (str(row.number), row.supplier, row.supplier_item_id, row.recipients, visible(row.reason))
                for row in rows
            ],
            ["Row", "Supplier", "Item", "Recipient", "Why"],
            key="job_skipped_rows",
            alt="Rows of the list that the job does not take",
        )
        if job.skipped > _SHOWN:
            st.caption(plain(f"The first {_SHOWN} of {job.skipped:,} are shown."))
