"""Tables of texts: every cell exact, and a description for who cannot see the table."""

from collections.abc import Sequence

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
) -> None:
    """Draw rows of texts. Of more than `limit` draw the first ones, and say so; `hint` ends the sentence."""
    cells = [[showable(cell) for cell in row] for row in rows[:limit]]
    st.dataframe(pd.DataFrame(cells, columns=list(columns), dtype=str), key=key, hide_index=True, alt=alt)
    if len(cells) < len(rows):
        st.caption(plain(f"The first {len(cells)} of {len(rows):,} are shown{hint}."))
