"""The source of a bulk change: a file, pasted rows, or items of a supplier that are ticked."""

import hashlib
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.bulk.choose.list_state import (
    change_list,
    list_state,
    read_in_background,
    read_list_again,
    stop_reading,
)
from components.bulk.choose.steps import is_form_open, leave_job
from components.notices import show_error
from components.table import show_table
from components.verbatim import plain, showable, visible
from item_visibility.errors import ItemVisibilityError, SheetsError
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.reader import Encoding, needs_encoding
from item_visibility.lists.table import (
    MAX_MEGABYTES,
    Table,
    Watch,
    cells_with_accents,
    heading_words,
    hidden_words,
    title_words,
)
from item_visibility.saving.in_words import many
from item_visibility.use_cases.bulk.lists import HiddenCells
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

UPLOAD, PASTE = "upload", "bulk_paste"
SHEET, ENCODING, HEADING = "bulk_sheet", "bulk_encoding", "bulk_heading"
_SHEETS = "source.sheets"
_SHOWN, _ITEMS_SHOWN = 200, 1_000
_ENCODINGS = {
    "Windows text": Encoding.CP1252,
    "DOS text": Encoding.CP850,
    "Mac text": Encoding.MAC_ROMAN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A list that a person brought. `stamp` identifies this upload or paste and how it was read.

    `encoding_question` asks whether the letters of a text that is not UTF-8 look right. `is_decided` is False
    until the person decides about hidden rows and rows beside the list.
    """

    title: str
    stamp: str
    bulk_list: BulkList
    is_ticked: bool = False
    reading: tuple[HiddenCells | None, bool | None] = (None, None)
    encoding_question: str = ""
    is_decided: bool = True


def choose_source(desk: Desk) -> Source | None:
    """Draw file upload and paste. Return the list, or None if there is none or it cannot be read."""
    has_file = st.session_state.get(UPLOAD) is not None
    upload, beside = st.columns(2, gap="medium")
    with upload:
        file = st.file_uploader(
            "Upload",
            type=["csv", "xlsx", "tsv", "txt", "json"],
            key=UPLOAD,
            max_upload_size=MAX_MEGABYTES,
        )
    text = ""
    if not has_file:
        with beside:
            text = st.text_area(
                "Or paste rows",
                key=PASTE,
                height=110,
                placeholder="Rows as copied from a spreadsheet, with or without a header",
            )
    try:
        if file is not None:
            return _from_file(desk, file, beside)
        if text.strip():
            return _from_paste(desk, text)
        stop_reading()
    except ItemVisibilityError as error:
        show_error("The list could not be read. Nothing was changed.", error, key="bulk_source_error")
        st.button("Read it again", key="read_again", icon=":material/refresh:", on_click=stop_reading)
    return None


def has_list() -> bool:
    """True when there is a file, or pasted rows, whether they can be read or not."""
    return st.session_state.get(UPLOAD) is not None or bool(st.session_state.get(PASTE, "").strip())


def put_paste(rows: str) -> None:
    """Paste these rows. Call it only from callbacks."""
    st.session_state[PASTE] = rows


def tick_items(desk: Desk, supplier: str) -> Source | None:
    """Draw the known items of the supplier. Return the list of those ticked, if any."""
    found = desk.names.first(Kind.ITEM, supplier=supplier, limit=_ITEMS_SHOWN)
    if not found.choices:
        st.caption("No item of this supplier is known here: upload a file, or paste rows.")
        return None
    items = sorted(found.choices, key=lambda one: (not one.name, one.name.casefold(), one.id))
    chosen = show_table(
        [(one.name, one.market, one.id) for one in items],
        ["Name", "Market", "Item"],
        key="bulk_known",
        alt="Known items of the supplier, to be ticked",
        choose="multi-row",
    )
    if found.more:
        st.caption(plain(f"The first {_ITEMS_SHOWN:,} are shown. Paste the numbers of others."))
    ticked = [items[at].id for at in chosen]
    if not ticked:
        st.caption("Tick the items to change, then say below who is to see them, and press Preview.")
        return None
    name = desk.names.chosen(Kind.SUPPLIER, supplier).name or supplier
    stamp = f"ticked {supplier} {sorted(ticked)}"
    list_state(stamp)
    return Source(
        title=showable(f"{many(len(ticked), 'item')} of {name}"),
        stamp=stamp,
        bulk_list=desk.bulk.lists.list_items(ticked),
        is_ticked=True,
    )


def _from_file(desk: Desk, file: UploadedFile, beside: DeltaGenerator) -> Source | None:
    content = file.getvalue()
    encoding, kind = Encoding.UTF_8, ""
    with beside:
        if needs_encoding(content):
            kind = st.selectbox("Encoding", tuple(_ENCODINGS), key=ENCODING, on_change=leave_job)
            encoding = _ENCODINGS[kind]
        sheet = _choose_sheet(file.file_id)
    if file.file_id in _sheets() and sheet is None:
        return None
    stamp = f"{file.file_id} {encoding} {sheet}"
    state = list_state(stamp, is_file=True)
    reading = (state.hidden, state.has_heading)

    def read(watch: Watch) -> BulkList:
        return desk.bulk.lists.read_file(
            content,
            encoding=encoding,
            sheet=sheet,
            hidden=state.hidden,
            has_heading=state.has_heading,
            watch=watch,
        )

    try:
        found = read_in_background(desk, "list", (stamp, reading), read, words="The list is being read")
    except SheetsError as error:
        _sheets()[file.file_id] = error
        st.session_state.pop(SHEET, None)
        with beside:
            _choose_sheet(file.file_id)
        return None
    if found is None:
        return None
    question = f"Read as {kind}. Do the umlauts look right? {cells_with_accents(found.table)}" if kind else ""
    with beside:
        if question:
            st.caption(plain(f"{question} If not, choose another encoding."))
    return _source(showable(file.name), stamp, found, reading, question)


def _from_paste(desk: Desk, text: str) -> Source | None:
    stamp = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    has_heading = list_state(stamp).has_heading

    def read(watch: Watch) -> BulkList:
        return desk.bulk.lists.read_paste(text, has_heading=has_heading, watch=watch)

    reading = (None, has_heading)
    found = read_in_background(desk, "list", (stamp, reading), read, words="The list is being read")
    return None if found is None else _source("Pasted rows", stamp, found, reading)


def _source(
    title: str,
    stamp: str,
    found: BulkList,
    reading: tuple[HiddenCells | None, bool | None],
    encoding_question: str = "",
) -> Source:
    """Draw how the table was read, and the questions about its rows."""
    table = found.table
    if table.sheet:
        st.caption(plain(table.sheet))
    st.session_state[HEADING] = any(cell.strip() for cell in table.header)
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_heading_line"):
        st.toggle("First row is a heading", key=HEADING, on_change=_say_heading, args=(stamp,))
        words = heading_words(table)
        st.caption(plain(words))
    return Source(
        title=title,
        stamp=stamp,
        bulk_list=found,
        reading=reading,
        encoding_question=encoding_question,
        is_decided=_decide_about_hidden(stamp, table) and _decide_about_rows(stamp, table),
    )


def _sheets() -> dict[str, SheetsError]:
    """The files of this window whose sheet must be chosen, by the id of the upload."""
    sheets: dict[str, SheetsError] = st.session_state.setdefault(_SHEETS, {})
    return sheets


def _choose_sheet(file_id: str) -> str | None:
    """Draw the choice of the sheet for a file that needs one. Return None until it is chosen."""
    error = _sheets().get(file_id)
    if error is None:
        return None
    options = {showable(visible(name)): name for name in error.sheets}
    shown = st.selectbox(
        "Sheet that is the list", tuple(options), index=None, key=SHEET, placeholder="Choose one"
    )
    if shown is None:
        st.info(plain(f"{error.message} Nothing is read before you choose."), icon=":material/table_view:")
    return None if shown is None else options[shown]


def _decide_about_hidden(stamp: str, table: Table) -> bool:
    """Ask what to do with hidden rows and columns, or show the answer; True when nothing is open."""
    decided = list_state(stamp).hidden
    if not table.hidden and decided is None:
        return True
    decide = partial(read_list_again, stamp)
    with st.container(border=True, key="bulk_hidden"):
        if decided is not None:
            words = "used" if decided is HiddenCells.USE else "skipped"
            st.caption(plain(f"Hidden rows and columns are {words}."))
            st.button("Decide again", key="decide_hidden_again", on_click=decide, kwargs={"hidden": None})
            return True
        words = hidden_words(table)
        is_one = len(table.hidden.rows) + len(table.hidden.columns) == 1
        them = "it" if is_one else "them"
        question = (
            f"{words[0].upper()}{words[1:]} {'is' if is_one else 'are'} hidden in your file. Use {them}?"
        )
        st.warning(plain(question), icon=":material/visibility_off:")
        with st.container(horizontal=True, key="bulk_hidden_choices"):
            use, skip = {"hidden": HiddenCells.USE}, {"hidden": HiddenCells.SKIP}
            st.button(plain(f"Use {them}"), key="use_hidden", on_click=decide, kwargs=use)
            st.button(plain(f"Skip {them}"), key="skip_hidden", on_click=decide, kwargs=skip)
    return False


def _decide_about_rows(stamp: str, table: Table) -> bool:
    """Ask what to do with rows that are not read; True when nothing is open."""
    if words := title_words(table):
        st.caption(plain(words))
    aside = [one for one in table.aside if one.may_be_of_list]
    if not aside or list_state(stamp).skips_aside:
        return True
    with st.container(border=True, key="bulk_aside"):
        words = f"{many(len(aside), 'row')} of the list cannot be read where they are."
        st.warning(plain(words), icon=":material/rule:")
        show_table(
            [
                (str(one.row.number), visible(" · ".join(filter(None, one.row.cells))), one.reason)
                for one in aside[:_SHOWN]
            ],
            ["Row", "Content", "Why"],
            key="bulk_aside_rows",
            alt="Rows that cannot be read where they are",
        )
        st.button("Skip these rows", key="skip_aside", on_click=partial(change_list, stamp, skips_aside=True))
        st.caption("Or put the headings into the first row of the file, and upload it again.")
    return False


def _say_heading(stamp: str) -> None:
    """Read the list as the switch says. In a folded form nobody moved it: a late message did."""
    if is_form_open():
        read_list_again(stamp, has_heading=st.session_state[HEADING])
