"""The form for a bulk change: the list, its columns, and the values for all rows."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.downloads import offer_download
from components.finder.search_fields import (
    ChoiceField,
    RecipientField,
    choose_one,
    choose_recipients,
    chosen_recipients,
    put_one,
)
from components.markdown_escape import plain, showable, visible
from components.notices import error_shown
from components.table import show_table
from item_visibility.errors import SheetsError
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.headings import (
    Fixed,
    Layout,
    columns_with_known_ids,
    has_headings,
)
from item_visibility.lists.reader import Encoding, find_encoding
from item_visibility.lists.table import (
    MAX_MEGABYTES,
    HiddenCells,
    cells_with_accents,
    column_letters,
    cut,
    heading_words,
)
from item_visibility.model.job import BulkAction
from item_visibility.model.known_ids import Kind
from item_visibility.model.words import many
from item_visibility.storage.database_errors import or_else
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import write_template
from item_visibility.use_cases.find_by_name import market_of

OPENED_JOB = "bulk_state.opened"
UPLOAD, PASTE, SHEET = "upload", "bulk_paste", "bulk_sheet"
ACTION, SUPPLIER, SET = "bulk_action", "bulk_supplier", "bulk_set"
RECIPIENTS = RecipientField("bulk_recipients")
_LIST, _RESULTS = "bulk_state.list", "bulk_state.results"
_ITEMS_SHOWN = 1_000
_NOT_IN_LIST = "not in the list"
_ACTIONS = {"As in the list, otherwise add": None} | {
    one.capitalize(): one for one in BulkAction
}


_Read = TypeVar("_Read")


@dataclass(slots=True, kw_only=True)
class ListState:
    """A person's decisions about this window's list.

    `stamp` identifies the upload or the pasted text.
    """

    stamp: str
    sheets: tuple[str, ...] = ()  # empty if the file has only one sheet
    hidden: HiddenCells | None = None
    has_heading: bool | None = None  # None until the person decides about the first row
    decisions: Decisions = field(default_factory=Decisions)
    is_file: bool = False
    awaits_preview: bool = False  # the preview starts as soon as everything is decided


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A list with its chosen columns, and the decisions about it."""

    title: str
    state: ListState
    bulk_list: BulkList
    reading: object  # identifies the list and the settings with which it was read
    question: str = ""  # about the letters of a text that is not UTF-8
    fixed: Fixed = field(default_factory=Fixed)  # the values for all rows
    is_decided: bool = (
        True  # False if the recipients for all items are unclear or could not be read
    )


def choose_list(desk: Desk) -> Source | None:
    """Draw the form.

    Return the list with the values for all rows, or None if there is no readable list.
    """
    with st.container(
        key="bulk_source"
    ):  # a fixed container, so the fields below keep their text
        source = _choose_source()
        if source is not None:
            source = _choose_columns(desk, source)
    source = _choose_values(desk, source)
    if source is None:
        offer_download(
            "Download a template",
            "bulk-template.xlsx",
            write_template,
            key="bulk_template",
        )
    return source


def open_job(key: str) -> None:
    """Open this job on the bulk page."""
    st.session_state[OPENED_JOB] = key


def close_job() -> None:
    """Show the form and the list of jobs instead of a job."""
    open_job("")


def column_name(bulk_list: BulkList, column: int) -> str:
    """Return the letter of a column in the spreadsheet, and its header."""
    return _named_column(column, bulk_list.table.header[column])


def _column_choice(bulk_list: BulkList, column: int) -> str:
    """Return the name of a column, or in a list without headings its letter and its first text."""
    table = bulk_list.table
    if has_headings(table):
        return column_name(bulk_list, column)
    return _named_column(
        column, cut(next((cell for _, cell in table.filled(column)), ""))
    )


def _named_column(column: int, words: str) -> str:
    return " · ".join(filter(None, (column_letters(column), showable(visible(words)))))


def decide_again(state: ListState) -> None:
    """Close the job and forget the decisions about ids and columns.

    A file is then previewed again.
    """
    close_job()
    state.decisions = Decisions()
    state.awaits_preview = state.awaits_preview or state.is_file


def read_once(
    name: str, key: object, read: Callable[[], _Read], *, words: str
) -> _Read:
    """Call `read` under a spinner, and store its result.

    Call it again only if `key` has changed.
    """
    results: dict[str, tuple[object, Any]] = st.session_state.setdefault(_RESULTS, {})
    if name not in results or results[name][0] != key:
        results.pop(name, None)
        with st.spinner(words, show_time=True):
            results[name] = key, read()
    result: _Read = results[name][1]
    return result


