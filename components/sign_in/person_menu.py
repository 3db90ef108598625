"""The person in this window, their role, and the way out."""

import streamlit as st

from components.sign_in.way_out import offer_sign_out
from components.verbatim import plain, showable
from item_visibility.use_cases.desk import Desk


def show_person(desk: Desk) -> None:
    """Draw the menu; nothing where nobody signs in."""
    person = desk.access.person()
    if not person.has_signed_in:
        return
    with st.popover(plain(person.name), icon=":material/account_circle:", key="person_menu"):
        st.text(showable(person.name))
        if person.role is not None:
            st.caption(plain(f"Role: {person.role.word}"))
        offer_sign_out(desk)
