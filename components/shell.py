"""What every screen shows at its top: the environment, the person who is signed in, and the heading."""

import logging
from functools import partial

import streamlit as st

from components.address import Visit, begin_visit, current_visit, new_visit
from components.downloads import offer_download
from components.item.form import LONGEST_LINK, link, link_parts
from components.item.saving import unsaved_changes
from components.middleware import SIGN_IN_FAILED
from components.notices import Notice, keep_notice, step_button
from components.session import (
    address_of_environment,
    current_environment,
    enter_environment,
    environment_names,
)
from components.verbatim import plain, showable, verbatim, visible
from item_visibility.access.access import Event, Person, Role, log_access
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError, RoleError, SignInError
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import changes_as_list

_LOG = logging.getLogger(__name__)
PRODUCT = "Item visibility"
_CHOICE = "environment_choice"
_ENV = "env"
_LOGGED = "sign_in.logged"


def enter_addressed(page: str) -> bool:
    """Switch to the environment that the address names. If it is unknown, show an error and return False.

    With several environments, its name is added to every address, so that a copied link opens what its sender
    saw. After Back to an address without a name none is added: otherwise Back could not leave the page.
    """
    visit = new_visit(page)
    if visit is not None:
        if _ENV in visit.params:
            named = visit.first(_ENV)
            if named not in environment_names():
                _show_unknown(named)
                return False
            enter_environment(named)
        begin_visit(visit)
    else:
        visit = current_visit()
    is_bare_by_back = visit is not None and visit.is_back and _ENV not in visit.params
    address = address_of_environment()
    if address and not is_bare_by_back and st.query_params.get(_ENV) != address[_ENV]:
        st.query_params.update(address)
    return True


def show_environment(desk: Desk) -> None:
    """Draw the banner with the environment, its address, the choice of another, and the person's menu."""
    environment = desk.environment
    with st.container(horizontal=True, vertical_alignment="center", key="environment"):
        st.markdown(f"**{PRODUCT}**", width="content")
        if environment.is_demo:
            st.badge("Demo: sample data", icon=":material/science:", color="violet")
            st.caption("Nothing here reaches a real system.")
        else:
            st.badge(plain(environment.name), icon=":material/cloud:", color=environment.color)
            st.caption(verbatim(environment.base_url))
        if desk.is_locked:
            with st.container(width="content", key="environment_lock"):
                st.badge("Read only", icon=":material/lock:", color="orange")
        if len(environment_names()) > 1:
            st.session_state[_CHOICE] = current_environment()
            st.selectbox(
                "Environment",
                environment_names(),
                key=_CHOICE,
                label_visibility="collapsed",
                width=220,
                on_change=lambda: _open(st.session_state[_CHOICE]),
            )
        _show_person(desk)


def title_screen(words: str) -> None:
    """Show these words as the heading and in the browser tab."""
    st.set_page_config(page_title=f"{visible(words)} · {PRODUCT}")
    st.title(plain(words), anchor=False)


def title_item(desk: Desk, item: ItemKey | None) -> None:
    """Show the item's name and market as the heading, with its number beside it."""
    if item is None:
        title_screen("Choose an item")
        return
    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="item_title"):
        st.title(plain(name), anchor=False, width="content")
        if not name.startswith(item.supplier_item_id):
            st.caption(verbatim(item.supplier_item_id), width="content")


def _open(name: str) -> None:
    visit = current_visit()
    st.query_params.clear()
    enter_environment(name)
    st.query_params.update(address_of_environment())
    if visit is not None:
        begin_visit(Visit(visit.page))


def _show_unknown(name: str) -> None:
    with st.container(border=True, key="error_card"):
        st.error(
            "The environment in this link is not configured here. Nothing was read or changed.",
            icon=":material/error:",
        )
        st.text(name)
        st.text("Ask the sender of the link or the operator of this dashboard, or open another environment:")
        with st.container(horizontal=True, key="known_environments"):
            for index, known in enumerate(environment_names()):
                st.button(plain(known), key=f"enter_{index}", on_click=_open, args=(known,))


