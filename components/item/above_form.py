"""Above the form: what was read, the menu "More", the result of the last save; and the dialog of a plan."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from components.clock import time_alone, time_of_day
from components.downloads import show_ticket
from components.item.form import FilledIn, ItemForm, link, link_parts
from components.item.saving import (
    Plan,
    ask_remove_all,
    ask_set_exactly,
    ask_undo,
    chosen_to_add,
    drop_plan,
    reload,
    running_save,
    save_plan,
    saves_here,
)
from components.notices import Notice, show_error, show_notice
from components.table import show_table
from components.verbatim import listed, plain, showable
from item_visibility.lists.writer import FileKind
from item_visibility.saving.confirmation import is_confirmed
from item_visibility.saving.in_words import GOALS, many, names_first, result_in_words
from item_visibility.saving.outcome import SaveResult, StepResult, Verdict
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_reading
from item_visibility.use_cases.ticket import ticket_of_item, ticket_of_save

_SHOWN = "more_menu.shown"
_PLAN_REQUESTED = "more_menu.plan_requested"
_COPIES = (
    ("Copy link", "copy_link", ":material/link:"),
    ("Copy for ticket", "copy_ticket", ":material/content_copy:"),
    ("Copy as cURL", "copy_curl", ":material/terminal:"),
)
_LOOKED_UP = 100
"""The number of names looked up for one line, which names three recipients and counts the rest."""
_COUNT = "plan_count"


def show_reading(desk: Desk, form: ItemForm, *, is_saving: bool) -> None:
    """Show how many recipients can see the item and when the list was read, with a button to reload."""
    words = "Nothing is recorded for this item, and it is not in your directory. Is the number right?"
    if form.recipients:
        words = f"{many(len(form.recipients), 'recipient')} can see this item"
    elif desk.names.is_known_item(form.item):
        words = "Nobody can see this item"
    read_at = plain(f"read {time_of_day(form.reading.read_at)}")
    st.markdown(f"**{plain(words)}** · {read_at}", width="content")
    st.button(
        "Reload",
        key="reload",
        icon=":material/refresh:",
        type="tertiary",
        disabled=is_saving,
        on_click=reload,
        help="Read the list again. Unsaved ticks and additions are dropped.",
    )
    st.space("stretch")


@st.fragment
def show_more(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Draw the menu. Its content is made when it opens: chips may have changed since the page was drawn."""
    menu = st.popover("More", key=f"more-{form.key}", icon=":material/more_horiz:", on_change="rerun")
    if st.session_state.pop(_PLAN_REQUESTED, False):
        st.rerun()  # this fragment alone has run; the page draws the plan
    if not menu.open:
        return
    with menu:
        if not desk.is_locked:
            _offer_changes(desk, form, is_locked=is_locked)
        for label, key, icon in _COPIES:
            st.button(plain(label), key=key, icon=icon, on_click=_show, args=((form.key, key),))
            if st.session_state.get(_SHOWN) == (form.key, key):
                _show_copy(desk, form, key)
        with st.container(horizontal=True, key="downloads"):
            for kind in FileKind:
                st.download_button(
                    plain(f"Download {kind.words}"),
                    data=partial(export_reading, desk, form.reading, kind),
                    file_name=kind.file_name("recipients"),
                    key=f"download_{kind.value}",
                    on_click="ignore",
                    type="tertiary",
                )


