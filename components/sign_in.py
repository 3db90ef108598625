"""The sign-in screen, the menu of the person who is signed in, and signing out."""

import logging

import streamlit as st

from components import PRODUCT, draw
from components.downloads import offer_download
from components.item.links import link, link_parts
from components.item.open_and_save import unsaved_changes
from components.markdown_escape import escaped, showable
from components.middleware import SIGN_IN_FAILED
from components.notices import keep_notice, step_button
from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Person, Role
from item_visibility.errors import RecordsError, RoleError, SignInError
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import changes_as_list

_LOG = logging.getLogger(__name__)
_LOGGED = "sign_in.logged"
_LONGEST_LINK = 3_000
"""A longer address does not carry unsaved changes, because servers may refuse it."""


def admit_person(desk: Desk) -> bool:
    """Return True if the person has access. Otherwise show what to do."""
    try:
        _log_once(Event.SIGN_IN, desk.access.require(Role.VIEWER))
    except (SignInError, RoleError) as error:
        _show_sign_in(desk, error)
        return False
    return True


def _show_sign_in(desk: Desk, error: SignInError | RoleError) -> None:
    # An expired sign-in counts too.
    is_in = bool(st.user.to_dict().get("is_logged_in"))
    has_no_role = isinstance(error, RoleError)
    has_expired = is_in and not has_no_role
    if has_expired:
        _log_once(Event.SIGN_IN_REFUSED, None)

    middle = st.container(horizontal_alignment="center", key="sign_in_screen")
    key = "no_role_card" if has_no_role else "sign_in_card"
    with middle.container(border=True, key=key, width=480):
        # Say why the dashboard shows nothing.
        draw.title(PRODUCT)
        if is_in or has_no_role:
            st.text(showable(error.message))
            st.text(showable(error.advice))
        else:
            name, failed = SIGN_IN_FAILED
            if st.query_params.get(name) == failed:
                draw.warning(
                    "The sign-in did not succeed. Please sign in again.",
                    icon=":material/error:",
                )
            draw.markdown("Sign in to see and change who can see an item.")

        # Offer what helps.
        if has_expired:
            _carry_unsaved_changes()
        with st.container(horizontal=True, key="sign_in_again"):
            if not has_no_role:
                st.button(
                    "Sign in again" if is_in else "Sign in",
                    key="sign_in",
                    type="primary",
                    on_click=st.login,
                )
            if is_in or has_no_role:
                _offer_sign_out(desk)


def _log_once(event: Event, person: Person | None) -> None:
    if person is not None and not person.has_signed_in:
        return

    sign_in = (event, person and (person.key, person.began_at))
    if st.session_state.get(_LOGGED) != sign_in:
        log_access(event, person)
        st.session_state[_LOGGED] = sign_in


def _carry_unsaved_changes() -> None:
    """Keep the changes for the time after the sign-in, in the address or as a file."""
    changes = unsaved_changes()
    if changes is None:
        return

    # The sign-in returns to this address.
    parts = link_parts(changes)
    if len(link(parts)) <= _LONGEST_LINK:
        st.query_params.from_dict(parts)
        st.text(
            "Your changes are not saved. They will be filled in again after you sign "
            "in."
        )
        return

    st.text("Your changes are not saved, and there are too many to fill in again.")
    st.text(
        "Download them now, and upload the file on the page Bulk after you sign in."
    )
    content = changes_as_list(changes.item, add=changes.add, remove=changes.remove)
    offer_download(
        "Download changes", "changes.xlsx", lambda: content, key="unsaved_changes"
    )


def show_person(desk: Desk) -> None:
    """Draw the menu of the person, if anyone is signed in."""
    person = desk.access.person()
    if not person.has_signed_in:
        return

    with st.popover(
        escaped(person.name), icon=":material/account_circle:", key="person_menu"
    ):
        st.text(showable(person.name))
        if person.role is not None:
            draw.caption("Role: {}", person.role.word)
        if desk.access.allows(Role.ADMIN):
            _offer_to_end_sign_ins(desk)
        _offer_sign_out(desk)


def _offer_to_end_sign_ins(desk: Desk) -> None:
    name = st.text_input(
        "Person to sign out", key="sign_ins_of", placeholder="Name or e-mail address"
    ).strip()
    step_button(
        "Sign out this person",
        _end_sign_ins,
        desk,
        name,
        key="end_sign_ins",
        icon="person_off",
        failed="Nobody was signed out.",
        is_off=not name,
    )
    step_button(
        "Sign out everybody",
        _end_sign_ins,
        desk,
        None,
        key="end_all_sign_ins",
        icon="person_off",
        failed="Nobody was signed out.",
    )


def _end_sign_ins(desk: Desk, name: str | None) -> None:
    """End the sign-ins of this person, or of everybody if there is no name."""
    desk.access.end_sign_ins(name)
    lines = (
        name or "Everybody",
        "A new sign-in is possible as long as the identity provider allows it.",
    )
    keep_notice("Signed out in all windows:", lines)


def _offer_sign_out(desk: Desk) -> None:
    st.button(
        "Sign out",
        key="sign_out",
        icon=":material/logout:",
        on_click=_leave,
        args=(desk,),
    )


def _leave(desk: Desk) -> None:
    try:
        desk.access.sign_out()
    except RecordsError as error:
        _LOG.warning(
            "A sign-out could not be stored, so other windows stay signed in: %s", error
        )
    st.logout()