def _list_state(stamp: str, *, is_file: bool = False) -> ListState:
    state: ListState | None = st.session_state.get(_LIST)
    if state is None or state.stamp != stamp:
        state = st.session_state[_LIST] = ListState(
            stamp=stamp, is_file=is_file, awaits_preview=is_file
        )
    return state


def _choose_source() -> Source | None:
    upload, beside = st.columns(2, gap="medium")
    file = upload.file_uploader(
        "Upload",
        type=["csv", "xlsx", "tsv", "txt", "json"],
        key=UPLOAD,
        max_upload_size=MAX_MEGABYTES,
        on_change=close_job,
    )
    text = ""
    if file is None:
        text = beside.text_area(
            "Or paste rows",
            key=PASTE,
            height=110,
            placeholder="Rows as copied from a spreadsheet, with or without a header",
            on_change=close_job,
        )
    with error_shown(
        "The list could not be read. Nothing was changed.", key="bulk_source_error"
    ):
        if file is not None:
            return _from_file(file, beside)
        if text.strip():
            stamp = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            return _read_source(
                "Pasted rows", _list_state(stamp), partial(BulkList.read, text)
            )
    return None


def _from_file(file: UploadedFile, beside: DeltaGenerator) -> Source | None:
    content, state = file.getvalue(), _list_state(file.file_id, is_file=True)
    encoding = find_encoding(content)
    with beside:
        sheet = _choose_sheet(state)
    if state.sheets and sheet is None:
        return None

    read = partial(BulkList.read, content, encoding=encoding)
    try:
        source = _read_source(file.name, state, read, sheet=sheet, hidden=state.hidden)
    except SheetsError as error:
        if state.sheets:
            raise
        state.sheets = error.sheets
        st.session_state.pop(SHEET, None)
        st.rerun()
    if encoding is Encoding.CP1252:
        accents = cells_with_accents(source.bulk_list.table)
        source = replace(
            source,
            question="The file was read as Windows text. Do the umlauts look right? "
            f"{accents}",
        )
        st.caption(plain(source.question))
    return source


def _read_source(
    name: str, state: ListState, read: Callable[..., BulkList], **how: object
) -> Source:
    how["has_heading"] = state.has_heading
    reading = (state.stamp, *how.values())
    words = "The list is being read"
    found = read_once("list", reading, lambda: read(**how), words=words)
    for note in found.table.notes:
        st.caption(plain(note))
    key = f"bulk_heading {state.stamp}"

    def say_heading() -> None:
        state.has_heading = st.session_state[key]
        decide_again(state)

    with st.container(
        horizontal=True, vertical_alignment="center", key="bulk_heading_line"
    ):
        st.toggle(
            "First row is a heading",
            value=has_headings(found.table),
            key=key,
            on_change=say_heading,
        )
        st.caption(plain(heading_words(found.table)))
    return Source(title=showable(name), state=state, bulk_list=found, reading=reading)


def _choose_sheet(state: ListState) -> str | None:
    if not state.sheets:
        return None
    options = {showable(visible(name)): name for name in state.sheets}
    shown = st.selectbox(
        "Sheet with the list",
        tuple(options),
        index=None,
        key=SHEET,
        placeholder="Choose one",
        on_change=decide_again,
        args=(state,),
    )
    if shown is None:
        words = "Data is in several sheets, or in hidden sheets only. Choose the sheet to read."
        st.info(words, icon=":material/table_view:")
        return None
    return options[shown]


def _choose_columns(desk: Desk, source: Source) -> Source:
    bulk_list, known_ids = read_once(
        "order",
        source.reading,
        lambda: _in_usual_order(desk, source.bulk_list),
        words="The columns of the list are being compared with your directory",
    )
    guess = bulk_list.guess
    names = [
        _column_choice(bulk_list, column)
        for column in range(len(bulk_list.table.header))
    ]

    def choose(label: str, guessed: int | None) -> int | None:
        name = st.selectbox(
            label,
            (_NOT_IN_LIST, *names),
            index=0 if guessed is None else guessed + 1,
            key=f"{label} {source.reading}",
            on_change=decide_again,
            args=(source.state,),
        )
        return None if name == _NOT_IN_LIST else names.index(name)

    with (
        st.expander(
            "Columns",
            icon=":material/view_column:",
            expanded=guess.item is None,
            key="bulk_columns",
        ),
        st.container(horizontal=True, key="bulk_column_choices"),
    ):
        layout = Layout(
            supplier=choose("Supplier column", guess.supplier),
            item=choose("Item column", guess.item),
            recipient=choose("Recipient column", guess.recipient),
            action=choose("Action column", guess.action),
            market=choose("Market column", guess.market),
        )
    if known_ids:
        st.caption(plain(known_ids))
    return replace(source, bulk_list=bulk_list.with_layout(layout))


