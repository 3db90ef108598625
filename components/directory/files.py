"""Names and recipient sets as a file, and from a file, with a preview of what it would change."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from components.downloads import offer_downloads
from components.notices import Notice, error_as_notice, keep_notice, show_error
from components.table import show_table
from components.verbatim import plain, showable
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.table import MAX_MEGABYTES
from item_visibility.lists.writer import LIST_KINDS, FileKind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind, NamesPreview, columns_of
from item_visibility.use_cases.sets import SetPreview, SetsPreview

_SHOWN = 200


def exchange_names(desk: Desk, kind: Kind) -> None:
    """Draw the export of names, and the import with its preview."""

    def preview(content: bytes) -> None:
        _preview_names(desk, desk.directory.preview_names(kind, content))

    _exchange(
        desk,
        f"{kind.value}-names",
        write=partial(desk.directory.write_names, kind),
        columns=", ".join(columns_of(kind)),
        preview=preview,
    )


def exchange_sets(desk: Desk) -> None:
    """Draw the export of recipient sets, and the import with its preview."""

    def preview(content: bytes) -> None:
        _preview_sets(desk, desk.sets.preview_sets(content))

    columns = "Set, Recipient. A file never removes recipients from a set"
    _exchange(desk, "recipient-sets", write=desk.sets.write_sets, columns=columns, preview=preview)


def _exchange(
    desk: Desk,
    name: str,
    *,
    write: Callable[[FileKind], bytes],
    columns: str,
    preview: Callable[[bytes], None],
) -> None:
    """Draw the downloads; for an admin the upload, and what the file would change."""
    with st.expander("Files: import and export", icon=":material/swap_vert:", key=f"{name}_files"):
        files = [(one.words, one.file_name(name), partial(write, one)) for one in LIST_KINDS]
        offer_downloads(files, key=name)
        if not desk.access.allows(Role.ADMIN):
            return
        file = st.file_uploader(
            "File to import", type=["xlsx", "csv"], key=f"{name}_file", max_upload_size=MAX_MEGABYTES
        )
        st.caption(
            f"The first row names the columns: {plain(columns)}. Numbers must be formatted as text. Nothing "
            "is kept before you have seen what would change."
        )
        if file is None:
            return
        try:
            preview(file.getvalue())
        except ItemVisibilityError as error:
            show_error("The file could not be read. Nothing was changed.", error, key="file_error")


def _preview_names(desk: Desk, preview: NamesPreview) -> None:
    counts = (
        f"{len(preview.added):,} added, {len(preview.changed):,} changed, {preview.same:,} already known, "
        f"{len(preview.conflicts):,} in conflict"
    )
    if preview.conflicts:
        st.warning(
            "The file has different names for these numbers. Their rows are skipped: correct the file and "
            "import it again.",
            icon=":material/warning:",
        )
    rows = [
        (f"conflict in rows {', '.join(map(str, one.rows))}", " / ".join(one.names), "", " · ".join(one.ids))
        for one in preview.conflicts
    ]
    rows += [("changed", new.words, old.words, " · ".join(new.ids)) for old, new in preview.changed]
    rows += [("added", row.words, "", " · ".join(row.ids)) for row in preview.added]
    _show_changes(counts, rows, ["Change", "Name in the file", "Known name", "Number"])
    _offer_to_keep("Keep these names", _keep_names, desk, preview, is_off=preview.is_empty)


def _keep_names(desk: Desk, preview: NamesPreview) -> None:
    with error_as_notice("The names were not kept. Nothing was changed."):
        if not desk.directory.apply_names(preview):
            keep_notice(Notice("Names were changed meanwhile: check again what the file would change."))
            return
        counts = f"{len(preview.added):,} added, {len(preview.changed):,} changed"
        keep_notice(Notice("The names are kept.", (counts,)))


def _preview_sets(desk: Desk, preview: SetsPreview) -> None:
    rows = [_set_row(one) for one in preview.sets]
    _show_changes(f"{len(rows):,} sets", rows, ["Set", "Change", "To add", "Already in the set"])
    is_meant = True
    if preview.doubtful:
        st.text(showable(f"Entries that may not be numbers: {', '.join(preview.doubtful[:_SHOWN])}"))
        is_meant = st.checkbox("Use these texts as numbers", key="sets_file_as_numbers")
    _offer_to_keep("Keep these sets", _keep_sets, desk, preview, is_off=not is_meant or preview.is_empty)


def _set_row(one: SetPreview) -> tuple[str, str, str, str]:
    return one.name, "new" if one.is_new else "changed", str(len(one.added)), str(one.already_in)


def _keep_sets(desk: Desk, preview: SetsPreview) -> None:
    with error_as_notice("Not all sets were kept: check again what the file would change."):
        desk.sets.apply_sets(preview)
        keep_notice(Notice("The sets are kept."))


def _show_changes(counts: str, rows: Sequence[tuple[str, ...]], columns: Sequence[str]) -> None:
    st.markdown(f"**{plain(counts)}** · nothing is kept yet")
    if rows:
        show_table(rows, columns, key="file_changes", alt="What the file would change", limit=_SHOWN)


def _offer_to_keep(label: str, keep: Callable[..., None], *args: object, is_off: bool) -> None:
    st.button(
        plain(label),
        key="keep_file",
        type="primary",
        icon=":material/check:",
        disabled=is_off,
        on_click=keep,
        args=args,
    )
