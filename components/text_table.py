"""Tables of texts: every cell exact, and a description for who cannot see the table."""

from collections.abc import Collection, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from components.verbatim import plain, showable


def show_table(  # noqa: PLR0913  (one argument a part of the table)
    rows: Sequence[Sequence[str]],
    columns: Sequence[str],
    *,
    key: str,
    alt: str,
    limit: int | None = None,
    hint: str = "",
    optional: Collection[str] = (),
    height: Literal["auto", "content"] = "auto",
) -> None:
    """Draw rows of texts, without the optional columns that say nothing.

    Of more than `limit` rows draw the first ones, and say so; `hint` ends the sentence. A table with
    the height of its content shows all of its rows at once.
    """
    cells = [[showable(cell) for cell in row] for row in rows[:limit]]
    table = pd.DataFrame(cells, columns=list(columns), dtype=str)
    st.dataframe(
        table,
        key=key,
        hide_index=True,
        column_order=[name for name in columns if name not in optional or table[name].any()],
        alt=alt,
        height=height,
    )
    if len(cells) < len(rows):
        st.caption(plain(f"The first {len(cells):,} of {len(rows):,} are shown{hint}."))