def _in_usual_order(desk: Desk, bulk_list: BulkList) -> tuple[BulkList, str]:
    """Return the list, and for a list without headings which of its columns hold known ids."""
    ordered = bulk_list.in_usual_order(desk.names.names_of)
    if ordered.guess.columns:
        return ordered, ""
    return ordered, columns_with_known_ids(bulk_list.table, desk.names.names_of)


def _choose_values(desk: Desk, source: Source | None) -> Source | None:
    layout = None if source is None else source.bulk_list.layout
    has_list = st.session_state.get(UPLOAD) is not None or bool(
        st.session_state.get(PASTE, "").strip()
    )
    supplier = ""
    with st.container(key="bulk_fixed"):
        what, beside = st.columns(2, gap="medium")
        action = what.selectbox(
            "What to do", tuple(_ACTIONS), key=ACTION, on_change=close_job
        )
        if layout is None or layout.supplier is None:
            with beside:
                if (
                    SUPPLIER not in st.session_state
                ):  # emptied on a new visit, like Streamlit's fields
                    put_one(SUPPLIER, "")
                label = (
                    "Supplier for all rows"
                    if has_list
                    else "Or choose a supplier, then tick its items"
                )
                one = ChoiceField(Kind.SUPPLIER, SUPPLIER, on_choice=close_job)
                supplier = choose_one(desk, one, label=label)
    with st.container(key="bulk_ticked"):
        if supplier and not has_list:
            source = _tick_items(desk, supplier)
    fixed = Fixed(supplier=supplier or None, action=_ACTIONS[action])
    if layout is not None and layout.recipient is not None:
        return replace(source, fixed=fixed) if source else None
    with st.container(key="bulk_recipients_for_all"):
        of_set, by_name = st.columns(2, gap="medium")
        sets = or_else(None, desk.records.sets.all)
        chosen = of_set.selectbox(
            "Recipient set",
            [one.name for one in sets or ()],
            index=None,
            key=SET,
            on_change=close_job,
            placeholder="Could not be read"
            if sets is None
            else "For a list without recipients",
        )
        with by_name:
            choose_recipients(
                desk, RECIPIENTS, label="Recipients for all items", reruns_page=True
            )
    named = chosen_recipients(desk, RECIPIENTS)
    if named.undecided:
        words = 'Decide what the text under "Recipients for all items" means. Then press Preview.'
        st.warning(words, icon=":material/rule:")
    recipients, is_decided = named.everyone, False
    with error_shown(
        "The recipient set could not be read. Nothing was changed.",
        key="bulk_set_error",
    ):
        if chosen is not None:
            recipients |= desk.records.sets.open(chosen).recipients
        is_decided = not named.undecided
    if source is None:
        return None
    return replace(
        source, fixed=replace(fixed, recipients=recipients), is_decided=is_decided
    )


def _tick_items(desk: Desk, supplier: str) -> Source | None:
    found = desk.names.first(Kind.ITEM, supplier=supplier, limit=_ITEMS_SHOWN)
    if not found.choices:
        st.caption(
            "No items of this supplier are known yet. Upload a file, or paste rows."
        )
        return None
    items = sorted(
        found.choices, key=lambda one: (not one.name, one.name.casefold(), one.id)
    )
    chosen = show_table(
        [(one.name, market_of(one), one.id) for one in items],
        ["Name", "Market", "Item"],
        key="bulk_known",
        alt="Known items of the supplier, with checkboxes",
        choose="multi-row",
    )
    if found.more:
        st.caption(
            plain(
                f"The first {_ITEMS_SHOWN:,} are shown. For other items, paste their "
                "numbers."
            )
        )
    ticked = [items[at].id for at in chosen]
    if not ticked:
        st.caption(
            "Tick the items to change, choose their recipients below, and press "
            "Preview."
        )
        return None
    name = desk.names.chosen(Kind.SUPPLIER, supplier).name or supplier
    title, stamp = (
        showable(f"{many(len(ticked), 'item')} of {name}"),
        f"ticked {supplier} {sorted(ticked)}",
    )
    bulk_list = BulkList.of_items(ticked)
    return Source(
        title=title, state=_list_state(stamp), bulk_list=bulk_list, reading=stamp
    )
