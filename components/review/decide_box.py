"""One item of a sheet: its recipients as they are now, and the decision about each. Nothing is sent."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

import streamlit as st

from components.clock import time_of_day
from components.item.table.mounted_table import ordered
from components.item.table.row_key import item_key
from components.notices import Notice, keep_notice, kept_error, show_error, show_kept_notice
from components.review.chosen_rows import choose_rows
from components.review.end_date_box import offer_end_date
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.in_words import many
from item_visibility.desk.reviews.review_sheet import Decision, KeepOrRemove
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.jobs.preview import ReadItem

_READ = "decide_box.read"
_AGAIN = "review_load_again"
_DAY_PX = 320


def decide(desk: Desk, item: ItemKey, *, review_on: date | None) -> None:
    """Draw the recipients with what was decided about them, and the buttons that decide."""
    if _AGAIN not in st.session_state:  # the page was just opened: a preview may have been applied meanwhile
        _forget_reading()
    show_kept_notice()
    try:
        reading = _reading(desk, item)
        decisions = desk.reviews.decisions(item)
        until = {one.recipient_id: one for one in desk.end_dates.of_item(item)}
    except ItemVisibilityError as error:
        show_error("The recipients could not be read. Nothing was changed.", error)
        st.button("Try again", key="try_again", icon=":material/refresh:")
        return
    listed = desk.lists.named(reading.recipients or frozenset())
    rows = ordered(listed, "")
    _show_reading(len(rows), read_at=reading.read_at)
    if not rows:
        _ask_next_review(desk, item, review_on)
        return
    made = [decisions.get(one) for one in rows]
    columns = {
        "Name": [listed.names.get(one, "") for one in rows],
        "Recipient": rows,
        "Decision": ["" if one is None else one.choice.value.capitalize() for one in made],
        "Until": [until[one].last_day.isoformat() if one in until else "" for one in rows],
        "Decided by": ["" if one is None else _who(one) for one in made],
        "Why": ["" if one is None else one.reason for one in made],
    }
    chosen = choose_rows(rows, columns, key="review", alt="Recipients of the item, to keep or to remove")
    undecided = tuple(one for one in rows if one not in decisions)
    _offer(desk, item, chosen, undecided, decisions)
    _ask_next_review(desk, item, review_on)
    offer_end_date(desk, item, chosen, until.keys() & set(chosen), is_locked=desk.is_locked)


def _show_reading(count: int, *, read_at: datetime) -> None:
    """Say how many can see the item and when it was read, and offer to load them again."""
    if count:
        words = f"{many(count, 'recipient')} can see it, read {time_of_day(read_at)}"
    else:
        words = f"Nothing is recorded for this item: nobody can see it, read {time_of_day(read_at)}"
    with st.container(horizontal=True, vertical_alignment="center", key="review_reading"):
        st.markdown(plain(words), width="content")  # the table's own tools cover what stands at the right
        st.button(
            "Load again",
            key=_AGAIN,
            icon=":material/refresh:",
            type="tertiary",
            on_click=_forget_reading,
        )


def _offer(
    desk: Desk,
    item: ItemKey,
    chosen: tuple[str, ...],
    undecided: tuple[str, ...],
    seen: Mapping[str, Decision],
) -> None:
    """Draw the buttons: keep or remove who is chosen; or else keep all about whom nothing is decided."""
    is_off = desk.is_locked
    keeps = chosen or undecided
    st.text_input(
        "Why (optional)",
        key=_reason_key(desk, item),
        placeholder="Stands with the decision, such as the number of a contract",
        autocomplete="off",
        disabled=is_off,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="review_decide"):
        st.button(
            plain(_keep_words(len(chosen), len(undecided), is_begun=bool(seen))),
            key="review_keep",
            icon=":material/check:",
            shortcut="K",
            disabled=is_off or not keeps,
            on_click=_decide,
            args=(desk, item, keeps, KeepOrRemove.KEEP, seen),
        )
        st.button(
            plain(f"Remove {len(chosen):,}" if chosen else "Remove"),
            key="review_remove",
            icon=":material/close:",
            shortcut="X",
            disabled=is_off or not chosen,
            on_click=_decide,
            args=(desk, item, chosen, KeepOrRemove.REMOVE, seen),
        )
        st.caption(
            "Choose rows to decide about them alone. A decision is kept here; the service is not told."
        )


def _keep_words(chosen: int, undecided: int, *, is_begun: bool) -> str:
    if chosen:
        return f"Keep {chosen:,}"
    if not is_begun:
        return "Keep all"
    return f"Keep the other {undecided:,}" if undecided else "Keep"


def _decide(
    desk: Desk, item: ItemKey, recipients: Collection[str], choice: KeepOrRemove, seen: Mapping[str, Decision]
) -> None:
    key = _reason_key(desk, item)
    with kept_error("The decision was not kept."):
        reason = st.session_state.get(key, "").strip()
        others = desk.reviews.decide(item, recipients, choice, reason=reason, seen=seen)
        if not others:
            st.session_state[key] = ""  # it belongs to this decision
            return
        names = desk.names.recipient_names(one.recipient_id for one in others)
        lines = tuple(
            f"{names.get(one.recipient_id) or one.recipient_id}: {one.choice.value}, by {one.decided_by}"
            for one in others
        )
        keep_notice(Notice("Somebody else decided meanwhile. Their decision stays: decide again.", lines))


def _ask_next_review(desk: Desk, item: ItemKey, review_on: date | None) -> None:
    tomorrow = desk.end_dates.today + timedelta(days=1)
    key = item_key("next_review", desk.environment.name, item)
    st.date_input(
        "Look at this item again on (optional)",
        value=review_on if review_on is not None and review_on >= tomorrow else None,
        min_value=tomorrow,
        format="YYYY-MM-DD",
        key=key,
        width=_DAY_PX,
        disabled=desk.is_locked,
        on_change=_plan_next,
        args=(desk, item, key),
    )


def _plan_next(desk: Desk, item: ItemKey, key: str) -> None:
    day: date | None = st.session_state[key]
    if day is not None:
        with kept_error("The day of the next review was not kept."):
            desk.reviews.plan_next(item, day)


def _reading(desk: Desk, item: ItemKey) -> ReadItem:
    """Return the item as it was read when it was opened here."""
    here = (desk.environment.name, item)
    kept: tuple[object, ReadItem] | None = st.session_state.get(_READ)
    if kept is None or kept[0] != here:
        kept = st.session_state[_READ] = (here, desk.read(item))
    return kept[1]


def _forget_reading() -> None:
    st.session_state.pop(_READ, None)


def _reason_key(desk: Desk, item: ItemKey) -> str:
    return item_key("review_reason", desk.environment.name, item)


def _who(decision: Decision) -> str:
    return f"{decision.decided_by}, {time_of_day(decision.decided_at)}"
