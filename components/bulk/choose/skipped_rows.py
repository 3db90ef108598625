"""The skipped rows of a list with the reasons: before it is applied, and with its job."""

import pandas as pd
import streamlit as st

from components.bulk.job_labels import many
from components.verbatim import plain, showable, visible
from item_visibility.changes.job import Job
from item_visibility.desk.bulk.jobs import Understood
from item_visibility.desk.use_cases import Desk

_SHOWN = 200


def show_understood(understood: Understood, *, undecided: frozenset[int]) -> None:
    """Say how many rows are taken and how many are skipped, with the reasons.

    `undecided` holds the rows that may be damaged and that nobody decided about.
    """
    rows = sum(len(one.rows) for one in understood.items)
    taken = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    reasons = sorted(understood.reasons(undecided=undecided).items())
    left_out = len(reasons)
    words = f"{taken}, {many(left_out, 'row')} left out" if left_out else taken
    st.markdown(f"**{plain(words)}**")
    if not reasons:
        return
    with st.expander("Rows that are left out, and why", icon=":material/rule:", key="bulk_left_out"):
        st.dataframe(
            pd.DataFrame(
                [(str(number), showable(visible(words))) for number, words in reasons[:_SHOWN]],
                columns=["Row", "Why"],
                dtype=str,
            ),
            key="bulk_problems",
            hide_index=True,
            alt="Rows that are left out, and why",
        )
        if len(reasons) > _SHOWN:
            st.caption(plain(f"The first {_SHOWN} of {len(reasons):,} are shown."))


def show_left_out(desk: Desk, job: Job) -> None:
    """Draw the rows of the list that the job skips, folded, with the reasons."""
    if not job.left_out:
        return
    with st.expander(
        "Rows of the list that were left out, and why", icon=":material/rule:", key="job_left_out"
    ):
        rows = desk.bulk.left_out_rows(job.key, limit=_SHOWN)
        st.dataframe(
            pd.DataFrame(
                [
                    (
                        str(row.number),
                        showable(row.supplier),
                        showable(row.supplier_item_id),
                        showable(row.recipients),
                        showable(visible(row.reason)),
                    )
                    for row in rows
                ],
                columns=["Row", "Supplier", "Item", "Recipient", "Why"],
                dtype=str,
            ),
            key="job_left_out_rows",
            hide_index=True,
            alt="Rows of the list that the job does not take",
        )
        if job.left_out > _SHOWN:
            st.caption(plain(f"The first {_SHOWN} of {job.left_out:,} are shown."))
