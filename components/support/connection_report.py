"""Us or them: the sentence at the top, then what was tried."""

import streamlit as st

from components.clock import time_alone, time_of_day
from components.support.exchange_tables import show_exchanges, show_last_hour
from components.text_table import show_table
from components.ticket import offer_ticket
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.connection.examination import CheckStep, StepState
from item_visibility.desk.connection.report import ConnectionReport
from item_visibility.desk.connection.told_report import report_ticket
from item_visibility.desk.connection.us_or_them import Judgement, Level
from item_visibility.desk.use_cases import Desk

_REPORT = "connection_report.report"
_BUTTON = "test_again"
_RESULTS = {StepState.OK: "OK", StepState.FAILED: "Failed", StepState.NOTED: ""}


def examine_connection(desk: Desk, item: ItemKey | None) -> None:
    """Say at once what the calls of late show; then check, when the page is opened or the button pressed."""
    if _BUTTON not in st.session_state:  # the page was just opened
        _forget()
    headline = st.empty()
    if _REPORT not in st.session_state:
        with headline.container():
            _show_sentence(desk.connection.glance())
            with st.spinner("Testing the connection …"):
                st.session_state[_REPORT] = desk.connection.examine(item)
    report: ConnectionReport = st.session_state[_REPORT]
    with headline.container():
        _show_sentence(report.judgement)
    with st.container(horizontal=True, vertical_alignment="center", key="connection_actions"):
        st.button(
            "Test again",
            key=_BUTTON,
            icon=":material/refresh:",
            on_click=_forget,
            help="Asks for a token and reads once",
        )
        offer_ticket(lambda: report_ticket(report, base_url=desk.environment.base_url), key="connection")
    read = "" if item is None else desk.names.item_title(item)
    st.caption(
        f"{plain(f'Tested {time_of_day(report.made_at)}')}" + (f" · read: {plain(read)}" if read else "")
    )
    _show_report(report)


def _forget() -> None:
    st.session_state.pop(_REPORT, None)


def _show_sentence(judgement: Judgement) -> None:
    sentence = plain(judgement.sentence(time_alone))
    advice = f"\n\n{plain(judgement.advice)}" if judgement.advice else ""
    if judgement.level is Level.BROKEN:
        st.error(f"{sentence}{advice}", icon=":material/error:")
    elif judgement.level is Level.IN_PART:
        st.warning(f"{sentence}{advice}", icon=":material/warning:")
    elif judgement.level is Level.WELL:
        st.success(f"{sentence}{advice}", icon=":material/check_circle:")
    else:
        st.info(f"{sentence}{advice}", icon=":material/info:")


def _show_report(report: ConnectionReport) -> None:
    rows = [(step.name, _RESULTS[step.state], step.summary, _took(step)) for step in report.steps]
    show_table(
        rows,
        ["Step", "Result", "Details", "Time"],
        key="report",
        height="content",
        alt="What was tried between this dashboard and the service, and how it ended",
    )
    show_last_hour(report.last_hour)
    show_exchanges(report)


def _took(step: CheckStep) -> str:
    return "" if step.duration_ms is None else f"{step.duration_ms} ms"
