"""See and change the recipients of one item, in one form with one button "Save"."""

import streamlit as st

from components.finder.search_fields import choose_recipients
from components.history import show_item_history
from components.item.form import ADD_RECIPIENTS, choose_view, show_rows
from components.item.links import take_prefill_from_address
from components.item.open_and_save import (
    adding,
    open_item,
    running_save,
    save_form,
    show_plan,
)
from components.item.picker import pick_item, picked_item, show_start, show_title
from components.item.save_result import show_save_result
from components.item.toolbar import show_more, show_reading
from components.notices import show_notices
from components.session import get_desk

desk = get_desk()

# 1. Choose an item, by its address or in the two fields.
take_prefill_from_address()
item = picked_item(desk)
show_title(desk, item)
pick_item(desk)

# 2. Read its list, or take the result of a save that has ended.
form = None
if item is None:
    show_start(desk)
else:
    form = open_item(desk, item)

if form is not None:
    is_saving = running_save(desk) is not None
    is_locked = is_saving or desk.is_locked

    # 3. Who can see it, and the view.
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="reading"
    ):
        show_reading(desk, form, is_saving=is_saving)
        form = choose_view(desk, form)
        with st.container(width="content"):
            show_more(desk, form, is_locked=is_locked)

    # 4. Change it: recipients to add, and the ticks.
    if not desk.is_locked:
        choose_recipients(desk, adding(form), label=ADD_RECIPIENTS, is_locked=is_locked)
    show_notices()
    show_save_result(desk, form, is_locked=is_locked)
    if desk.is_locked:
        show_rows(desk, form, is_locked=True)
    else:
        # The key of Save contains the form's key, so that a late press is not applied
        # to a newer form.
        with st.form(f"form-{form.key}", border=False, enter_to_submit=False):
            show_rows(desk, form, is_locked=is_locked)
            with st.container(
                horizontal=True, vertical_alignment="bottom", key="save_row"
            ):
                st.text_input(
                    "Reason (optional)", key=f"reason-{form.key}", disabled=is_locked
                )
                st.form_submit_button(
                    "Save",
                    key=f"save-{form.key}",
                    type="primary",
                    disabled=is_locked,
                    on_click=save_form,
                    args=(desk, form),
                    shortcut="Ctrl+S",
                )

    # 5. What changed before, and the plan that waits for confirmation.
    show_item_history(desk, form)
    show_plan(desk)
