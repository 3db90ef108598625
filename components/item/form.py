"""The form of the item page, with one tick for each recipient, and links that fill it in.

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

from components.markdown_escape import plain, showable
from components.table import changed
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import doubts
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import names_first
from item_visibility.use_cases.desk import Desk

VISIBLE, NAME, RECIPIENT, NOTE = "visible", "name", "recipient", "note"
"""The columns of the table; only the first can be edited."""

LONGEST_LIST_VIEW = 500
_ROW_PX = 35
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
_FORM = "item_form.form"
_LIST_VIEW = "item_form.list_view"
_FILTER = "item_form.filter"


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
        """The recipients in the order of the rows: first those in `unticked`, then the others."""
        parts = (self.unticked, self.recipients - self.unticked)
        return tuple(one for part in parts for one in names_first(part, self.names))

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a table without empty columns."""
        table = pd.DataFrame(
            {
                VISIBLE: pd.Series(
                    [row not in self.unticked for row in self.rows], dtype=bool
                ),
                NAME: pd.Series(
                    [showable(self.names.get(row, "")) for row in self.rows], dtype=str
                ),
                RECIPIENT: pd.Series(map(showable, self.rows), dtype=str),
                NOTE: pd.Series(
                    ["; ".join(doubts(row)) for row in self.rows], dtype=str
                ),
            }
        )
        return table.drop(columns=[one for one in (NAME, NOTE) if not table[one].any()])


def current_form(desk: Desk, item: ItemKey) -> ItemForm | None:
    """Return this window's form if it is for this item, otherwise None."""
    form: ItemForm | None = st.session_state.get(_FORM)
    if form is None or (form.environment, form.item) != (desk.environment.name, item):
        return None
    return form


def new_form(
    desk: Desk, reading: ReadItem, *, unticked: Iterable[str] = (), view: View = View()
) -> ItemForm:
    """Start a form for the list that was read.

    Recipients in `unticked` are drawn without a tick.
    """
    names, remove = (
        desk.names.recipient_names(reading.listed),
        reading.listed.intersection(unticked),
    )
    form = ItemForm(desk.environment.name, reading.item, reading, names, remove, view)
    st.session_state[_FORM] = form
    return form


def drop_form() -> None:
    """Forget the form and its ticks, so that the next run reads the list again."""
    st.session_state.pop(_FORM, None)


def removed_rows(form: ItemForm) -> frozenset[str]:
    """Return the recipients without a tick.

    Rows outside the form are ignored, because they are forged.
    """
    sent: dict[str, object]
    if form.view.is_list:
        state = st.session_state
        sent = {
            row: state.get(f"can_see-{form.key}-{number}")
            for number, row in _rows_of_list(form)
        }
    else:
        sent = {
            row: cells.get(VISIBLE)
            for row, cells in changed(f"table-{form.key}", form.rows).items()
        }
    ticks = dict.fromkeys(form.unticked, False)
    ticks |= {row: tick for row, tick in sent.items() if isinstance(tick, bool)}
    return frozenset(row for row, is_ticked in ticks.items() if not is_ticked)


def _rows_of_list(form: ItemForm) -> list[tuple[int, str]]:
    numbered = list(enumerate(form.rows))
    if len(form.rows) <= LONGEST_LIST_VIEW:
        return numbered
    text, name = form.view.text, form.view.text.casefold()
    found = [
        (number, row)
        for number, row in numbered
        if text and (text in row or name in form.names.get(row, "").casefold())
    ]
    return found[:LONGEST_LIST_VIEW]


def choose_view(desk: Desk, form: ItemForm) -> ItemForm:
    """Draw the toggle "List view" and the filter of a long list.

    If the view changed, start a new form.
    """
    is_list = st.toggle(
        "List view",
        key=_LIST_VIEW,
        persist_state="session",
        help="Checkboxes instead of the table, for keyboards, screen readers and "
        "small screens. "
        "Switching drops unsaved ticks.",
    )
    text = ""
    if is_list and len(form.recipients) > LONGEST_LIST_VIEW:
        text = st.text_input(
            "Find in this list",
            key=_FILTER,
            type="search",
            placeholder="Part of a name or number",
        )
    view = View(
        is_list, text.strip()
    )  # not in a callback, which Streamlit 1.67 can lose
    return (
        form
        if form.view == view
        else new_form(desk, form.reading, unticked=form.unticked, view=view)
    )


def show_rows(desk: Desk, form: ItemForm, *, is_locked: bool) -> None:
    """Draw the recipients, as a table or as checkboxes."""
    if not form.recipients:
        st.caption(
            'Nobody can see this item yet. Enter names or numbers under "Add '
            'recipients".'
        )
    elif form.view.is_list:
        _show_list(form, is_locked=is_locked)
    else:
        name = desk.names.item_title(form.item)
        number = form.item.supplier_item_id
        st.data_editor(
            form.table,
            key=f"table-{form.key}",
            num_rows="fixed",
            hide_index=True,
            disabled=True if is_locked else [NAME, RECIPIENT, NOTE],
            column_config=_COLUMNS,
            row_height=_ROW_PX,
            height=min(len(form.recipients), _ROWS_IN_VIEW) * _ROW_PX + _ROW_PX + 3,
            alt=showable(
                "Recipients of "
                f"{name if name.startswith(number) else f'{name} · {number}'}"
            ),
        )


def _show_list(form: ItemForm, *, is_locked: bool) -> None:
    rows = _rows_of_list(form)
    if len(form.recipients) > LONGEST_LIST_VIEW and not form.view.text:
        st.caption(
            f"This list has more than {LONGEST_LIST_VIEW} recipients. Search for the "
            "recipients you need."
        )
    elif not rows:
        st.caption("No recipient of this item matches your search.")
    height: Literal["content"] | int = (
        "content" if len(rows) <= _ROWS_IN_VIEW else _LIST_PX
    )
    with st.container(gap="xsmall", height=height, border=False, key="recipient_list"):
        for number, row in rows:
            name = form.names.get(row, "")
            st.checkbox(
                f"{plain(name)} · {plain(row)}" if name else plain(row),
                value=row not in form.unticked,
                key=f"can_see-{form.key}-{number}",
                disabled=is_locked,
            )
