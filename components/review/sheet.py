"""The sheet of one supplier: one item at a time, all items as a table, and the preview of the changes."""

from collections.abc import Sequence

import streamlit as st

from components.notices import show_error
from components.review.decide_box import decide
from components.review.due_notice import BULK_PAGE
from components.review.item_table import open_from_table
from components.review.opened_sheet import open_in_sheet, opened_item
from components.verbatim import described, plain
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.in_words import many
from item_visibility.desk.reviews.review_sheet import MOST_ITEMS, SheetItem
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError, RecordsError


def show_sheet(desk: Desk, supplier: str) -> None:
    """Draw the sheet."""
    try:
        sheet = desk.reviews.sheet(supplier)
    except RecordsError as error:
        show_error("The sheet could not be read.", error, key="sheet_error")
        return
    item = opened_item(supplier, sheet)
    if item is None:
        st.info("Items of this supplier are not known here yet: open one on the page Item first.")
        return
    _walk(desk, item, [one.item for one in sheet])
    planned = next((one.review_on for one in sheet if one.item == item), None)
    decide(desk, item, review_on=planned)
    _offer_preview(desk, supplier, sheet)
    with st.expander("All items of this supplier", icon=":material/table_rows:", key="review_all"):
        open_from_table(
            desk,
            [one.item for one in sheet],
            {
                "Next review": [_when(one) for one in sheet],
                "To remove": [f"{one.to_remove:,}" if one.to_remove else "" for one in sheet],
            },
            key="review_items",
            alt="All items of this supplier",
        )
        if len(sheet) >= MOST_ITEMS:
            st.caption(plain(f"The first {MOST_ITEMS:,} known items are listed."))


def _walk(desk: Desk, item: ItemKey, items: Sequence[ItemKey]) -> None:
    """Draw the item's name, its place in the sheet, and the ways to the one before and the next."""
    at = items.index(item) if item in items else -1
    st.header(described(item.supplier_item_id, desk.names.item_name(item)), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", key="review_walk"):
        for label, other, icon, letter in (
            ("Previous item", at - 1, ":material/chevron_left:", "P"),
            ("Next item", at + 1, ":material/chevron_right:", "N"),
        ):
            is_there = 0 <= other < len(items)
            st.button(
                label,
                key=f"review_{label[0].lower()}",
                icon=icon,
                shortcut=letter,
                disabled=not is_there,
                on_click=open_in_sheet,
                args=(items[other] if is_there else item,),
            )
        st.markdown(plain(f"Item {at + 1:,} of {len(items):,}" if at >= 0 else "Not among the known items"))


def _offer_preview(desk: Desk, supplier: str, sheet: Sequence[SheetItem]) -> None:
    count = sum(one.to_remove for one in sheet)
    items = sum(bool(one.to_remove) for one in sheet)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="review_result"):
        words = f"To remove: {many(count, 'recipient')} of {many(items, 'item')} · not removed yet"
        st.markdown(plain(words if count else "To remove: 0 recipients"))
        is_off = desk.is_locked or not count
        if st.button("Look at what to remove", key="preview_review", type="primary", disabled=is_off):
            _open_preview(desk, supplier)


def _open_preview(desk: Desk, supplier: str) -> None:
    name = desk.names.supplier_name(supplier) or supplier
    try:
        key = desk.reviews.preview_removals(supplier, title=f"Review of {name}")
    except ItemVisibilityError as error:
        show_error("Nothing was removed.", error, key="review_error")
        return
    st.switch_page(BULK_PAGE, query_params={"job": key} | address_of_environment())


def _when(one: SheetItem) -> str:
    if one.review_on is None:
        return ""
    return f"{one.review_on.isoformat()}, due" if one.is_due else one.review_on.isoformat()
