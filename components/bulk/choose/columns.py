"""The columns of a list and the values for all rows: guessed from the headings, corrected by hand."""

from dataclasses import replace
from functools import partial

import streamlit as st

from components.bulk.choose.list_state import change_list, list_state, read_in_background
from components.bulk.choose.source import Source, has_list, tick_items
from components.bulk.choose.steps import leave_job
from components.finder.many_choices import choose_recipients, chosen_recipients
from components.finder.one_choice import choose_one, put_one
from components.notices import show_error
from components.verbatim import plain, showable, visible
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.layout import Fixed, Layout, LayoutKind
from item_visibility.lists.table import column_letters
from item_visibility.saving.in_words import ACTIONS
from item_visibility.storage.fallback import or_else
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

ACTION, SUPPLIER, SET, RECIPIENTS = "bulk_action", "bulk_supplier", "bulk_set", "bulk_recipients"
KIND = "bulk_layout"
SUPPLIER_COLUMN, ITEM_COLUMN, MARKET_COLUMN = "bulk_supplier_column", "bulk_item_column", "bulk_market_column"
ACTION_COLUMN, RECIPIENT_COLUMN, RECIPIENT_COLUMNS = (
    "bulk_action_column",
    "bulk_recipient_column",
    "bulk_recipient_columns",
)
_ABOUT = "bulk"
_NONE = "not in the list"
_AS_LISTED = "As the list says, or else add"
_ACTIONS = {_AS_LISTED: None} | {words: action for action, words in ACTIONS.items()}
_KINDS = {
    "One row for each recipient of an item": LayoutKind.ROWS,
    "One row for each item, recipients in several columns": LayoutKind.WIDE,
    "One row for each item, recipients in one cell": LayoutKind.CELL,
    "One row for each item, a column for each recipient, with ticks": LayoutKind.MATRIX,
}
_SEVERAL = frozenset({LayoutKind.WIDE, LayoutKind.MATRIX})
_DOUBTS_SHOWN = 50


def choose_values(desk: Desk, source: Source | None) -> tuple[Source | None, Fixed, bool]:
    """Draw the values for all rows that apply. Without a list, items of the supplier can be ticked.

    Return the list, the values, and whether every text among them is decided about.
    """
    layout = None if source is None else list_state(source.stamp).layout or source.bulk_list.guess
    supplier = ""
    with st.container(key="bulk_fixed"):
        what, beside = st.columns(2, gap="medium")
        with what:
            action = st.selectbox("What to do", tuple(_ACTIONS), key=ACTION, on_change=leave_job)
        if layout is None or layout.supplier is None:
            with beside:
                supplier = _choose_supplier(desk)
    with st.container(key="bulk_ticked"):
        if source is None and supplier and not has_list():
            source = tick_items(desk, supplier)
    fixed = Fixed(supplier=supplier or None, action=_ACTIONS[action])
    if layout is not None and layout.recipients:
        return source, fixed, True
    with st.container(key="bulk_recipients_for_all"):
        of_set, by_name = st.columns(2, gap="medium")
        with of_set:
            sets = or_else(None, desk.records.sets.names)
            chosen = st.selectbox(
                "Recipient set",
                sets or (),
                index=None,
                key=SET,
                on_change=leave_job,
                placeholder="Could not be read" if sets is None else "For a list of items alone",
            )
        with by_name:
            choose_recipients(
                desk, label="Recipients for all items", key=RECIPIENTS, about=_ABOUT, reruns_page=True
            )
    named = chosen_recipients(desk, RECIPIENTS, about=_ABOUT)
    if named.undecided:
        words = "Decide about the text in Recipients for all items; then press Preview."
        st.warning(plain(words), icon=":material/rule:")
    recipients = _recipients_of(desk, chosen).union(named.ids)
    return source, replace(fixed, recipients=recipients), not named.undecided


