"""Names and recipient sets from a file, with a preview of what it would change, and as a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.downloads import offer_downloads
from components.notices import Notice, error_as_notice, keep_notice, show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.table import MAX_MEGABYTES
from item_visibility.lists.writer import LIST_KINDS
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind, NamesPreview, columns_of
from item_visibility.use_cases.sets import SetPreview, SetsPreview

_PREVIEW = "directory_files.preview"
_VERSION = "directory_files.version"
_SET_NAME = "sets_file_name"
_SHOWN = 200


def exchange_names(desk: Desk, kind: Kind) -> None:
    """Draw the export of names, and the import with its preview."""
    with _files("names"):
        files = [
            (one.words, one.file_name(f"{kind.value}-names"), partial(desk.directory.write_names, kind, one))
            for one in LIST_KINDS
        ]
        offer_downloads(files, key="names")
        columns = ", ".join(columns_of(kind))
        file = _upload(
            desk, "File with names", f"{columns}. Numbers must be formatted as text.", key="names_file"
        )
        if file is not None:
            _show_names(desk, _names_preview(desk, kind, file))


def exchange_sets(desk: Desk) -> None:
    """Draw the export of recipient sets, and the import with its preview."""
    with _files("sets"):
        files = [
            (one.words, one.file_name("recipient-sets"), partial(desk.sets.write_sets, one))
            for one in LIST_KINDS
        ]
        offer_downloads(files, key="sets")
        words = "Set, Recipient. Without the column Set, all belong to the set that you name here."
        file = _upload(
            desk, "File with sets", f"{words} A file never removes recipients from a set.", key="sets_file"
        )
        if desk.access.allows(Role.ADMIN):
            st.text_input("Set that the file belongs to", key=_SET_NAME, autocomplete="off")
        if file is not None:
            _show_sets(desk, file.getvalue())


@contextmanager
def _files(key: str) -> Iterator[None]:
    with st.expander("Files: import and export", icon=":material/swap_vert:", key=f"{key}_files"):
        yield


def _upload(desk: Desk, label: str, columns: str, *, key: str) -> UploadedFile | None:
    """Draw the upload, for an admin. After each import it is a new one."""
    if not desk.access.allows(Role.ADMIN):
        return None
    file = st.file_uploader(
        plain(label),
        type=["xlsx", "csv"],
        key=f"{key}_{st.session_state.get(_VERSION, 0)}",
        max_upload_size=MAX_MEGABYTES,
    )
    st.caption(
        f"The first row names the columns: {plain(columns)} Nothing is kept before you have seen what would "
        "change."
    )
    return file


def _names_preview(desk: Desk, kind: Kind, file: UploadedFile) -> NamesPreview | ItemVisibilityError:
    """Return what the file would change, read once."""
    about, preview = st.session_state.get(_PREVIEW, (None, None))
    if about != (file.file_id, kind):
        try:
            preview = desk.directory.preview_names(kind, file.getvalue())
        except ItemVisibilityError as error:
            preview = error
        st.session_state[_PREVIEW] = (file.file_id, kind), preview
    found: NamesPreview | ItemVisibilityError = preview
    return found


def _show_names(desk: Desk, preview: NamesPreview | ItemVisibilityError) -> None:
    if isinstance(preview, ItemVisibilityError):
        show_error("The file could not be read. Nothing was changed.", preview)
        return
    counts = (
        f"{len(preview.added):,} added, {len(preview.changed):,} changed, {preview.same:,} already known, "
        f"{len(preview.conflicts):,} in conflict"
    )
    st.markdown(f"**{plain(counts)}** · nothing is kept yet")
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
    if rows:
        show_table(
            rows,
            ["Change", "Name in the file", "Known name", "Number"],
            key="names_preview",
            alt="What the file would change",
            limit=_SHOWN,
            hint="; conflicts come first",
        )
    st.button(
        "Keep these names",
        key="keep_names",
        type="primary",
        icon=":material/check:",
        disabled=preview.is_empty,
        on_click=_keep_names,
        args=(desk, preview),
    )


def _keep_names(desk: Desk, preview: NamesPreview) -> None:
    st.session_state.pop(_PREVIEW, None)
    with error_as_notice("The names were not kept. Nothing was changed."):
        if not desk.directory.apply_names(preview):
            keep_notice(Notice("Names were changed meanwhile: check again what the file would change."))
            return
        st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
        counts = f"{len(preview.added):,} added, {len(preview.changed):,} changed"
        keep_notice(Notice("The names are kept.", (counts,)))


def _show_sets(desk: Desk, content: bytes) -> None:
    try:
        preview = desk.sets.preview_sets(content, set_name=st.session_state[_SET_NAME])
    except ItemVisibilityError as error:
        show_error("The file could not be read. Nothing was changed.", error)
        return
    show_table(
        [_set_row(one) for one in preview.sets],
        ["Set", "Change", "To add", "Already in the set"],
        key="sets_preview",
        alt="What the file would change in recipient sets",
    )
    is_meant = True
    if preview.doubtful:
        show_table(
            [(text,) for text in preview.doubtful],
            ["Text"],
            key="sets_doubtful",
            alt="Entries that may not be numbers",
        )
        is_meant = st.checkbox("Use these texts as numbers", key="sets_file_as_numbers")
    st.button(
        "Keep these sets",
        key="keep_sets",
        type="primary",
        icon=":material/check:",
        disabled=not is_meant or preview.is_empty,
        on_click=_keep_sets,
        args=(desk, preview),
    )


def _set_row(one: SetPreview) -> tuple[str, str, str, str]:
    return one.name, "new" if one.is_new else "changed", str(len(one.added)), str(one.already_in)


def _keep_sets(desk: Desk, preview: SetsPreview) -> None:
    with error_as_notice("Not all sets were kept: check again what the file would change."):
        desk.sets.apply_sets(preview)
        st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
        st.session_state[_SET_NAME] = ""
        keep_notice(Notice("The sets are kept.", tuple(one.name for one in preview.sets[:10])))
