"""Ids that a spreadsheet may have damaged, and names in place of ids: shown with suggestions, and decided."""

from collections import Counter
from functools import partial

import streamlit as st

from components.bulk.choose.columns import column_name
from components.bulk.choose.list_state import change_list, decide_again, list_state
from components.table import show_table
from components.verbatim import plain, visible
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.damage_rules import DamageKind
from item_visibility.saving.in_words import many

KIND = "bulk_finding_kind"
_SHOWN = 200
_ALL = "All kinds"
_COLUMNS = ["Row", "Column", "Value", "What it is", "Suggestion"]


def decide_about_findings(stamp: str, checked: BulkList) -> None:
    """Draw what was found among the ids, and what was decided about it."""
    if not checked.findings:
        return
    indexes = checked.open_findings
    with st.container(border=True, key="bulk_findings"):
        decided = f" · {plain(decided_words(checked))}" if checked.decisions.has_looked else ""
        st.markdown(f"**{plain(_question(checked))}**{decided}")
        if indexes and checked.is_decided:
            with st.expander(plain(f"Still to decide ({len(indexes):,})"), key="bulk_undecided"):
                _show_open(stamp, checked, indexes)
        elif indexes:
            _show_open(stamp, checked, indexes)
        if checked.decisions.has_looked:
            decisions = Decisions(takes_columns=checked.decisions.takes_columns)
            st.button(
                "Decide again",
                key="decide_again",
                icon=":material/undo:",
                on_click=partial(decide_again, stamp, decisions=decisions),
            )


def decided_words(chosen: BulkList) -> str:
    """Return what was decided about the findings, in numbers."""
    decisions = chosen.decisions
    return (
        f"{many(len(decisions.accepted), 'suggestion')} accepted, {len(decisions.kept):,} kept, "
        f"{many(len(chosen.undecided_rows), 'row')} skipped"
    )


def _question(checked: BulkList) -> str:
    """Return "8 names and 8 markets were found. Accept them?" and the number of ids that may be wrong."""
    kinds = Counter(one.kind for one in checked.findings if one.suggestion is not None)
    names, markets = kinds[DamageKind.NAME], kinds[DamageKind.MARKET]
    found = " and ".join(many(count, noun) for count, noun in ((names, "name"), (markets, "market")) if count)
    was, them = ("was", "it") if names + markets == 1 else ("were", "them")
    wrong = len(checked.findings) - names - markets
    words = (
        f"{found} {was} found. Accept {them}?" * bool(found),
        f"{many(wrong, 'id')} may be wrong" * bool(wrong),
    )
    return " ".join(filter(None, words))


def _show_open(stamp: str, checked: BulkList, indexes: list[int]) -> None:
    kinds = dict.fromkeys(str(checked.findings[index].kind) for index in indexes)
    if len(kinds) > 1:
        kind = st.selectbox("Kind", (_ALL, *kinds), key=KIND)
        if kind != _ALL:
            indexes = [index for index in indexes if checked.findings[index].kind == kind]
    findings = [checked.findings[index] for index in indexes]
    rows = show_table(
        [
            (
                str(one.row),
                column_name(checked, one.column),
                visible(one.value),
                one.message,
                "" if one.suggestion is None else visible(one.suggestion),
            )
            for one in findings
        ],
        _COLUMNS,
        key="bulk_findings_table",
        alt="Ids that may be wrong, with suggestions",
        limit=_SHOWN,
        choose="multi-row",
    )
    chosen = [indexes[at] for at in rows]
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
        st.button(
            "Keep selected as they are" if chosen else "Keep all as they are",
            key="keep_as_is",
            on_click=_decide,
            args=(stamp, frozenset(), frozenset(chosen or indexes)),
        )
        if not suggested and not checked.decisions.has_looked:
            nothing = frozenset[int]()
            st.button(
                "Skip these rows", key="skip_undecided", on_click=_decide, args=(stamp, nothing, nothing)
            )
    st.caption("Nothing is changed without your approval. Rows you leave undecided are skipped.")


def _decide(stamp: str, accepted: frozenset[int], kept: frozenset[int]) -> None:
    """Add to what was decided meanwhile: a second press can come before the first one is drawn."""
    change_list(stamp, decisions=list_state(stamp).decisions.with_findings(accepted=accepted, kept=kept))
