"""The dialog that shows a plan before it is saved: who is added and removed, and the number to type."""

import streamlit as st

from components.item.open_and_save import Plan, drop_plan, save_plan, saves_here
from components.markdown_escape import plain
from components.notices import show_notice
from components.table import show_table
from item_visibility.saving.change_words import many, names_first
from item_visibility.saving.large_changes import is_confirmed
from item_visibility.use_cases.desk import Desk

_COUNT = "plan_count"


def show_plan(desk: Desk) -> None:
    """Open the dialog if a plan of this item waits for confirmation."""
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
