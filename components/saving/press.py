"""The course of a save, from the press of Save to its outcome.

The save runs in a worker of the process. This session keeps the key of the save it asked for, follows its
progress, and updates the draft from its result. Staged changes are kept until a read confirms them: design
rule of the save.
"""

import time
import uuid
from dataclasses import dataclass

import streamlit as st

from components.item.add_box import (
    entered_here,
    forget_report,
    has_doubts,
    has_left,
    has_unseen_doubts,
    take_in_entered,
)
from components.item.window_drafts import is_taken_over, keep_draft, kept_draft
from components.notices import Notice
from components.saving.asking import ask, is_answered, stop_asking
from components.shell.browser_cookie import this_browser
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import many
from item_visibility.changes.saving.save_worker import SaveState, SaveStatus
from item_visibility.desk.drafts import taken_in
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.timings_and_retries import LOOK_AT_SAVE_EVERY_S, REDRAW_PROGRESS_EVERY_S, WAIT_FOR_SAVE_S

REASON = "reason"
_HANDED = "press.handed"
_REFUSED = "press.refused"
_LEFT = "press.left"
_TOLD = "press.told"
_CAME = "press.came"
_LOST = "press.lost"
_STANDS_IN_FIELD = "Text in Add recipients is not staged: press Add there, then Save."
_RESTARTED = "Nothing was saved: the dashboard was restarted. Look at what is staged, then press Save again."
_LOOK_FIRST = "Nothing was saved yet: look at the remarks on what you added, then save."


@dataclass(frozen=True, slots=True)
class _Handed:
    """A save that was handed over: its key, and what was staged beside it on purpose."""

    key: str
    beside: frozenset[str] = frozenset()


def start_save(desk: Desk, shown: Draft) -> None:
    """Hand the changes staged on the screen to the worker, with the recipients that were just added.

    Pressing twice saves once: the key stays until the outcome is taken in. Recipients just added that look
    damaged are shown first, and a large change is asked about first. Text that still stands in the field is
    not staged. Ticks that came after the screen was drawn stay staged: the browser holds a press until the
    ticks before it are listed.
    """
    st.session_state[_CAME] = True
    st.session_state.pop(_LOST, None)
    item = shown.item
    if is_taken_over(desk, item):
        return  # the same run drops it and says so
    take_in_entered(desk, item)
    if has_unseen_doubts(item):
        tell(Notice(_LOOK_FIRST))
        return
    draft = kept_draft(desk, item)
    if draft is None:
        return
    asked = draft.part_shown(shown, entered=frozenset(entered_here(item)))
    if has_left():
        tell(Notice(_STANDS_IN_FIELD))
    _tell_later(draft.count_beside(add=asked.add, remove=asked.remove))
    if asked.is_empty:
        return
    if asked.confirmation is not None:
        ask(desk, AskedSave(asked))
        return
    _hand_over(desk, asked)


def note_lost_press() -> None:
    """Note a press of Save that was lost: Streamlit 1.67 calls nothing for the first message after a restart.

    Nothing is saved for it: another window may have staged something since, which that screen did not show.
    """
    if not st.session_state.pop(_CAME, False):
        st.session_state[_LOST] = True


def lost_press() -> Notice | None:
    """Return what to say of a press of Save that was lost, until the next one; None when none was."""
    return Notice(_RESTARTED) if st.session_state.get(_LOST) else None


def start_early_save(desk: Desk, shown: Draft) -> None:
    """Save as for a press that came before the screen showed what was staged; doubts are shown first."""
    if has_doubts(shown.item):
        tell(Notice(_LOOK_FIRST))
        return
    start_save(desk, shown)


def tell_why_not() -> None:
    """Say what a press of Save missed, while nothing is staged."""
    if has_left():
        tell(Notice(_STANDS_IN_FIELD))


def save_asked(desk: Desk, asked: AskedSave) -> None:
    """Save what was asked about and is confirmed, exactly that. Anything else staged stays staged."""
    changes = asked.changes
    now = kept_draft(desk, changes.item)
    if now is None or is_taken_over(desk, changes.item) or not is_answered(asked):
        return
    stop_asking()
    if not asked.may_be_saved(now):
        tell(Notice("Nothing was saved: the staged changes have changed. Check them, then save."))
        return
    is_sent = _hand_over(desk, changes, beside=asked.add_beside | asked.remove_beside)
    if is_sent and asked.is_beside_others:
        wanted = dict.fromkeys(changes.add, True) | dict.fromkeys(changes.remove, False)
        keep_draft(desk, now.with_staged(wanted, origin=now.origin))


