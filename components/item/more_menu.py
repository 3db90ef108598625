"""The menu "More": actions needed less often than Save."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.finder.many_choices import chosen_recipients
from components.item.form import ItemForm
from components.item.form_link import link, link_parts
from components.item.saving import ADD, about, ask_remove_all, ask_set_exactly, ended_save
from components.ticket import show_curl, show_ticket
from components.verbatim import plain
from item_visibility.lists.writer import FileKind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.ticket import Ticket, ticket_of_item, ticket_of_save

_SHOWN = "more_menu.shown"
_PLAN_REQUESTED = "more_menu.plan_requested"


@st.fragment
def show_more(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Draw the menu. Its content is made when it opens: chips may have changed since the page was drawn."""
    menu = st.popover("More", key=_key(form), icon=":material/more_horiz:", on_change="rerun")
    if st.session_state.pop(_PLAN_REQUESTED, False):
        st.rerun()  # this fragment alone has run; the page draws the plan
    if not menu.open:
        return
    with menu:
        if not desk.is_locked:
            _offer_changes(desk, form, is_locked=is_locked)
        for label, (key, icon, show) in _COPIES.items():
            shown = (form.key, key)
            st.button(plain(label), key=key, icon=icon, on_click=_show, args=(shown,))
            if st.session_state.get(_SHOWN) == shown:
                show(desk, form)
        with st.container(horizontal=True, key="downloads"):
            for kind in FileKind:
                st.download_button(
                    plain(f"Download {kind.words}"),
                    data=partial(desk.exports.of_reading, form.reading, kind),
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
    st.session_state[_key(form)], st.session_state[_PLAN_REQUESTED] = False, True
    ask(desk, form)


def _show(shown: tuple[str, str]) -> None:
    st.session_state[_SHOWN] = shown


def _link(desk: Desk, form: ItemForm) -> None:
    chosen = chosen_recipients(desk, ADD, about=about(form.item), listed=form.recipients)
    st.code(link(link_parts(form.item, add=chosen.ids)), language=None, wrap_lines=True)


def _text(desk: Desk, form: ItemForm) -> None:
    show_ticket(lambda: _ticket(desk, form), key="item")


def _curl(desk: Desk, form: ItemForm) -> None:
    show_curl(lambda: _ticket(desk, form), key="item")


_COPIES = {
    "Copy link": ("copy_link", ":material/link:", _link),
    "Copy for ticket": ("copy_ticket", ":material/content_copy:", _text),
    "Copy as cURL": ("copy_curl", ":material/terminal:", _curl),
}


def _ticket(desk: Desk, form: ItemForm) -> Ticket:
    """Return the ticket of the last save in this window; if there was no save, of a new read."""
    status = ended_save(form)
    return ticket_of_item(desk, form.item) if status is None else ticket_of_save(desk, status.request.key)


def _key(form: ItemForm) -> str:
    return f"more-{form.key}"
