"""The directory page: names and recipient sets, and their import and export as files."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.downloads import offer_downloads
from components.finder.search_fields import (
    RecipientField,
    choose_recipients,
    chosen_recipients,
    forget_chosen,
)
from components.markdown_escape import plain, showable
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
_SET, _MEMBERS, _NEW_NAME = "recipient_set", "set_members", "set_new_name"
_NAMES_SHOWN, _CHANGES_SHOWN = 500, 200
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
    fields = [*_IDS[kind], "Its name", *(["Its market"] if kind is Kind.ITEM else [])]
    with st.expander("Add a name", icon=":material/add:", key="name_box"):
        for number, label in enumerate(fields):
            st.text_input(plain(label), key=f"new_name_{number}", autocomplete="off")
        step_button(
            "Save name", _name, desk, kind, len(fields), key="keep_name", icon="save"
        )


def _name(desk: Desk, kind: Kind, fields: int) -> None:
    texts = [st.session_state[f"new_name_{number}"] for number in range(fields)]
    ids, rest = (
        tuple(texts[: len(_IDS[kind])]),
        [text.strip() for text in texts[len(_IDS[kind]) :]],
    )
    desk.directory.change(
        kind, {ids: dict(zip(("name", "market"), rest, strict=False))}
    )
    for number in range(len(ids) + 1):
        st.session_state[f"new_name_{number}"] = ""
    keep_notice("The name was saved.", (" · ".join((*ids, rest[0])),))


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
    if rows:
        _show_names(desk, kind, rows)
        hint = (
            f" · search to see more than the first {_NAMES_SHOWN:,}"
            if total > _NAMES_SHOWN
            else ""
        )
        st.caption(plain(many(total, kind.value) + hint))
    elif text:
        st.caption("Nothing matches your search.")
    else:
        st.caption(
            f"No {plain(kind.value)}s are known yet. Numbers that you use appear "
            "here without a name. "
            "Import a file to add many names at once."
        )


def _show_names(desk: Desk, kind: Kind, rows: tuple[NameRow, ...]) -> None:
    columns = {"name": [showable(row.name) for row in rows]}
    if kind is Kind.ITEM:
        suppliers = desk.names.supplier_names(row.ids[0] for row in rows)
        columns["market"] = [showable(market_of(row)) for row in rows]
        columns["supplier"] = [showable(suppliers.get(row.ids[0], "")) for row in rows]
    for index, label in reversed(list(enumerate(_IDS[kind]))):
        columns[label] = [showable(row.ids[index]) for row in rows]
    columns["note"] = [" · ".join(doubts(row.id)) for row in rows]
    table = pd.DataFrame(columns, dtype=str).assign(delete=False)
    ids = tuple(row.ids for row in rows)
    # The key changes with each save, so that the table forgets its edits.
    key = key_for("directory", (kind.value, ids, st.session_state.get(_SAVES, 0)))
    options: dict[str, Any] = {
        "key": key,
        "alt": f"Known {kind.value}s and their names",
        "num_rows": "fixed",
        "hide_index": True,
        "column_order": [
            name for name in table if name not in _OPTIONAL or table[name].any()
        ],
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


def _save(desk: Desk, kind: Kind, key: str, rows: tuple[Ids, ...]) -> None:
    names = ("name", "market") if kind is Kind.ITEM else ("name",)
    entered: dict[Ids, dict[str, str]] = {}
    deleted = []
    for ids, edit in changed(key, rows).items():
        new = {
            name: str(edit[name] or "").strip() for name in names if name in edit
        }  # a cleared cell is None
        if edit.get("delete") is True:
            deleted.append(ids)
        elif new:
            entered[ids] = new
    if not (entered or deleted):
        words = 'Nothing was changed. If you have just edited a cell, press "Save changes" again.'
        keep_notice(words)
        return
    with error_as_notice("Not all changes were saved."):
        desk.directory.change(kind, entered)
        desk.directory.forget(kind, deleted)
        st.session_state[_SAVES] = st.session_state.get(_SAVES, 0) + 1
        saved = [f"Saved: {' · '.join(ids)}" for ids in entered]
        gone = [f"Deleted: {' · '.join(ids)}" for ids in deleted]
        keep_notice(
            "Saved in the directory. Nothing was changed at the service.",
            (*saved, *gone),
        )


def edit_sets(desk: Desk) -> None:
    """Draw the choice of a set, its recipients and its buttons."""
    may_change = desk.access.allows(Role.EDITOR)
    names = [one.name for one in desk.records.sets.all()]
    label = "Recipient set, or a name for a new set" if may_change else "Recipient set"
    chosen_name = st.selectbox(
        label,
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
        words = plain(many(len(chosen.recipients), "recipient"))
        changed_at = plain(f"changed {time_of_day(chosen.updated_at)} by")
        st.caption(f"{words} · {changed_at} {plain(chosen.updated_by)}")
        known = desk.names.recipient_names(chosen.recipients)
        show_recipients(
            chosen.recipients,
            known,
            key="members_table",
            alt="The recipients of the set",
        )
    if name and may_change:
        _offer_set_changes(desk, name, chosen)


def _offer_set_changes(desk: Desk, name: str, chosen: StoredSet | None) -> None:
    listed = chosen.recipients if chosen else frozenset[str]()
    label = "Recipients to add" if chosen is None else "Recipients to add or remove"
    choose_recipients(
        desk,
        RecipientField(_MEMBERS, name, listed),
        label=label,
        listed_mark="in the set already",
    )
    sets = desk.sets
    buttons = [
        ("Make set", "make_set", "playlist_add", lambda ids: sets.make(name, ids))
    ]
    if chosen is not None:
        buttons = [
            ("Add to set", "put_in", "add", lambda ids: sets.change(name, add=ids)),
            (
                "Remove from set",
                "take_out",
                "remove",
                lambda ids: sets.change(name, remove=ids),
            ),
        ]
    with st.container(horizontal=True, vertical_alignment="center", key="set_buttons"):
        for label, key, icon, change in buttons:
            step_button(
                label, _change_set, desk, change, name, listed, key=key, icon=icon
            )
        if chosen is not None:
            with st.popover(
                "Rename or delete", icon=":material/more_horiz:", key="set_more"
            ):
                st.text_input("New name", key=_NEW_NAME, autocomplete="off")
                step_button(
                    "Rename set", _rename_set, desk, name, key="rename_set", icon="edit"
                )
                step_button(
                    "Delete set",
                    _delete_set,
                    desk,
                    name,
                    key="delete_set",
                    icon="delete",
                )


def _change_set(
    desk: Desk,
    change: Callable[[Iterable[str]], StoredSet],
    name: str,
    listed: frozenset[str],
) -> None:
    recipients = chosen_recipients(desk, RecipientField(_MEMBERS, name, listed))
    if recipients.undecided:
        words = "Nothing was changed. First decide what this text in the field means:"
        keep_notice(words, recipients.undecided)
        return
    after = change(recipients.everyone)
    forget_chosen(_MEMBERS)
    counts = f"{len(after.recipients - listed)} added, {len(listed - after.recipients)} removed"
    keep_notice("The set was changed. No item was changed.", (counts,))


def _rename_set(desk: Desk, name: str) -> None:
    st.session_state[_SET] = desk.sets.change(
        name, new_name=st.session_state[_NEW_NAME]
    ).name
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
            (one.words, one.file_name(name), partial(write, one)) for one in FileKind
        ]
        offer_downloads(files, key=name)
        if not desk.access.allows(Role.ADMIN):
            return
        file = st.file_uploader(
            "File to import",
            type=["xlsx", "csv"],
            key=f"{name}_file",
            max_upload_size=MAX_MEGABYTES,
        )
        st.caption(
            f"The first row must contain the headings: {plain(columns)}. Numbers "
            "must be formatted as text. "
            "You see what would change before anything is saved."
        )
        if file is None:
            return
        with error_shown(
            "The file could not be read. Nothing was changed.", key="file_error"
        ):
            preview(file.getvalue())


def _name_and_market(row: NameRow | None) -> str:
    return " · ".join(filter(None, (row.name, row.market))) if row else ""


def _preview_names(desk: Desk, preview: NamesPreview) -> None:
    added = sum(old is None for old, _ in preview.changes)
    counts = f"{added:,} added, {len(preview.changes) - added:,} changed"
    rows = [
        (
            "changed" if old else "added",
            _name_and_market(new),
            _name_and_market(old),
            " · ".join(new.ids),
        )
        for old, new in preview.changes
    ]
    columns = ["Change", "Name in the file", "Known name", "Number"]
    _show_changes(f"{counts}, {preview.unchanged_count:,} already known", rows, columns)

    def keep() -> None:
        desk.directory.apply_names(preview)
        keep_notice("The names were saved.", (counts,))

    failed = "The names were not saved. Nothing was changed."
    is_off = not preview.changes
    _offer_to_keep("Save these names", keep, failed, is_off=is_off)


def _preview_sets(desk: Desk, preview: SetsPreview) -> None:
    rows = [
        (
            name,
            "changed" if name in preview.stored else "new",
            str(len(ids - before)),
            str(len(ids & before)),
        )
        for name, ids in preview.in_file.items()
        for before in [preview.stored.get(name, frozenset())]
    ]
    _show_changes(
        f"{len(rows):,} sets", rows, ["Set", "Change", "To add", "Already in the set"]
    )
    is_meant = True
    if preview.doubtful:
        st.text(
            showable(
                "Entries that may not be numbers: "
                f"{', '.join(preview.doubtful[:_CHANGES_SHOWN])}"
            )
        )
        is_meant = st.checkbox(
            "Use these entries as numbers", key="sets_file_as_numbers"
        )

    def keep() -> None:
        desk.sets.apply_sets(preview)
        keep_notice("The sets were saved.")

    failed = "Not all sets were saved. Check again what the file would change."
    nothing_new = all(
        ids <= preview.stored.get(name, frozenset())
        for name, ids in preview.in_file.items()
    )
    _offer_to_keep("Save these sets", keep, failed, is_off=nothing_new or not is_meant)


def _show_changes(
    counts: str, rows: Sequence[tuple[str, ...]], columns: Sequence[str]
) -> None:
    st.markdown(f"**{plain(counts)}** · nothing is saved yet")
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
