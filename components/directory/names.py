"""The names of suppliers, items and recipients: one form for a new name, one for edits and removals."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from components.notices import Notice, error_as_notice, keep_notice, show_error
from components.table import changed, key_for
from components.verbatim import plain, showable
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.numbers import doubts
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Ids, Kind, NameRow
from item_visibility.use_cases.known_names import market_of

_TEXT = "directory_text"
_SAVES = "directory.saves"
_SHOWN = 500
_IDS = {
    Kind.SUPPLIER: ("Supplier number",),
    Kind.ITEM: ("Supplier number", "Item number"),
    Kind.RECIPIENT: ("Recipient number",),
}
_WORDS = {Kind.SUPPLIER: "suppliers", Kind.ITEM: "items", Kind.RECIPIENT: "recipients"}
_COLUMNS = {
    "name": st.column_config.TextColumn("Name", width="medium"),
    "market": st.column_config.TextColumn("Market", width=120),
    "supplier": st.column_config.TextColumn("Supplier", width="medium"),
    "note": st.column_config.TextColumn("Note", width="medium"),
    "delete": st.column_config.CheckboxColumn("Delete", width="small"),
}
_OPTIONAL = ("supplier", "note")
"""Columns that are shown only where they say something."""


def name_one(desk: Desk, kind: Kind) -> None:
    """Draw the form that gives a number a name, whether it is known or not."""
    fields = [*_IDS[kind], "Its name", *(["Its market"] if kind is Kind.ITEM else [])]
    with st.expander("Name a number", icon=":material/add:", key="name_box"):
        for number, label in enumerate(fields):
            st.text_input(plain(label), key=f"new_name_{number}", autocomplete="off")
        st.button("Keep name", key="keep_name", on_click=_name, args=(desk, kind, len(fields)))


def _name(desk: Desk, kind: Kind, fields: int) -> None:
    texts = [st.session_state[f"new_name_{number}"] for number in range(fields)]
    ids, rest = tuple(texts[: len(_IDS[kind])]), [text.strip() for text in texts[len(_IDS[kind]) :]]
    with error_as_notice("The name was not kept."):
        desk.directory.name(kind, NameRow(ids, *rest))
        for number in range(len(ids) + 1):
            st.session_state[f"new_name_{number}"] = ""
        keep_notice(Notice("The name is kept.", (" · ".join((*ids, rest[0])),)))


def edit_names(desk: Desk, kind: Kind) -> None:
    """Draw the search, and the first of its results as an editable table."""
    text = st.text_input(
        "Find names",
        key=_TEXT,
        type="search",
        placeholder="Part of a number, or of a name",
        autocomplete="off",
    )
    try:
        rows, total = desk.directory.found(kind, text, limit=_SHOWN)
    except ItemVisibilityError as error:
        show_error("The names could not be read. Nothing was changed.", error)
        return
    if not rows:
        _show_none(kind, text)
        return
    _show_table(desk, kind, rows)
    words = f"{total:,} {_WORDS[kind]}" if total > 1 else f"1 {kind.value}"
    hint = f" · the first {_SHOWN:,} are shown: look for the others" if total > _SHOWN else ""
    st.caption(plain(words + hint))


def _show_none(kind: Kind, text: str) -> None:
    """Say that there is nothing, and what to do next."""
    if text:
        st.caption("Nothing matches your search.")
    else:
        st.caption(
            f"No {plain(_WORDS[kind])} are known yet. What you use is remembered here without a name; "
            "a file brings in many names at once."
        )


def _show_table(desk: Desk, kind: Kind, rows: tuple[NameRow, ...]) -> None:
    ids = tuple(row.ids for row in rows)
    # After each save it is a new table, without edits.
    key = key_for("directory", (kind.value, ids, st.session_state.get(_SAVES, 0)))
    table = _table(desk, kind, rows)
    may_edit = desk.access.allows(Role.EDITOR)
    options: dict[str, Any] = {
        "num_rows": "fixed",
        "hide_index": True,
        "column_order": [name for name in table if name not in _OPTIONAL or table[name].any()],
        "column_config": _COLUMNS,
    }
    alt = f"Known {_WORDS[kind]} and their names"
    if not may_edit:
        st.data_editor(table.drop(columns="delete"), key=key, alt=alt, disabled=True, **options)
        return
    with st.form(f"{key}_form", border=False):
        st.data_editor(table, key=key, alt=alt, disabled=[*_IDS[kind], *_OPTIONAL], **options)
        st.form_submit_button(
            "Save changes",
            key="save_names",
            icon=":material/save:",
            on_click=_save,
            args=(desk, kind, key, ids),
        )


def _table(desk: Desk, kind: Kind, rows: tuple[NameRow, ...]) -> pd.DataFrame:
    """Return the names first, then the numbers; of items also the market and the supplier's name."""
    columns = {"name": [showable(row.name) for row in rows]}
    if kind is Kind.ITEM:
        suppliers = desk.names.supplier_names(row.ids[0] for row in rows)
        columns["market"] = [showable(market_of(row)) for row in rows]
        columns["supplier"] = [showable(suppliers.get(row.ids[0], "")) for row in rows]
    for index, label in reversed(list(enumerate(_IDS[kind]))):
        columns[label] = [showable(row.ids[index]) for row in rows]
    columns["note"] = [" · ".join(doubts(row.ids[-1])) for row in rows]
    return pd.DataFrame(columns, dtype=str).assign(delete=False)


def _save(desk: Desk, kind: Kind, key: str, rows: tuple[Ids, ...]) -> None:
    """Save the names and markets that were entered, and delete the rows that were ticked."""
    edits = changed(key, rows)
    deleted = [ids for ids, edit in edits.items() if edit.get("delete") is True]
    entered = {ids: _entered(kind, edit) for ids, edit in edits.items() if ids not in deleted}
    entered = {ids: new for ids, new in entered.items() if new}
    if not (entered or deleted):
        words = "Nothing was changed. If you edited a cell a moment ago, press Save changes again: "
        keep_notice(Notice(words + "the table sends an edit shortly after it was made."))
        return
    with error_as_notice("Not all changes were saved."):
        desk.directory.change(kind, entered)
        desk.directory.forget(kind, deleted)
        st.session_state[_SAVES] = st.session_state.get(_SAVES, 0) + 1
        saved = [f"Saved: {' · '.join(ids)}" for ids in entered]
        gone = [f"Deleted: {' · '.join(ids)}" for ids in deleted]
        keep_notice(Notice("Saved in the directory. At the service, nothing was changed.", (*saved, *gone)))


def _entered(kind: Kind, edit: Mapping[object, object]) -> dict[str, str]:
    """Return the new name and market of a row, if they were edited: empty when a cell was cleared."""
    return {
        column: value.strip() if isinstance(value := edit[column], str) else ""
        for column in (("name", "market") if kind is Kind.ITEM else ("name",))
        if column in edit
    }
