"""Tables that show texts exactly and can let a person choose rows.

Each has a description for screen readers.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st

from components import draw
from components.markdown_escape import escaped, showable
from item_visibility.model.words import names_first

Row = TypeVar("Row")


def show_table(  # noqa: PLR0913  # the parts of a table
    rows: Sequence[Sequence[object]],
    columns: Sequence[str],
    *,
    key: str,
    alt: str,
    limit: int | None = None,
    total: int | None = None,
    optional: Collection[str] = (),
    config: Mapping[str, Any] | None = None,
    placeholder: str | None = None,
    choose: Literal["single-row", "multi-row"] | None = None,
    about: object = None,
) -> list[int]:
    """Draw the first `limit` rows, without empty `optional` columns.

    Return the positions of the chosen rows.

    `total` is the number of all rows, for the caption. The selection is cleared when
    `about` changes, or when the rows change if `about` is None.
    """
    shown = rows[:limit]
    table = pd.DataFrame(
        {
            name: _column([row[index] for row in shown])
            for index, name in enumerate(columns)
        }
    )
    options: dict[str, Any] = {
        "hide_index": True,
        "column_order": [
            name for name in columns if name not in optional or table[name].any()
        ],
        "column_config": config,
        "placeholder": placeholder,
    }

    picked: list[int] = []
    if choose is None:
        st.dataframe(table, key=key, alt=alt, **options)
    else:
        key = key_for(key, rows if about is None else about)
        state = st.dataframe(
            table, key=key, alt=alt, on_select="rerun", selection_mode=choose, **options
        )
        # Positions outside the table are forged.
        sent = state["selection"]["rows"]
        picked = [index for index in sent if 0 <= index < len(shown)]

    count = len(rows) if total is None else total
    if len(shown) < count:
        draw.caption("The first {:,} of {:,} are shown.", len(shown), count)
    return picked


def show_recipients(
    recipients: Collection[str], names: Mapping[str, str], *, key: str, alt: str
) -> None:
    """Draw the recipients with their names, in the order of the names."""
    rows = [
        (names.get(recipient, ""), recipient)
        for recipient in names_first(recipients, names)
    ]
    show_table(rows, ["Name", "Recipient"], key=key, alt=alt, optional=("Name",))


def choose_group(label: str, groups: Mapping[str, Row], *, key: str) -> Row:
    """Draw a choice if there are several groups.

    Return the chosen group.
    """
    names = list(groups)
    chosen = names[0]
    if len(names) > 1:
        chosen = st.segmented_control(
            escaped(label),
            names,
            format_func=escaped,
            key=key,
            default=chosen,
            required=True,
            label_visibility="collapsed",
        )
    return groups[chosen]


def _column(values: Sequence[object]) -> pd.Series:
    if all(isinstance(value, str) for value in values):
        return pd.Series([showable(str(value)) for value in values], dtype=str)
    if any(isinstance(value, datetime) for value in values):
        return pd.Series(values, dtype="datetime64[us, UTC]")
    return pd.Series(values)


def key_for(name: str, rows: object) -> str:
    """Return a widget key that changes with the rows.

    So new rows start without selections and edits.
    """
    return f"{name}_{hashlib.sha256(repr(rows).encode()).hexdigest()[:12]}"


def changed(key: str, rows: Sequence[Row]) -> dict[Row, Mapping[object, object]]:
    """Map each row to its changed cells, as the browser sent them.

    Positions outside the rows are ignored.
    """
    state = _mapping(st.session_state.get(key))
    edits = _mapping(state.get("edited_rows"))
    return {
        rows[index]: _mapping(cells)
        for index, cells in edits.items()
        if isinstance(index, int) and 0 <= index < len(rows)
    }


def _mapping(value: object) -> Mapping[object, object]:
    return value if isinstance(value, Mapping) else {}
