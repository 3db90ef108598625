"""The names of one kind in a table: search, pages, and one form for edits and removals."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from components.notices import Notice, keep_notice, kept_error, show_error
from components.table import changed, key_for
from components.verbatim import plain, showable
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.numbers.hints import doubts
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import DirectoryPage, Ids, Kind, NamedRow, NewName
from item_visibility.use_cases.known_names import market_of

_TEXT = "directory_text"
_NUMBER = "name_table.number"
_SHOWN = "name_table.shown"
_SAVES = "name_table.saves"
_NAME, _MARKET, _DELETE = "name", "market", "delete"
_IDS = {
    Kind.SUPPLIER: ("Supplier number",),
    Kind.ITEM: ("Supplier number", "Item number"),
    Kind.RECIPIENT: ("Recipient number",),
}
_WORDS = {Kind.SUPPLIER: "suppliers", Kind.ITEM: "items", Kind.RECIPIENT: "recipients"}
_COLUMNS = {
    _NAME: st.column_config.TextColumn("Name", width="medium"),
    _MARKET: st.column_config.TextColumn("Market", width=120),
    "supplier": st.column_config.TextColumn("Supplier", width="medium"),
    "note": st.column_config.TextColumn("Note", width="medium"),
    _DELETE: st.column_config.CheckboxColumn("Delete", width="small"),
}
_NO_CHANGES = (
    "Nothing was changed. If you edited a cell a moment ago, press Save changes again: "
    "the table sends an edit shortly after it was made."
)
_OPTIONAL = ("supplier", "note")
"""Columns that are shown only where they say something."""


@dataclass(frozen=True, slots=True)
class _Mount:
    """The rows that the table was mounted with, in order."""

    key: str
    kind: Kind
    ids: tuple[Ids, ...]


def edit_names(desk: Desk, kind: Kind) -> None:
    """Draw the search, one page of its results as an editable table, and the page buttons."""
    text = st.text_input(
        "Find names",
        key=_TEXT,
        type="search",
        placeholder="Part of a number, or of a name",
        autocomplete="off",
    )
    if st.session_state.get(_SHOWN) != (kind, text):
        st.session_state[_SHOWN] = (kind, text)
        st.session_state[_NUMBER] = 1
    try:
        page = desk.directory.page(kind, text, number=st.session_state[_NUMBER])
    except ItemVisibilityError as error:
        show_error("The names could not be read. Nothing was changed.", error)
        return
    if not page.total:
        _show_none(desk, kind, text)
        return
    _show_table(desk, kind, page)
    _show_pages(kind, page)


def _show_none(desk: Desk, kind: Kind, text: str) -> None:
    """Say that there is nothing, and offer the way to something."""
    if text:
        st.caption("Nothing matches your search.")
        st.button("Show all", key="directory_all", icon=":material/search_off:", on_click=_look_for_all)
        return
    st.caption(
        f"No {plain(_WORDS[kind])} are known yet. What you use is remembered here without a name; "
        "a file brings in many names at once."
    )
    st.download_button(
        "Download an example file",
        partial(desk.files.write_example, kind),
        file_name=f"{kind.value}-names-example.xlsx",
        key="example_file",
        icon=":material/download:",
        on_click="ignore",
    )


def _look_for_all() -> None:
    st.session_state[_TEXT] = ""


def _show_table(desk: Desk, kind: Kind, page: DirectoryPage) -> None:
    mount = _mounted(kind, tuple(row.ids for row in page.rows))
    table = _table(desk, kind, page.rows)
    if not desk.access.allows(Role.EDITOR):
        _draw_table(mount, table.drop(columns=_DELETE), is_locked=True)
        return
    with st.form(f"{mount.key}_form", border=False):
        _draw_table(mount, table, is_locked=False)
        st.form_submit_button(
            "Save changes", key="save_names", icon=":material/save:", on_click=_save, args=(desk, mount)
        )


def _draw_table(mount: _Mount, table: pd.DataFrame, *, is_locked: bool) -> None:
    st.data_editor(
        table,
        key=mount.key,
        num_rows="fixed",
        hide_index=True,
        disabled=is_locked or [*_IDS[mount.kind], *_OPTIONAL],
        column_order=[str(name) for name in table if name not in _OPTIONAL or table[name].any()],
        column_config=_COLUMNS,
        alt=f"Known {_WORDS[mount.kind]} and their names",
    )


def _show_pages(kind: Kind, page: DirectoryPage) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="directory_pages"):
        words = f"{page.total:,} {_WORDS[kind]}" if page.total > 1 else f"1 {kind.value}"
        st.caption(
            f"{plain(words)} · {plain(f'page {page.number} of {page.pages}')}",
            width="stretch",
        )
        for label, key, number, is_there in (
            ("Previous", "previous_page", page.number - 1, page.number > 1),
            ("Next", "next_page", page.number + 1, not page.is_last),
        ):
            st.button(label, key=key, disabled=not is_there, on_click=_turn_to, args=(number,))


def _turn_to(number: int) -> None:
    st.session_state[_NUMBER] = number


def _table(desk: Desk, kind: Kind, rows: tuple[NamedRow, ...]) -> pd.DataFrame:
    """Return the names first, then the numbers; of items also the market and the supplier's name."""
    columns = {_NAME: [showable(row.name) for row in rows]}
    if kind is Kind.ITEM:
        suppliers = desk.names.supplier_names(row.ids[0] for row in rows)
        columns[_MARKET] = [showable(market_of(row)) for row in rows]
        columns["supplier"] = [showable(suppliers.get(row.ids[0], "")) for row in rows]
    for index, label in reversed(list(enumerate(_IDS[kind]))):
        columns[label] = [showable(row.ids[index]) for row in rows]
    columns["note"] = [" · ".join(doubts(row.ids[-1])) for row in rows]
    return pd.DataFrame(columns, dtype=str).assign(**{_DELETE: False})


