"""Recipient sets: make one, add and remove recipients, rename, delete."""

from collections.abc import Callable, Iterable

import streamlit as st

from components.clock import time_of_day
from components.finder.many_choices import choose_recipients, chosen_recipients, forget_chosen
from components.links import example_recipient
from components.notices import Notice, error_as_notice, keep_notice, show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.in_words import many
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import found_among
from item_visibility.use_cases.sets import StoredSet

_EDITED = "set_to_edit"
_MEMBERS, _NEW_MEMBERS = "set_members", "new_set_recipients"
_NAME, _NEW_NAME = "new_set_name", "set_new_name"
_DELETED = "sets.deleted"
_EXAMPLE = "Example"
_OFFERED, _SHOWN = 20, 200


def make_set(desk: Desk) -> None:
    """Draw the form for a new set, which is then opened for editing."""
    with st.expander("Make a new set", icon=":material/playlist_add:", key="set_maker"):
        st.text_input("Name of the new set", key=_NAME, autocomplete="off")
        choose_recipients(desk, label="Its recipients", key=_NEW_MEMBERS, about="")
        st.button("Make set", key="make_set", icon=":material/playlist_add:", on_click=_make, args=(desk,))


def edit_sets(desk: Desk) -> None:
    """Draw the choice of a set, its recipients, and what can be done with it."""
    may_change = desk.access.allows(Role.EDITOR)
    if may_change:
        _offer_to_bring_back(desk)
    try:
        names = desk.records.sets.names()
    except ItemVisibilityError as error:
        show_error("The recipient sets could not be read. Nothing was changed.", error)
        return
    if not names:
        st.caption("There are no recipient sets yet: make the first.")
        if may_change:
            _offer_example(desk)
        return
    if st.session_state.get(_EDITED) not in names:
        st.session_state[_EDITED] = names[0]
    st.selectbox("Set to edit", names, key=_EDITED)
    try:
        chosen = desk.sets.open(st.session_state[_EDITED])
    except ItemVisibilityError as error:
        show_error("The set could not be opened. Nothing was changed.", error)
        return
    _show_members(desk, chosen)
    if may_change:
        _offer_changes(desk, chosen)


def _offer_example(desk: Desk) -> None:
    recipient = example_recipient(desk)
    if recipient is not None:
        st.button(
            f"Make a set '{_EXAMPLE}' with {plain(recipient.name or recipient.id)}",
            key="example_set",
            icon=":material/playlist_add:",
            on_click=_make_example,
            args=(desk, recipient.id),
        )


def _show_members(desk: Desk, chosen: StoredSet) -> None:
    words = many(len(chosen.recipients), "recipient")
    st.caption(
        f"{plain(words)} · {plain(f'changed {time_of_day(chosen.updated_at)} by')} {plain(chosen.updated_by)}"
    )
    names, wanted = desk.names.recipient_names(chosen.recipients), ""
    if len(chosen.recipients) > _OFFERED:
        wanted = st.text_input("Find in this set", key="find_in_set", type="search")
    show_table(
        [(names.get(one, ""), one) for one in found_among(chosen.recipients, names, wanted)],
        ["Name", "Recipient"],
        key="members_table",
        alt="The recipients of the set",
        optional=("Name",),
        limit=_SHOWN,
        hint=": look for part of a number or name",
    )


def _offer_changes(desk: Desk, chosen: StoredSet) -> None:
    choose_recipients(
        desk,
        label="Recipients to add or remove",
        key=_MEMBERS,
        about=chosen.name,
        listed=chosen.recipients,
        listed_mark="in the set already",
    )
    with st.container(horizontal=True, key="member_buttons"):
        for label, key, icon, change in (
            ("Add to set", "put_in", "add", desk.sets.put_in),
            ("Remove from set", "take_out", "remove", desk.sets.take_out),
        ):
            st.button(
                label, key=key, icon=f":material/{icon}:", on_click=_change, args=(desk, change, chosen)
            )
    with st.container(horizontal=True, vertical_alignment="bottom", key="set_name"):
        st.text_input("New name", key=_NEW_NAME, autocomplete="off")
        st.button("Rename set", key="rename_set", on_click=_rename, args=(desk, chosen))
        st.button(
            "Delete set", key="delete_set", icon=":material/delete:", on_click=_delete, args=(desk, chosen)
        )


def _make(desk: Desk) -> None:
    recipients = _decided(desk, _NEW_MEMBERS, about="")
    if recipients is None:
        return
    with error_as_notice("No set was made."):
        _make_and_open(desk, st.session_state[_NAME], recipients)
        st.session_state[_NAME] = ""
        forget_chosen(_NEW_MEMBERS)


def _make_example(desk: Desk, recipient_id: str) -> None:
    with error_as_notice("No set was made."):
        _make_and_open(desk, _EXAMPLE, [recipient_id])


def _make_and_open(desk: Desk, name: str, recipients: Iterable[str]) -> None:
    made = desk.sets.make(name, recipients)
    st.session_state[_EDITED] = made.name
    keep_notice(Notice("The set was made.", (made.name,)))


def _change(desk: Desk, change: Callable[[str, Iterable[str]], StoredSet], chosen: StoredSet) -> None:
    recipients = _decided(desk, _MEMBERS, about=chosen.name, listed=chosen.recipients)
    if recipients is None:
        return
    with error_as_notice("The set was not changed."):
        after = change(chosen.name, recipients)
        forget_chosen(_MEMBERS)
        added, removed = after.recipients - chosen.recipients, chosen.recipients - after.recipients
        counts = f"{len(added)} added, {len(removed)} removed"
        keep_notice(Notice("The set was changed. Items stay as they are.", (counts,)))


def _decided(
    desk: Desk, key: str, *, about: str, listed: frozenset[str] = frozenset()
) -> frozenset[str] | None:
    """Return the recipients in the field. Say so, and return None, when a text is not decided."""
    recipients = chosen_recipients(desk, key, about=about, listed=listed)
    if not recipients.undecided:
        return recipients.ids
    keep_notice(Notice("Nothing was changed: a text in the field is not decided yet.", recipients.undecided))
    return None


def _rename(desk: Desk, chosen: StoredSet) -> None:
    with error_as_notice("The set was not renamed."):
        renamed = desk.sets.rename(chosen.name, st.session_state[_NEW_NAME])
        st.session_state[_NEW_NAME] = ""
        st.session_state[_EDITED] = renamed.name
        keep_notice(Notice("The set was renamed.", (renamed.name,)))


def _delete(desk: Desk, chosen: StoredSet) -> None:
    with error_as_notice("The set was not deleted."):
        st.session_state[_DELETED] = desk.sets.delete(chosen.name)


def _offer_to_bring_back(desk: Desk) -> None:
    """Offer to restore a set deleted by mistake, as long as this window is open."""
    deleted: StoredSet | None = st.session_state.get(_DELETED)
    if deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="deleted_set"):
        st.info("The set was deleted. No item was changed.", icon=":material/delete:")
        st.button(
            "Bring it back",
            key="bring_back_set",
            icon=":material/undo:",
            on_click=_bring_back,
            args=(desk, deleted),
        )
    st.text(deleted.name)


def _bring_back(desk: Desk, deleted: StoredSet) -> None:
    with error_as_notice("The set was not brought back."):
        desk.sets.make(deleted.name, deleted.recipients)
        del st.session_state[_DELETED]
        st.session_state[_EDITED] = deleted.name
