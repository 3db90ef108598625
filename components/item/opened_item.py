"""The list of an item as it was read, and the changes staged against it."""

from datetime import datetime
from pathlib import Path

import streamlit as st

from components.clock import time_of_day
from components.item.window_drafts import keep_draft, kept_draft, let_go, open_kept
from components.notices import Notice, keep_notice, kept_error, show_error
from components.shell.browser_cookie import this_browser
from components.verbatim import described, plain
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import many
from item_visibility.desk.drafts import ResumedDraft
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError

_ASK = "Is the number right?"

_LINES = 10
_CHECK_PAGE = Path(__file__).resolve().parents[2] / "pages" / "support" / "check.py"


def open_draft(desk: Desk, item: ItemKey) -> Draft | None:
    """Return the draft of the item, read from the service when opened; None when reading fails."""
    if (taken_over_at := let_go(desk, item)) is not None:
        _tell_taken_over(taken_over_at)
    draft = kept_draft(desk, item)
    if draft is not None:
        return draft
    try:
        reading = desk.read(item)
    except ItemVisibilityError as error:
        show_error("The recipients could not be read. Nothing was changed.", error)
        st.button("Try again", key="try_again", icon=":material/refresh:")
        return None
    owner = this_browser()
    desk.remember_use(owner, item)
    resumed = desk.drafts.resume(item, reading.recipients, owner=owner, read_at=reading.read_at)
    tell_what_is_so(resumed)
    return open_kept(desk, Draft(item, reading.recipients, reading.read_at), resumed)


def tell_what_is_so(resumed: ResumedDraft | None) -> None:
    """Say so when a draft became empty because all its changes are already in place."""
    if resumed is not None and resumed.draft.is_empty:
        keep_notice(
            Notice("What was staged here is already in place: nothing is left to save.", resumed.in_place)
        )


def _tell_taken_over(at: datetime) -> None:
    words = plain(f"What you had staged here was taken over in another browser {time_of_day(at)}.")
    keep_notice(Notice(f"{words} It is not staged here any more. Taking it over sent nothing."))


def show_reading(desk: Desk, draft: Draft, *, is_saving: bool) -> None:
    """Show the number of recipients and the time of reading, and offer to load them again."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="reading"):
        st.markdown(_headline(desk, draft), width="stretch")
        st.button(
            "Load again",
            key="load_again",
            icon=":material/refresh:",
            type="tertiary",
            disabled=is_saving,
            on_click=_load_again,
            args=(desk, draft.item),
        )
    _tell_asked(desk, draft)


def _tell_asked(desk: Desk, draft: Draft) -> None:
    """Say of the recipient in the address whether they can see the item: a link may be about one."""
    asked = st.query_params.get("recipient")
    if asked:
        who = described(asked, desk.names.recipient_names([asked]).get(asked, ""))
        can = "can" if asked in draft.recipients else "cannot"
        st.markdown(f"{who} **{can} see this item**, as read then.")
        if asked not in draft.recipients:
            address = {"supplier": draft.item.supplier, "item": draft.item.supplier_item_id}
            st.page_link(
                _CHECK_PAGE,
                label="Why not?",
                icon=":material/help:",
                query_params=address | {"recipient": asked} | address_of_environment(),
            )


def _headline(desk: Desk, draft: Draft) -> str:
    count = len(draft.recipients)
    read_at = plain(f"read {time_of_day(draft.read_at)}")
    if not count and not desk.names.is_known_item(draft.item):
        return f"**Nothing is recorded for this item, which is not in your directory.** {_ASK} · {read_at}"
    if not count:
        return f"**Nothing is recorded for this item: nobody can see it.** · {read_at}"
    return f"**{plain(many(count, 'recipient'))} can see this item** · {read_at}"


def _load_again(desk: Desk, item: ItemKey) -> None:
    draft = kept_draft(desk, item)
    if draft is None:
        return
    with kept_error("The list could not be loaded again. What you see is the list as read before."):
        reading = desk.read(item)
        keep_draft(desk, draft.rebased(reading.recipients, read_at=reading.read_at))
        keep_notice(_difference(desk, draft.recipients, reading.recipients or frozenset()))


def _difference(desk: Desk, before: frozenset[str], after: frozenset[str]) -> Notice:
    if before == after:
        return Notice("The list is as it was.")
    changes = [("added:", one) for one in sorted(after - before)]
    changes += [("removed:", one) for one in sorted(before - after)]
    names = desk.names.recipient_names(one for _, one in changes[:_LINES])
    lines = [" ".join(filter(None, (what, names.get(one), one))) for what, one in changes[:_LINES]]
    lines += [f"and {len(changes) - _LINES:,} more"] if len(changes) > _LINES else []
    return Notice("The list has changed since it was read here. What you staged is kept.", tuple(lines))
