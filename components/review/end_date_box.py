"""The end dates of the open item: chosen rows get one, or lose it, in one step. Nothing is sent."""

import streamlit as st

from components.item.table.mounted_table import ordered
from components.item.table.row_key import item_key
from components.notices import Notice, keep_notice, kept_error
from components.review.chosen_rows import choose_rows
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import many
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

BOX = "end_dates_box"


def show_end_dates(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the box. Its table is drawn while it is open: a list may be long."""
    if not draft.recipients:
        return
    try:
        found = {one.recipient_id: one for one in desk.end_dates.of_item(draft.item)}
    except RecordsError:
        st.warning("The end dates of this item could not be read.", icon=":material/event_busy:")
        return
    if found:
        first = min(one.last_day for one in found.values())
        st.caption(plain(f"{many(len(found), 'end date')} here; the first is {first.isoformat()}"))
    box = st.expander("End dates", icon=":material/event:", key=BOX, on_change="rerun")
    if not box.open:
        return
    with box:
        listed = desk.lists.named(draft.recipients)
        rows = ordered(listed, "")
        columns = {
            "Name": [listed.names.get(one, "") for one in rows],
            "Recipient": rows,
            "Until": [found[one].last_day.isoformat() if one in found else "" for one in rows],
            "Set by": [found[one].set_by if one in found else "" for one in rows],
        }
        chosen = choose_rows(rows, columns, key="end_dates", alt="End dates of the recipients")
        offer_end_date(desk, draft.item, chosen, found.keys() & set(chosen), is_locked=is_locked)


def offer_end_date(
    desk: Desk, item: ItemKey, chosen: tuple[str, ...], dated: set[str], *, is_locked: bool
) -> None:
    """Draw the field and the buttons for the chosen rows; `dated` are those that have an end date."""
    day_key = item_key("end_date", desk.environment.name, item)
    with st.container(horizontal=True, vertical_alignment="bottom", key="end_date_buttons"):
        is_day_chosen = st.date_input(
            "End date: the last day, in UTC",
            value=None,
            min_value=desk.end_dates.today,
            format="YYYY-MM-DD",
            key=day_key,
            width=320,
            disabled=is_locked,
        )
        st.button(
            plain(f"Set for {many(len(chosen), 'recipient')}" if chosen else "Set end date"),
            key="set_end_date",
            disabled=is_locked or not chosen or not is_day_chosen,
            on_click=_set,
            args=(desk, item, chosen, day_key),
        )
        st.button(
            "Remove end date",
            key="remove_end_date",
            disabled=is_locked or not dated,
            on_click=_remove,
            args=(desk, item, tuple(dated)),
        )
    st.caption("Choose rows, then a day. When it is over, the dashboard asks you to look, and to apply it.")


def _set(desk: Desk, item: ItemKey, chosen: tuple[str, ...], day_key: str) -> None:
    with kept_error("The end date was not set."):
        desk.end_dates.set(item, chosen, st.session_state[day_key])
        keep_notice(Notice("The end date is set, in our own records alone. The service is not told."))


def _remove(desk: Desk, item: ItemKey, chosen: tuple[str, ...]) -> None:
    with kept_error("The end date was not removed."):
        desk.end_dates.remove(item, chosen)
        keep_notice(Notice("The end date is removed. Who can see the item stays as it is."))
