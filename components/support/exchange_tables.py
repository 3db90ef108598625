"""The last hour in numbers, and the last exchanges."""

from collections.abc import Sequence

import streamlit as st

from components.clock import to_the_second
from components.text_table import show_table
from item_visibility.api.observing import CallRecord
from item_visibility.desk.connection.call_watch import KEPT_CALLS, OperationHour
from item_visibility.desk.connection.report import ConnectionReport
from item_visibility.desk.connection.told_report import time_words
from item_visibility.desk.ticket import answer_words, problem_words

_WHICH = "exchange_tables.which"
_ALL = "All"
_FAILED = "Only failures"


def show_last_hour(hours: Sequence[OperationHour]) -> None:
    """Draw how many calls there were within an hour, how many failed, and how long they took."""
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


def show_exchanges(report: ConnectionReport) -> None:
    """Draw the last exchanges; they can be narrowed down to failures."""
    st.header("The last exchanges", help="Tokens and secrets are not shown")
    st.segmented_control("Which exchanges", (_ALL, _FAILED), default=_ALL, key=_WHICH, required=True)
    only_failures = st.session_state[_WHICH] == _FAILED
    calls = report.failures if only_failures else report.calls
    if not calls:
        st.caption("None of the last calls failed." if only_failures else "Nothing was sent yet.")
        return
    show_table(
        [_row(call) for call in calls],
        ["Time", "Answer", "Method", "Path", "Took", "Attempt", "The service's words", "Request id"],
        key="exchanges",
        alt="The last exchanges with the service and the token endpoint, the newest first",
        limit=KEPT_CALLS,
        optional=["The service's words"],
    )


def _share(hour: OperationHour) -> str:
    return f"{hour.failed:,} ({hour.failed / hour.count:.0%})" if hour.failed else "0"


def _row(call: CallRecord) -> tuple[str, ...]:
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
