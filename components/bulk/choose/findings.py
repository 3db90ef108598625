"""Ids that a spreadsheet may have damaged: shown with suggestions, decided by the person."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256

import pandas as pd
import streamlit as st

from components.bulk.choose.columns import column_name
from components.bulk.choose.reading_beside import read_beside
from components.bulk.choose.source import Source
from components.bulk.job_labels import many
from components.notices import show_error
from components.verbatim import plain, showable, visible
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.files.table import NotText, Table, TableRow
from item_visibility.intake.damage.detector import Finding, accept
from item_visibility.intake.layout import Layout

KIND = "bulk_finding_kind"
_FOUND = "bulk_findings.found"
_SHOWN = 200
_ALL = "All kinds"

_Decision = tuple[frozenset[int], frozenset[int]]


@dataclass(slots=True)
class _Found:
    """The findings in a list and the decisions about them, as indexes of `findings`."""

    stamp: str
    layout: Layout
    findings: tuple[Finding, ...]
    accepted: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    is_looked_at: bool = False
    mended: tuple[_Decision, Table] | None = None

    @property
    def decision(self) -> _Decision:
        """The findings that were accepted and those that were kept."""
        return self.accepted, self.kept

    @property
    def open(self) -> list[int]:
        """The findings that are neither corrected nor kept as they are."""
        decided = self.accepted | self.kept
        return [index for index in range(len(self.findings)) if index not in decided]

    def suggested(self, indexes: Iterable[int]) -> frozenset[int]:
        """Return those that have a suggestion."""
        return frozenset(index for index in indexes if self.findings[index].suggestion is not None)


@dataclass(frozen=True, slots=True)
class Checked:
    """A list with the person's decisions about its damage.

    Cells without a decision are marked as not text, so that their rows are not taken; `undecided` holds the
    numbers of these rows. `decision` stands for what was accepted and kept. `is_decided` is False while a
    suggestion is open.
    """

    table: Table
    undecided: frozenset[int]
    decision: _Decision
    is_decided: bool


def check_damage(desk: Desk, source: Source, layout: Layout) -> Checked | None:
    """Draw the findings. Return the list with the decisions, or None when it cannot be checked."""
    found: _Found | None = st.session_state.get(_FOUND)
    if found is None or (found.stamp, found.layout) != (source.stamp, layout):
        try:
            findings = read_beside(
                desk,
                "damage",
                (source.stamp, layout),
                lambda watch: desk.bulk.find_damage(source.table, layout, watch=watch),
                words="The numbers of the list are being looked at",
            )
        except ItemVisibilityError as error:
            show_error("The list was not taken. Nothing was changed.", error, key="bulk_findings_error")
            return None
        if findings is None:
            return None
        found = _Found(source.stamp, layout, findings)
        st.session_state[_FOUND] = found
    if found.findings:
        _show(source, found)
    if found.mended is None or found.mended[0] != found.decision:
        found.mended = (found.decision, _mended(source.table, found))
    return Checked(
        table=found.mended[1],
        undecided=frozenset(found.findings[index].row for index in found.open),
        decision=found.decision,
        is_decided=_is_decided(found),
    )


def _is_decided(found: _Found) -> bool:
    """True when the person decided, and no suggestion is open."""
    return not found.findings or (found.is_looked_at and not found.suggested(found.open))


def _mended(table: Table, found: _Found) -> Table:
    """Return the list with the accepted suggestions. One skipped row skips its whole item: see intake."""
    if not found.findings:
        return table
    mended = accept(table, [found.findings[index] for index in sorted(found.accepted)])
    marked: dict[int, set[int]] = {}
    for finding in (found.findings[index] for index in found.open):
        marked.setdefault(finding.row, set()).add(finding.column)
    header = mended.header
    if mended.header_number in marked:
        header = _marked(TableRow(mended.header_number, header), marked[mended.header_number]).cells
    return replace(
        mended,
        header=header,
        rows=tuple(_marked(row, marked[row.number]) if row.number in marked else row for row in mended.rows),
    )


def _marked(row: TableRow, columns: Collection[int]) -> TableRow:
    cells = (NotText(cell) if column in columns else cell for column, cell in enumerate(row.cells))
    return TableRow(row.number, tuple(cells))


def _show(source: Source, found: _Found) -> None:
    with st.container(border=True, key="bulk_findings"):
        indexes = found.open
        st.markdown(
            f"**{plain(many(len(found.findings), 'number') + ' may be damaged')}** · {_decided(found)}"
        )
        if indexes and _is_decided(found):
            with st.expander("What nothing was decided about", key="bulk_undecided"):
                _show_open(source, found, indexes)
        elif indexes:
            _show_open(source, found, indexes)
        if found.is_looked_at:
            st.button("Decide again", key="decide_again", icon=":material/undo:", on_click=_decide_again)


def _decided(found: _Found) -> str:
    left = len({found.findings[index].row for index in found.open})
    return plain(
        f"{many(len(found.accepted), 'suggestion')} accepted, {len(found.kept):,} kept as they are, "
        f"{many(left, 'row')} skipped"
    )


def _show_open(source: Source, found: _Found, indexes: list[int]) -> None:
    kinds = dict.fromkeys(str(found.findings[index].kind) for index in indexes)
    if len(kinds) > 1:
        kind = st.selectbox("Kind of damage", (_ALL, *kinds), key=KIND)
        if kind != _ALL:
            indexes = [index for index in indexes if found.findings[index].kind == kind]
    chosen = _show_table(source, found, indexes[:_SHOWN])
    if len(indexes) > _SHOWN:
        st.caption(plain(f"The first {_SHOWN} of {len(indexes):,} are shown."))
    suggested, picked = found.suggested(indexes), found.suggested(chosen)
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
                args=(accepted, frozenset()),
            )
        kept = frozenset(chosen or indexes)
        st.button(
            "Keep selected as they are" if chosen else "Keep all as they are",
            key="keep_as_is",
            on_click=_decide,
            args=(frozenset(), kept),
        )
        if not suggested and not found.is_looked_at:
            st.button(
                "Skip these rows", key="skip_undecided", on_click=_decide, args=(frozenset(), frozenset())
            )
    st.caption("Nothing is mended without you. Rows about which you decide nothing are skipped.")


def _show_table(source: Source, found: _Found, indexes: list[int]) -> list[int]:
    findings = [found.findings[index] for index in indexes]
    rows = [
        (
            str(one.row),
            column_name(source, one.column),
            showable(visible(one.value)),
            showable(one.message),
            "" if one.suggestion is None else showable(visible(one.suggestion)),
        )
        for one in findings
    ]
    state = st.dataframe(
        pd.DataFrame(rows, columns=["Row", "Column", "Value", "What is wrong", "Suggestion"], dtype=str),
        key=f"bulk_findings_{sha256(repr(indexes).encode()).hexdigest()[:12]}",  # others: none is selected
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Numbers that may be damaged, with suggestions",
    )
    return [indexes[row] for row in state["selection"]["rows"] if 0 <= row < len(indexes)]


def _decide(accepted: frozenset[int], kept: frozenset[int]) -> None:
    found: _Found = st.session_state[_FOUND]
    found.accepted |= accepted
    found.kept |= kept
    found.is_looked_at = True


def _decide_again() -> None:
    found: _Found = st.session_state[_FOUND]
    found.accepted = found.kept = frozenset()
    found.is_looked_at = False
