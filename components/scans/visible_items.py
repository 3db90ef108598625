"""Shows the items that a recipient can see: counts, a table, and a preview of changes to chosen ones."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from components.clock import time_column, time_of_day
from components.notices import kept_error, show_error
from components.scans.recipient_choice import RecipientChoice
from components.table_state import chosen, key_for
from components.verbatim import described, plain, showable
from components.wiring import address_of_environment
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.in_words import many
from item_visibility.desk.directory import Kind
from item_visibility.desk.scans.recipient_view import Difference, ItemRow, Side, additions, removals, said
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.records.fallback import or_else

_BULK_PAGE = Path(__file__).resolve().parents[2] / "pages" / "items" / "bulk.py"
_ALT = "Known items, and whether the recipient can see each"
_SHOWN = "recipient_shown"
_STARTED = "visible_items.started"
MOST = 20_000
"""The limit of items shown at once for all suppliers together: more would take seconds."""
_FIRST = 200
"""The limit of rows while items are checked: they are drawn anew each second."""

_FILTERS: dict[str, Callable[[ItemRow], bool]] = {
    "All": lambda _row: True,
    "Missing": lambda row: row.difference is Difference.MISSING,
    "Extra": lambda row: row.difference is Difference.EXTRA,
    "Can see": lambda row: row.can_see is True,
    "Cannot see": lambda row: row.can_see is False,
    "Not known": lambda row: row.can_see is None,
}
_DIFFERENCES = {Difference.MISSING: "Missing", Difference.EXTRA: "Extra", Difference.NONE: ""}
_COMPARED = {
    Side.RECIPIENT: "Other can see",
    Side.SET: "Of the set",
    Side.NONE: "Compared",
}
_NONE = "No item is known here yet. Open one on the page Item, or bring names under Directory."
_NONE_OF_SUPPLIER = (
    "This supplier has no known items here. Open one on the page Item, or bring names under Directory."
)
_OPTIONAL = ("Difference", "Supplier", "Supplier number", "Problem", *_COMPARED.values())


def show_visible_items(desk: Desk, choice: RecipientChoice) -> None:
    """Draw what is known now, each item with its age. While items are checked, only look."""
    try:
        if choice.supplier is None and desk.records.directory[Kind.ITEM].count("", limit=MOST + 1) > MOST:
            st.info(
                plain(f"More than {MOST:,} items are known here: choose a supplier."), icon=":material/info:"
            )
            return
        rows = desk.scans.seen_by(choice.recipient_id, choice.supplier, choice.against)
    except ItemVisibilityError as error:
        show_error("What was seen could not be read. Nothing was changed.", error, key="recipient_error")
        return
    if not rows:
        st.info(_NONE_OF_SUPPLIER if choice.supplier else _NONE, icon=":material/info:")
        return
    _show_counts(desk, choice, rows)
    shown = _choose_shown(rows)
    scan = or_else(None, lambda: desk.scans.progress(choice.supplier))
    if scan is not None and scan.is_under_way:
        _draw_now(desk, choice, shown[:_FIRST])
        if len(shown) > _FIRST:
            st.caption(plain(f"The first {_FIRST} are shown until the scan ends."))
    else:
        _offer_changes(desk, choice, _draw_to_tick(desk, choice, shown))


def _show_counts(desk: Desk, choice: RecipientChoice, rows: Sequence[ItemRow]) -> None:
    """Say what the recipient can see, how much is not known, and how old the oldest answer is."""
    who = described(
        choice.recipient_id, desk.names.recipient_names([choice.recipient_id]).get(choice.recipient_id, "")
    )
    seeing, unknown = (sum(map(_FILTERS[name], rows)) for name in ("Can see", "Not known"))
    known = len(rows) - unknown
    st.markdown(f"{who} can see **{plain(f'{seeing:,}')}** of {plain(many(known, 'item'))}, as last read.")
    words = []
    if not seeing and not desk.names.known_recipients([choice.recipient_id]):
        words.append("No recipient with this number is known here: compare it with what the customer wrote")
    if choice.against.side is not Side.NONE:
        missing, extra = (sum(map(_FILTERS[name], rows)) for name in ("Missing", "Extra"))
        words.append(f"{missing:,} missing, {extra:,} extra")
    if unknown:
        words.append(f"{many(unknown, 'item')} not known: not checked yet, or could not be read")
    oldest = min((row.seen.seen_at for row in rows if row.seen.seen_at is not None), default=None)
    if oldest is not None:
        words.append(f"Oldest answer: {time_of_day(oldest)}")
    if words:
        st.caption(plain(" · ".join(words)))


def _choose_shown(rows: Sequence[ItemRow]) -> list[ItemRow]:
    """Draw the choice of the rows to look at, and return them. A choice without rows is not offered."""
    options = [plain(name) for name, is_one in _FILTERS.items() if any(map(is_one, rows))]
    if st.session_state.get(_SHOWN) not in options:
        st.session_state[_SHOWN] = options[0]
    name = st.segmented_control(
        "Items to look at",
        options,
        key=_SHOWN,
        required=True,
        label_visibility="collapsed",
    )
    return [row for row in rows if _FILTERS[name or options[0]](row)]


def _draw_now(desk: Desk, choice: RecipientChoice, rows: Sequence[ItemRow]) -> None:
    """Draw the rows while they change."""
    table, columns = _table(desk, choice, rows)
    st.dataframe(
        table,
        key="recipient_items_now",
        hide_index=True,
        column_order=columns,
        column_config=_config(),
        placeholder="not yet",
        alt=_ALT,
    )


def _draw_to_tick(desk: Desk, choice: RecipientChoice, rows: Sequence[ItemRow]) -> list[ItemRow]:
    """Draw the rows, and return those that are ticked."""
    table, columns = _table(desk, choice, rows)
    state = st.dataframe(
        table,
        key=key_for("recipient_items", [(choice.recipient_id, row.item) for row in rows]),
        hide_index=True,
        column_order=columns,
        column_config=_config(),
        on_select="rerun",
        selection_mode="multi-row",
        placeholder="not yet",
        alt=_ALT,
    )
    return chosen(state, rows)


def _config() -> dict[str, ColumnConfig]:
    return {"Checked": time_column("Checked"), "Item": st.column_config.TextColumn("Item", width="medium")}


def _table(desk: Desk, choice: RecipientChoice, rows: Sequence[ItemRow]) -> tuple[pd.DataFrame, list[str]]:
    """Return the table, and the columns that say something."""
    suppliers = {} if choice.supplier else desk.names.supplier_names({row.item.supplier for row in rows})
    seen_at = [pd.NaT if row.seen.seen_at is None else pd.Timestamp(row.seen.seen_at) for row in rows]
    columns = {
        "Item": _texts(row.name for row in rows),
        "Can see": _texts(said(can_see=row.can_see) for row in rows),
        "Difference": _texts(_DIFFERENCES[row.difference] for row in rows),
        _COMPARED[choice.against.side]: _texts(row.compared for row in rows),
        "Checked": pd.Series(seen_at, dtype="datetime64[us, UTC]"),
        "Problem": _texts(row.seen.failure for row in rows),
        "Supplier": _texts(suppliers.get(row.item.supplier, "") for row in rows),
        "Item number": _texts(row.item.supplier_item_id for row in rows),
        "Supplier number": _texts("" if choice.supplier else row.item.supplier for row in rows),
    }
    table = pd.DataFrame(columns)
    return table, [name for name in columns if name not in _OPTIONAL or table[name].any()]


def _texts(values: Iterable[str]) -> pd.Series:
    return pd.Series([showable(one) for one in values], dtype=str)


def _offer_changes(desk: Desk, choice: RecipientChoice, ticked: Sequence[ItemRow]) -> None:
    """Draw the buttons that preview changes to the chosen rows: nothing is sent before Apply there."""
    if desk.is_locked:
        st.caption("Read only: changes cannot be previewed here.")
        return
    name = desk.names.recipient_names([choice.recipient_id]).get(choice.recipient_id, choice.recipient_id)
    add, remove = additions(choice.recipient_id, ticked), removals(choice.recipient_id, ticked)
    with st.container(horizontal=True, vertical_alignment="center", key="recipient_changes"):
        _offer_preview(
            desk,
            add,
            label=f"Preview adding to {many(len(add), 'item')}" if add else "Preview adding",
            key="preview_adding",
            title=f"Add {name}",
        )
        _offer_preview(
            desk,
            remove,
            label=f"Preview removing from {many(len(remove), 'item')}" if remove else "Preview removing",
            key="preview_removing",
            title=f"Remove {name}",
        )
    if not ticked:
        st.caption("Tick items to preview changes to them. No change is sent before you apply the preview.")
    elif len(add) + len(remove) < len(ticked):
        left = many(len(ticked) - len(add) - len(remove), "item")
        st.caption(plain(f"Not in a preview: {left} of which it is not known. Check them first."))


def _offer_preview(desk: Desk, items: tuple[BulkItem, ...], *, label: str, key: str, title: str) -> None:
    st.button(
        plain(label),
        key=key,
        icon=":material/preview:",
        disabled=not items,
        on_click=_start,
        args=(desk, items, title),
    )
    started = st.session_state.pop(_STARTED, "")
    if started:
        st.switch_page(_BULK_PAGE, query_params={"job": started} | address_of_environment())


def _start(desk: Desk, items: tuple[BulkItem, ...], title: str) -> None:
    with kept_error("The preview could not be started. No item was changed."):
        st.session_state[_STARTED] = desk.bulk.start_preview(items, title=showable(title))
