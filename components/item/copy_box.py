"""Copying the recipients of another item: choose it, look at the changes, stage them."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.clock import time_of_day
from components.finder.combobox import Act, Field, act_subject, find_one, take_acts
from components.finder.one_choice import meant
from components.item.window_drafts import keep_draft, kept_draft
from components.notices import Notice, keep_notice, kept_error
from components.verbatim import called, plain, verbatim
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.copies import read_source, suggest_sources, with_copied, with_exactly_copied
from item_visibility.desk.directory import Kind
from item_visibility.desk.finder.entered_one import EnteredOne
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.use_cases import Desk
from item_visibility.jobs.preview import ReadItem

_FIELD = "copy_from"
_ASKED = "copy_box.asked"
_SOURCE = "copy_box.source"


def copy_recipients(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the choice of the other item. The same item in other markets comes first."""
    with st.container(border=True, key="copy_box"):
        source = _source(desk, draft.item)
        find_one(
            desk.finder,
            Field(
                kind=Kind.ITEM,
                label="Copy recipients from",
                key=_FIELD,
                placeholder="Name or number of another item, or supplier and item",
                about=act_subject(desk, draft.item),
                is_off=is_locked,
                on_acts=partial(_take_in, desk, draft.item),
            ),
            chosen=_choice(desk, source),
            asked=_asked(desk, draft.item)[1],
            supplier=draft.item.supplier,
        )
        with st.container(horizontal=True, gap="xsmall", key="copy_suggestions"):
            for index, known in enumerate(suggest_sources(desk.names, draft.item)):
                label = called(known.id, known.name, market=known.hint)
                other = ItemKey(draft.item.supplier, known.id)
                st.button(
                    label,
                    key=f"copy_suggest_{index}",
                    disabled=is_locked,
                    on_click=_choose,
                    args=(desk, draft.item, other),
                )
        if source is not None:
            _offer(desk, draft, source, is_locked=is_locked)


def _offer(desk: Desk, draft: Draft, source: ReadItem, *, is_locked: bool) -> None:
    recipients = source.recipients or frozenset()
    new, extra = recipients - draft.wanted, draft.wanted - recipients
    counts = f"{len(recipients):,} can see it, read {time_of_day(source.read_at)}"
    changes = f"{len(new):,} would be added, {len(extra):,} are only here"
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


def _choice(desk: Desk, source: ReadItem | None) -> Choice | None:
    if source is None:
        return None
    other = source.item
    return desk.finder.chosen(Kind.ITEM, other.supplier_item_id, supplier=other.supplier)


def _asked(desk: Desk, item: ItemKey) -> tuple[str, EnteredOne | None]:
    """Return the text that the person is asked about, if any, and the supplier whose item it may be."""
    about, supplier, asked = st.session_state.get(_ASKED, ("", "", None))
    return (supplier, asked) if about == act_subject(desk, item) else (item.supplier, None)


def _take_in(desk: Desk, item: ItemKey) -> None:
    take_acts(_FIELD, about=act_subject(desk, item), take=partial(_do, desk, item))


def _do(desk: Desk, item: ItemKey, act: Act) -> None:
    """Read the item that was chosen. A text that no item is called by is asked about, and nothing is read."""
    supplier, asked = _asked(desk, item)
    st.session_state.pop(_SOURCE, None)
    st.session_state.pop(_ASKED, None)
    if act.what == "entered":
        supplier, entered = read_source(desk.finder, desk.names, act.text.strip(), supplier=item.supplier)
    else:
        supplier = supplier if asked is not None and act.text == asked.asked else item.supplier
        entered = meant(desk.finder, Kind.ITEM, act, supplier=supplier)
    if entered.asked:
        st.session_state[_ASKED] = (act_subject(desk, item), supplier, entered)
    elif entered.number:
        _choose(desk, item, ItemKey(supplier, entered.number))


def _choose(desk: Desk, item: ItemKey, other: ItemKey) -> None:
    """Read the other item now. Keep it until it is staged or another one is chosen."""
    st.session_state.pop(_SOURCE, None)
    with kept_error("The other item could not be read. Nothing was changed."):
        source = desk.read(other)
        if source.recipients:
            st.session_state[_SOURCE] = (desk.environment.name, item, source)
        elif desk.names.is_known_item(other):
            keep_notice(Notice("Nobody can see the other item: there is nothing to copy."))
        else:
            keep_notice(
                Notice(
                    "There is nothing to copy: the other item is not in your directory. Is the number right?"
                )
            )


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
