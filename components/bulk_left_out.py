"""Rows of a list that are left out, and why."""

import pandas as pd
import streamlit as st

from components.bulk_words import many
from components.verbatim import plain, showable, visible
from item_visibility.desk_bulk import Understood

_SHOWN = 200
_UNDECIDED = "A number in it may be damaged, and nothing was decided about it."


def show_understood(understood: Understood, *, undecided: frozenset[int]) -> None:
    """Say how much of the list is taken and how much is left out, with the reasons.

    `undecided` are the rows that may be damaged, and about which the person decided nothing.
    """
    rows = sum(len(one.rows) for one in understood.items)
    taken = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    reasons = _reasons(understood, undecided)
    left_out = len({number for number, _ in reasons})
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


def _reasons(understood: Understood, undecided: frozenset[int]) -> list[tuple[int, str]]:
    """Row numbers and reasons, from the top of the list on."""
    reasons = {(problem.number, problem.message) for problem in understood.problems}
    reasons |= {(number, one.message) for one in understood.contradictions for number in one.rows}
    known = {(number, words) for number, words in reasons if number not in undecided}
    return sorted(known | {(number, _UNDECIDED) for number in undecided})
