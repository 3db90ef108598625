"""The undo of a recorded save: staged on the item page, seen there, saved; never mixed with other edits."""

from pathlib import Path

import streamlit as st

from components.item.window_drafts import keep_draft, kept_draft
from components.notices import Notice
from components.saving.asking import ask
from components.saving.press import tell
from components.wiring import address_of_environment
from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.draft import Draft
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.request import ChangeKind
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.history.undo_saves import status_of, undo_of
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

_PAGES = Path(__file__).resolve().parents[2] / "pages"
ITEM_PAGE = _PAGES / "items" / "item.py"
HISTORY_PAGE = _PAGES / "support" / "history.py"
_ASKED = "undoing.asked"


def offer_undo(desk: Desk, entry: HistoryEntry) -> None:
    """Draw the button that opens the item with the opposite of the entry staged.

    Undoing an undo makes the change again. Changes made elsewhere cannot be undone here.
    """
    if not entry.is_undoable or desk.is_locked:
        return
    is_undo = entry.request.origin.kind is ChangeKind.UNDO
    if st.button(
        "Redo this change" if is_undo else "Undo this change",
        key="undo_entry",
        icon=":material/redo:" if is_undo else ":material/undo:",
        on_click=_open_and_stage,
        args=(desk, entry),
    ):
        address = {"supplier": entry.request.item.supplier, "item": entry.request.item.supplier_item_id}
        st.switch_page(ITEM_PAGE, query_params=address | address_of_environment())


def stage_asked_undo(desk: Desk, draft: Draft) -> Draft:
    """Return the draft, with an undo staged if one was asked for elsewhere."""
    environment, key = st.session_state.pop(_ASKED, ("", ""))
    if environment != desk.environment.name:
        return draft
    try:
        entry = desk.records.history.entry(key)
    except RecordsError as error:
        tell(Notice("The change could not be read. Nothing was staged.", (error.message, error.advice)))
        return draft
    if entry is None or entry.request.item != draft.item:
        return draft
    stage_undo(desk, status_of(entry))
    return kept_draft(desk, draft.item) or draft


def stage_undo(desk: Desk, status: SaveStatus) -> None:
    """Stage the undo of a save, to be seen before it is saved.

    When something else is staged, ask about the undo by itself: the rest stays staged, and is not saved.
    """
    draft = kept_draft(desk, status.request.item)
    if draft is None:
        return
    try:
        undo = undo_of(desk.records.search, draft.discarded(), status)
    except RecordsError as error:
        words = "Later changes could not be read, so nothing was staged. Try again."
        tell(Notice(words, (error.message, error.advice)))
        return
    if undo.left_alone:
        tell(Notice("Changed again since, so Undo leaves them alone:", undo.left_alone))
    elif undo.draft.is_empty:
        tell(Notice("Nothing to undo: this change is not in place any more."))
    asked = AskedSave(undo.draft, draft.add - undo.draft.add, draft.remove - undo.draft.remove)
    if asked.is_beside_others and not undo.draft.is_empty:
        ask(desk, asked)
    elif not undo.draft.is_empty:
        keep_draft(desk, undo.draft)


def _open_and_stage(desk: Desk, entry: HistoryEntry) -> None:
    st.session_state[_ASKED] = (desk.environment.name, entry.request.key)
