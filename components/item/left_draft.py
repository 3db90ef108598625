"""A draft from an earlier window: its time, and the changes since."""

from collections.abc import Collection

import streamlit as st

from components.clock import time_of_day
from components.item.opened_item import tell_what_is_so
from components.item.window_drafts import is_stored, kept_draft, open_kept, resumed_draft
from components.notices import Notice, keep_notice
from components.shell.browser_cookie import this_browser
from components.verbatim import listed_after, plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.drafts import ResumedDraft, StoredDraft
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError, RecordsError

_NAMED = 5


def show_left_draft(desk: Desk, item: ItemKey) -> None:
    """Say what this window resumed, and warn when the draft cannot outlive this window."""
    resumed = resumed_draft(desk, item)
    if resumed is not None:
        _show_taken_up(desk, resumed)
    if not is_stored(desk, item):
        st.warning(
            "What you stage is kept in this window only: the dashboard's own database cannot be used. "
            "Staging sends nothing to the service. Save before you close the window.",
            icon=":material/warning:",
        )


def show_other_drafts(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Show drafts of the item in other browsers. Taking one over moves it and never mixes drafts."""
    others = desk.drafts.of_others(this_browser(), item=draft.item)
    for position, other in enumerate(others):
        who = f" by {other.staged_by}" if other.staged_by else ""
        with st.container(border=True, key=f"other_draft_{position}"):
            st.markdown(
                plain(f"Staged{who} in another browser {time_of_day(other.updated_at)}.")
                + _named(desk, "To add:", other.draft.add)
                + _named(desk, "To remove:", other.draft.remove)
            )
            st.button(
                "Take over",
                key=f"take_over_{position}",
                icon=":material/move_down:",
                disabled=is_locked or not draft.is_empty,
                on_click=_take_over,
                args=(desk, other),
            )
    if others and not draft.is_empty:
        st.caption("To take it over, first save or discard what is staged here.")


def _take_over(desk: Desk, other: StoredDraft) -> None:
    item, owner = other.draft.item, this_browser()
    mine = kept_draft(desk, item)
    if mine is None:
        return
    try:
        reading = desk.read(item)
    except ItemVisibilityError as error:
        lines = (error.message, error.advice)
        keep_notice(Notice("Nothing was taken over: the recipients could not be read.", lines))
        return
    try:
        is_mine = mine.is_empty and desk.drafts.take_over(other, owner=owner)
    except RecordsError as error:
        lines = (error.message, error.advice)
        keep_notice(Notice("It is not known whether it was taken over. Load the page again.", lines))
        return
    if not is_mine:
        keep_notice(Notice("Nothing was taken over: it was changed meanwhile, or something is staged here."))
        return
    mine = mine.rebased(reading.recipients, read_at=reading.read_at)
    resumed = desk.drafts.resume(item, mine.base, owner=owner, read_at=mine.read_at)
    tell_what_is_so(resumed)
    open_kept(desk, mine.discarded(), resumed)


def _show_taken_up(desk: Desk, resumed: ResumedDraft) -> None:
    st.info(
        plain(f"Staged {time_of_day(resumed.updated_at)}.")
        + " Look at the changes, then save or discard them."
        + ("" if resumed.others.is_empty else "  \nThe list has changed since.")
        + _named(desk, "Added:", resumed.others.added)
        + _named(desk, "Removed:", resumed.others.removed)
        + _named(desk, "Of what you staged, this is already in place:", resumed.in_place),
        icon=":material/history:",
    )


def _named(desk: Desk, words: str, recipient_ids: Collection[str]) -> str:
    """Return a line of its own with the first of the recipients; empty when there are none."""
    names = desk.names.recipient_names(sorted(recipient_ids)[:_NAMED])
    return listed_after(f"  \n{words}", recipient_ids, names)
