"""Items of a review as a table; a row that is chosen is opened."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from components.review.opened_sheet import open_in_sheet
from components.table_state import chosen, key_for
from components.verbatim import showable
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.use_cases import Desk

_CHOSEN = "item_table.chosen"


def open_from_table(
    desk: Desk, items: Sequence[ItemKey], columns: Mapping[str, Sequence[str]], *, key: str, alt: str
) -> None:
    """Draw the items by name, with these columns of texts beside them."""
    titles = desk.names.item_titles(items)
    suppliers = desk.names.supplier_names({one.supplier for one in items})
    texts = {
        "Name": [titles[one] for one in items],
        **columns,
        "Supplier": [suppliers.get(one.supplier, one.supplier) for one in items],
        "Item": [one.supplier_item_id for one in items],
    }
    mounted = key_for(key, (tuple(items), tuple(map(tuple, columns.values()))))
    state = st.dataframe(
        pd.DataFrame({name: pd.Series(list(map(showable, some)), dtype=str) for name, some in texts.items()}),
        key=mounted,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        alt=alt,
    )
    choice = (mounted, tuple(chosen(state, items)))
    if choice != st.session_state.get(_CHOSEN, {}).get(key, (mounted, ())):
        st.session_state[_CHOSEN] = st.session_state.get(_CHOSEN, {}) | {key: choice}
        for item in choice[1]:
            open_in_sheet(item)
            st.rerun()