def admit_person(desk: Desk) -> bool:
    """Return True if the person has access. Otherwise show what to do."""
    try:
        _log_once(Event.SIGN_IN, desk.access.require(Role.VIEWER))
    except (SignInError, RoleError) as error:
        is_in = bool(st.user.to_dict().get("is_logged_in"))  # also with claims that have expired
        has_no_role = isinstance(error, RoleError)
        if is_in and not has_no_role:
            _log_once(Event.SIGN_IN_REFUSED, None)
        middle = st.container(horizontal_alignment="center", key="sign_in_screen")
        key = "no_role_card" if has_no_role else "sign_in_card"
        with middle.container(border=True, key=key, width=480):
            st.title(PRODUCT, anchor=False)
            if is_in or has_no_role:
                st.text(showable(error.message))
                st.text(showable(error.advice))
            else:
                name, failed = SIGN_IN_FAILED
                if st.query_params.get(name) == failed:
                    st.warning("The sign-in did not succeed. Please sign in again.", icon=":material/error:")
                st.markdown("Sign in to see who can see an item, and to change it.")
            if is_in and not has_no_role:
                _carry_unsaved_changes()
            with st.container(horizontal=True, key="sign_in_again"):
                if not has_no_role:
                    words = "Sign in again" if is_in else "Sign in"
                    st.button(plain(words), key="sign_in", type="primary", on_click=st.login)
                if is_in or has_no_role:
                    _offer_sign_out(desk)
        return False
    return True


def _log_once(event: Event, person: Person | None) -> None:
    """Write this to the access log once for each window and sign-in, but not without a sign-in."""
    sign_in = (event, person and (person.key, person.began_at))
    if st.session_state.get(_LOGGED) != sign_in and not (person and not person.has_signed_in):
        log_access(event, person)
        st.session_state[_LOGGED] = sign_in


def _carry_unsaved_changes() -> None:
    """Keep unsaved changes for the next sign-in: in the address, or as a file if it would be too long."""
    changes = unsaved_changes()
    if changes is None:
        return
    parts = link_parts(changes)
    if len(link(parts)) <= LONGEST_LINK:  # the sign-in returns to this address
        st.query_params.from_dict(parts)
        st.text("Your changes are not saved. They will be filled in again after you sign in.")
        return
    st.text("Your changes are not saved, and there are too many to fill in again.")
    st.text("Download them now, and upload the file on the page Bulk after you sign in.")
    content = changes_as_list(changes.item, add=changes.add, remove=changes.remove)
    offer_download("Download changes", "changes.xlsx", lambda: content, key="unsaved_changes")


def _show_person(desk: Desk) -> None:
    person = desk.access.person()
    if not person.has_signed_in:
        return
    with st.popover(plain(person.name), icon=":material/account_circle:", key="person_menu"):
        st.text(showable(person.name))
        if person.role is not None:
            st.caption(plain(f"Role: {person.role.word}"))
        if desk.access.allows(Role.ADMIN):
            hint = "Name or e-mail address"
            who = st.text_input("Person to sign out", key="sign_ins_of", placeholder=hint).strip()
            end = partial(step_button, icon="person_off", failed="Nobody was signed out.")
            end("Sign out this person", _end_sign_ins, desk, who, key="end_sign_ins", is_off=not who)
            end("Sign out everybody", _end_sign_ins, desk, None, key="end_all_sign_ins")
        _offer_sign_out(desk)


def _end_sign_ins(desk: Desk, who: str | None) -> None:
    desk.access.end_sign_ins(who)
    lines = ("A new sign-in is possible as long as the identity provider allows it.",)
    keep_notice(Notice("All their sign-ins have ended.", (who or "Everybody", *lines)))


def _offer_sign_out(desk: Desk) -> None:
    st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=_leave, args=(desk,))


def _leave(desk: Desk) -> None:
    try:
        desk.access.sign_out()
    except RecordsError as error:
        _LOG.warning("A sign-out could not be stored, so other windows stay signed in: %s", error)
    st.logout()
