"""The drafts of this window, one for each item.

Every change is passed on to `desk.drafts`, so that a refresh or a restart loses nothing. The ticks that the
browser's table holds are taken in at the start of every run: from then on the whole screen agrees.
"""

from dataclasses import dataclass, replace
from datetime import datetime

import streamlit as st

from components.item.table.mounted_table import pending_ticks
from components.shell.browser_cookie import this_browser
from components.wiring import lasting
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.drafts import ResumedDraft
from item_visibility.desk.use_cases import Desk


@dataclass(frozen=True, slots=True)
class _Kept:
    """The draft of this window, the last draft stored in our own database, and the resumed draft.

    `taken_over_at` is the last takeover by another browser that this window knows of.
    """

    draft: Draft
    stored: Draft
    is_stored: bool = True
    resumed: ResumedDraft | None = None
    taken_over_at: datetime | None = None


def kept_draft(desk: Desk, item: ItemKey) -> Draft | None:
    """Return this window's draft of the item, with the table's pending edits folded in."""
    kept = _drafts().get((desk.environment.name, item))
    return None if kept is None else _folded(desk, kept.draft)


def keep_draft(desk: Desk, draft: Draft) -> None:
    """Keep this as the window's draft of its item, and store what is new for later windows."""
    here = (desk.environment.name, draft.item)
    kept = _drafts().get(here) or _Kept(draft, draft.discarded())
    if (
        kept.draft.is_empty and not draft.is_empty
    ):  # a takeover before now took nothing that is staged in this window
        taken_over_at = desk.drafts.taken_over_at(draft.item, owner=this_browser())
        kept = replace(kept, taken_over_at=taken_over_at or kept.taken_over_at)
    is_stored = desk.drafts.keep(kept.stored, draft, owner=this_browser(), taken_over_at=kept.taken_over_at)
    _drafts()[here] = replace(
        kept,
        draft=draft,
        stored=draft if is_stored else kept.stored,
        is_stored=is_stored,
        resumed=None if draft.is_empty else kept.resumed,
    )


def open_kept(desk: Desk, draft: Draft, resumed: ResumedDraft | None) -> Draft:
    """Start with the list as just read, or resume the draft of another window of this browser."""
    taken_over_at = desk.drafts.taken_over_at(draft.item, owner=this_browser())
    left = draft if resumed is None else resumed.left
    draft = draft if resumed is None else replace(resumed.draft, version=draft.version)
    told = None if draft.is_empty else resumed
    _drafts()[desk.environment.name, draft.item] = _Kept(
        draft, left, resumed=told, taken_over_at=taken_over_at
    )
    return draft


def take_in_late_ticks(desk: Desk, draft: Draft) -> None:
    """Draw the screen again if the table sent ticks only as it was drawn: after a restart it does."""
    if kept_draft(desk, draft.item) != draft:
        st.rerun()


def is_taken_over(desk: Desk, item: ItemKey) -> bool:
    """True when another browser took over this window's draft."""
    kept = _drafts().get((desk.environment.name, item))
    if kept is None or kept.draft.is_empty:
        return False
    return desk.drafts.taken_over_at(item, owner=this_browser()) not in {None, kept.taken_over_at}


def let_go(desk: Desk, item: ItemKey) -> datetime | None:
    """Drop a draft that another browser took over. Return when, or None if nothing staged was taken."""
    here = (desk.environment.name, item)
    kept = _drafts().get(here)
    taken_over_at = None if kept is None else desk.drafts.taken_over_at(item, owner=this_browser())
    if kept is None or taken_over_at in {None, kept.taken_over_at}:
        return None
    is_gone = not kept.draft.is_empty
    draft = kept.draft.discarded() if is_gone else kept.draft
    _drafts()[here] = _Kept(draft, draft.discarded(), taken_over_at=taken_over_at)
    return taken_over_at if is_gone else None


def resumed_draft(desk: Desk, item: ItemKey) -> ResumedDraft | None:
    """Return the draft that this window resumed, or None once nothing of it is staged any more."""
    return _drafts()[desk.environment.name, item].resumed


def is_stored(desk: Desk, item: ItemKey) -> bool:
    """False when the last change of the draft could not be kept for later windows."""
    return _drafts()[desk.environment.name, item].is_stored


def _folded(desk: Desk, draft: Draft) -> Draft:
    ticks = pending_ticks(desk.environment.name, draft)
    folded = draft.with_wanted(ticks) if ticks else draft
    if folded != draft:
        keep_draft(desk, folded)
    return folded


def _drafts() -> dict[tuple[str, ItemKey], _Kept]:
    """Return the drafts of this window; each belongs to its environment."""
    return lasting()
