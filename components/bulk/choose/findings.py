"""Ids that a spreadsheet may have damaged: shown with suggestions, decided by the person."""

from functools import partial

import pandas as pd
import streamlit as st

from components.bulk.choose.columns import column_name
from components.bulk.choose.how_read import decided_words
from components.bulk.choose.kept_list import change_list, kept_list
from components.table import chosen, key_for
from components.verbatim import plain, showable, visible
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.saving.in_words import many

KIND = "bulk_finding_kind"
_SHOWN = 200
_ALL = "All kinds"
_COLUMNS = ["Row", "Column", "Value", "What is wrong", "Suggestion", "What it changes"]


def decide_about_damage(stamp: str, checked: BulkList) -> None:
    """Draw the ids that may be damaged, and what was decided about them."""
    if not checked.findings:
        return
    found, indexes = checked.findings, checked.open_findings
    with st.container(border=True, key="bulk_findings"):
        st.markdown(
            f"**{plain(many(len(found), 'number') + ' may be wrong')}** · {plain(decided_words(checked))}"
        )
        if indexes and checked.is_decided:
            with st.expander(plain(f"Still to decide ({len(indexes):,})"), key="bulk_undecided"):
                _show_open(stamp, checked, indexes)
        elif indexes:
            _show_open(stamp, checked, indexes)
        if checked.decisions.has_looked:
            st.button(
                "Decide again",
                key="decide_again",
                icon=":material/undo:",
                on_click=partial(
                    change_list,
                    stamp,
                    decisions=Decisions(takes_columns=checked.decisions.takes_columns),
                    is_seen=False,
                ),
            )


def _show_open(stamp: str, checked: BulkList, indexes: list[int]) -> None:
    kinds = dict.fromkeys(str(checked.findings[index].kind) for index in indexes)
    if len(kinds) > 1:
        kind = st.selectbox("Kind of damage", (_ALL, *kinds), key=KIND)
        if kind != _ALL:
            indexes = [index for index in indexes if checked.findings[index].kind == kind]
    chosen = _show_table(checked, indexes[:_SHOWN])
    if len(indexes) > _SHOWN:
        st.caption(plain(f"The first {_SHOWN} of {len(indexes):,} are shown."))
    suggested, picked = checked.suggested(indexes), checked.suggested(chosen)
    with st.container(horizontal=True, key="bulk_decisions"):
        for label, key, accepted in (
            ("Accept all", "accept_all", suggested),
            ("Accept selected", "accept_selected", picked),
        ):
            st.button(
                label,
                key=key,
                type="primary" if key == "accept_all" else "secondary",
                icon=":material/check:",
                disabled=not accepted,
                on_click=_decide,
                args=(stamp, accepted, frozenset()),
            )
        kept = frozenset(chosen or indexes)
        st.button(
            "Keep selected as they are" if chosen else "Keep all as they are",
            key="keep_as_is",
            on_click=_decide,
            args=(stamp, frozenset(), kept),
        )
        if not suggested and not checked.decisions.has_looked:
            st.button(
                "Skip these rows",
                key="skip_undecided",
                on_click=_decide,
                args=(stamp, frozenset(), frozenset()),
            )
    st.caption("Nothing is changed without your approval. Rows you leave undecided are skipped.")


def _show_table(checked: BulkList, indexes: list[int]) -> list[int]:
    findings = [checked.findings[index] for index in indexes]
    rows = [
        (
            str(one.row),
            column_name(checked, one.column),
            showable(visible(one.value)),
            showable(one.message),
            "" if one.suggestion is None else showable(visible(one.suggestion)),
            showable(visible(one.change)),
        )
        for one in findings
    ]
    state = st.dataframe(
        pd.DataFrame(rows, columns=_COLUMNS, dtype=str),
        key=key_for("bulk_findings", indexes),
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Numbers that may be damaged, with suggestions",
    )
    return chosen(state, indexes)


def _decide(stamp: str, accepted: frozenset[int], kept: frozenset[int]) -> None:
    """Add to what was decided meanwhile: a second press can come before the first one is drawn."""
    change_list(stamp, decisions=kept_list(stamp).decisions.with_findings(accepted=accepted, kept=kept))
