"""The known items of a supplier, ticked by name to make a list of them: no numbers are needed."""

import pandas as pd
import streamlit as st

from components.bulk.choose.source import Source, has_list
from components.table import chosen, key_for
from components.verbatim import plain, showable
from item_visibility.saving.in_words import many
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_SHOWN = 1_000


def tick_items(desk: Desk, supplier: str | None) -> Source | None:
    """Draw the items of the supplier when there is no other list. Return the list of those ticked, if any."""
    if supplier is None or has_list():
        return None
    found = desk.names.find_items(supplier, "", limit=_SHOWN + 1)
    if not found:
        st.caption("No item of this supplier is known here: upload a file, or paste rows.")
        return None
    items = sorted(found[:_SHOWN], key=lambda one: (not one.name, one.name.casefold(), one.id))
    rows = [(showable(one.name), showable(one.hint), showable(one.id)) for one in items]
    state = st.dataframe(
        pd.DataFrame(rows, columns=["Name", "Market", "Item"], dtype=str),
        key=key_for("bulk_known", [one.id for one in items]),
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Known items of the supplier, to be ticked",
    )
    if len(found) > _SHOWN:
        st.caption(plain(f"The first {_SHOWN:,} are shown. Paste the numbers of others."))
    ticked = [one.id for one in chosen(state, items)]
    if not ticked:
        st.caption("Tick the items to change, then say below who is to see them, and press Preview.")
        return None
    name = desk.finder.chosen(Kind.SUPPLIER, supplier).name or supplier
    return Source(
        title=showable(f"{many(len(ticked), 'item')} of {name}"),
        stamp=f"ticked {supplier} {sorted(ticked)}",
        bulk_list=desk.bulk.list_items(ticked),
        is_file=False,
        is_ticked=True,
    )
