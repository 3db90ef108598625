"""Questions about rows that may not belong to a list: hidden, or above or below other headings."""

from functools import partial

import streamlit as st

from components.bulk.choose.kept_list import change_list, kept_list, read_list_again
from components.bulk.steps import is_form_open
from components.table import show_table
from components.verbatim import plain, visible
from item_visibility.lists.table import Table, heading_words, hidden_words, title_words
from item_visibility.saving.in_words import many
from item_visibility.use_cases.bulk.lists import HiddenCells

HEADING = "bulk_heading"
_SHOWN = 200


def decide_about_hidden(stamp: str, table: Table) -> bool:
    """Ask what to do with hidden rows and columns, or show the answer; True when nothing is open."""
    decided = kept_list(stamp).hidden
    if not table.hidden and decided is None:
        return True
    decide = partial(read_list_again, stamp)
    with st.container(border=True, key="bulk_hidden"):
        if decided is not None:
            st.caption(
                "Hidden rows and columns are used."
                if decided is HiddenCells.USE
                else "Hidden rows and columns are skipped."
            )
            st.button("Decide again", key="decide_hidden_again", on_click=decide, kwargs={"hidden": None})
            return True
        st.warning(
            plain(f"The file hides {hidden_words(table)}. Do they belong to the list?"),
            icon=":material/visibility_off:",
        )
        with st.container(horizontal=True, key="bulk_hidden_choices"):
            for label, key, choice in (
                ("Use them", "use_hidden", HiddenCells.USE),
                ("Skip them", "skip_hidden", HiddenCells.SKIP),
            ):
                st.button(label, key=key, on_click=decide, kwargs={"hidden": choice})
    return False


def decide_about_heading(stamp: str, table: Table) -> None:
    """Draw the switch that says whether the first row is a heading, and which row was taken for one."""
    has_heading = any(cell.strip() for cell in table.header)
    st.session_state[HEADING] = has_heading
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_heading_line"):
        st.toggle("First row is a heading", key=HEADING, on_change=_say_heading, args=(stamp,))
        words = heading_words(table)
        st.caption(plain(words))


def decide_about_rows(stamp: str, table: Table) -> bool:
    """Ask what to do with rows that are not read; True when nothing is open."""
    if words := title_words(table):
        st.caption(plain(words))
    aside = [one for one in table.aside if one.may_be_of_list]
    if not aside or kept_list(stamp).skips_aside:
        return True
    with st.container(border=True, key="bulk_aside"):
        st.warning(
            plain(f"{many(len(aside), 'row')} of the list cannot be read where they stand."),
            icon=":material/rule:",
        )
        show_table(
            [
                (str(one.row.number), visible(" · ".join(filter(None, one.row.cells))), one.reason)
                for one in aside[:_SHOWN]
            ],
            ["Row", "What stands there", "Why"],
            key="bulk_aside_rows",
            alt="Rows that cannot be read where they stand",
        )
        st.button("Skip these rows", key="skip_aside", on_click=partial(change_list, stamp, skips_aside=True))
        st.caption("Or put the headings into the first row of the file, and upload it again.")
    return False


def _say_heading(stamp: str) -> None:
    """Read the list as the switch says. In a folded form nobody moved it: a late message did."""
    if is_form_open():
        read_list_again(stamp, has_heading=st.session_state[HEADING])
