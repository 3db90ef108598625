"""The directory page: names, recipient sets, and their import and export."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components import draw
from components.clock import time_of_day
from components.downloads import offer_downloads
from components.finder.search_fields import (
    RecipientField,
    choose_recipients,
    chosen_recipients,
    forget_chosen,
)
from components.markdown_escape import escaped, showable
from components.notices import error_as_notice, error_shown, keep_notice, step_button
from components.table import changed, key_for, show_recipients, show_table
from item_visibility.access.people import Role
from item_visibility.lists.gs1_and_markets import doubts
from item_visibility.lists.table import MAX_MEGABYTES
from item_visibility.lists.writer import FileKind
from item_visibility.model.known_ids import Ids, Kind, NameRow
from item_visibility.model.words import many
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import NAME_COLUMNS, NamesPreview, SetsPreview
from item_visibility.use_cases.find_by_name import market_of

_TEXT = "directory_text"
_SAVES = "directory.saves"
_SET = "recipient_set"
_MEMBERS = "set_members"
_NEW_NAME = "set_new_name"
_NAMES_SHOWN = 500
_CHANGES_SHOWN = 200
_IDS = {
    Kind.SUPPLIER: ("Supplier number",),
    Kind.ITEM: ("Supplier number", "Item number"),
    Kind.RECIPIENT: ("Recipient number",),
}
_COLUMNS = {
    "name": st.column_config.TextColumn("Name", width="medium"),
    "market": st.column_config.TextColumn("Market", width=120),
    "supplier": st.column_config.TextColumn("Supplier", width="medium"),
    "note": st.column_config.TextColumn("Note", width="medium"),
    "delete": st.column_config.CheckboxColumn("Delete", width="small"),
}
_OPTIONAL = ("supplier", "note")
"""Columns that are left out when they are empty."""


def name_one(desk: Desk, kind: Kind) -> None:
    """Draw the form that gives a number a name."""
    labels = [*_IDS[kind], "Its name"]
    if kind is Kind.ITEM:
        labels.append("Its market")
    with st.expander("Add a name", icon=":material/add:", key="name_box"):
        for index, label in enumerate(labels):
            st.text_input(escaped(label), key=_new_name_key(index), autocomplete="off")
        step_button(
            "Save name", _name, desk, kind, len(labels), key="keep_name", icon="save"
        )


def _new_name_key(index: int) -> str:
    return f"new_name_{index}"


def _name(desk: Desk, kind: Kind, field_count: int) -> None:
    texts = [st.session_state[_new_name_key(index)] for index in range(field_count)]
    id_count = len(_IDS[kind])
    ids = tuple(texts[:id_count])
    values = [text.strip() for text in texts[id_count:]]
    entered = dict(zip(("name", "market"), values, strict=False))
    desk.directory.change(kind, {ids: entered})

    # Empty the number and the name for the next one. The market stays.
    for index in range(id_count + 1):
        st.session_state[_new_name_key(index)] = ""
    keep_notice("The name was saved.", (" · ".join([*ids, entered["name"]]),))


def edit_names(desk: Desk, kind: Kind) -> None:
    """Draw the search field, and the first results as an editable table."""
    text = st.text_input(
        "Find names",
        key=_TEXT,
        type="search",
        placeholder="Part of a name or number",
        autocomplete="off",
    )
    rows, total = desk.directory.found(kind, text, limit=_NAMES_SHOWN)
    count = many(total, kind.value)
    if rows:
        _show_names(desk, kind, rows)
        if total > _NAMES_SHOWN:
            draw.caption(
                "{} · search to see more than the first {:,}", count, _NAMES_SHOWN
            )
        else:
            draw.caption("{}", count)
    elif text:
        draw.caption("Nothing matches your search.")
    else:
        draw.caption(
            "No {}s are known yet. Numbers that you use appear here without a name. "
            "Import a file to add many names at once.",
            kind.value,
        )


def _show_names(desk: Desk, kind: Kind, rows: tuple[NameRow, ...]) -> None:
    table = _names_table(desk, kind, rows)
    ids = tuple(row.ids for row in rows)
    # The key changes with each save, so that the table forgets its edits.
    key = key_for("directory", (kind.value, ids, st.session_state.get(_SAVES, 0)))
    columns = [name for name in table if name not in _OPTIONAL or table[name].any()]
    options: dict[str, Any] = {
        "key": key,
        "alt": f"Known {kind.value}s and their names",
        "num_rows": "fixed",
        "hide_index": True,
        "column_order": columns,
        "column_config": _COLUMNS,
    }
    if not desk.access.allows(Role.EDITOR):
        st.data_editor(table.drop(columns="delete"), disabled=True, **options)
        return

    with st.form(f"{key}_form", border=False):
        st.data_editor(table, disabled=[*_IDS[kind], *_OPTIONAL], **options)
        st.form_submit_button(
            "Save changes",
            key="save_names",
            icon=":material/save:",
            on_click=_save,
            args=(desk, kind, key, ids),
        )


def _names_table(desk: Desk, kind: Kind, rows: tuple[NameRow, ...]) -> pd.DataFrame:
    columns = {"name": [showable(row.name) for row in rows]}
    if kind is Kind.ITEM:
        suppliers = desk.names.supplier_names(row.ids[0] for row in rows)
        columns["market"] = [showable(market_of(row)) for row in rows]
        columns["supplier"] = [showable(suppliers.get(row.ids[0], "")) for row in rows]
    # The row's own number is before that of its supplier.
    for index in reversed(range(len(_IDS[kind]))):
        columns[_IDS[kind][index]] = [showable(row.ids[index]) for row in rows]
    columns["note"] = [" · ".join(doubts(row.id)) for row in rows]
    return pd.DataFrame(columns, dtype=str).assign(delete=False)


def _save(desk: Desk, kind: Kind, key: str, rows: tuple[Ids, ...]) -> None:
    # Read the edits of the table.
    columns = ("name", "market") if kind is Kind.ITEM else ("name",)
    entered: dict[Ids, dict[str, str]] = {}
    deleted = []
    for ids, edit in changed(key, rows).items():
        if edit.get("delete") is True:
            deleted.append(ids)
            continue
        # A cleared cell is None.
        new = {
            column: str(edit[column] or "").strip()
            for column in columns
            if column in edit
        }
        if new:
            entered[ids] = new
    if not (entered or deleted):
        keep_notice(
            "Nothing was changed. If you have just edited a cell, press "
            '"Save changes" again.'
        )
        return

    with error_as_notice("Not all changes were saved."):
        desk.directory.change(kind, entered)
        desk.directory.forget(kind, deleted)
        st.session_state[_SAVES] = st.session_state.get(_SAVES, 0) + 1
        lines = [f"Saved: {' · '.join(ids)}" for ids in entered]
        lines += [f"Deleted: {' · '.join(ids)}" for ids in deleted]
        keep_notice(
            "Saved in the directory. Nothing was changed at the service.",
            tuple(lines),
        )


def edit_sets(desk: Desk) -> None:
    """Draw the choice of a set, its recipients and its buttons."""
    # Choose a set. An editor may also enter a new name.
    may_change = desk.access.allows(Role.EDITOR)
    label = "Recipient set, or a name for a new set" if may_change else "Recipient set"
    names = [stored.name for stored in desk.records.sets.all()]
    chosen_name = st.selectbox(
        escaped(label),
        names,
        index=0 if names else None,
        key=_SET,
        placeholder="There is no set yet",
        accept_new_options=may_change,
        persist_state="session",
    )
    name = (chosen_name or "").strip()
    chosen = desk.records.sets.open(name) if name in names else None

    if chosen is not None:
        draw.caption(
            "{recipients} · changed {time} by {person}",
            recipients=many(len(chosen.recipients), "recipient"),
            time=time_of_day(chosen.updated_at),
            person=chosen.updated_by,
        )
        show_recipients(
            chosen.recipients,
            desk.names.recipient_names(chosen.recipients),
            key="members_table",
            alt="The recipients of the set",
        )
    if name and may_change:
        _offer_set_changes(desk, name, chosen)


def _offer_set_changes(desk: Desk, name: str, chosen: StoredSet | None) -> None:
    listed = chosen.recipients if chosen else frozenset[str]()
    choose_recipients(
        desk,
        RecipientField(_MEMBERS, name, listed),
        label="Recipients to add or remove" if chosen else "Recipients to add",
        listed_mark="in the set already",
    )

    def offer(
        label: str, key: str, icon: str, change: Callable[[Iterable[str]], StoredSet]
    ) -> None:
        step_button(label, _change_set, desk, change, name, listed, key=key, icon=icon)

    sets = desk.sets
    with st.container(horizontal=True, vertical_alignment="center", key="set_buttons"):
        if chosen is None:
            offer("Make set", "make_set", "playlist_add", partial(sets.make, name))
        else:
            offer("Add to set", "put_in", "add", lambda ids: sets.change(name, add=ids))
            offer(
                "Remove from set",
                "take_out",
                "remove",
                lambda ids: sets.change(name, remove=ids),
            )
            _offer_to_rename_or_delete(desk, name)


def _offer_to_rename_or_delete(desk: Desk, name: str) -> None:
    with st.popover("Rename or delete", icon=":material/more_horiz:", key="set_more"):
        st.text_input("New name", key=_NEW_NAME, autocomplete="off")
        step_button(
            "Rename set", _rename_set, desk, name, key="rename_set", icon="edit"
        )
        step_button(
            "Delete set", _delete_set, desk, name, key="delete_set", icon="delete"
        )


def _change_set(
    desk: Desk,
    change: Callable[[Iterable[str]], StoredSet],
    name: str,
    listed: frozenset[str],
) -> None:
    recipients = chosen_recipients(desk, RecipientField(_MEMBERS, name, listed))
    if recipients.undecided:
        keep_notice(
            "Nothing was changed. First decide what this text in the field means:",
            recipients.undecided,
        )
        return

    after = change(recipients.everyone)
    forget_chosen(_MEMBERS)
    added = len(after.recipients - listed)
    removed = len(listed - after.recipients)
    keep_notice(
        "The set was changed. No item was changed.",
        (f"{added} added, {removed} removed",),
    )


def _rename_set(desk: Desk, name: str) -> None:
    renamed = desk.sets.change(name, new_name=st.session_state[_NEW_NAME])
    st.session_state[_SET] = renamed.name
    st.session_state[_NEW_NAME] = ""
    keep_notice("The set was renamed.")


def _delete_set(desk: Desk, name: str) -> None:
    desk.sets.delete(name)
    st.session_state[_SET] = None
    keep_notice("The set was deleted. No item was changed.", (name,))


def exchange_names(desk: Desk, kind: Kind) -> None:
    """Draw the export of names, and the import with its preview."""
    _exchange(
        desk,
        f"{kind.value}-names",
        write=partial(desk.directory.write_names, kind),
        columns=", ".join(NAME_COLUMNS[kind]),
        preview=lambda content: _preview_names(
            desk, desk.directory.preview_names(kind, content)
        ),
    )


def exchange_sets(desk: Desk) -> None:
    """Draw the export of recipient sets, and the import with its preview."""
    _exchange(
        desk,
        "recipient-sets",
        write=desk.sets.write_sets,
        columns="Set, Recipient. A file never removes recipients from a set",
        preview=lambda content: _preview_sets(desk, desk.sets.preview_sets(content)),
    )


def _exchange(
    desk: Desk,
    name: str,
    *,
    write: Callable[[FileKind], bytes],
    columns: str,
    preview: Callable[[bytes], None],
) -> None:
    with st.expander(
        "Files: import and export", icon=":material/swap_vert:", key=f"{name}_files"
    ):
        files = [
            (kind.words, kind.file_name(name), partial(write, kind))
            for kind in FileKind
        ]
        offer_downloads(files, key=name)
        if desk.access.allows(Role.ADMIN):
            _import(name, columns, preview)


def _import(name: str, columns: str, preview: Callable[[bytes], None]) -> None:
    file = st.file_uploader(
        "File to import",
        type=["xlsx", "csv"],
        key=f"{name}_file",
        max_upload_size=MAX_MEGABYTES,
    )
    draw.caption(
        "The first row must contain the headings: {}. Numbers must be formatted as "
        "text. You see what would change before anything is saved.",
        columns,
    )
    if file is None:
        return
    with error_shown(
        "The file could not be read. Nothing was changed.", key="file_error"
    ):
        preview(file.getvalue())


def _name_and_market(row: NameRow) -> str:
    return " · ".join(filter(None, (row.name, row.market)))


def _preview_names(desk: Desk, preview: NamesPreview) -> None:
    rows = []
    added = 0
    for old, new in preview.changes:
        change = "changed"
        known_name = ""
        if old is None:
            change = "added"
            added += 1
        else:
            known_name = _name_and_market(old)
        rows.append((change, _name_and_market(new), known_name, " · ".join(new.ids)))
    counts = f"{added:,} added, {len(rows) - added:,} changed"
    _show_changes(
        f"{counts}, {preview.unchanged_count:,} already known",
        rows,
        ["Change", "Name in the file", "Known name", "Number"],
    )

    def keep() -> None:
        desk.directory.apply_names(preview)
        keep_notice("The names were saved.", (counts,))

    _offer_to_keep(
        "Save these names",
        keep,
        "The names were not saved. Nothing was changed.",
        is_off=not preview.changes,
    )


def _preview_sets(desk: Desk, preview: SetsPreview) -> None:
    # Show how many recipients each set would get.
    rows = []
    has_new = False
    for name, recipients in preview.in_file.items():
        stored = preview.stored.get(name, frozenset())
        new = recipients - stored
        has_new = has_new or bool(new)
        change = "changed" if name in preview.stored else "new"
        rows.append((name, change, str(len(new)), str(len(recipients & stored))))
    _show_changes(
        f"{len(rows):,} sets", rows, ["Set", "Change", "To add", "Already in the set"]
    )

    # Ask about entries that may not be numbers.
    is_confirmed = True
    if preview.doubtful:
        doubtful = ", ".join(preview.doubtful[:_CHANGES_SHOWN])
        st.text(showable(f"Entries that may not be numbers: {doubtful}"))
        is_confirmed = st.checkbox(
            "Use these entries as numbers", key="sets_file_as_numbers"
        )

    def keep() -> None:
        desk.sets.apply_sets(preview)
        keep_notice("The sets were saved.")

    _offer_to_keep(
        "Save these sets",
        keep,
        "Not all sets were saved. Check again what the file would change.",
        is_off=not (has_new and is_confirmed),
    )


def _show_changes(
    counts: str, rows: Sequence[tuple[str, ...]], columns: Sequence[str]
) -> None:
    draw.markdown("**{}** · nothing is saved yet", counts)
    if rows:
        show_table(
            rows,
            columns,
            key="file_changes",
            alt="What the file would change",
            limit=_CHANGES_SHOWN,
        )


def _offer_to_keep(
    label: str, keep: Callable[[], None], failed: str, *, is_off: bool
) -> None:
    step_button(
        label,
        keep,
        key="keep_file",
        icon="check",
        failed=failed,
        is_primary=True,
        is_off=is_off,
    )
