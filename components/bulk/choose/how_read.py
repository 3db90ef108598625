"""Shows how a list was read: its sheet, its headings, its rows, and what of it is not used."""

from dataclasses import dataclass

import streamlit as st

from components.verbatim import plain
from item_visibility.lists.bulk_list import BulkList, Understood
from item_visibility.lists.table import heading_words, title_words
from item_visibility.saving.in_words import many

_DOUBTS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class HowRead:
    """The words about a list: what was taken, and what may not be as it was meant."""

    taken: str
    words: tuple[str, ...]
    doubts: tuple[str, ...]


def how_read(chosen: BulkList, understood: Understood, *, letters: str = "") -> HowRead:
    """Return the words about a list that was understood, with a question about its `letters`."""
    table = chosen.table
    decided = f"{decided_words(chosen)}." if chosen.findings else ""
    rows = sum(len(one.rows) for one in understood.items)
    taken = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    skipped = len(understood.skipped)
    return HowRead(
        taken=f"{taken}, {many(skipped, 'row')} skipped" if skipped else taken,
        words=tuple(filter(None, (table.sheet, title_words(table), heading_words(table), decided))),
        doubts=(*filter(None, [letters]), *table.warnings, *chosen.unused_columns),
    )


def decided_words(chosen: BulkList) -> str:
    """Return what was decided about the numbers that may be damaged, in numbers."""
    decisions = chosen.decisions
    return (
        f"{many(len(decisions.accepted), 'suggestion')} accepted, {len(decisions.kept):,} kept, "
        f"{many(len(chosen.undecided_rows), 'row')} skipped"
    )


def show_how_read(how: HowRead) -> None:
    """Draw the words, and the doubts in amber."""
    st.markdown(f"**{plain(how.taken)}**")
    st.caption(" ".join(map(plain, how.words)))
    if how.doubts:
        more = len(how.doubts) - _DOUBTS_SHOWN
        lines = [*how.doubts[:_DOUBTS_SHOWN], *([f"And {more:,} more."] if more > 0 else [])]
        st.warning("  \n".join(map(plain, lines)), icon=":material/view_column:")
