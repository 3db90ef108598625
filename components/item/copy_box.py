"""Copying the recipients of another item: choose it, look at the changes, stage them."""

from collections.abc import Callable

import streamlit as st

from components.clock import time_of_day
from components.item.window_drafts import keep_draft, kept_draft
from components.notices import Notice, keep_notice, kept_error
from components.verbatim import described, plain, verbatim
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.copies import item_meant, suggest_sources, with_copied, with_exactly_copied
from item_visibility.desk.use_cases import Desk
from item_visibility.jobs.preview import ReadItem

_TYPED = "copy_from"
_SOURCE = "copy_box.source"


def copy_recipients(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the choice of the other item. The same item in other markets comes first."""
    with st.container(border=True, key="copy_box"):
        st.text_input(
            "Copy recipients from",
            key=_TYPED,
            placeholder="Number of another item, or supplier and item",
            autocomplete="off",
            disabled=is_locked,
            on_change=_choose_typed,
            args=(desk, draft.item),
        )
        with st.container(horizontal=True, gap="xsmall", key="copy_suggestions"):
            for index, known in enumerate(suggest_sources(desk.names, draft.item)):
                label = described(known.id, " · ".join(filter(None, (known.name, known.hint))))
                other = ItemKey(draft.item.supplier, known.id)
                st.button(
                    label,
                    key=f"copy_suggest_{index}",
                    disabled=is_locked,
                    on_click=_choose,
                    args=(desk, draft.item, other),
                )
        source = _source(desk, draft.item)
        if source is not None:
            _offer(desk, draft, source, is_locked=is_locked)


def _offer(desk: Desk, draft: Draft, source: ReadItem, *, is_locked: bool) -> None:
    recipients = source.recipients or frozenset()
    new, extra = recipients - draft.wanted, draft.wanted - recipients
    counts = f"{len(recipients)} can see it, read at {time_of_day(source.read_at)}"
    changes = f"{len(new)} would be added, {len(extra)} are only here"
    st.markdown(f"{verbatim(source.item.supplier_item_id)} · {plain(counts)} · {plain(changes)}")
    with st.container(horizontal=True, key="copy_buttons"):
        st.button(
            "Add them",
            key="copy_add",
            disabled=is_locked or not new,
            on_click=_stage,
            args=(desk, draft.item, source, with_copied),
        )
        st.button(
            "Make it exactly these",
            key="copy_exactly",
            disabled=is_locked or not (new or extra),
            on_click=_stage,
            args=(desk, draft.item, source, with_exactly_copied),
        )


def _choose_typed(desk: Desk, item: ItemKey) -> None:
    text = st.session_state.get(_TYPED, "").strip()
    if text:
        _choose(desk, item, item_meant(desk.names, text, supplier=item.supplier))
    else:
        st.session_state.pop(_SOURCE, None)


def _choose(desk: Desk, item: ItemKey, other: ItemKey) -> None:
    """Read the other item now. Keep it until it is staged or another one is chosen."""
    st.session_state.pop(_SOURCE, None)
    with kept_error("The other item could not be read. Nothing was changed."):
        source = desk.read(other)
        if source.recipients:
            st.session_state[_SOURCE] = (desk.environment.name, item, source)
        else:
            keep_notice(Notice("Nobody can see the other item: there is nothing to copy."))


def _source(desk: Desk, item: ItemKey) -> ReadItem | None:
    """Return the item chosen as the source for this item in this environment, or None."""
    environment, target, source = st.session_state.get(_SOURCE, ("", None, None))
    is_for_this = (environment, target) == (desk.environment.name, item)
    return source if is_for_this else None


def _stage(desk: Desk, item: ItemKey, source: ReadItem, staged: Callable[[Draft, ReadItem], Draft]) -> None:
    """Stage the copy; nothing is sent before Save."""
    draft = kept_draft(desk, item)
    if draft is not None:
        keep_draft(desk, staged(draft, source))
    st.session_state.pop(_SOURCE, None)
    st.session_state[_TYPED] = ""
