"""The connection check: every step with its result and its time."""

import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.verbatim import plain, showable
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.connection.examination import CheckStep, ConnectionReport, StepState
from item_visibility.desk.use_cases import Desk

_REPORT = "connection_report.report"
_BUTTON = "test_again"
_RESULTS = {StepState.OK: "OK", StepState.FAILED: "Failed", StepState.NOTED: ""}


def examine_connection(desk: Desk, item: ItemKey | None) -> None:
    """Check the connection when the page is opened and at every press of the button."""
    if _BUTTON not in st.session_state:  # the page was just opened
        _forget()
    st.button(
        "Test again",
        key=_BUTTON,
        icon=":material/refresh:",
        on_click=_forget,
        help="Asks for a token and reads once",
    )
    if _REPORT not in st.session_state:
        with st.spinner("Testing the connection …"):
            st.session_state[_REPORT] = desk.examine(item)
    _show(st.session_state[_REPORT], "" if item is None else desk.names.item_title(item))


def _forget() -> None:
    st.session_state.pop(_REPORT, None)


def _show(report: ConnectionReport, read: str) -> None:
    headline = plain(report.headline)
    if not report.is_ok:
        st.error(headline, icon=":material/error:")
    elif report.recent.failed:
        st.warning(headline, icon=":material/warning:")
    else:
        st.success(headline, icon=":material/check_circle:")
    rows = [(step.name, _RESULTS[step.state], _words(step), _took(step)) for step in report.steps]
    st.dataframe(
        pd.DataFrame(rows, columns=["Step", "Result", "Details", "Time"], dtype=str),
        key="report",
        hide_index=True,
        column_config={"Details": st.column_config.TextColumn(width="large")},
        alt="What was tried between this dashboard and the service, and how it ended",
    )
    st.caption(
        f"{plain(f'Tested {time_of_day(report.made_at)}')}" + (f" · read: {plain(read)}" if read else "")
    )


def _words(step: CheckStep) -> str:
    at = "" if step.happened_at is None else f", {time_of_day(step.happened_at)}"
    return showable(f"{step.summary}{at}")


def _took(step: CheckStep) -> str:
    return "" if step.duration_ms is None else f"{step.duration_ms} ms"
