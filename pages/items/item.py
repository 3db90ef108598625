"""The recipients of one item, seen and changed: pick, read, edit, look, save."""

import streamlit as st

from components.item.add_box import add_recipients
from components.item.asked_elsewhere import stage_what_was_asked
from components.item.copy_box import copy_recipients
from components.item.demo_trial import offer_hard_case
from components.item.left_draft import show_left_draft, show_other_drafts
from components.item.opened_item import open_draft, show_reading
from components.item.own_history import show_item_history
from components.item.picker import pick_item, picked_item
from components.item.recent_items import show_recents
from components.item.set_box import stage_set
from components.item.table.change_list import show_changes
from components.item.table.recipients_editor import edit_recipients
from components.item.window_drafts import take_in_late_ticks
from components.notices import show_kept_notice
from components.saving.bar import ask_reason, show_save_bar
from components.saving.confirm_dialog import show_question
from components.saving.leave_warning import warn_before_leaving
from components.saving.press import is_running, settle_save
from components.saving.told_outcome import show_details
from components.shell.screen_title import title_item
from components.wiring import get_desk

desk = get_desk()

# The places, from top to bottom. The parts that answer a hand are drawn first, the others after them.
title, picker, read = st.container(key="title"), st.container(key="pick_item"), st.container(key="read")

# 1. Pick. The choice stands in the address, so that support can send a link.
item = picked_item(desk)
with read:  # parts that appear here move no field below: one loses its text
    if item is None:
        show_recents(desk)
    # 2. Read: once when the item is opened, and again after every save.
    draft = None if item is None else open_draft(desk, item)
if item is not None and draft is not None:
    draft, save = settle_save(desk, draft)
    is_saving = is_running(save)
    is_locked = is_saving or desk.is_locked
    if not is_locked:
        draft = stage_what_was_asked(desk, draft)
    table, side = st.columns([2, 1], gap="medium")
    history = st.container(key="history")
    # 3. Edit. Nothing is sent: ticks, removals and additions are staged.
    with table:
        show_changes(desk, draft, is_locked=is_locked)
    # 4. Save exactly the staged changes, then read the list back.
    show_save_bar(desk, draft, save, is_locked=is_locked)
    with table:
        edit_recipients(desk, draft, is_locked=is_locked)
    with read:
        if save is not None and not is_saving:
            show_details(desk, save, draft, is_editable=not is_locked)
        show_kept_notice()
        show_reading(desk, draft, is_saving=is_saving)
        show_left_draft(desk, item)
        show_other_drafts(desk, draft, is_locked=is_locked)
    with side:
        add_recipients(desk, draft, is_locked=is_locked)
        ask_reason(draft, is_locked=is_locked)
        stage_set(desk, item, is_locked=is_locked)
        copy_recipients(desk, draft, is_locked=is_locked)
        offer_hard_case(desk, item, is_locked=is_locked)
    with history:
        show_item_history(desk, item)
    show_question(desk, draft, is_locked=is_locked)
    take_in_late_ticks(desk, draft)
    warn_before_leaving(is_dirty=not draft.is_empty)

with title:
    title_item(desk, item)
with picker:
    pick_item(desk)
