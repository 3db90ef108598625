"""Us or them: the sentence at the top, then what was tried, the last hour and the last exchanges."""

from collections.abc import Sequence

import streamlit as st

from components.clock import time_alone, time_of_day, to_the_second
from components.table import show_table
from components.ticket import offer_ticket
from components.verbatim import plain
from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.connection import (
    CheckStep,
    ConnectionReport,
    examine,
    report_ticket,
    time_words,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import answer_words, problem_words
from item_visibility.use_cases.us_or_them import Judgement, Level, OperationHour

_REPORT = "connection_report.report"
_BUTTON = "test_again"


def examine_connection(desk: Desk, item: ItemKey | None) -> None:
    """Examine when the page is opened or the button is pressed, and show the report."""
    if _BUTTON not in st.session_state:  # the page was just opened
        _forget()
    if _REPORT not in st.session_state:
        with st.spinner("Testing the connection …"):
            st.session_state[_REPORT] = examine(desk, item)
    report: ConnectionReport = st.session_state[_REPORT]
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
    read = "" if item is None else f" · read: {plain(desk.names.item_title(item))}"
    st.caption(f"{plain(f'Tested {time_of_day(report.made_at)} · {report.addresses}')}{read}")
    _show_steps(report.steps)
    _show_last_hour(report.last_hour)
    _show_exchanges(report.calls)


def _forget() -> None:
    st.session_state.pop(_REPORT, None)


def _show_sentence(judgement: Judgement) -> None:
    sentence = plain(judgement.sentence(time_alone))
    advice = f"\n\n{plain(judgement.advice)}" if judgement.advice else ""
    text = f"{sentence}{advice}"
    match judgement.level:
        case Level.BROKEN:
            st.error(text, icon=":material/error:")
        case Level.IN_PART:
            st.warning(text, icon=":material/warning:")
        case Level.WELL:
            st.success(text, icon=":material/check_circle:")


def _show_steps(steps: Sequence[CheckStep]) -> None:
    show_table(
        [
            (step.name, "OK" if step.is_ok else "Failed", step.summary, f"{step.duration_ms} ms")
            for step in steps
        ],
        ["Step", "Result", "Details", "Time"],
        key="report",
        height="content",
        alt="What was tried between this dashboard and the service, and how it ended",
    )


def _show_last_hour(hours: Sequence[OperationHour]) -> None:
    st.header("The last hour", help="All sessions and jobs of this process together")
    rows = [
        (hour.operation, f"{hour.count:,}", _share(hour), *map(time_words, hour.within_s)) for hour in hours
    ]
    show_table(
        rows,
        ["Operation", "Calls", "Failed", "50 % within", "95 % within", "99 % within"],
        key="last_hour",
        alt="Calls of the last hour by operation: how many, how many failed, and how long they took",
    )


def _share(hour: OperationHour) -> str:
    return f"{hour.failed:,} ({hour.failed / hour.count:.0%})" if hour.failed else "0"


def _show_exchanges(calls: Sequence[CallRecord]) -> None:
    st.header("The last exchanges", help="Also the last ones that failed. Tokens and secrets are not shown")
    if not calls:
        st.caption("Nothing was sent yet.")
        return
    show_table(
        [_exchange(call) for call in calls],
        ["Time", "Answer", "Method", "Path", "Took", "Attempt", "The service's words", "Request id"],
        key="exchanges",
        alt="The last exchanges with the service and the token endpoint, the newest first",
        optional=["The service's words"],
    )


def _exchange(call: CallRecord) -> tuple[str, ...]:
    return (
        to_the_second(call.sent_at),
        answer_words(call),
        call.method,
        call.path,
        f"{call.took_s * 1000:.0f} ms",
        str(call.attempt),
        problem_words(call.problem),
        call.request_id,
    )
