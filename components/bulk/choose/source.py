"""The source of a bulk change: a file or pasted rows."""

import hashlib
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.bulk.choose.doubtful_rows import (
    decide_about_heading,
    decide_about_hidden,
    decide_about_rows,
)
from components.bulk.choose.kept_list import kept_list
from components.bulk.choose.reading_beside import read_beside, stop_reading
from components.bulk.choose.sheet_choice import choose_sheet, needs_sheet
from components.notices import show_error
from components.verbatim import plain, showable
from item_visibility.errors import ItemVisibilityError, SheetsError
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.table import MAX_MEGABYTES, Watch, cells_with_accents
from item_visibility.lists.text_files import Encoding, guess_encoding
from item_visibility.use_cases.bulk.lists import HiddenCells, write_template
from item_visibility.use_cases.desk import Desk

UPLOAD, PASTE = "upload", "bulk_paste"
_AGAIN = "source.again"

Reading = tuple[HiddenCells | None, bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A list that a person brought. `stamp` identifies this upload or paste and how it was read.

    `reading` is what was decided about hidden cells and the heading.
    `letters` asks whether the letters of a Windows text look right.
    `is_decided` is False until the person decides about hidden rows and rows beside the list.
    """

    title: str
    stamp: str
    bulk_list: BulkList
    is_file: bool
    is_ticked: bool = False
    reading: Reading = (None, None)
    letters: str = ""
    is_decided: bool = True


def choose_source(desk: Desk) -> Source | None:
    """Draw file upload and paste. Return the list, or None if there is none or it cannot be read."""
    way_in, paste = st.columns(2, gap="medium")
    with way_in:
        file = st.file_uploader(
            "Upload",
            type=["csv", "xlsx", "tsv", "txt", "json"],
            key=UPLOAD,
            max_upload_size=MAX_MEGABYTES,
        )
    with paste:
        text = st.text_area(
            "Or paste rows",
            key=PASTE,
            height=110,
            placeholder="Rows as copied from a spreadsheet, with or without a header"
            if file is None
            else "Take the file away to paste rows instead",
            disabled=file is not None,
        )
    try:
        if file is not None:
            return _from_file(desk, file)
        if text.strip():
            return _from_paste(desk, text)
        stop_reading()
    except ItemVisibilityError as error:
        show_error("The list could not be read. Nothing was changed.", error, key="bulk_source_error")
        st.button("Read it again", key="read_again", icon=":material/refresh:", on_click=_read_again)
    return None


def paste_example(rows: str) -> None:
    """Paste these rows. Call it only from callbacks."""
    st.session_state[PASTE] = rows


def has_list() -> bool:
    """True when there is a file, or pasted rows, whether they can be read or not."""
    return st.session_state.get(UPLOAD) is not None or bool(st.session_state.get(PASTE, "").strip())


def empty_paste() -> None:
    """Clear the field for pasted rows. Call it only from callbacks."""
    st.session_state[PASTE] = ""


def _from_file(desk: Desk, file: UploadedFile) -> Source | None:
    content = file.getvalue()
    encoding = guess_encoding(content)
    sheet = choose_sheet(file.file_id)
    if needs_sheet(file.file_id) and sheet is None:
        return None
    stamp = f"{file.file_id} {encoding} {sheet} {st.session_state.get(_AGAIN, 0)}"
    kept = kept_list(stamp)
    reading = (kept.hidden, kept.has_heading)

    def read(watch: Watch) -> BulkList:
        return desk.bulk.read_file(
            content,
            encoding=encoding,
            sheet=sheet,
            hidden=kept.hidden,
            has_heading=kept.has_heading,
            watch=watch,
        )

    try:
        found = read_beside(desk, "list", (stamp, reading), read, words="The list is being read")
    except SheetsError as error:
        choose_sheet(file.file_id, error)
        return None
    if found is None:
        return None
    if words := found.table.sheet:
        st.caption(plain(words))
    decide_about_heading(stamp, found.table)
    return Source(
        title=showable(file.name),
        stamp=stamp,
        bulk_list=found,
        is_file=True,
        reading=reading,
        letters=f"Read as Windows text. Do the umlauts look right? {cells_with_accents(found.table)}"
        if encoding is Encoding.CP1252
        else "",
        is_decided=decide_about_hidden(stamp, found.table) and decide_about_rows(stamp, found.table),
    )


def _from_paste(desk: Desk, text: str) -> Source | None:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    stamp = f"{digest} {st.session_state.get(_AGAIN, 0)}"

    has_heading = kept_list(stamp).has_heading
    reading = (None, has_heading)

    def read(watch: Watch) -> BulkList:
        return desk.bulk.read_paste(text, has_heading=has_heading, watch=watch)

    found = read_beside(desk, "list", (stamp, reading), read, words="The list is being read")
    if found is None:
        return None
    decide_about_heading(stamp, found.table)
    return Source(
        title="Pasted rows",
        stamp=stamp,
        bulk_list=found,
        is_file=False,
        reading=reading,
        is_decided=decide_about_rows(stamp, found.table),
    )


def _read_again() -> None:
    st.session_state[_AGAIN] = st.session_state.get(_AGAIN, 0) + 1


def offer_template() -> None:
    """Draw the download of an empty list whose columns are recognised automatically."""
    st.download_button(
        "Download a template",
        write_template,
        file_name="bulk-template.xlsx",
        key="bulk_template",
        icon=":material/download:",
        on_click="ignore",
    )
