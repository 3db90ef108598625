"""The export: a file with many items and the recipients that can see them."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components import draw
from components.bulk.list_form import Source
from components.downloads import offer_download
from components.finder.search_fields import ChoiceField, choose_one
from components.markdown_escape import phrase
from components.notices import show_error
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.writer import FileKind
from item_visibility.model.known_ids import Kind
from item_visibility.model.words import many
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import (
    ExportRun,
    items_in,
    known_items,
    start_export,
)

ITEMS = "export_items"
SUPPLIER = "export_supplier"
KIND = "export_format"
RUN = "export_box.run"
_OF_LIST = "Items in the list above"
_OF_SUPPLIER = "Known items of a supplier"
_KNOWN = "All known items"
_KINDS = {kind.words: kind for kind in FileKind}

_Items = Callable[[], tuple[ItemKey, ...]]


def export_items(desk: Desk, source: Source | None) -> None:
    """Draw the choice of items, the progress and the file."""
    with st.expander(
        "Export who can see items", icon=":material/download:", key="bulk_export"
    ):
        with st.container(
            horizontal=True, vertical_alignment="bottom", key="export_choices"
        ):
            items = _choose_items(desk, source)
            kind = _KINDS[st.selectbox("File", tuple(_KINDS), key=KIND)]
            is_pressed = st.button(
                "Export",
                key="export",
                icon=":material/table_view:",
                disabled=items is None,
            )
        draw.caption("The export reads each item now, and changes nothing.")
        if is_pressed and items is not None:
            _start(desk, items, kind)
        _show_run()


def _show_run() -> None:
    """Draw the last export of this window: its error, its progress or its file."""
    run: ExportRun | ItemVisibilityError | None = st.session_state.get(RUN)
    if run is None:
        return
    error = run.error if isinstance(run, ExportRun) else run
    if error is not None:
        show_error("No file was made. Nothing was changed.", error, key="export_error")
    elif isinstance(run, ExportRun) and run.has_ended:
        _offer_file(run)
    elif isinstance(run, ExportRun):
        _follow(run)


def _offer_file(run: ExportRun) -> None:
    draw.markdown("{} of {}", many(run.rows, "row"), many(run.total, "item"))
    if run.unseen_items:
        draw.caption(
            "Items left out of the file because they have no recipients: {:,}",
            run.unseen_items,
        )
    offer_download(
        f"Download the export ({run.kind.words})",
        run.kind.file_name("visibilities"),
        lambda: run.content,
        key="export_file",
    )


def _choose_items(desk: Desk, source: Source | None) -> _Items | None:
    choices = [_KNOWN, _OF_SUPPLIER]
    if source is not None:
        choices.insert(0, _OF_LIST)
    choice = st.selectbox("Items", choices, key=ITEMS)

    if choice == _KNOWN:
        return partial(known_items, desk)
    if choice == _OF_LIST and source is not None:
        return partial(items_in, source.bulk_list, supplier=source.fixed.supplier)
    supplier = choose_one(
        desk, ChoiceField(Kind.SUPPLIER, SUPPLIER), label="Supplier of the items"
    )
    if not supplier:
        return None
    return partial(known_items, desk, supplier)


def _start(desk: Desk, items: _Items, kind: FileKind) -> None:
    earlier = st.session_state.get(RUN)
    if isinstance(earlier, ExportRun):
        earlier.stop()
    try:
        st.session_state[RUN] = start_export(desk, items(), kind)
    except ItemVisibilityError as error:
        st.session_state[RUN] = error


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow(run: ExportRun) -> None:
    if run.has_ended:
        st.rerun()
    st.progress(
        run.read / max(run.total, 1),
        text=phrase("{:,} of {} read", run.read, many(run.total, "item")),
    )
    st.button(
        "Stop the export",
        key="export_stop",
        icon=":material/cancel:",
        on_click=run.stop,
    )
