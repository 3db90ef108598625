"""Import of recipient sets from a file, with a preview; export of all sets."""

from functools import partial

import streamlit as st

from components.directory.doubtful_texts import show_texts
from components.notices import Notice, keep_notice, show_error
from components.table import show_table
from components.verbatim import plain
from item_visibility.access.access import Role
from item_visibility.errors import ItemVisibilityError
from item_visibility.files.table import MAX_MEGABYTES
from item_visibility.lists.paste import DoubtfulText
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.table_files import FileKind, SetPreview, SetsPreview

_VERSION = "sets_file.version"
_NAME = "sets_file_name"


def exchange_sets(desk: Desk) -> None:
    """Draw the import with its preview, and the export."""
    with st.expander("Files: import and export", icon=":material/swap_vert:", key="sets_files"):
        _offer_export(desk)
        if not desk.access.allows(Role.ADMIN):
            return
        file = st.file_uploader(
            "File with sets",
            type=["xlsx", "csv"],
            key=f"sets_file_{st.session_state.get(_VERSION, 0)}",
            max_upload_size=MAX_MEGABYTES,
        )
        st.caption(
            "The first row names the columns: Set, Recipient. A file with the column Recipient alone belongs "
            "to the set that you name here. A file removes nobody from a set."
        )
        name = st.text_input("Set that the file belongs to", key=_NAME, autocomplete="off")
        if file is not None:
            _show(desk, file.getvalue(), name)


def _show(desk: Desk, content: bytes, name: str) -> None:
    try:
        preview = desk.files.preview_sets(content, set_name=name)
    except ItemVisibilityError as error:
        show_error("The file could not be taken as it is. Nothing was changed.", error)
        return
    show_table(
        [_row(one) for one in preview.sets],
        ["Set", "What", "To add", "Already in the set"],
        key="sets_preview",
        alt="What the file would change in recipient sets",
    )
    is_meant = True
    if preview.doubtful:
        show_texts(tuple(map(DoubtfulText, preview.doubtful)), key="sets_doubtful")
        is_meant = st.checkbox("Use these texts as numbers", key="sets_file_as_numbers")
    st.button(
        "Keep these sets",
        key="keep_sets",
        type="primary",
        icon=":material/check:",
        disabled=not is_meant or preview.is_empty,
        on_click=_apply,
        args=(desk, preview),
    )


def _row(one: SetPreview) -> tuple[str, str, str, str]:
    return one.name, "new" if one.is_new else "changed", str(len(one.added)), str(one.already_in)


def _apply(desk: Desk, preview: SetsPreview) -> None:
    try:
        desk.files.apply_sets(preview)
    except ItemVisibilityError as error:
        keep_notice(
            Notice("Not all sets were kept: check again what the file would change.", (error.message,))
        )
        return
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
    st.session_state[_NAME] = ""
    keep_notice(Notice("The sets are kept.", tuple(one.name for one in preview.sets[:10])))


def _offer_export(desk: Desk) -> None:
    with st.container(horizontal=True, key="sets_export"):
        for file_kind in FileKind:
            st.download_button(
                plain(f"Export as {file_kind.words}"),
                partial(desk.files.write_sets, file_kind),
                file_name=file_kind.file_name("recipient-sets"),
                key=f"sets_{file_kind.value}",
                icon=":material/download:",
                on_click="ignore",
            )
