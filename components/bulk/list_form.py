"""The form for a bulk change: the list, its columns, and the values for all rows."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import draw
from components.bulk.opened_job import close_job
from components.downloads import offer_download
from components.finder.search_fields import (
    ChoiceField,
    RecipientField,
    choose_one,
    choose_recipients,
    chosen_recipients,
    put_one,
)
from components.markdown_escape import escaped, showable, visible
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

UPLOAD = "upload"
PASTE = "bulk_paste"
SHEET = "bulk_sheet"
ACTION = "bulk_action"
SUPPLIER = "bulk_supplier"
SET = "bulk_set"
RECIPIENTS = RecipientField("bulk_recipients")
_LIST = "list_form.list"
_RESULTS = "list_form.results"
_ITEMS_SHOWN = 1_000
_NOT_IN_LIST = "not in the list"
_ACTIONS = {"As in the list, otherwise add": None} | {
    action.capitalize(): action for action in BulkAction
}

_Read = TypeVar("_Read")


@dataclass(slots=True, kw_only=True)
class ListState:
    """A person's decisions about this window's list.

    `stamp` identifies the upload or the pasted text.
    """

    stamp: str
    sheets: tuple[str, ...] = ()
    """The sheets to choose from. Empty if the file has only one."""
    hidden: HiddenCells | None = None
    has_heading: bool | None = None
    """None until the person decides about the first row."""
    decisions: Decisions = field(default_factory=Decisions)
    is_file: bool = False
    awaits_preview: bool = False
    """True if the preview starts as soon as everything is decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A list with its chosen columns, and the decisions about it."""

    title: str
    state: ListState
    bulk_list: BulkList
    reading: object
    """Identifies the list and the settings with which it was read."""
    question: str = ""
    """A question about the letters of a text that is not UTF-8."""
    fixed: Fixed = field(default_factory=Fixed)
    """The values for all rows."""
    is_decided: bool = True
    """False if the recipients for all items are unclear or could not be read."""


def choose_list(desk: Desk) -> Source | None:
    """Draw the form.

    Return the list with the values for all rows, or None if there is no readable list.
    """
    # A fixed container, so that the fields below keep their text.
    with st.container(key="bulk_source"):
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


def column_name(bulk_list: BulkList, column: int) -> str:
    """Return the letter of a column in the spreadsheet, and its header."""
    return _named_column(column, bulk_list.table.header[column])


def _column_choice(bulk_list: BulkList, column: int) -> str:
    """Return the name of a column.

    In a list without headings, its first text replaces the header.
    """
    table = bulk_list.table
    if has_headings(table):
        return column_name(bulk_list, column)
    texts = [cell for _, cell in table.filled(column)]
    return _named_column(column, cut(texts[0]) if texts else "")


def _named_column(column: int, heading: str) -> str:
    letters = column_letters(column)
    shown = showable(visible(heading))
    return f"{letters} · {shown}" if shown else letters


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
        # Forget the earlier result first: `read` may fail.
        results.pop(name, None)
        with st.spinner(escaped(words), show_time=True):
            results[name] = key, read()
    result: _Read = results[name][1]
    return result


def _list_state(stamp: str, *, is_file: bool = False) -> ListState:
    state: ListState | None = st.session_state.get(_LIST)
    if state is None or state.stamp != stamp:
        state = ListState(stamp=stamp, is_file=is_file, awaits_preview=is_file)
        st.session_state[_LIST] = state
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
            read = partial(BulkList.read, text)
            return _read_source("Pasted rows", _list_state(stamp), read)
    return None


def _from_file(file: UploadedFile, beside: DeltaGenerator) -> Source | None:
    content = file.getvalue()
    state = _list_state(file.file_id, is_file=True)
    encoding = find_encoding(content)
    with beside:
        sheet = _choose_sheet(state)
    if state.sheets and sheet is None:
        return None

    read = partial(BulkList.read, content, encoding=encoding)
    try:
        source = _read_source(file.name, state, read, sheet=sheet, hidden=state.hidden)
    except SheetsError as error:
        # Ask for the sheet, once.
        if state.sheets:
            raise
        state.sheets = error.sheets
        st.session_state.pop(SHEET, None)
        st.rerun()

    if encoding is not Encoding.CP1252:
        return source
    accents = cells_with_accents(source.bulk_list.table)
    question = (
        f"The file was read as Windows text. Do the umlauts look right? {accents}"
    )
    draw.caption("{}", question)
    return replace(source, question=question)


def _read_source(
    name: str, state: ListState, read: Callable[..., BulkList], **how: object
) -> Source:
    how["has_heading"] = state.has_heading
    reading = (state.stamp, *how.values())
    bulk_list = read_once(
        "list", reading, lambda: read(**how), words="The list is being read"
    )
    for note in bulk_list.table.notes:
        draw.caption("{}", note)
    _choose_heading(state, bulk_list)
    return Source(
        title=showable(name), state=state, bulk_list=bulk_list, reading=reading
    )


def _choose_heading(state: ListState, bulk_list: BulkList) -> None:
    key = f"bulk_heading {state.stamp}"

    def decide_about_heading() -> None:
        state.has_heading = st.session_state[key]
        decide_again(state)

    with st.container(
        horizontal=True, vertical_alignment="center", key="bulk_heading_line"
    ):
        st.toggle(
            "First row is a heading",
            value=has_headings(bulk_list.table),
            key=key,
            on_change=decide_about_heading,
        )
        draw.caption("{}", heading_words(bulk_list.table))


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
        draw.info(
            "Data is in several sheets, or in hidden sheets only. Choose the sheet to "
            "read.",
            icon=":material/table_view:",
        )
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
    column_count = len(bulk_list.table.header)
    names = [_column_choice(bulk_list, column) for column in range(column_count)]

    def choose(label: str, guessed: int | None) -> int | None:
        name = st.selectbox(
            escaped(label),
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
        draw.caption("{}", known_ids)
    return replace(source, bulk_list=bulk_list.with_layout(layout))


def _in_usual_order(desk: Desk, bulk_list: BulkList) -> tuple[BulkList, str]:
    """Return the list, and the words about the columns that contain known ids.

    The words are empty for a list with headings.
    """
    ordered = bulk_list.in_usual_order(desk.names.names_of)
    if ordered.guess.columns:
        return ordered, ""
    return ordered, columns_with_known_ids(bulk_list.table, desk.names.names_of)


def _choose_values(desk: Desk, source: Source | None) -> Source | None:
    layout = source.bulk_list.layout if source else Layout()
    pasted = st.session_state.get(PASTE, "")
    has_list = st.session_state.get(UPLOAD) is not None or bool(pasted.strip())

    # Choose the action, and the supplier if the list has no column for it.
    supplier = ""
    with st.container(key="bulk_fixed"):
        what, beside = st.columns(2, gap="medium")
        action = what.selectbox(
            "What to do", tuple(_ACTIONS), key=ACTION, on_change=close_job
        )
        if layout.supplier is None:
            with beside:
                supplier = _choose_supplier(desk, has_list=has_list)
    with st.container(key="bulk_ticked"):
        if supplier and not has_list:
            source = _tick_items(desk, supplier)
    fixed = Fixed(supplier=supplier or None, action=_ACTIONS[action])

    # Choose the recipients, unless the list has a column for them.
    is_decided = True
    if layout.recipient is None:
        recipients = _choose_recipients(desk)
        fixed = replace(fixed, recipients=recipients or frozenset())
        is_decided = recipients is not None

    if source is None:
        return None
    return replace(source, fixed=fixed, is_decided=is_decided)


def _choose_supplier(desk: Desk, *, has_list: bool) -> str:
    # The field is emptied on a new visit, like Streamlit's own fields.
    if SUPPLIER not in st.session_state:
        put_one(SUPPLIER, "")
    label = "Or choose a supplier, then tick its items"
    if has_list:
        label = "Supplier for all rows"
    choice = ChoiceField(Kind.SUPPLIER, SUPPLIER, on_choice=close_job)
    return choose_one(desk, choice, label=label)


def _choose_recipients(desk: Desk) -> frozenset[str] | None:
    """Return the recipients for all items.

    Return None if an entry is undecided or the recipient set could not be read.
    """
    with st.container(key="bulk_recipients_for_all"):
        of_set, by_name = st.columns(2, gap="medium")
        sets = or_else(None, desk.records.sets.all)
        hint = "For a list without recipients"
        if sets is None:
            hint = "Could not be read"
        chosen_set = of_set.selectbox(
            "Recipient set",
            [stored.name for stored in sets or ()],
            index=None,
            key=SET,
            on_change=close_job,
            placeholder=hint,
        )
        with by_name:
            choose_recipients(
                desk, RECIPIENTS, label="Recipients for all items", reruns_page=True
            )

    entries = chosen_recipients(desk, RECIPIENTS)
    if entries.undecided:
        draw.warning(
            'Decide what the text under "Recipients for all items" means. Then press '
            "Preview.",
            icon=":material/rule:",
        )
    recipients = entries.everyone
    is_set_read = False
    with error_shown(
        "The recipient set could not be read. Nothing was changed.",
        key="bulk_set_error",
    ):
        if chosen_set is not None:
            recipients |= desk.records.sets.open(chosen_set).recipients
        is_set_read = True
    return None if entries.undecided or not is_set_read else recipients


def _tick_items(desk: Desk, supplier: str) -> Source | None:
    known = desk.names.first(Kind.ITEM, supplier=supplier, limit=_ITEMS_SHOWN)
    if not known.choices:
        draw.caption(
            "No items of this supplier are known yet. Upload a file, or paste rows."
        )
        return None

    # Draw the items, those with a name first.
    items = sorted(
        known.choices, key=lambda row: (not row.name, row.name.casefold(), row.id)
    )
    chosen = show_table(
        [(row.name, market_of(row), row.id) for row in items],
        ["Name", "Market", "Item"],
        key="bulk_known",
        alt="Known items of the supplier, with checkboxes",
        choose="multi-row",
    )
    if known.more:
        draw.caption(
            "The first {:,} are shown. For other items, paste their numbers.",
            _ITEMS_SHOWN,
        )

    # Make a list of the ticked items.
    ticked = [items[position].id for position in chosen]
    if not ticked:
        draw.caption(
            "Tick the items to change, choose their recipients below, and press "
            "Preview."
        )
        return None
    name = desk.names.chosen(Kind.SUPPLIER, supplier).name or supplier
    stamp = f"ticked {supplier} {sorted(ticked)}"
    return Source(
        title=showable(f"{many(len(ticked), 'item')} of {name}"),
        state=_list_state(stamp),
        bulk_list=BulkList.of_items(ticked),
        reading=stamp,
    )
