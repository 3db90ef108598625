"""The form of the item page, with one tick for each recipient.

The browser stores the ticks by row number until Save is pressed. Therefore the rows of
a form never change: every read, every save and every change of the view starts a new
form.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import pandas as pd
import streamlit as st

from components import draw
from components.markdown_escape import escaped, phrase, showable
from components.table import changed
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import doubts
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import names_first
from item_visibility.use_cases.desk import Desk

# The columns of the table. Only the first can be edited.
VISIBLE = "visible"
NAME = "name"
RECIPIENT = "recipient"
NOTE = "note"

ADD_RECIPIENTS = "Add recipients"
"""The label of the field for recipients to add."""

LONGEST_LIST_VIEW = 500
_ROW_PX = 35
_BORDER_PX = 3
_ROWS_IN_VIEW = 10
_LIST_PX = 420
_COLUMNS = {
    VISIBLE: st.column_config.CheckboxColumn(
        "Can see",
        width=80,
        pinned=True,
        help="Untick a recipient to hide the item from them",
    ),
    NAME: st.column_config.TextColumn("Name", width=168),
    RECIPIENT: st.column_config.TextColumn("Recipient", width=108),
    NOTE: st.column_config.TextColumn("Note", width="medium"),
}
_FORM = "form.form"
_LIST_VIEW = "form.list_view"
_FILTER = "form.filter"


@dataclass(frozen=True, slots=True)
class View:
    """A view of the recipients: a table, or a list of checkboxes.

    `text` filters a long list.
    """

    is_list: bool = False
    text: str = ""


@dataclass(frozen=True, eq=False)
class ItemForm:
    """The recipients of an item as they were read.

    Those in `unticked` are drawn without a tick.

    `key` is part of every widget's key. `save_key` is the idempotency key of the save.
    """

    environment: str
    item: ItemKey
    reading: ReadItem
    names: Mapping[str, str]
    unticked: frozenset[str] = frozenset()
    view: View = View()
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    save_key: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def recipients(self) -> frozenset[str]:
        """The recipients that were read."""
        return self.reading.listed

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The recipients in the order of the rows, those in `unticked` first."""
        unticked = names_first(self.unticked, self.names)
        ticked = names_first(self.recipients - self.unticked, self.names)
        return (*unticked, *ticked)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table without empty columns."""
        ticks = [row not in self.unticked for row in self.rows]
        names = [showable(self.names.get(row, "")) for row in self.rows]
        notes = ["; ".join(doubts(row)) for row in self.rows]
        table = pd.DataFrame(
            {
                VISIBLE: pd.Series(ticks, dtype=bool),
                NAME: pd.Series(names, dtype=str),
                RECIPIENT: pd.Series(map(showable, self.rows), dtype=str),
                NOTE: pd.Series(notes, dtype=str),
            }
        )
        empty = [column for column in (NAME, NOTE) if not table[column].any()]
        return table.drop(columns=empty)


def current_form(desk: Desk, item: ItemKey) -> ItemForm | None:
    """Return this window's form if it is for this item, otherwise None."""
    form: ItemForm | None = st.session_state.get(_FORM)
    if form is None or form.environment != desk.environment.name or form.item != item:
        return None
    return form


def new_form(
    desk: Desk, reading: ReadItem, *, unticked: Iterable[str] = (), view: View = View()
) -> ItemForm:
    """Start a form for the list that was read.

    Recipients in `unticked` are drawn without a tick.
    """
    form = ItemForm(
        environment=desk.environment.name,
        item=reading.item,
        reading=reading,
        names=desk.names.recipient_names(reading.listed),
        unticked=reading.listed.intersection(unticked),
        view=view,
    )
    st.session_state[_FORM] = form
    return form


def drop_form() -> None:
    """Forget the form and its ticks, so that the next run reads the list again."""
    st.session_state.pop(_FORM, None)


