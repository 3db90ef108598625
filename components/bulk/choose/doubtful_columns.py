"""Questions about columns that are not understood or have two possible meanings."""

from functools import partial

import streamlit as st

from components.bulk.choose.kept_list import change_list
from components.verbatim import showable, visible
from item_visibility.lists.bulk_list import BulkList, Decisions

_SHOWN = 50


def decide_about_columns(stamp: str, chosen: BulkList) -> None:
    """Draw the columns that nobody decided about."""
    if not chosen.open_doubts:
        return
    with st.container(border=True, key="bulk_doubts"):
        st.warning("Columns of the list are not understood.", icon=":material/view_column:")
        st.text("\n".join(showable(visible(one.message)) for one in chosen.open_doubts[:_SHOWN]))
        st.button(
            "Read the list like this",
            key="accept_columns",
            on_click=partial(change_list, stamp, decisions=Decisions(takes_columns=True)),
        )
        st.caption("Or say under Columns what they hold.")
