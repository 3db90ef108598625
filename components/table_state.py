"""The rows that a person chose in a table, and the cells that they changed."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

Row = TypeVar("Row")


def key_for(name: str, rows: object) -> str:
    """Return the key of a table of these rows: in a table of other rows nothing is chosen or changed."""
    return f"{name}_{hashlib.sha256(repr(rows).encode()).hexdigest()[:12]}"


def chosen(state: Mapping[str, Any], rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are chosen. Ignore what a forged message adds."""
    return [rows[at] for at in state["selection"]["rows"] if 0 <= at < len(rows)]


def changed(key: str, rows: Sequence[Row]) -> dict[Row, Mapping[object, object]] | None:
    """Return the changed cells of each row, or None when the browser has said nothing.

    Ignore what a forged message adds.
    """
    edits = _mapping(st.session_state.get(key)).get("edited_rows")
    if not isinstance(edits, Mapping):
        return None
    sent = ((at, cells) for at, cells in edits.items() if isinstance(at, int) and 0 <= at < len(rows))
    return {rows[at]: _mapping(cells) for at, cells in sent}


def _mapping(value: object) -> Mapping[object, object]:
    return value if isinstance(value, Mapping) else {}
