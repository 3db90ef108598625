"""Who could see an item on a day of the past, from the changes recorded here."""

from datetime import timedelta

import streamlit as st

from components.clock import start_of_day, time_of_day
from components.table import show_table
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.in_words import many, names_first
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history import day_of_item


def show_day(desk: Desk, item: ItemKey) -> None:
    """Ask for a day, and draw who could see the item on it. Raises RecordsError."""
    day = st.date_input("Who could see it on …", value=None, key="history_day", width=260)
    if day is None:
        return
    start, end = start_of_day(day), start_of_day(day + timedelta(days=1))
    past = day_of_item(desk.records.search, item, start=start, end=end)
    if past is None:
        st.info("This is not on record here: the first entry is later.", icon=":material/info:")
        return
    spans, names = past.spans, desk.names.recipient_names(past.spans)
    st.markdown(
        f"**{plain(many(len(spans), 'recipient'))}** · {plain(f'last read {time_of_day(past.read_at)}')}"
    )
    show_table(
        [
            (
                names.get(one, ""),
                one,
                time_of_day(since) if (since := spans[one][0]) and since >= start else "",
                time_of_day(until) if (until := spans[one][1]) and until < end else "",
            )
            for one in names_first(spans, names)
        ],
        ["Name", "Recipient", "Since", "Until"],
        key="history_day_table",
        alt="Who could see the item on that day",
        optional=("Name", "Since", "Until"),
    )
    st.caption("A change made elsewhere counts from the read that first showed it.")
