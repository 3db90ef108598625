"""The drafts of this window, one for each item, and the rows its table was mounted with.

Every change is passed on to `desk.drafts`, so that a refresh or a restart loses nothing.

The editable table sends its edits as differences from the rows and ticks it was mounted with. So these are
kept, and the edits are folded into the draft at the start of every run. From then on the whole screen agrees.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import streamlit as st

from components.shell.browser_cookie import this_browser
from components.wiring import lasting
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.drafts import ResumedDraft
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.hints import doubts

_MOUNTS = "window_drafts.mounts"
VISIBLE = "visible"
"""The editable column."""


@dataclass(frozen=True, slots=True)
class Mount:
    """The rows that the table was mounted with, in order, with their ticks and doubts."""

    key: str
    version: int
    rows: tuple[str, ...]
    ticks: tuple[bool, ...]
    doubts: tuple[str, ...]


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


def mounted(desk: Desk, draft: Draft, rows: tuple[str, ...], view: str) -> Mount:
    """Return the mounted rows. They stay while version and view stay, so that no edits are lost.

    A table that left the screen has forgotten its edits, so it is mounted with the staged ticks.
    """
    environment = desk.environment.name
    key = f"recipients_{_digest(environment, draft, view)}_{draft.version}"
    mounts: dict[tuple[str, ItemKey], Mount] = st.session_state.setdefault(_MOUNTS, {})
    mount = mounts.get((environment, draft.item))
    if mount is None or mount.key != key or key not in st.session_state:
        ticks = tuple(row not in draft.remove for row in rows)
        mount = Mount(key, draft.version, rows, ticks, tuple("; ".join(doubts(row)) for row in rows))
        mounts[environment, draft.item] = mount
    return mount


def _folded(desk: Desk, draft: Draft) -> Draft:
    mount: Mount | None = st.session_state.get(_MOUNTS, {}).get((desk.environment.name, draft.item))
    if mount is None or mount.version != draft.version:
        return draft  # these edits were folded in before the rows changed
    wanted = wanted_of(mount, st.session_state.get(mount.key))
    folded = draft.with_wanted(wanted)
    if folded != draft:
        keep_draft(desk, folded)
    return folded


def wanted_of(mount: Mount, state: object) -> dict[str, bool]:
    """Return the ticks that changed, from the table's state. Ignore what a forged message adds."""
    wanted = {}
    for index, change in _mapping(_mapping(state).get("edited_rows")).items():
        is_ticked = _mapping(change).get(VISIBLE)
        if isinstance(index, int) and 0 <= index < len(mount.rows) and isinstance(is_ticked, bool):
            wanted[mount.rows[index]] = is_ticked
    return wanted


def _mapping(value: object) -> Mapping[object, object]:
    return value if isinstance(value, Mapping) else {}


def _drafts() -> dict[tuple[str, ItemKey], _Kept]:
    """Return the drafts of this window; each belongs to its environment."""
    return lasting()


def _digest(environment: str, draft: Draft, view: str) -> str:
    """Return a digest of the list, so that edits a browser sends again fit no other list."""
    item = draft.item
    parts = repr((environment, item.supplier, item.supplier_item_id, view, sorted(draft.recipients)))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]
