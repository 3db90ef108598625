"""The history as a file: all entries of the filter, written on request."""

import streamlit as st

from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history.spreadsheet import as_csv, as_xlsx


def offer_download(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the two buttons."""
    with st.container(horizontal=True, key="history_download"):
        st.download_button(
            "Download as XLSX",
            lambda: as_xlsx(desk.records.search.all(wanted)),
            file_name="history.xlsx",
            mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            key="history_xlsx",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "Download as CSV to read in Excel",
            lambda: as_csv(desk.records.search.all(wanted)),
            file_name="history.csv",
            mime="text/csv",
            key="history_csv",
            icon=":material/download:",
            on_click="ignore",
            help="An apostrophe stands before what a spreadsheet could run as a formula",
        )
