"""From the press of Save to what is known afterwards.

The save runs in a worker of the process. This session keeps the key of the save that it asked for,
looks how it goes, and takes what it found into the draft. Nothing staged is forgotten before a read
agrees: design rule of the save.
"""

import time
import uuid
from datetime import UTC, datetime

import streamlit as st

from components.add_box import forget_report, has_unseen_doubts, stage_entered
from components.drafts import keep_draft, kept_draft
from components.notices import Notice, keep_notice
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.worker import SaveState, SaveStatus
from item_visibility.desk import Desk
from item_visibility.desk_drafts import taken_in
from item_visibility.errors import ItemVisibilityError, RecordsError

CONFIRM = "confirm_count"
REASON = "reason"
_ASKED = "saving.asked"
_REFUSED = "saving.refused"
_MISTYPED = "saving.mistyped"
_OVERTAKING = "saving.overtaking"
_OVERTAKES_BY_S = 1.0
_CONFIRMING = "saving.confirming"
_WAIT_S = 5.0
_LOOK_EVERY_S = 0.05


def start_save(desk: Desk, item: ItemKey) -> None:
    """Hand what is staged to the worker, with what still stands in the box of additions.

    Pressing twice saves once: the key stays until the save is taken in. What was entered with this
    very click and looks damaged is staged and shown first.
    """
    stage_entered(desk, item)
    if has_unseen_doubts(item):
        keep_notice(Notice("Nothing was saved yet: look at the remarks on what you added, then save."))
        return
    draft = kept_draft(desk, item)
    if draft is None:
        return
    if draft.is_empty:
        _expect_tick(desk, item)
        return
    typed = st.session_state.get(CONFIRM, "").strip()
    if draft.confirm_count is not None and typed != str(draft.confirm_count):
        st.session_state[_MISTYPED] = _staged(draft)
        return
    try:
        desk.save(_request(desk, draft))
    except ItemVisibilityError as error:
        st.session_state[_REFUSED] = error


def is_mistyped(draft: Draft) -> bool:
    """True when Save was pressed on just this, and the count of removals was not typed."""
    return bool(st.session_state.get(_MISTYPED) == _staged(draft))


def confirm_these(draft: Draft) -> None:
    """Take what was typed for these very removals only; for others the count is typed anew."""
    removals = (draft.item, draft.remove)
    if st.session_state.get(_CONFIRMING) != removals:
        st.session_state[_CONFIRMING] = removals
        st.session_state[CONFIRM] = ""


def refused_save() -> ItemVisibilityError | None:
    """Why the last press of Save was refused before anything was sent; None when it was not."""
    error: ItemVisibilityError | None = st.session_state.pop(_REFUSED, None)
    return error


def discard(desk: Desk, item: ItemKey) -> None:
    """Forget what is staged; nothing is sent."""
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, draft.discarded())
    st.session_state.pop(_MISTYPED, None)
    forget_report()


def stage_undo(desk: Desk, status: SaveStatus) -> None:
    """Stage what takes back a save, so that the person sees it before it is saved."""
    item = status.request.item
    draft = kept_draft(desk, item)
    if draft is None:
        return
    try:
        undo = desk.undo_of(draft, status)
    except RecordsError as error:
        words = "What was changed since could not be read, so nothing was staged to take it back."
        keep_notice(Notice(words, (error.message, error.advice)))
        return
    keep_draft(desk, undo.draft)
    if undo.left_alone:
        keep_notice(
            Notice("Somebody changed these recipients since: Undo leaves them alone.", undo.left_alone)
        )
    elif undo.draft.is_empty:
        keep_notice(Notice("There is nothing to take back: this change is not there any more."))


