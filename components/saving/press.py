"""The course of a save, from the press of Save to its outcome.

The save runs in a worker of the process. This session keeps the key of the save it asked for, follows its
progress, and updates the draft from its result. Staged changes are kept until a read confirms them: design
rule of the save.
"""

import time
import uuid

import streamlit as st

from components.item.add_box import entered_here, forget_report, has_left, has_unseen_doubts, take_in_entered
from components.item.window_drafts import is_taken_over, keep_draft, kept_draft
from components.notices import Notice, keep_notice
from components.shell.browser_cookie import this_browser
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.confirmation import is_confirmed
from item_visibility.changes.draft import Draft
from item_visibility.changes.saving.save_worker import SaveState, SaveStatus
from item_visibility.desk.drafts import taken_in
from item_visibility.desk.history.undo_saves import undo_of
from item_visibility.desk.use_cases import Desk
from item_visibility.durations import LOOK_AT_SAVE_EVERY_S, WAIT_FOR_SAVE_S
from item_visibility.errors import ItemVisibilityError, RecordsError

CONFIRM = "confirm_count"
REASON = "reason"
_ASKED = "press.asked"
_REFUSED = "press.refused"
_MISTYPED = "press.mistyped"
_PRESSED = "press.pressed"
_COMES_WITHIN_S = 2.0
_CONFIRMING = "press.confirming"
_LEFT = "press.left"


def start_save(desk: Desk, shown: Draft) -> None:
    """Hand the changes staged on the screen to the worker, with the recipients that were just added.

    Pressing twice saves once: the key stays until the outcome is taken in. Recipients just added that look
    damaged are shown first. Text that still stands in the field is not staged. Ticks made after the screen
    was drawn stay staged: Streamlit 1.67 sends a tick some 150 ms after it was made, so nobody knows whether
    it was meant.
    """
    item = shown.item
    if is_taken_over(desk, item):
        return  # the same run drops it and says so
    take_in_entered(desk, item)
    if has_unseen_doubts(item):
        keep_notice(Notice("Nothing was saved yet: look at the remarks on what you added, then save."))
        return
    draft = kept_draft(desk, item)
    if draft is None:
        return
    asked = draft.part_shown(shown, entered=frozenset(entered_here(item)))
    if has_left():
        words = (
            "What stands in Add recipients was left there: Save sends what is staged. Press Add, then Save."
        )
        keep_notice(Notice(words))
    _tell_later(draft.count_beside(add=asked.add, remove=asked.remove))
    if asked.is_empty:
        st.session_state[_PRESSED] = (item, time.monotonic())
        return
    if not is_confirmed(asked.confirm_count, typed=st.session_state.get(CONFIRM, "")):
        st.session_state[_MISTYPED] = _staged(asked)
        return
    is_first_press = _here(desk, item) not in _asked()
    try:
        key = _asked().setdefault(_here(desk, item), uuid.uuid4().hex)
        reason = st.session_state.get(REASON, "").strip()
        desk.save(asked.request(key=key, person=desk.person(), owner=this_browser(), reason=reason))
    except ItemVisibilityError as error:
        st.session_state[_REFUSED] = error
        if is_first_press:  # nothing was handed over: the draft can be discarded
            del _asked()[_here(desk, item)]


def save_confirmed(desk: Desk, draft: Draft, *, typed: str) -> None:
    """Save what a person confirmed elsewhere by typing its count."""
    st.session_state[CONFIRM] = typed
    start_save(desk, draft)


def is_mistyped(draft: Draft) -> bool:
    """True when Save was pressed on exactly these changes, without the count of removals."""
    return bool(st.session_state.get(_MISTYPED) == _staged(draft))


def confirm_these(draft: Draft) -> None:
    """Accept the typed count for exactly these removals. Other removals need a new count."""
    removals = (draft.item, draft.remove)
    if st.session_state.get(_CONFIRMING) != removals:
        st.session_state[_CONFIRMING] = removals
        st.session_state[CONFIRM] = ""


def refused_save() -> ItemVisibilityError | None:
    """Return and clear the reason why the last Save was refused before sending, or None."""
    error: ItemVisibilityError | None = st.session_state.pop(_REFUSED, None)
    return error


def discard(desk: Desk, item: ItemKey) -> None:
    """Drop the staged changes without sending any. Changes being saved cannot be discarded any more."""
    if _here(desk, item) in _asked():
        keep_notice(Notice("Nothing was discarded: the save had begun. Wait for it, then undo it."))
        return
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, draft.discarded())
    st.session_state.pop(_MISTYPED, None)
    forget_report()


