"""The columns of a list and the values for all rows: guessed from the headers, corrected by hand."""

import streamlit as st

from components.bulk.choose.doubtful_columns import decide_about_columns
from components.bulk.choose.kept_list import change_list, kept_list
from components.bulk.choose.reading_beside import read_beside
from components.bulk.choose.source import Source
from components.bulk.job_labels import ACTIONS
from components.bulk.steps import leave_job
from components.finder.one_choice import choose_one, put_one
from components.notices import show_error
from components.verbatim import plain, showable, visible
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.layout import Fixed, Layout, LayoutKind
from item_visibility.lists.table import column_letters
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

ACTION, SUPPLIER = "bulk_action", "bulk_supplier"
KIND = "bulk_layout"
SUPPLIER_COLUMN, ITEM_COLUMN, MARKET_COLUMN = "bulk_supplier_column", "bulk_item_column", "bulk_market_column"
ACTION_COLUMN, RECIPIENT_COLUMN, RECIPIENT_COLUMNS = (
    "bulk_action_column",
    "bulk_recipient_column",
    "bulk_recipient_columns",
)
_NONE = "not in the list"
_UNCLEAR = "Decide about the columns that are not understood; {then}."
_AS_LISTED = "As the list says, or else add"
_ACTIONS = {_AS_LISTED: None} | {words: action for action, words in ACTIONS.items()}
_KINDS = {
    "One row for each recipient of an item": LayoutKind.ROWS,
    "One row for each item, recipients in several columns": LayoutKind.WIDE,
    "One row for each item, recipients in one cell": LayoutKind.CELL,
    "One row for each item, a column for each recipient, with ticks": LayoutKind.MATRIX,
}
_SEVERAL = frozenset({LayoutKind.WIDE, LayoutKind.MATRIX})


def choose_fixed(desk: Desk) -> Fixed:
    """Draw the fields whose values hold for all rows, and return these values, without recipients."""
    with st.container(key="bulk_fixed"):
        what, supplier = st.columns(2, gap="medium")
        with what:
            action = st.selectbox("What to do", tuple(_ACTIONS), key=ACTION, on_change=leave_job)
        with supplier:
            if SUPPLIER not in st.session_state:  # as every other field, empty when the page is opened
                put_one(SUPPLIER, "")
            named = choose_one(
                desk.finder,
                Kind.SUPPLIER,
                label="Supplier for all rows",
                key=SUPPLIER,
                placeholder="To tick its items, or for a list that names none",
                about=desk.environment.name,
                on_choice=leave_job,
            )
    return Fixed(supplier=named or None, action=_ACTIONS[action])


def choose_columns(desk: Desk, source: Source, given: Fixed, *, then: str) -> BulkList | None:
    """Draw the columns with their meaning. Return the list once it can be read and is checked.

    `then` says what follows once all is decided.

    The columns are folded when all were found. Return None while something is to be chosen or decided first.
    """
    guessed = source.bulk_list.with_defaults(given)
    shown = kept_list(source.stamp).layout
    if source.is_ticked:
        layout = guessed.guess
    else:
        _fill(guessed, shown or guessed.guess, is_new=shown is None)
        with st.expander(
            "Columns", icon=":material/view_column:", expanded=bool(guessed.missing), key="bulk_columns"
        ):
            layout = _draw(guessed)
    if layout != shown:
        change_list(source.stamp, layout=layout, decisions=Decisions())
    chosen = source.bulk_list.with_layout(layout).with_defaults(given)
    checked = None if chosen.missing else _checked(desk, source, chosen)
    if checked is not None:
        chosen = checked.with_defaults(given).with_decisions(kept_list(source.stamp).decisions)
        decide_about_columns(source.stamp, chosen)
    elif not chosen.missing:
        return None
    if chosen.fixed.supplier != given.supplier:
        st.info("The list names its suppliers itself: the supplier for all rows is not used.")
    if chosen.fixed.recipients != given.recipients:
        st.info("The list names its recipients itself: those chosen here are not used.")
    if question := chosen.missing or (_UNCLEAR.format(then=then) if chosen.open_doubts else ""):
        st.warning(plain(question), icon=":material/view_column:")
        return None
    return chosen


def column_name(bulk_list: BulkList, column: int) -> str:
    """Return the spreadsheet letter of a column with its header."""
    header = bulk_list.table.header[column]
    return " · ".join(filter(None, (column_letters(column), showable(visible(header)))))


def _checked(desk: Desk, source: Source, chosen: BulkList) -> BulkList | None:
    """Return the list with what is doubtful in it. Return None while it is looked for, or if it cannot be."""
    try:
        return read_beside(
            desk,
            "checked",
            (source.stamp, source.reading, chosen.layout),
            lambda watch: desk.bulk.check_list(chosen, watch=watch),
            words="The columns and the numbers of the list are being looked at",
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
