"""The line above the form: the number of recipients, Reload, and the menu "More"."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components import draw
from components.clock import time_of_day
from components.downloads import offer_download, show_ticket
from components.item.form import ADD_RECIPIENTS, ItemForm
from components.item.links import FilledIn, link, link_parts
from components.item.open_and_save import (
    ask_remove_all,
    ask_set_exactly,
    chosen_to_add,
    reload,
    saves_here,
)
from components.markdown_escape import escaped, phrase
from item_visibility.lists.writer import FileKind
from item_visibility.model.words import many
from item_visibility.storage.database_errors import or_else
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_file, write_reading
from item_visibility.use_cases.ticket import ticket_of_item, ticket_of_save

_SHOWN = "toolbar.shown"
_PLAN_REQUESTED = "toolbar.plan_requested"
_COPIES = (
    ("Copy link", "copy_link", ":material/link:"),
    ("Copy for ticket", "copy_ticket", ":material/content_copy:"),
    ("Copy as cURL", "copy_curl", ":material/terminal:"),
)


def show_reading(desk: Desk, form: ItemForm, *, is_saving: bool) -> None:
    """Draw the number of recipients, when the list was read, and the button Reload."""
    draw.markdown(
        "**{}** · read {}",
        _who_can_see(desk, form),
        time_of_day(form.reading.read_at),
        width="content",
    )
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


def _who_can_see(desk: Desk, form: ItemForm) -> str:
    if form.recipients:
        return f"{many(len(form.recipients), 'recipient')} can see this item"

    latest = or_else(None, lambda: desk.records.history.latest(form.item))
    if latest or desk.names.known_items([form.item]):
        return "Nobody can see this item"
    return (
        "Nothing is recorded for this item, and it is not in your directory. Is the "
        "number right?"
    )


@st.fragment
def show_more(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Draw the menu "More".

    Its content depends on the chips, so it is drawn when the menu is opened.
    """
    menu = st.popover(
        "More", key=f"more-{form.key}", icon=":material/more_horiz:", on_change="rerun"
    )
    if st.session_state.pop(_PLAN_REQUESTED, False):
        st.rerun()  # run the whole page, which draws the plan
    if not menu.open:
        return

    with menu:
        if not desk.is_locked:
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
                help=phrase(
                    'Replace the whole list with the recipients under "{}".',
                    ADD_RECIPIENTS,
                ),
            )
        for label, key, icon in _COPIES:
            shown = (form.key, key)
            st.button(
                escaped(label),
                key=key,
                icon=icon,
                on_click=st.session_state.update,
                args=({_SHOWN: shown},),
            )
            if st.session_state.get(_SHOWN) == shown:
                _show_copy(desk, form, key)
        with st.container(horizontal=True, key="downloads"):
            for kind in FileKind:
                write = partial(write_reading, form.reading, kind)
                make = partial(export_file, desk, write, item_count=1)
                offer_download(
                    f"Download {kind.words}",
                    kind.file_name("recipients"),
                    make,
                    key=f"download_{kind.value}",
                )


def _close_and_ask(
    ask: Callable[[Desk, ItemForm], None], desk: Desk, form: ItemForm
) -> None:
    st.session_state[f"more-{form.key}"] = False
    st.session_state[_PLAN_REQUESTED] = True
    ask(desk, form)


def _show_copy(desk: Desk, form: ItemForm, what: str) -> None:
    if what == "copy_link":
        parts = link_parts(FilledIn(form.item, chosen_to_add(desk, form).everyone))
        st.code(link(parts), language=None, wrap_lines=True)
        return

    saved = saves_here().ended
    if saved:
        make = partial(ticket_of_save, desk, saved.request.key)
    else:
        make = partial(ticket_of_item, desk, form.item)
    show_ticket(make, key="item", is_curl_alone=what == "copy_curl")