def stage_undo(desk: Desk, status: SaveStatus) -> None:
    """Stage the undo of a save, to be seen before it is saved; never beside other changes."""
    item = status.request.item
    draft = kept_draft(desk, item)
    if draft is None:
        return
    if not draft.is_empty:
        keep_notice(Notice("Undo was not staged: first save or discard what is staged here, then undo."))
        return
    try:
        undo = undo_of(desk.records.search, draft, status)
    except RecordsError as error:
        words = "What was changed since could not be read, so nothing was staged to take it back."
        keep_notice(Notice(words, (error.message, error.advice)))
        return
    keep_draft(desk, undo.draft)
    if undo.draft.is_empty and not undo.left_alone:
        keep_notice(Notice("There is nothing to take back: this change is not there any more."))
    elif undo.draft.is_empty:
        keep_notice(
            Notice("These recipients were changed again since: Undo leaves them alone.", undo.left_alone)
        )
    elif undo.left_alone:
        keep_notice(
            Notice(
                "Undo is staged, not saved. It leaves alone what was changed again since:", undo.left_alone
            )
        )
    else:
        keep_notice(Notice("Undo is staged, not saved: look at the changes, then save or discard them."))


def settle_save(desk: Desk, draft: Draft) -> tuple[Draft, SaveStatus | None]:
    """Return the draft after this session's ended save, and that save; else the item's latest save.

    Wait a little and show progress. A longer save goes on in its worker. A click elsewhere ends the wait,
    never the save.
    """
    _tell_tick_after_press(draft)
    status = _awaited(desk, draft.item)
    if status is None or status.result is None:
        return draft, status
    if _asked().get(_here(desk, draft.item)) == status.request.key:
        draft = taken_in(draft, status.request, status.result)
        keep_draft(desk, draft)
        st.session_state[_LEFT] = (status.request.key, *_staged(draft))
        _tell_later(draft.count_beside(add=status.request.add, remove=status.request.remove))
        del _asked()[_here(desk, draft.item)]
        st.session_state.pop(CONFIRM, None)
        if status.result.is_saved:
            forget_report()
    return draft, status


def is_as_left(draft: Draft, status: SaveStatus) -> bool:
    """True while nothing was staged, undone or discarded since this window took in the save."""
    return bool(st.session_state.get(_LEFT) == (status.request.key, *_staged(draft)))


@st.fragment(run_every=0.5)
def follow_save(desk: Desk, item: ItemKey) -> None:
    """Show the progress of a running save, and redraw the whole screen when it has ended."""
    status = desk.latest_save(item)
    if status is None or status.state is SaveState.ENDED:
        st.rerun()
    _show_progress(status)


def is_running(status: SaveStatus | None) -> bool:
    """True while a save of the item waits or runs."""
    return status is not None and status.state is not SaveState.ENDED


def _tell_tick_after_press(draft: Draft) -> None:
    """Say so when a change arrived right after Save was pressed with nothing staged."""
    if draft.is_empty:
        return
    item, pressed_at = st.session_state.pop(_PRESSED, (None, 0.0))
    if item == draft.item and time.monotonic() - pressed_at < _COMES_WITHIN_S:
        _tell_later(len(draft.add) + len(draft.remove))


def _tell_later(count: int) -> None:
    """Say how many changes came after Save was pressed; nothing when none did."""
    if count:
        changes = "1 change" if count == 1 else f"{count} changes"
        keep_notice(Notice(plain(f"{changes} came after Save was pressed: press Save again.")))


def _awaited(desk: Desk, item: ItemKey) -> SaveStatus | None:
    status = _save_to_tell(desk, item)
    if not is_running(status):
        return status
    progress = st.empty()
    ends_at = time.monotonic() + WAIT_FOR_SAVE_S
    while status is not None and is_running(status) and time.monotonic() < ends_at:
        with progress.container():
            _show_progress(status)
        time.sleep(LOOK_AT_SAVE_EVERY_S)
        status = _save_to_tell(desk, item)
    progress.empty()
    return status


def _save_to_tell(desk: Desk, item: ItemKey) -> SaveStatus | None:
    """Return the save this session asked for until it is taken in; else the item's latest save.

    Another session's save may follow right behind ours. Its result says nothing about our changes.
    """
    key = _asked().get(_here(desk, item))
    ours = None if key is None else desk.save_status(key)
    return desk.latest_save(item) if ours is None else ours


def _show_progress(status: SaveStatus) -> None:
    total = max(status.total_steps, 1)
    st.progress(min(status.done_steps / total, 1.0), text="Saving, then reading the list back …")


def _staged(draft: Draft) -> tuple[ItemKey, frozenset[str], frozenset[str]]:
    return draft.item, draft.add, draft.remove


def _asked() -> dict[tuple[str, ItemKey], str]:
    """Return the keys of saves not taken in yet, one for each environment and item."""
    asked: dict[tuple[str, ItemKey], str] = st.session_state.setdefault(_ASKED, {})
    return asked


def _here(desk: Desk, item: ItemKey) -> tuple[str, ItemKey]:
    return desk.environment.name, item
