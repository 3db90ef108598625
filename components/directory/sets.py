"""Recipient sets: make one, add and remove recipients, rename, delete."""

from collections.abc import Callable, Iterable

import streamlit as st

from components.clock import time_of_day
from components.finder.many_choices import choose_recipients, chosen_recipients, forget_chosen
from components.notices import Notice, error_as_notice, keep_notice, show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.in_words import many, names_first
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.sets import StoredSet

_SET, _MEMBERS, _NEW_NAME = "recipient_set", "set_members", "set_new_name"


def edit_sets(desk: Desk) -> None:
    """Draw the choice of a set, its recipients, and what can be done with it. Another name is a new set."""
    may_change = desk.access.allows(Role.EDITOR)
    try:
        names = desk.records.sets.names()
        name = _choose_set(names, may_change=may_change)
        chosen = desk.sets.open(name) if name in names else None
    except ItemVisibilityError as error:
        show_error("The recipient sets could not be read. Nothing was changed.", error)
        return
    if chosen is not None:
        _show_members(desk, chosen)
    if name and may_change:
        _offer_changes(desk, name, chosen)


def _choose_set(names: tuple[str, ...], *, may_change: bool) -> str:
    name = st.selectbox(
        "Recipient set, or the name of a new one" if may_change else "Recipient set",
        names,
        index=0 if names else None,
        key=_SET,
        placeholder="There is no set yet",
        accept_new_options=may_change,
        persist_state="session",
    )
    return (name or "").strip()


def _show_members(desk: Desk, chosen: StoredSet) -> None:
    words = many(len(chosen.recipients), "recipient")
    st.caption(
        f"{plain(words)} · {plain(f'changed {time_of_day(chosen.updated_at)} by')} {plain(chosen.updated_by)}"
    )
    names = desk.names.recipient_names(chosen.recipients)
    show_table(
        [(names.get(one, ""), one) for one in names_first(chosen.recipients, names)],
        ["Name", "Recipient"],
        key="members_table",
        alt="The recipients of the set",
        optional=("Name",),
    )


def _offer_changes(desk: Desk, name: str, chosen: StoredSet | None) -> None:
    """Draw the field of recipients, and the buttons that change the set; a new one is made by the first."""
    listed = chosen.recipients if chosen else frozenset[str]()
    choose_recipients(
        desk,
        label="Recipients to add" if chosen is None else "Recipients to add or remove",
        key=_MEMBERS,
        about=name,
        listed=listed,
        listed_mark="in the set already",
    )
    buttons = [("Make set", "make_set", "playlist_add", desk.sets.make)]
    if chosen is not None:
        buttons = [
            ("Add to set", "put_in", "add", desk.sets.put_in),
            ("Remove from set", "take_out", "remove", desk.sets.take_out),
        ]
    with st.container(horizontal=True, vertical_alignment="center", key="set_buttons"):
        for label, key, icon, change in buttons:
            args = (desk, change, name, listed)
            st.button(plain(label), key=key, icon=f":material/{icon}:", on_click=_change, args=args)
        if chosen is not None:
            _offer_more(desk, name)


def _offer_more(desk: Desk, name: str) -> None:
    with st.popover("Rename or delete", icon=":material/more_horiz:", key="set_more"):
        st.text_input("New name", key=_NEW_NAME, autocomplete="off")
        st.button("Rename set", key="rename_set", on_click=_rename, args=(desk, name))
        st.button("Delete set", key="delete_set", on_click=_delete, args=(desk, name))


def _change(
    desk: Desk, change: Callable[[str, Iterable[str]], StoredSet], name: str, listed: frozenset[str]
) -> None:
    recipients = chosen_recipients(desk, _MEMBERS, about=name, listed=listed)
    if recipients.undecided:
        words = "Nothing was changed: a text in the field is not decided yet."
        keep_notice(Notice(words, recipients.undecided))
        return
    with error_as_notice("The set was not changed."):
        after = change(name, recipients.ids)
        forget_chosen(_MEMBERS)
        added, removed = len(after.recipients - listed), len(listed - after.recipients)
        keep_notice(
            Notice("The set was changed. Items stay as they are.", (f"{added} added, {removed} removed",))
        )


def _rename(desk: Desk, name: str) -> None:
    with error_as_notice("The set was not renamed."):
        st.session_state[_SET] = desk.sets.rename(name, st.session_state[_NEW_NAME]).name
        st.session_state[_NEW_NAME] = ""
        keep_notice(Notice("The set was renamed."))


def _delete(desk: Desk, name: str) -> None:
    with error_as_notice("The set was not deleted."):
        desk.sets.delete(name)
        st.session_state[_SET] = None
        keep_notice(Notice("The set was deleted. No item was changed.", (name,)))