def _mounted(kind: Kind, ids: tuple[Ids, ...]) -> _Mount:
    """Return the table of these rows. After each save it is a new one, without edits."""
    key = key_for("directory", (kind.value, ids, st.session_state.get(_SAVES, 0)))
    return _Mount(key, kind, ids)


def _save(desk: Desk, mount: _Mount) -> None:
    """Save the names and markets that were entered, and delete the rows that were ticked."""
    deleted = _ticked(mount)
    entered = {ids: new for ids, new in _entered(mount).items() if ids not in deleted}
    if not (entered or deleted):
        keep_notice(Notice(_NO_CHANGES))
        return
    with kept_error("Not all changes were saved."):
        desk.directory.change(mount.kind, entered)
        desk.directory.forget(mount.kind, deleted)
        st.session_state[_SAVES] = st.session_state.get(_SAVES, 0) + 1
        saved = [f"Saved: {' · '.join(ids)}" for ids in entered]
        gone = [f"Deleted: {' · '.join(ids)}" for ids in deleted]
        keep_notice(Notice("Saved in the directory. At the service, nothing was changed.", (*saved, *gone)))


def _entered(mount: _Mount) -> dict[Ids, NewName]:
    entered = {}
    for ids, change in _changes(mount).items():
        name, market = (_text(change, column) for column in (_NAME, _MARKET))
        if mount.kind is not Kind.ITEM:
            market = None
        if name is not None or market is not None:
            entered[ids] = NewName(name=name, market=market)
    return entered


def _text(change: Mapping[object, object], column: str) -> str | None:
    """Return the text of an edited cell, empty when it was cleared; None when it was not touched."""
    if column not in change:
        return None
    value = change[column]
    return value.strip() if isinstance(value, str) else ""


def _ticked(mount: _Mount) -> list[Ids]:
    return [ids for ids, change in _changes(mount).items() if change.get(_DELETE) is True]


def _changes(mount: _Mount) -> dict[Ids, Mapping[object, object]]:
    return changed(mount.key, mount.ids) or {}
