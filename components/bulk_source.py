"""Where the rows of a bulk change come from: a file, or rows that are pasted."""

import hashlib
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.notices import show_error
from components.verbatim import showable
from item_visibility.desk import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.files.encoding import Encoding
from item_visibility.files.table import Table
from item_visibility.intake.template import write_template

UPLOAD, PASTE, ENCODING = "upload", "bulk_paste", "bulk_encoding"
_READ = "bulk_source.read"
_MEGABYTES = 10
_ENCODINGS = {"UTF-8": Encoding.UTF_8, "Windows (cp1252)": Encoding.CP1252}
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Source:
    """A table that a person brought. `stamp` stands for this upload or paste, and for how it was read."""

    title: str
    stamp: str
    table: Table
    is_file: bool


def choose_source(desk: Desk) -> Source | None:
    """Draw the two ways in, and give the table; None while there is none, or when it cannot be read."""
    way_in, paste = st.columns(2, gap="medium")
    with way_in:
        file = st.file_uploader(
            "Upload",
            type=["csv", "xlsx", "ods", "tsv", "txt", "json"],
            key=UPLOAD,
            max_upload_size=_MEGABYTES,
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
        return _from_paste(desk, text) if text.strip() else None
    except ItemVisibilityError as error:
        show_error("The list could not be read. Nothing was changed.", error, key="bulk_source_error")
        return None


def empty_paste() -> None:
    """Take the pasted rows out of their field; only callbacks may."""
    st.session_state[PASTE] = ""


def _from_file(desk: Desk, file: UploadedFile) -> Source:
    content = file.getvalue()
    encoding = Encoding.UTF_8 if _is_utf8(content) else _choose_encoding()
    stamp = f"{file.file_id} {encoding}"
    kept = _kept(stamp)
    return kept or _keep(
        Source(showable(file.name), stamp, desk.bulk.read_file(content, encoding=encoding), is_file=True)
    )


def _from_paste(desk: Desk, text: str) -> Source:
    stamp = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _kept(stamp) or _keep(Source("Pasted rows", stamp, desk.bulk.read_paste(text), is_file=False))


def _kept(stamp: str) -> Source | None:
    """What was read in a run before: a large file takes seconds."""
    source: Source | None = st.session_state.get(_READ)
    return source if source is not None and source.stamp == stamp else None


def _keep(source: Source) -> Source:
    st.session_state[_READ] = source
    return source


def _is_utf8(content: bytes) -> bool:
    """True for texts in UTF-8, and for workbooks, which say themselves how they are written."""
    if content.startswith(_ZIP):
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _choose_encoding() -> Encoding:
    """Ask only when it is not the usual one."""
    chosen = st.selectbox("How the letters are written", tuple(_ENCODINGS), key=ENCODING)
    return _ENCODINGS[chosen]


def offer_template() -> None:
    """Draw the download of an empty list with the columns that are found by themselves."""
    st.download_button(
        "Download a template",
        write_template,
        file_name="bulk-template.xlsx",
        key="bulk_template",
        icon=":material/download:",
        on_click="ignore",
    )
