"""The open item: its list, the changes that a link fills in, and the line with the count and the time."""

import streamlit as st

from components.clock import time_of_day
from components.finder.many_choices import put_recipients
from components.item.form import ItemForm, current_form, drop_form, new_form
from components.item.form_link import use_prefill
from components.item.saving import (
    ADD,
    about,
    begin_asked_undo,
    forget_work,
    reload,
    settle_save,
    show_interrupted,
)
from components.notices import Notice, keep_notice, show_error
from components.ticket import offer_ticket
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.in_words import many
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import ticket_of_item


def open_item(desk: Desk, item: ItemKey) -> ItemForm | None:
    """Return the form of the item, read from the service when it is opened; None when reading fails."""
    form = current_form(desk, item)
    form = _read_item(desk, item) if form is None else settle_save(desk, form)
    if form is not None:
        begin_asked_undo(desk, form)
    return form


def _read_item(desk: Desk, item: ItemKey) -> ItemForm | None:
    forget_work()
    drop_form()
    try:
        is_busy = desk.settle(item)
        reading = desk.read(item)
    except ItemVisibilityError as error:
        show_error("The recipients could not be read. Nothing was changed.", error)
        st.button("Try again", key="try_again", icon=":material/refresh:")
        offer_ticket(lambda: ticket_of_item(desk, item), key="item")
        return None
    desk.remember_use(item)
    if is_busy:
        keep_notice(Notice("A save of this item is under way. Reload in a moment to see its result."))
    form = _prefilled(desk, reading)
    show_interrupted(desk, form)
    return form


def _prefilled(desk: Desk, reading: ReadItem) -> ItemForm:
    """Return a new form with the link's changes: additions as chips, removals as unticked rows at the top."""
    prefill, recipients = use_prefill(reading.item), reading.recipients or frozenset()
    add = [one for one in prefill.add if one not in recipients and refusal(one, name="recipient") is None]
    if add:
        put_recipients(desk, ADD, add, about=about(reading.item))
    if len(add) < len(prefill.add) or not recipients.issuperset(prefill.remove):
        keep_notice(Notice("Parts of the link are left out: they are in place already, or cannot be sent."))
    return new_form(desk, reading, unticked=prefill.remove)


def show_reading(desk: Desk, form: ItemForm, *, is_saving: bool) -> None:
    """Show how many recipients can see the item and when the list was read, with a button to reload."""
    read_at = plain(f"read {time_of_day(form.reading.read_at)}")
    st.markdown(f"{_count(desk, form)} · {read_at}", width="content")
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


def _count(desk: Desk, form: ItemForm) -> str:
    if form.recipients:
        return f"**{plain(many(len(form.recipients), 'recipient'))} can see this item**"
    if desk.names.is_known_item(form.item):
        return "**Nobody can see this item**"
    return "**Nothing is recorded for this item, and it is not in your directory. Is the number right?**"
