"""The heat map: a cell for each item and column, each a link to the item; its head stays in sight."""

from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from components.coverage.last_read import last_read
from components.coverage.map_look import ROW_PX, cells_spec, head_px, head_spec, legend_spec, map_px
from components.verbatim import showable, visible
from components.wiring import address_of_environment
from item_visibility.desk.coverage.matrix import CellState, Coverage, MatrixColumn, cell_of
from item_visibility.desk.known_names import title_of_item
from item_visibility.records.scans.seen_items import SeenItem

_TALLEST_PX = 660
_LEGEND = {
    CellState.CAN: "can see",
    CellState.PARTLY: "some of the set can see",
    CellState.CANNOT: "cannot see",
    CellState.NOT_KNOWN: "not read yet, or in doubt",
}
_HERE = Path(__file__).parent
_mount_scroll = st.components.v2.component(
    "coverage_scroll",
    css=(_HERE / "map_scroll.css").read_text("utf-8"),
    js=(_HERE / "map_scroll.js").read_text("utf-8"),
    isolate_styles=False,
)


def show_legend(*, has_sets: bool) -> None:
    """Draw a cell of each kind with its words."""
    states = [state for state in _LEGEND if has_sets or state is not CellState.PARTLY]
    rows = [(row, state.value) for row, state in enumerate(states)]
    with st.container(key="coverage_legend"):
        st.vega_lite_chart(
            pd.DataFrame(rows, columns=["row", "cell"]),
            legend_spec([_LEGEND[state] for state in states]),
            theme=None,  # else labels are pale in light colours
            width="content",
            key="coverage_legend_chart",
            alt="Legend: a tick is can see, stripes some of the set, empty cannot see, dots not known",
        )


def show_map(part: Coverage) -> None:
    """Draw the part of the coverage in a box of its own, which scrolls."""
    titles = [visible(column.title) for column in part.columns]
    tallest = head_px(titles) + len(part.items) * ROW_PX + ROW_PX
    with (
        st.container(height=min(tallest, _TALLEST_PX), key="coverage_map"),
        st.container(width=map_px(len(part.columns)), gap=None, key="coverage_map_whole"),
    ):
        _mount_scroll(key="coverage_scroll", height=1)
        with st.container(key="coverage_map_head"):
            st.vega_lite_chart(
                pd.DataFrame({"column": range(len(part.columns))}),
                head_spec(titles),
                theme=None,
                width="content",
                key="coverage_head",
                alt="The titles of the columns below",
            )
        st.vega_lite_chart(
            _table(part),
            cells_spec(
                [visible(title_of_item(item)) for item in part.items],
                columns=len(part.columns),
                tooltip=_tooltip(part),
            ),
            theme=None,
            width="content",
            key="coverage_cells",
            alt="Which recipients can see which items. The table says the same",
        )


def _tooltip(part: Coverage) -> list[str]:
    has_sets = any(column.is_set for column in part.columns)
    who = ["Set"] if has_sets else ["Recipient", "Recipient number"]
    return ["Item", "Item number", *who, "Answer", "Last read"]


def _table(part: Coverage) -> pd.DataFrame:
    rows = []
    for row, item in enumerate(part.items):
        own = (visible(title_of_item(item)), visible(item.item.supplier_item_id))
        read, link = last_read(item), _link_to(item)
        for number, column in enumerate(part.columns):
            cell = cell_of(item, column)
            who = (visible(column.title), visible(column.id))
            rows.append((row, number, cell.state.value, link + _of(column), *own, *who, cell.words, read))
    who_words = ["Set" if any(column.is_set for column in part.columns) else "Recipient", "Recipient number"]
    names = ["row", "column", "cell", "link", "Item", "Item number", *who_words, "Answer", "Last read"]
    return pd.DataFrame(rows, columns=names)


def _link_to(item: SeenItem) -> str:
    """Return the address of the item beside this page, also below a path of its own."""
    key = item.item
    return "./?" + urlencode(
        {"supplier": key.supplier, "item": key.supplier_item_id} | address_of_environment()
    )


def _of(column: MatrixColumn) -> str:
    """Return the recipient's part of the address; no address can hold half a character."""
    is_named = not column.is_set and showable(column.id) == column.id
    return "&" + urlencode({"recipient": column.id}) if is_named else ""
