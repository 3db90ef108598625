"""Questions about columns that are not understood or have two possible meanings."""

import streamlit as st

from components.bulk.choose.reading_beside import read_beside
from components.bulk.choose.source import Source
from components.verbatim import showable, visible
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.layout import Layout
from item_visibility.intake.unclear_columns import doubtful_columns

_DECIDED = "bulk_doubts.decided"
_SHOWN = 50


def decide_about_columns(desk: Desk, source: Source, layout: Layout) -> str | None:
    """Draw the doubtful columns. Return what to decide, empty when nothing, None while reading."""
    asked = (source.stamp, layout)
    doubts = read_beside(
        desk,
        "doubts",
        asked,
        lambda watch: doubtful_columns(source.table, layout, watch=watch),
        words="The columns of the list are being looked at",
    )
    if doubts is None:
        return None
    chosen = set(source.guess.columns) - set(layout.columns)  # columns no longer read are decided
    doubts = tuple(one for one in doubts if one.column not in chosen)
    if not doubts or st.session_state.get(_DECIDED) == asked:
        return ""
    with st.container(border=True, key="bulk_doubts"):
        st.warning("Columns of the list are not understood.", icon=":material/view_column:")
        st.text("\n".join(showable(visible(one.message)) for one in doubts[:_SHOWN]))
        st.button("Read the list like this", key="accept_columns", on_click=_decide, args=(asked,))
        st.caption("Or say under Columns what they hold.")
    return "Decide about the columns that are not understood; then the preview begins."


def _decide(asked: tuple[str, Layout]) -> None:
    st.session_state[_DECIDED] = asked
