"""The form for a new recipient set: a name and its recipients."""

import streamlit as st

from components.directory.set_editor import open_made
from components.finder.many_choices import choose_recipients, chosen_recipients, forget_chosen
from components.notices import Notice, keep_notice, kept_error
from item_visibility.use_cases.desk import Desk

_NAME = "new_set_name"
_RECIPIENTS = "new_set_recipients"


def make_set(desk: Desk) -> None:
    """Draw the form. A new set is opened for editing."""
    with st.expander("Make a new set", icon=":material/playlist_add:", key="set_maker"):
        st.text_input("Name of the new set", key=_NAME, autocomplete="off")
        choose_recipients(desk, label="Its recipients", key=_RECIPIENTS, about="")
        st.button("Make set", key="make_set", icon=":material/playlist_add:", on_click=_make, args=(desk,))


def _make(desk: Desk) -> None:
    recipients = chosen_recipients(desk, _RECIPIENTS, about="")
    if recipients.undecided:
        keep_notice(
            Notice("Nothing was changed: a text in the field is not decided yet.", recipients.undecided)
        )
        return
    with kept_error("No set was made."):
        made = desk.sets.make(st.session_state[_NAME], recipients.ids)
        st.session_state[_NAME] = ""
        forget_chosen(_RECIPIENTS)
        open_made(made)
