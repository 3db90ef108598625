"""The columns of a list and the values for all rows: guessed from the headers, corrected by hand."""

from dataclasses import dataclass, replace

import streamlit as st

from components.bulk.choose.doubtful_columns import decide_about_columns
from components.bulk.choose.source import Source
from components.bulk.job_labels import ACTIONS
from components.notices import show_error
from components.verbatim import plain, showable, visible
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.files.shown import column_letters
from item_visibility.intake.cells import unusable
from item_visibility.intake.layout import Fixed, Layout, LayoutKind
from item_visibility.records.fallback import or_else

ACTION, SUPPLIER, SET = "bulk_action", "bulk_supplier", "bulk_set"
KIND = "bulk_layout"
SUPPLIER_COLUMN, ITEM_COLUMN, MARKET_COLUMN = "bulk_supplier_column", "bulk_item_column", "bulk_market_column"
ACTION_COLUMN, RECIPIENT_COLUMN, RECIPIENT_COLUMNS = (
    "bulk_action_column",
    "bulk_recipient_column",
    "bulk_recipient_columns",
)
_GUESSED = "bulk_columns.guessed"
_NONE = "not in the list"
_SETS = 200
_UNUSED_SHOWN = 6
_AS_LISTED = "As the list says, or else add"
_ACTIONS = {_AS_LISTED: None} | {words: action for action, words in ACTIONS.items()}
_KINDS = {
    "One row for each recipient of an item": LayoutKind.ROWS,
    "One row for each item, recipients in several columns": LayoutKind.WIDE,
    "One row for each item, recipients in one cell": LayoutKind.CELL,
    "One row for each item, a column for each recipient, with ticks": LayoutKind.MATRIX,
}
_SEVERAL = frozenset({LayoutKind.WIDE, LayoutKind.MATRIX})


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns of a list and the values that hold for all its rows."""

    layout: Layout
    fixed: Fixed
    question: str = ""

    @property
    def missing(self) -> str:
        """A sentence about what is still to be chosen or decided; empty when nothing is."""
        return unusable(self.layout, self.fixed) or self.question


def choose_fixed(desk: Desk) -> Fixed:
    """Draw the fields whose values hold for all rows, and return these values."""
    with st.container(key="bulk_fixed"):
        what, supplier, of_set = st.columns(3, gap="medium")
        with what:
            action = st.selectbox("What to do", tuple(_ACTIONS), key=ACTION)
        with supplier:
            named = st.text_input(
                "Supplier for all rows",
                key=SUPPLIER,
                placeholder="Only for a list that names none",
                autocomplete="off",
            )
        with of_set:
            sets = or_else(None, lambda: desk.records.sets.find("", limit=_SETS))
            chosen = st.selectbox(
                "Recipient set",
                sets or (),
                index=None,
                key=SET,
                placeholder="Could not be read" if sets is None else "Only for a list of items alone",
            )
    return Fixed(supplier=named or None, action=_ACTIONS[action], recipients=_recipients_of(desk, chosen))


def choose_columns(desk: Desk, source: Source, fixed: Fixed) -> Choice | None:
    """Draw the columns with their meaning, and return the choice.

    The columns are folded when all were found. Return None while doubtful columns are still being looked for.
    """
    guess = _guess(source)
    missing = _completed(guess, fixed).missing
    with st.expander("Columns", icon=":material/view_column:", expanded=bool(missing), key="bulk_columns"):
        layout = _draw(source)
    choice = _completed(layout, fixed)
    if not choice.missing:
        question = decide_about_columns(desk, source, layout)
        if question is None:
            return None
        choice = replace(choice, question=question)
    _tell_reading(source, layout)
    if choice.fixed.supplier != fixed.supplier:
        st.info("The list names its suppliers itself: the supplier for all rows is not used.")
    if choice.fixed.recipients != fixed.recipients:
        st.info("The list names its recipients itself: the recipient set is not used.")
    if choice.missing:
        st.warning(plain(choice.missing), icon=":material/view_column:")
    return choice


def column_name(source: Source, column: int) -> str:
    """Return the spreadsheet letter of a column with its header."""
    header = source.table.header[column]
    return " · ".join(filter(None, (column_letters(column), showable(visible(header)))))


def _completed(layout: Layout, fixed: Fixed) -> Choice:
    """Return the choice. The list's own supplier or recipients win over those given for all rows."""
    return Choice(
        layout,
        Fixed(
            supplier=fixed.supplier if layout.supplier is None else None,
            action=fixed.action,
            recipients=frozenset() if layout.recipients else fixed.recipients,
        ),
    )


def _tell_reading(source: Source, layout: Layout) -> None:
    """Say which row was taken for the headings, and which columns are not used."""
    table = source.table
    words = (
        f"Row {table.header_number} holds the headings." if any(table.header) else "The list has no headings."
    )
    columns = [column for column in range(len(table.header)) if column not in layout.columns]
    if unused := [column_name(source, column) for column in columns]:
        shown = ", ".join(unused[:_UNUSED_SHOWN])
        more = len(unused) - _UNUSED_SHOWN
        words += f" Not used: {shown}{f' and {more} more columns' if more > 0 else ''}."
    st.caption(plain(words))


def _draw(source: Source) -> Layout:
    names = [column_name(source, column) for column in range(len(source.table.header))]
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


def _guess(source: Source) -> Layout:
    """Return the layout guessed from the headers. Fill the fields with it when the list is new."""
    is_new = st.session_state.get(_GUESSED) != source.stamp
    st.session_state[_GUESSED] = source.stamp
    for key, value in _shown(source, source.guess).items():
        if is_new or key not in st.session_state:
            st.session_state[key] = value
    return source.guess


def _shown(source: Source, guess: Layout) -> dict[str, str | list[str]]:
    """Return the field values that show a guess."""
    recipients = [column_name(source, column) for column in guess.recipients]
    return {
        KIND: next(words for words, kind in _KINDS.items() if kind is guess.kind),
        SUPPLIER_COLUMN: _option(source, guess.supplier),
        ITEM_COLUMN: _option(source, guess.item),
        MARKET_COLUMN: _option(source, guess.market),
        ACTION_COLUMN: _option(source, guess.action),
        RECIPIENT_COLUMN: recipients[0] if recipients else _NONE,
        RECIPIENT_COLUMNS: recipients,
    }


def _option(source: Source, column: int | None) -> str:
    return _NONE if column is None else column_name(source, column)


def _recipients_of(desk: Desk, name: str | None) -> frozenset[str]:
    if name is None:
        return frozenset()
    try:
        return desk.sets.open(name).recipients
    except ItemVisibilityError as error:
        show_error("The recipient set could not be read. Nothing was changed.", error, key="bulk_set_error")
        return frozenset()