def _offer_changes(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    st.button(
        "Remove all",
        key="remove_all",
        icon=":material/visibility_off:",
        disabled=is_locked or not form.recipients,
        on_click=_close_and_ask,
        args=(ask_remove_all, desk, form),
    )
    st.button(
        "Set exactly to…",
        key="set_exactly",
        icon=":material/rule:",
        disabled=is_locked,
        on_click=_close_and_ask,
        args=(ask_set_exactly, desk, form),
        help="Make the recipients under Add recipients the whole list, and remove all others.",
    )


def _close_and_ask(ask: Callable[[Desk, ItemForm], None], desk: Desk, form: ItemForm) -> None:
    st.session_state[f"more-{form.key}"], st.session_state[_PLAN_REQUESTED] = False, True
    ask(desk, form)


def _show(shown: tuple[str, str]) -> None:
    st.session_state[_SHOWN] = shown


def _show_copy(desk: Desk, form: ItemForm, what: str) -> None:
    """Show what is to be copied. A ticket is that of the last save in this window, or else of a new read."""
    if what == "copy_link":
        parts = link_parts(FilledIn(form.item, chosen_to_add(desk, form).everyone))
        st.code(link(parts), language=None, wrap_lines=True)
        return
    saved = saves_here().ended
    show_ticket(
        lambda: ticket_of_save(desk, saved.request.key) if saved else ticket_of_item(desk, form.item),
        key="item",
        is_curl_alone=what == "copy_curl",
    )


def show_save_result(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Show the progress of a running save, else the result of this window's last save of the item.

    The line keeps its height when it is empty, so that a result does not move the table.
    """
    with st.container(key="result_line"):
        if (running := running_save(desk)) is not None:
            follow_save(desk, running.request.key)
            return
        reason, status = saves_here().refused, saves_here().ended
        if isinstance(reason, Notice):
            show_notice(reason)
        elif reason is not None:
            show_error("Nothing was changed.", reason, key="save_refused")
        if status is not None and status.result is not None:
            _show_result(desk, form, status, status.result, is_locked=is_locked)
        elif reason is None and form.recipients and not is_locked:
            st.caption("Untick or add recipients, then save.")


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def follow_save(desk: Desk, key: str) -> None:
    """Show the progress of a save, and draw the whole page again when it has ended."""
    status = desk.save_status(key)
    if status is None or status.result is not None:
        st.rerun()
    total = max(status.total_steps, 1)
    st.progress(min(status.done_steps / total, 1.0), text="Saving, then reading the list back …")


def _show_result(
    desk: Desk, form: ItemForm, status: SaveStatus, result: SaveResult, *, is_locked: bool
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="save_result"):
        _show_headline(desk, result)
        if (result.added or result.removed) and not is_locked:
            st.button("Undo", key="undo", on_click=ask_undo, args=(desk, form, status.request.key))
    problem = next(
        (one.problem for one in result.steps if one.problem is not None), None
    )  # Spec: "ProblemDetail"
    of_service = () if problem is None else (problem.title, problem.detail, problem.instance)
    for words in filter(None, (result.message, *of_service, result.advice)):
        st.text(showable(words))
    others = result.others
    if others.added or others.removed:
        names = desk.names.recipient_names(others.added | others.removed)
        with st.container(border=True, gap="xsmall", key="others_changes"):
            if others.added:
                st.markdown(f"Somebody else also added, and this was kept: {listed(others.added, names)}")
            if others.removed:
                st.markdown(f"Somebody else also removed: {listed(others.removed, names)}")
    if result.steps and result.verdict is not Verdict.VERIFIED:
        show_steps(desk, result.steps, key="save_steps")


def _show_headline(desk: Desk, result: SaveResult) -> None:
    concerned = frozenset(one.step.recipient_id for one in result.steps[:_LOOKED_UP])
    words = plain(result_in_words(result, desk.names.recipient_names(concerned)))
    at = plain(time_alone(result.ended_at))
    match result.verdict:
        case Verdict.VERIFIED:
            st.success(f"{words} · verified {at}", icon=":material/check_circle:")
        case Verdict.NOT_CONFIRMED:
            st.warning(f"{words} · {at}", icon=":material/hourglass:")
        case _ if result.is_unchanged:
            st.warning(f"{words} · {at}", icon=":material/info:")
        case _:
            st.error(f"{words} · {at}", icon=":material/error:")


def show_steps(desk: Desk, steps: Sequence[StepResult], *, key: str) -> None:
    """Draw what was requested for each recipient, and its outcome."""
    names = desk.names.recipient_names(frozenset(one.step.recipient_id for one in steps))
    show_table(
        [
            (
                names.get(one.step.recipient_id, ""),
                one.step.recipient_id,
                GOALS[one.step.goal],
                one.outcome.capitalize(),
                str(one.attempts),
                one.message,
            )
            for one in steps
        ],
        ["Name", "Recipient", "Change", "Outcome", "Calls", "Why"],
        key=key,
        alt="How the change ended for each recipient",
        optional=("Name", "Why"),
    )


def show_plan(desk: Desk) -> None:
    """Open the dialog while a plan of this item waits for its confirmation."""
    plan = saves_here().plan
    if plan is not None:
        st.dialog(plain(plan.question.title), width="medium", on_dismiss=drop_plan)(_draw)(desk, plan)


def _draw(desk: Desk, plan: Plan) -> None:
    request = plan.request
    if plan.question.why:
        st.markdown(plain(plan.question.why))
    names = desk.names.recipient_names(request.add | request.remove)
    for verb, recipients in (("Remove", request.remove), ("Add", request.add)):
        if recipients:
            st.markdown(f"**{verb} {plain(many(len(recipients), 'recipient'))}**")
            show_table(
                [(names.get(one, ""), one) for one in names_first(recipients, names)],
                ["Name", "Recipient"],
                key=f"plan_{verb.lower()}",
                alt=f"Recipients to {verb.lower()}",
                optional=("Name",),
            )
    for notice in plan.notes:
        show_notice(notice)
    count = plan.question.count_to_type
    with st.form("plan", border=False):
        typed = (
            st.text_input(plain(f"Type {count} to confirm"), key=_COUNT, autocomplete="off") if count else ""
        )
        with st.container(horizontal=True, horizontal_alignment="right", key="plan_buttons"):
            # Confirm comes first: Enter in the field presses the first button of its form.
            is_pressed = st.form_submit_button("Confirm", key="plan_confirm", type="primary")
            is_cancelled = st.form_submit_button("Cancel", key="plan_cancel")
    if is_cancelled:
        drop_plan()
        st.rerun()
    if is_pressed and not is_confirmed(count, typed=typed):
        st.error(plain(f"Type {count} to confirm."))
    elif is_pressed:
        save_plan(desk, plan)
        st.rerun()  # a button in a dialog reruns the dialog alone
