"""Questions about rows that may not belong to a list: hidden, or above or below other headings."""

import pandas as pd
import streamlit as st

from components.bulk.job_labels import many
from components.verbatim import plain, showable, visible
from item_visibility.desk.bulk.jobs import HiddenCells
from item_visibility.files.shown import few, hidden_words
from item_visibility.files.table import Table

_HIDDEN = "bulk_rows.hidden"
_LEFT = "bulk_rows.left"
_SHOWN = 200


def decided_hidden(stamp: str) -> HiddenCells | None:
    """Return the decision about hidden rows and columns of this list, or None if there is none yet."""
    kept: tuple[str, HiddenCells] | None = st.session_state.get(_HIDDEN)
    return kept[1] if kept is not None and kept[0] == stamp else None


def decide_about_hidden(stamp: str, table: Table) -> bool:
    """Ask what to do with hidden rows and columns, or show the answer; True when nothing is open."""
    decided = decided_hidden(stamp)
    if not table.hidden and decided is None:
        return True
    with st.container(border=True, key="bulk_hidden"):
        if decided is not None:
            st.caption(
                "Hidden rows and columns are used."
                if decided is HiddenCells.USE
                else "Hidden rows and columns are skipped."
            )
            st.button("Decide again", key="decide_hidden_again", on_click=_decide, args=(stamp, None))
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
                st.button(label, key=key, on_click=_decide, args=(stamp, choice))
    return False


def decide_about_rows(stamp: str, table: Table) -> bool:
    """Ask what to do with rows that are not read; True when nothing is open."""
    if table.titles:
        rows = [f"row {row.number} “{' '.join(filter(None, row.cells))[:40]}”" for row in table.titles]
        st.caption(plain(f"Not read, above the headings: {few(rows)}."))
    aside = [one for one in table.aside if one.may_be_of_list]
    if not aside or st.session_state.get(_LEFT) == stamp:
        return True
    with st.container(border=True, key="bulk_aside"):
        st.warning(
            plain(f"{many(len(aside), 'row')} of the list cannot be read where they stand."),
            icon=":material/rule:",
        )
        st.dataframe(
            pd.DataFrame(
                [
                    (
                        str(one.row.number),
                        showable(visible(" · ".join(filter(None, one.row.cells)))),
                        one.reason,
                    )
                    for one in aside[:_SHOWN]
                ],
                columns=["Row", "What stands there", "Why"],
                dtype=str,
            ),
            key="bulk_aside_rows",
            hide_index=True,
            alt="Rows that cannot be read where they stand",
        )
        st.button("Skip these rows", key="skip_aside", on_click=_skip_aside, args=(stamp,))
        st.caption("Or put the headings into the first row of the file, and upload it again.")
    return False


def _decide(stamp: str, choice: HiddenCells | None) -> None:
    st.session_state[_HIDDEN] = None if choice is None else (stamp, choice)


def _skip_aside(stamp: str) -> None:
    st.session_state[_LEFT] = stamp
