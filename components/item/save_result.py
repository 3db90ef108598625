"""The result of the last save, in the line above the table, with Undo."""

from collections.abc import Sequence

import streamlit as st

from components import draw
from components.clock import time_alone
from components.item.form import ItemForm
from components.item.open_and_save import ask_undo, running_save, saves_here
from components.markdown_escape import listed, showable
from components.notices import Notice, show_error, show_notice
from components.table import show_table
from item_visibility.model.change_words import GOALS, result_in_words
from item_visibility.model.outcome import SaveResult, StepResult, Verdict
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.desk import Desk

_LOOKED_UP = 100
"""At most this many names are looked up for the headline, which shows three."""


def show_save_result(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Show the progress of a running save, or else the result of the last save."""
    with st.container(key="result_line"):
        running = running_save(desk)
        if running is not None:
            _follow_save(desk, running.request.key)
            return

        reason = saves_here().refused
        status = saves_here().ended
        if isinstance(reason, Notice):
            show_notice(reason)
        elif reason is not None:
            show_error("Nothing was changed.", reason, key="save_refused")

        if status is not None and status.result is not None:
            _show_result(desk, form, status, status.result, is_locked=is_locked)
        elif reason is None and form.recipients and not is_locked:
            draw.caption("Untick or add recipients, then save.")


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_save(desk: Desk, key: str) -> None:
    status = desk.save_status(key)
    if status is None or status.result is not None:
        st.rerun()

    st.progress(status.progress, text="Saving, then checking the new list …")


def _show_result(
    desk: Desk,
    form: ItemForm,
    status: SaveStatus,
    result: SaveResult,
    *,
    is_locked: bool,
) -> None:
    # The headline with Undo.
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="save_result"
    ):
        _show_headline(desk, result)
        if result.is_undoable and not is_locked:
            st.button(
                "Undo",
                key="undo",
                on_click=ask_undo,
                args=(desk, form, status.request.key),
            )

    # The reason, what the service said, and what to do next. Spec: "ProblemDetail".
    problems = [step.problem for step in result.steps if step.problem is not None]
    lines = [result.message]
    if problems:
        lines += [problems[0].title, problems[0].detail, problems[0].instance]
    lines.append(result.advice)
    for line in filter(None, lines):
        st.text(showable(line))

    # What somebody else changed at the same time.
    others = result.others
    if others.added or others.removed:
        names = desk.names.recipient_names(others.added | others.removed)
        with st.container(border=True, gap="xsmall", key="others_changes"):
            if others.added:
                draw.markdown(
                    "Added meanwhile by somebody else, and kept: {}",
                    listed(others.added, names),
                )
            if others.removed:
                draw.markdown(
                    "Removed meanwhile by somebody else: {}",
                    listed(others.removed, names),
                )

    if result.steps and result.verdict is not Verdict.VERIFIED:
        show_steps(desk, result.steps, key="save_steps")


def _show_headline(desk: Desk, result: SaveResult) -> None:
    named_steps = result.steps[:_LOOKED_UP]
    concerned = frozenset(ended.step.recipient_id for ended in named_steps)
    words = result_in_words(result, desk.names.recipient_names(concerned))
    time = time_alone(result.ended_at)
    match result.verdict:
        case Verdict.VERIFIED:
            icon = ":material/check_circle:"
            draw.success("{} · verified {}", words, time, icon=icon)
        case Verdict.NOT_CONFIRMED:
            draw.warning("{} · {}", words, time, icon=":material/hourglass:")
        case _ if result.is_unchanged:
            draw.warning("{} · {}", words, time, icon=":material/info:")
        case _:
            draw.error("{} · {}", words, time, icon=":material/error:")


def show_steps(desk: Desk, steps: Sequence[StepResult], *, key: str) -> None:
    """Draw a table with the change of each recipient and its outcome."""
    names = desk.names.recipient_names(
        frozenset(ended.step.recipient_id for ended in steps)
    )
    rows = [
        (
            names.get(ended.step.recipient_id, ""),
            ended.step.recipient_id,
            GOALS[ended.step.goal],
            ended.outcome.capitalize(),
            str(ended.attempts),
            ended.message,
        )
        for ended in steps
    ]
    show_table(
        rows,
        ["Name", "Recipient", "Change", "Outcome", "Calls", "Why"],
        key=key,
        alt="How the change ended for each recipient",
        optional=("Name", "Why"),
    )