def choose_columns(desk: Desk, source: Source, given: Fixed, *, then: str) -> BulkList | None:
    """Draw the columns with their meaning. Return the list once it can be read and is checked.

    `then` says what follows once all is decided. The columns are folded when all were found. Return None
    while something is to be chosen or decided first.
    """
    guessed = source.bulk_list.with_defaults(given)
    shown = list_state(source.stamp).layout
    layout = guessed.guess
    if not source.is_ticked:
        _fill(guessed, shown or layout, is_new=shown is None)
        is_open = bool(guessed.missing)
        with st.expander("Columns", icon=":material/view_column:", expanded=is_open, key="bulk_columns"):
            layout = _draw(guessed)
    if layout != shown:
        change_list(source.stamp, layout=layout, decisions=Decisions())
        if shown is not None:
            st.rerun()  # other values for all rows may apply
    chosen = source.bulk_list.with_layout(layout).with_defaults(given)
    if chosen.missing:
        st.warning(plain(chosen.missing), icon=":material/view_column:")
        return None
    checked = _checked(desk, source, chosen)
    if checked is None:
        return None
    chosen = checked.with_defaults(given).with_decisions(list_state(source.stamp).decisions)
    if not chosen.open_doubts:
        return chosen
    with st.container(border=True, key="bulk_doubts"):
        st.warning("Columns of the list are not understood.", icon=":material/view_column:")
        st.text("\n".join(showable(visible(one.message)) for one in chosen.open_doubts[:_DOUBTS_SHOWN]))
        st.button(
            "Read the list like this",
            key="accept_columns",
            on_click=partial(change_list, source.stamp, decisions=Decisions(takes_columns=True)),
        )
        st.caption(plain(f"Or say under Columns what they hold; {then}."))
    return None


def column_name(bulk_list: BulkList, column: int) -> str:
    """Return the spreadsheet letter of a column with its header."""
    header = bulk_list.table.header[column]
    return " · ".join(filter(None, (column_letters(column), showable(visible(header)))))


def _choose_supplier(desk: Desk) -> str:
    if SUPPLIER not in st.session_state:  # as every other field, empty when the page is opened
        put_one(SUPPLIER, "")
    has_no_list = not has_list()
    return choose_one(
        desk.names,
        Kind.SUPPLIER,
        label="Or pick items without a file: their supplier" if has_no_list else "Supplier for all rows",
        key=SUPPLIER,
        placeholder="Choose it, then tick its items" if has_no_list else "The list names none",
        about=desk.environment.name,
        on_choice=leave_job,
    )


def _recipients_of(desk: Desk, name: str | None) -> frozenset[str]:
    if name is None:
        return frozenset()
    try:
        return desk.sets.open(name).recipients
    except ItemVisibilityError as error:
        show_error("The recipient set could not be read. Nothing was changed.", error, key="bulk_set_error")
        return frozenset()


def _checked(desk: Desk, source: Source, chosen: BulkList) -> BulkList | None:
    """Return the list with what is doubtful in it. Return None while it is looked for, or if it cannot be."""
    try:
        return read_in_background(
            desk,
            "checked",
            (source.stamp, source.reading, chosen.layout),
            lambda watch: desk.bulk.lists.check_list(chosen, watch=watch),
            words="The columns and ids of the list are being checked",
        )
    except ItemVisibilityError as error:
        show_error("The list could not be used. Nothing was changed.", error, key="bulk_columns_error")
        return None


def _draw(guessed: BulkList) -> Layout:
    names = [column_name(guessed, column) for column in range(len(guessed.table.header))]
    kind = _KINDS[st.selectbox("How the list is laid out", tuple(_KINDS), key=KIND)]
    options = (_NONE, *names)
    with st.container(horizontal=True, key="bulk_column_choices"):
        supplier = st.selectbox("Supplier column", options, key=SUPPLIER_COLUMN)
        item = st.selectbox("Item column", options, key=ITEM_COLUMN)
        market = st.selectbox("Market column", options, key=MARKET_COLUMN)
        action = st.selectbox("Action column", options, key=ACTION_COLUMN)
        if kind in _SEVERAL:
            chosen = st.multiselect("Recipient columns", names, key=RECIPIENT_COLUMNS)
        else:
            chosen = [st.selectbox("Recipient column", options, key=RECIPIENT_COLUMN)]
    columns = {name: column for column, name in enumerate(names)}
    return Layout(
        kind=kind,
        supplier=columns.get(supplier),
        item=columns.get(item),
        market=columns.get(market),
        action=columns.get(action),
        recipients=tuple(columns[name] for name in chosen if name != _NONE),
    )


def _fill(guessed: BulkList, layout: Layout, *, is_new: bool) -> None:
    """Fill the fields with this layout, when the list is new or they are."""

    def option(column: int | None) -> str:
        return _NONE if column is None else column_name(guessed, column)

    recipients = list(map(option, layout.recipients))
    shown = {
        KIND: next(words for words, kind in _KINDS.items() if kind is layout.kind),
        SUPPLIER_COLUMN: option(layout.supplier),
        ITEM_COLUMN: option(layout.item),
        MARKET_COLUMN: option(layout.market),
        ACTION_COLUMN: option(layout.action),
        RECIPIENT_COLUMN: recipients[0] if recipients else _NONE,
        RECIPIENT_COLUMNS: recipients,
    }
    for key, value in shown.items():
        if is_new or key not in st.session_state:
            st.session_state[key] = value