def tell(notice: Notice) -> None:
    """Keep a message about the save for the bar of the next run."""
    st.session_state[_TOLD] = notice


def told() -> Notice | None:
    """Return and clear the message about the save, or None."""
    notice: Notice | None = st.session_state.pop(_TOLD, None)
    return notice


def refused_save() -> ItemVisibilityError | None:
    """Return and clear the reason why the last Save was refused before sending, or None."""
    error: ItemVisibilityError | None = st.session_state.pop(_REFUSED, None)
    return error


def discard(desk: Desk, item: ItemKey) -> None:
    """Drop the staged changes without sending any. Changes being saved cannot be discarded any more."""
    if _here(desk, item) in _handed():
        tell(Notice("Nothing was discarded: the save had begun. Wait for it, then undo it."))
        return
    stop_asking()
    st.session_state.pop(_LOST, None)
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, draft.discarded())
    forget_report()


def settle_save(desk: Desk, draft: Draft) -> tuple[Draft, SaveStatus | None]:
    """Return the draft after this session's ended save, and that save; else the item's latest save.

    Wait a little and show progress. A longer save goes on in its worker. A click elsewhere ends the wait,
    never the save.
    """
    status = _awaited(desk, draft.item)
    if status is None or status.result is None:
        return draft, status
    handed = _handed().get(_here(desk, draft.item))
    if handed is not None and handed.key == status.request.key:
        draft = taken_in(draft, status.request, status.result)
        keep_draft(desk, draft)
        st.session_state[_LEFT] = (status.request.key, *_staged(draft))
        known = handed.beside
        _tell_later(draft.count_beside(add=status.request.add | known, remove=status.request.remove | known))
        del _handed()[_here(desk, draft.item)]
        if status.result.is_saved:
            forget_report()
    return draft, status


def is_as_left(draft: Draft, status: SaveStatus) -> bool:
    """True while nothing was staged, undone or discarded since this window took in the save."""
    return bool(st.session_state.get(_LEFT) == (status.request.key, *_staged(draft)))


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def follow_save(desk: Desk, item: ItemKey) -> None:
    """Show the progress of a running save, and redraw the whole screen when it has ended."""
    status = desk.latest_save(item)
    if status is None or status.state is SaveState.ENDED:
        st.rerun()
    _show_progress(status)


def is_running(status: SaveStatus | None) -> bool:
    """True while a save of the item waits or runs."""
    return status is not None and status.state is not SaveState.ENDED


def _hand_over(desk: Desk, asked: Draft, *, beside: frozenset[str] = frozenset()) -> bool:
    """Hand these changes to the worker. Return False when they were refused."""
    here = _here(desk, asked.item)
    is_first_press = here not in _handed()
    handed = _handed().setdefault(here, _Handed(uuid.uuid4().hex, beside))
    try:
        reason = st.session_state.get(REASON, "").strip()
        desk.save(asked.request(key=handed.key, owner=this_browser(), reason=reason))
    except ItemVisibilityError as error:
        st.session_state[_REFUSED] = error
        if is_first_press:  # nothing was handed over: the draft can be discarded
            del _handed()[here]
        return False
    return True


def _tell_later(count: int) -> None:
    """Say how many changes came after Save was pressed; nothing when none did."""
    if count:
        tell(Notice(plain(f"{many(count, 'change')} came after Save was pressed: press Save again.")))


def _awaited(desk: Desk, item: ItemKey) -> SaveStatus | None:
    with st.bottom:  # always there: where it came and went, the bar below stood twice for a moment
        progress = st.empty()
    status = _save_to_tell(desk, item)
    if not is_running(status):
        return status
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
    handed = _handed().get(_here(desk, item))
    ours = None if handed is None else desk.save_status(handed.key)
    return desk.latest_save(item) if ours is None else ours


def _show_progress(status: SaveStatus) -> None:
    total = max(status.total_steps, 1)
    st.progress(min(status.done_steps / total, 1.0), text="Saving, then reading the list back …")


def _staged(draft: Draft) -> tuple[ItemKey, frozenset[str], frozenset[str]]:
    return draft.item, draft.add, draft.remove


def _handed() -> dict[tuple[str, ItemKey], _Handed]:
    """Return the saves not taken in yet, one for each environment and item."""
    handed: dict[tuple[str, ItemKey], _Handed] = st.session_state.setdefault(_HANDED, {})
    return handed


def _here(desk: Desk, item: ItemKey) -> tuple[str, ItemKey]:
    return desk.environment.name, item
