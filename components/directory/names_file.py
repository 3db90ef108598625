"""Import of names from a file, with a preview; export of all names."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.notices import Notice, keep_notice, kept_error, show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.files.table import MAX_MEGABYTES
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.table_files import FileKind, NamesPreview, columns_of

_PREVIEW = "names_file.preview"
_VERSION = "names_file.version"
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class _Looked:
    """The preview of a file."""

    file_id: str
    kind: Kind
    preview: NamesPreview | ItemVisibilityError


def exchange_names(desk: Desk, kind: Kind) -> None:
    """Draw the import with its preview, and the export."""
    with st.expander("Files: import and export", icon=":material/swap_vert:", key="names_files"):
        _offer_export(desk, kind)
        if not desk.access.allows(Role.ADMIN):
            return
        file = st.file_uploader(
            "File with names",
            type=["xlsx", "csv"],
            key=f"names_file_{st.session_state.get(_VERSION, 0)}",
            max_upload_size=MAX_MEGABYTES,
        )
        st.caption(
            "The first row names the columns: "
            + plain(", ".join(columns_of(kind)))
            + ". Numbers must be formatted as text. Nothing is kept before you have seen what would change."
        )
        if file is not None:
            _show(desk, _look(desk, kind, file.file_id, file.getvalue()))


def _look(desk: Desk, kind: Kind, file_id: str, content: bytes) -> _Looked:
    """Return what the file would change, read once."""
    looked: _Looked | None = st.session_state.get(_PREVIEW)
    if looked is None or (looked.file_id, looked.kind) != (file_id, kind):
        try:
            looked = _Looked(file_id, kind, desk.files.preview_names(kind, content))
        except ItemVisibilityError as error:
            looked = _Looked(file_id, kind, error)
        st.session_state[_PREVIEW] = looked
    return looked


def _show(desk: Desk, looked: _Looked) -> None:
    preview = looked.preview
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
            "The file names these numbers differently in several rows. They are skipped: put the file "
            "right and import it again.",
            icon=":material/warning:",
        )
    rows = _rows(preview)
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
        on_click=_apply,
        args=(desk, preview),
    )


def _rows(preview: NamesPreview) -> list[tuple[str, str, str, str]]:
    rows = [
        (
            f"conflict in rows {', '.join(map(str, one.rows))}",
            " / ".join(one.names),
            "",
            " · ".join(one.ids),
        )
        for one in preview.conflicts
    ]
    rows += [("changed", new.words, old.words, " · ".join(new.ids)) for old, new in preview.changed]
    rows += [("added", row.words, "", " · ".join(row.ids)) for row in preview.added]
    return rows


def _apply(desk: Desk, preview: NamesPreview) -> None:
    st.session_state.pop(_PREVIEW, None)
    with kept_error("The names were not kept. Nothing was changed."):
        is_kept = desk.files.apply_names(preview)
        if not is_kept:
            keep_notice(Notice("Names were changed meanwhile: check again what the file would change."))
            return
        st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
        counts = f"{len(preview.added):,} added, {len(preview.changed):,} changed"
        keep_notice(Notice("The names are kept.", (counts,)))


def _offer_export(desk: Desk, kind: Kind) -> None:
    with st.container(horizontal=True, key="names_export"):
        for file_kind in FileKind:
            st.download_button(
                plain(f"Export as {file_kind.words}"),
                partial(desk.files.write_names, kind, file_kind),
                file_name=file_kind.file_name(f"{kind.value}-names"),
                key=f"names_{file_kind.value}",
                icon=":material/download:",
                on_click="ignore",
            )
