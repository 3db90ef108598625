"""The page Connection: a test, the latest calls, and the switches of the demo."""

from dataclasses import replace

import streamlit as st

from components import draw
from components.clock import time_alone, time_of_day, to_the_second
from components.downloads import offer_ticket
from components.draw import Alert
from components.markdown_escape import escaped, phrase
from components.notices import keep_notice, step_button
from components.table import show_table
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.connection_check import (
    ConnectionReport,
    examine,
    report_ticket,
    time_words,
)
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import answer_words, problem_words
from item_visibility.use_cases.us_or_them import Level

_REPORT = "connection.report"
_BUTTON = "test_again"
_ALERTS: dict[Level, tuple[Alert, str]] = {
    Level.BROKEN: ("error", ":material/error:"),
    Level.IN_PART: ("warning", ":material/warning:"),
    Level.WELL: ("success", ":material/check_circle:"),
}
_REPORT_COLUMNS = ["Step", "Result", "Details", "Time"]
_HOUR_COLUMNS = [
    "Operation",
    "Calls",
    "Failed",
    "50 % within",
    "95 % within",
    "99 % within",
]
_CALL_COLUMNS = [
    "Time",
    "Answer",
    "Method",
    "Path",
    "Took",
    "Attempt",
    "The service's words",
    "Request id",
]
_RESULTS = {True: "OK", False: "Failed", None: "Not known"}
_SWITCH = "demo_"
_TOGGLES = (
    (
        "put_merges",
        "A new list is merged with the old list",
        "Off: the new list replaces the old list",
    ),
    (
        "empty_is_not_found",
        "An item without recipients is not found (404)",
        "Off: its list is empty",
    ),
)
_SLIDERS = (
    ("read_lag_s", "Read lag (seconds)", 3.0, 0.5),
    ("failing_share", "Share of calls that fail", 0.9, 0.1),
)
_SWITCHES = [name for name, *_ in (*_TOGGLES, *_SLIDERS)]


def examine_connection(desk: Desk, item: ItemKey | None) -> None:
    """Test the connection and show the report.

    Test it when the page is opened, and again when the button is pressed.
    """
    # The button is not in the session yet, so the page was just opened.
    if _BUTTON not in st.session_state:
        _forget_report()
    if _REPORT not in st.session_state:
        with st.spinner("Testing the connection …"):
            st.session_state[_REPORT] = examine(desk, item)
    report: ConnectionReport = st.session_state[_REPORT]

    judgement = report.judgement
    kind, icon = _ALERTS[judgement.level]
    draw.alert(
        "{}\n\n{}",
        judgement.sentence(time_alone),
        judgement.advice,
        kind=kind,
        icon=icon,
    )

    with st.container(
        horizontal=True, vertical_alignment="center", key="connection_actions"
    ):
        st.button(
            "Test again",
            key=_BUTTON,
            icon=":material/refresh:",
            on_click=_forget_report,
            help="Gets a token and reads one item",
        )
        offer_ticket(
            lambda: report_ticket(report, base_url=desk.environment.base_url),
            key="connection",
        )

    tested = phrase("Tested {} · {}", time_of_day(report.made_at), report.addresses)
    if item is not None:
        tested = phrase("{} · read: {}", tested, desk.names.item_title(item))
    draw.caption("{}", tested)
    _show_steps(report)
    _show_last_hour(report)
    _show_calls(report)


def _forget_report() -> None:
    st.session_state.pop(_REPORT, None)


def _show_steps(report: ConnectionReport) -> None:
    show_table(
        [
            (step.name, _RESULTS[step.is_ok], step.summary, f"{step.duration_ms} ms")
            for step in report.steps
        ],
        _REPORT_COLUMNS,
        key="report",
        alt="The steps of the test and their results",
    )


def _show_last_hour(report: ConnectionReport) -> None:
    draw.header(
        "The last hour",
        tip="Up to 20,000 calls of all sessions and jobs of this process",
    )
    rows = []
    for hour in report.last_hour:
        failed = "0"
        if hour.failed:
            failed = f"{hour.failed:,} ({hour.failed / hour.count:.0%})"
        durations = [time_words(seconds) for seconds in hour.within_s]
        rows.append((hour.operation, f"{hour.count:,}", failed, *durations))
    show_table(
        rows,
        _HOUR_COLUMNS,
        key="last_hour",
        alt="Calls in the last hour, by operation: number, failures and durations",
    )


def _show_calls(report: ConnectionReport) -> None:
    draw.header(
        "The last exchanges",
        tip="The latest failures are included. Tokens and secrets are left out.",
    )
    show_table(
        [
            (
                to_the_second(call.sent_at),
                answer_words(call),
                call.method,
                call.path,
                f"{call.took_s * 1000:.0f} ms",
                str(call.attempt),
                problem_words(call.problem),
                call.request_id,
            )
            for call in report.calls
        ],
        _CALL_COLUMNS,
        key="exchanges",
        alt="The last exchanges with the service and the token endpoint, the newest "
        "first",
        optional=["The service's words"],
        placeholder="Nothing was sent yet.",
    )


def show_demo_switches(demo: DemoControls, item: ItemKey | None) -> None:
    """Draw the switches of the bundled service."""
    draw.header("Try what the specification leaves open")
    draw.caption(
        "A switch takes effect with the next call. To see how the dashboard reacts, "
        "change a switch, then save on the item page."
    )

    # The fields show the switches as they are now, also if another window set them.
    switches = demo.read_switches()
    for name in _SWITCHES:
        st.session_state[f"{_SWITCH}{name}"] = getattr(switches, name)
    left, right = st.columns(2)
    with left:
        for name, label, off in _TOGGLES:
            st.toggle(
                escaped(label),
                key=f"{_SWITCH}{name}",
                on_change=_set_switches,
                args=(demo,),
                help=escaped(off),
            )
    with right:
        for name, label, most, step in _SLIDERS:
            st.slider(
                escaped(label),
                0.0,
                most,
                step=step,
                key=f"{_SWITCH}{name}",
                on_change=_set_switches,
                args=(demo,),
            )

    with st.container(horizontal=True, key="demo_actions"):
        step_button(
            "Someone else edits the item",
            _let_someone_edit,
            demo,
            item,
            key="someone_else_edits",
            icon="group",
            is_off=item is None,
            help="Adds one recipient to the item that is open on the item page, and "
            "removes another",
        )
        step_button(
            "Restore the sample data",
            _reset,
            demo,
            key="reset_demo",
            icon="restart_alt",
            help="Also resets the switches. Names, sets, history and jobs are kept",
        )


def _set_switches(demo: DemoControls) -> None:
    entered = {name: st.session_state[f"{_SWITCH}{name}"] for name in _SWITCHES}
    demo.set_switches(replace(demo.read_switches(), **entered))


def _let_someone_edit(demo: DemoControls, item: ItemKey) -> None:
    demo.someone_else_edits(item)
    keep_notice("Someone else added one recipient to the item and removed another.")


def _reset(demo: DemoControls) -> None:
    demo.reset()
    keep_notice(
        "The sample data and the switches were reset. Names, sets, history and jobs "
        "were not changed."
    )
