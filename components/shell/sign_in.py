"""The sign-in before every screen, the menu of the person, and the sign-out."""

import logging
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.item.form_link import put_unsaved_into_address, unsaved_changes
from components.item.saving import keep_waiting_plan
from components.notices import Notice, keep_notice, step_button
from components.session import is_signed_in
from components.verbatim import plain, showable
from item_visibility.access.access import Event, Person, Role, log_access
from item_visibility.errors import RecordsError, RoleError, SignInError
from item_visibility.use_cases.desk import Desk

_LOG = logging.getLogger(__name__)


def admit_person(desk: Desk) -> bool:
    """Return True when the person has access; else show what to do."""
    try:
        _log_once(Event.SIGN_IN, desk.access.require(Role.VIEWER))
    except SignInError as error:
        if is_signed_in():
            _log_once(Event.SIGN_IN_REFUSED, None)
        _offer_sign_in(desk, error)
        return False
    except RoleError as error:
        _show_no_role(desk, error)
        return False
    return True


def _log_once(event: Event, person: Person | None) -> None:
    """Write this to the access log once for each window and sign-in. Nobody signs in to a demo."""
    sign_in = (event, person and (person.key, person.began_at))
    if st.session_state.get("sign_in.logged") != sign_in and not (person and not person.has_signed_in):
        log_access(event, person)
        st.session_state["sign_in.logged"] = sign_in


def _offer_sign_in(desk: Desk, error: SignInError) -> None:
    with _card("sign_in_card"):
        st.title("Item visibility", anchor=False)
        if is_signed_in():
            _show(error)
            _carry_unsaved_changes(desk)
            with st.container(horizontal=True, key="sign_in_again"):
                st.button("Sign in again", key="sign_in", type="primary", on_click=st.login)
                _offer_sign_out(desk)
        else:
            st.markdown("Sign in to see who can see an item, and to change it.")
            st.button("Sign in", key="sign_in", type="primary", on_click=st.login)


def _carry_unsaved_changes(desk: Desk) -> None:
    """Carry unsaved changes over to the next sign-in: in the address, or as a file when it gets too long."""
    keep_waiting_plan()
    changes = unsaved_changes()
    if changes is None:
        return
    if put_unsaved_into_address(changes):
        st.text("Your changes are not saved. They will be filled in again after you sign in.")
        return
    st.text("You have too many unsaved changes to fill in again. Download them, and open the file in Bulk.")
    st.download_button(
        "Download changes",
        desk.exports.changes_as_list(changes.item, add=changes.add, remove=changes.remove),
        "changes.xlsx",
        key="unsaved_changes",
        on_click="ignore",
    )


def _show_no_role(desk: Desk, error: RoleError) -> None:
    with _card("no_role_card"):
        st.title("Item visibility", anchor=False)
        _show(error)
        _offer_sign_out(desk)


def _card(key: str) -> DeltaGenerator:
    """Return a card in the middle of the screen."""
    middle = st.container(horizontal_alignment="center", key="sign_in_screen")
    return middle.container(border=True, key=key, width=480)


def _show(error: SignInError | RoleError) -> None:
    st.text(showable(error.message))
    st.text(showable(error.advice))


def show_person(desk: Desk) -> None:
    """Draw the menu of the person in this window; nothing without a sign-in."""
    person = desk.access.person()
    if not person.has_signed_in:
        return
    with st.popover(plain(person.name), icon=":material/account_circle:", key="person_menu"):
        st.text(showable(person.name))
        if person.role is not None:
            st.caption(plain(f"Role: {person.role.word}"))
        if desk.access.allows(Role.ADMIN):
            _offer_to_end_sign_ins(desk)
        _offer_sign_out(desk)


def _offer_to_end_sign_ins(desk: Desk) -> None:
    who = st.text_input(
        "End the sign-ins of", key="sign_ins_of", placeholder="Name or e-mail address"
    ).strip()
    failed = "No sign-in was ended."
    end = partial(step_button, icon="person_off", failed=failed)
    end("End their sign-ins", _end_sign_ins, desk, who, key="end_sign_ins", is_off=not who)
    end("End everybody's sign-ins", _end_sign_ins, desk, None, key="end_all_sign_ins")


def _end_sign_ins(desk: Desk, who: str | None) -> None:
    desk.access.end_sign_ins(who)
    lines = ("They can sign in again while the identity provider lets them.",)
    keep_notice(Notice("Every sign-in until now has ended.", (*filter(None, [who]), *lines)))


def _offer_sign_out(desk: Desk) -> None:
    st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=_leave, args=(desk,))


def _leave(desk: Desk) -> None:
    """Sign the person out at the provider and in every window with this sign-in; in this one at least."""
    try:
        desk.access.sign_out()
    except RecordsError as error:
        _LOG.warning("A sign-out could not be recorded, so other windows stay signed in: %s", error)
    st.logout()
