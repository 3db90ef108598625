"""The recipients as ordinary checkboxes, a page at a time, on the same draft as the table."""

import streamlit as st

from components.item.table.mounted_table import ordered
from components.item.table.row_key import row_key
from components.item.window_drafts import keep_draft, kept_draft
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.recipient_rows import ListPage, page_of_list
from item_visibility.desk.use_cases import Desk

PAGE_SIZE = 50
_ORDER = "recipient_list.order"
_PAGE = "recipient_list.page"


def edit_list(desk: Desk, draft: Draft, wanted: str, *, is_locked: bool) -> None:
    """Draw one page of checkboxes. Each reaches the draft at once."""
    rows = _in_order(desk, draft, wanted)
    if not rows:
        st.caption("No recipient of this item matches your search.")
        return
    page = page_of_list(rows, number=_page_number(rows), size=PAGE_SIZE)
    names = desk.names.recipient_names(page.rows)
    with st.container(gap="xsmall", key="recipient_list"):
        for recipient_id in page.rows:
            key = row_key("can_see", recipient_id)
            st.session_state[key] = recipient_id not in draft.remove
            name = names.get(recipient_id, "")
            st.checkbox(
                f"{plain(name)} · {plain(recipient_id)}" if name else plain(recipient_id),
                key=key,
                disabled=is_locked,
                on_change=_tick,
                args=(desk, draft.item, recipient_id, key),
            )
    if page.pages > 1:
        _show_ways(rows, page)


def _show_ways(rows: tuple[str, ...], page: ListPage) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="list_ways"):
        for label, number, icon in (
            ("Previous", page.number - 1, ":material/chevron_left:"),
            ("Next", page.number + 1, ":material/chevron_right:"),
        ):
            st.button(
                label,
                key=f"list_{label.lower()}",
                icon=icon,
                disabled=not 1 <= number <= page.pages,
                on_click=_turn,
                args=(rows, number),
            )
        st.markdown(plain(f"Page {page.number:,} of {page.pages:,}"), width="content")


def _tick(desk: Desk, item: ItemKey, recipient_id: str, key: str) -> None:
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, draft.with_changed({recipient_id: st.session_state[key]}))


def _turn(rows: tuple[str, ...], number: int) -> None:
    st.session_state[_PAGE] = (rows, number)


def _page_number(rows: tuple[str, ...]) -> int:
    """Return the page that was turned to, the first one of other rows."""
    of_rows, number = st.session_state.get(_PAGE, ((), 1))
    return number if of_rows is rows else 1


def _in_order(desk: Desk, draft: Draft, wanted: str) -> tuple[str, ...]:
    """Return the rows in an order that stays while the list and the search stay."""
    kept: tuple[frozenset[str] | None, str, tuple[str, ...]] | None = st.session_state.get(_ORDER)
    if kept is None or kept[0] is not draft.base or kept[1] != wanted:
        rows = ordered(desk.lists.named(draft.recipients), wanted)
        kept = st.session_state[_ORDER] = (draft.base, wanted, rows)
    return kept[2]