def removed_rows(form: ItemForm) -> frozenset[str]:
    """Return the recipients without a tick.

    Rows outside the form are ignored, because they are forged.
    """
    sent: dict[str, object] = {}
    if form.view.is_list:
        for number, row in _rows_of_list(form):
            sent[row] = st.session_state.get(f"can_see-{form.key}-{number}")
    else:
        for row, cells in changed(f"table-{form.key}", form.rows).items():
            sent[row] = cells.get(VISIBLE)

    ticks = dict.fromkeys(form.unticked, False)
    ticks |= {row: tick for row, tick in sent.items() if isinstance(tick, bool)}
    return frozenset(row for row, is_ticked in ticks.items() if not is_ticked)


def _rows_of_list(form: ItemForm) -> list[tuple[int, str]]:
    """Return the rows of the list view and their numbers: all, or those of a search."""
    numbered = list(enumerate(form.rows))
    if len(form.rows) <= LONGEST_LIST_VIEW:
        return numbered

    text = form.view.text
    if not text:
        return []

    part_of_name = text.casefold()
    matches = [
        (number, row)
        for number, row in numbered
        if text in row or part_of_name in form.names.get(row, "").casefold()
    ]
    return matches[:LONGEST_LIST_VIEW]


def choose_view(desk: Desk, form: ItemForm) -> ItemForm:
    """Draw the toggle "List view" and the filter of a long list.

    If the view changed, start a new form.
    """
    is_list = st.toggle(
        "List view",
        key=_LIST_VIEW,
        persist_state="session",
        help="Checkboxes instead of the table, for keyboards, screen readers and "
        "small screens. Switching drops unsaved ticks.",
    )

    text = ""
    if is_list and len(form.recipients) > LONGEST_LIST_VIEW:
        text = st.text_input(
            "Find in this list",
            key=_FILTER,
            type="search",
            placeholder="Part of a name or number",
        )

    # This is not a callback, because Streamlit 1.67 can lose one.
    view = View(is_list, text.strip())
    if form.view == view:
        return form
    return new_form(desk, form.reading, unticked=form.unticked, view=view)


def show_rows(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Draw the recipients, as a table or as checkboxes."""
    if not form.recipients:
        draw.caption(
            'Nobody can see this item yet. Enter names or numbers under "{}".',
            ADD_RECIPIENTS,
        )
    elif form.view.is_list:
        _show_list(form, is_locked=is_locked)
    else:
        _show_table(desk, form, is_locked=is_locked)


def _show_table(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    title = desk.names.item_title(form.item)
    number = form.item.supplier_item_id
    if not title.startswith(number):
        title = f"{title} · {number}"

    rows_in_view = min(len(form.recipients), _ROWS_IN_VIEW)
    st.data_editor(
        form.table,
        key=f"table-{form.key}",
        num_rows="fixed",
        hide_index=True,
        disabled=True if is_locked else [NAME, RECIPIENT, NOTE],
        column_config=_COLUMNS,
        row_height=_ROW_PX,
        height=(rows_in_view + 1) * _ROW_PX + _BORDER_PX,
        alt=showable(f"Recipients of {title}"),
    )


def _show_list(form: ItemForm, *, is_locked: bool) -> None:
    rows = _rows_of_list(form)
    if len(form.recipients) > LONGEST_LIST_VIEW and not form.view.text:
        draw.caption(
            "This list has more than {} recipients. Search for the recipients you "
            "need.",
            LONGEST_LIST_VIEW,
        )
    elif not rows:
        draw.caption("No recipient of this item matches your search.")

    height: Literal["content"] | int = "content"
    if len(rows) > _ROWS_IN_VIEW:
        height = _LIST_PX
    with st.container(gap="xsmall", height=height, border=False, key="recipient_list"):
        for number, row in rows:
            name = form.names.get(row, "")
            st.checkbox(
                phrase("{} · {}", name, row) if name else escaped(row),
                value=row not in form.unticked,
                key=f"can_see-{form.key}-{number}",
                disabled=is_locked,
            )
