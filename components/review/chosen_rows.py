"""A table of texts whose rows can be chosen, many at once."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd
import streamlit as st

from components.table_state import chosen, key_for
from components.verbatim import showable

_Row = TypeVar("_Row")


def choose_rows(
    rows: Sequence[_Row], columns: Mapping[str, Sequence[str]], *, key: str, alt: str
) -> tuple[_Row, ...]:
    """Draw the rows, without columns that say nothing, and return those that are chosen.

    A choice is forgotten when the rows or their texts are others.
    """
    table = pd.DataFrame(
        {name: pd.Series(list(map(showable, texts)), dtype=str) for name, texts in columns.items()}
    )
    state = st.dataframe(
        table,
        key=key_for(key, (tuple(rows), tuple(map(tuple, columns.values())))),
        hide_index=True,
        column_order=[name for name in columns if table[name].any()],
        on_select="rerun",
        selection_mode="multi-row",
        alt=alt,
    )
    return tuple(chosen(state, rows))