def settle_save(desk: Desk, draft: Draft) -> tuple[Draft, SaveStatus | None]:
    """The draft after this session's save, if it has ended, and that save; else the item's latest save.

    Waits a little, showing how far the save is. A save that takes longer goes on in its worker; a click
    elsewhere ends the waiting, never the save.
    """
    if _was_overtaken(draft):
        start_save(desk, draft.item)
    status = _awaited(desk, draft.item)
    if status is None or status.result is None:
        return draft, status
    if _asked().get(draft.item) == status.request.key:
        draft = taken_in(draft, status.result)
        keep_draft(desk, draft)
        del _asked()[draft.item]
        st.session_state.pop(CONFIRM, None)
        if status.result.is_saved:
            forget_report()
    return draft, status


@st.fragment(run_every=0.5)
def follow_save(desk: Desk, item: ItemKey) -> None:
    """Show how far a running save is, and draw the whole screen anew when it has ended."""
    status = desk.latest_save(item)
    if status is None or status.state is SaveState.ENDED:
        st.rerun()
    _show_progress(status)


def is_running(status: SaveStatus | None) -> bool:
    """True while a save of the item waits or runs."""
    return status is not None and status.state is not SaveState.ENDED


def _expect_tick(desk: Desk, item: ItemKey) -> None:
    """Keep in mind that Save was pressed with nothing staged, unless it is the second press of a save.

    Streamlit 1.67 sends a tick some 150 ms after it was made: a quick press of Save overtakes it.
    """
    status = desk.latest_save(item)
    is_second = status is not None and (status.result is None or _is_recent(status.result.ended_at))
    if not is_second:
        st.session_state[_OVERTAKING] = (item, time.monotonic())


def _was_overtaken(draft: Draft) -> bool:
    """True when what is staged now was made before the last press of Save."""
    if draft.is_empty:
        return False
    pressed: tuple[ItemKey, float] | None = st.session_state.pop(_OVERTAKING, None)
    if pressed is None:
        return False
    item, pressed_at = pressed
    return item == draft.item and time.monotonic() - pressed_at < _OVERTAKES_BY_S


def _is_recent(ended_at: datetime) -> bool:
    return (datetime.now(UTC) - ended_at).total_seconds() < _OVERTAKES_BY_S


def _awaited(desk: Desk, item: ItemKey) -> SaveStatus | None:
    status = _save_to_tell(desk, item)
    if not is_running(status):
        return status
    place = st.empty()
    ends_at = time.monotonic() + _WAIT_S
    while status is not None and is_running(status) and time.monotonic() < ends_at:
        with place.container():
            _show_progress(status)
        time.sleep(_LOOK_EVERY_S)
        status = _save_to_tell(desk, item)
    place.empty()
    return status


def _save_to_tell(desk: Desk, item: ItemKey) -> SaveStatus | None:
    """The save that this session asked for, until it is taken in; else the item's latest save.

    Another session's save may come right behind ours: what it did says nothing about what we staged.
    """
    key = _asked().get(item)
    ours = None if key is None else desk.save_status(key)
    return desk.latest_save(item) if ours is None else ours


def _show_progress(status: SaveStatus) -> None:
    total = max(status.total_steps, 1)
    st.progress(min(status.done_steps / total, 1.0), text="Saving, then reading the list back …")


def _request(desk: Desk, draft: Draft) -> SaveRequest:
    origin = draft.origin
    return SaveRequest(
        key=_asked().setdefault(draft.item, uuid.uuid4().hex),
        item=draft.item,
        base=draft.base,
        add=draft.add,
        remove=draft.remove,
        person=desk.person(),
        reason=st.session_state.get(REASON, "").strip(),
        confirmed_count=draft.confirm_count,
        kind=origin.kind,
        undo_of=origin.undo_of,
        restored_from=origin.restored_from,
        set_name=origin.set_name,
        set_recipients=origin.set_recipients,
    )


def _staged(draft: Draft) -> tuple[ItemKey, frozenset[str], frozenset[str]]:
    return draft.item, draft.add, draft.remove


def _asked() -> dict[ItemKey, str]:
    asked: dict[ItemKey, str] = st.session_state.setdefault(_ASKED, {})
    return asked
