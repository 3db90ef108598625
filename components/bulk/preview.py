"""The preview of a job: totals, items, recipients, and the button "Apply"."""

from collections.abc import Callable

import streamlit as st

from components.bulk.list_review import SKIPPED_SHOWN, note_applied, show_skipped_rows
from components.markdown_escape import described, plain, showable
from components.notices import error_as_notice, step_button
from components.table import choose_group, show_table
from item_visibility.model.job import ItemsShown, Job, JobItem
from item_visibility.model.large_changes import is_confirmed
from item_visibility.model.words import many, names_first
from item_visibility.use_cases.desk import Desk

REASON, SHOWN = "bulk_reason", "bulk_items_shown"
_TO_APPLY = "preview_page.to_apply"
_UNKNOWN = "preview_page.unknown"
_SHOWN = 200
_MINUS = "\N{MINUS SIGN}"
_ROWS = 500
_GROUPS: dict[ItemsShown, tuple[str, Callable[[Job], int]]] = {
    ItemsShown.CHANGES: ("To change", lambda job: job.changing),
    ItemsShown.LARGE_REMOVALS: ("Large removals", lambda job: job.large_removals),
    ItemsShown.REFUSED: ("Refused", lambda job: job.refused),
    ItemsShown.UNREAD: ("Not read", lambda job: job.unread),
    ItemsShown.NOTHING_TO_DO: ("Nothing to do", lambda job: job.nothing_to_do),
}
"""The groups of items in a preview, each with its label and the number of its items."""


def apply_once_read(key: str) -> None:
    """Make this window apply the job when its preview is ready, unless a decision is needed."""
    st.session_state[_TO_APPLY] = key


def show_preview(desk: Desk, job: Job, *, is_locked: bool) -> None:
    """Draw the totals, the items and the button "Apply", or apply the job that `apply_once_read` chose."""
    is_to_be_applied = st.session_state.get(_TO_APPLY) == job.key
    if is_to_be_applied:
        del st.session_state[_TO_APPLY]
    is_applicable = bool(job.changing) and not job.unread
    if (
        is_to_be_applied
        and is_applicable
        and not job.removals_to_confirm
        and not is_locked
    ):
        with error_as_notice("Nothing was applied."):
            _apply(desk, job.key, 0)
        st.rerun()
    _show_totals(desk, job)
    _show_items(desk, job)
    if not desk.access.allows_owner(job.person_key):
        return
    with st.bottom:
        _offer_apply(desk, job, is_off=is_locked or not is_applicable)


def _show_totals(desk: Desk, job: Job) -> None:
    st.markdown(
        f"**{plain(_changes(job))}** · "
        + plain(
            f"{many(job.item_count, 'item')} · {job.in_place:,} unchanged · nothing "
            "is sent yet"
        )
    )
    if job.skipped:
        words = f"{many(job.skipped, 'row')} of the list {'is' if job.skipped == 1 else 'are'} skipped."
        st.warning(plain(words), icon=":material/rule:")
    show_skipped_rows(
        desk.bulk.store.skipped_rows(job.key, limit=SKIPPED_SHOWN), job.skipped
    )
    if job.message:
        st.text(showable(job.message))
    if job.unread:
        words = f'{many(job.unread, "item")} could not be read. Press "Read again", then apply.'
        st.warning(plain(words), icon=":material/cloud_off:")
        if desk.access.allows_owner(job.person_key):
            step_button(
                "Read again", desk.bulk.resume, job.key, key="reread", icon="refresh"
            )
    else:
        _show_unknown(desk, job)
        if job.is_nothing_to_do:
            st.info(
                "Nothing to change: all items except refused ones already match the "
                "list.",
                icon=":material/check:",
            )
    if job.refused:
        words = f'{many(job.refused, "item")} cannot be changed: see "Refused".'
        st.warning(plain(words), icon=":material/block:")


def _changes(job: Job) -> str:
    return f"+{job.to_add:,} {_MINUS}{job.to_remove:,}"


def _show_unknown(desk: Desk, job: Job) -> None:
    if st.session_state.get(_UNKNOWN, ("",))[0] != job.key:
        st.session_state[_UNKNOWN] = job.key, desk.bulk.not_in_directory(job.key)
    _, rows = st.session_state[_UNKNOWN]
    if not rows:
        return
    st.warning("Some numbers are not in your directory.", icon=":material/help:")
    with st.expander(
        "Not in your directory", icon=":material/contact_support:", key="bulk_unknown"
    ):
        show_table(
            rows,
            ["What", "Number", "Supplier"],
            key="bulk_unknown_rows",
            alt="Items and recipients that are not in your directory",
            limit=_SHOWN,
        )


def _show_items(desk: Desk, job: Job) -> None:
    groups = {
        words: (shown, count(job))
        for shown, (words, count) in _GROUPS.items()
        if count(job)
    }
    if not groups:
        return
    shown, total = choose_group("Items to look at", groups, key=SHOWN)
    items = desk.bulk.store.items(job.key, after=-1, limit=_ROWS, shown=shown)
    picked = show_table(
        [_row(desk, one) for one in items],
        ["Name", "Item", "Supplier", "To add", "To remove", "Unchanged", "Remark"],
        key=f"bulk_items_{shown.name.lower()}",
        about=(job.key, [one.position for one in items]),
        alt="What would change, item by item",
        optional=("Name", "Remark"),
        choose="single-row",
        total=total,
    )
    if picked:
        _show_item(desk, items[picked[0]])
    else:
        st.caption("Choose a row to see its recipients.")


def _row(desk: Desk, one: JobItem) -> tuple[object, ...]:
    item, preview = one.intent.item, one.preview
    counts, remark = (0, 0, 0), "Not read yet"
    if preview is not None:
        counts = len(preview.add), len(preview.remove), len(preview.in_place)
        remark = preview.refusal
        if not remark and preview.is_large_removal:
            seeing = len(preview.current or ())
            remark = f"Large removal: {len(preview.remove)} of {seeing} would no longer see the item"
        elif not remark and not preview.current:
            remark = "Nobody can see the item now"
    return (
        desk.names.item_name(item),
        item.supplier_item_id,
        item.supplier,
        *counts,
        remark,
    )


def _show_item(desk: Desk, one: JobItem) -> None:
    item, preview = one.intent.item, one.preview
    st.markdown(
        f"**Item** {described(item.supplier_item_id, desk.names.item_name(item))}"
    )
    if preview is None:
        return
    names = desk.names.recipient_names(preview.add | preview.remove | preview.in_place)
    show_table(
        [
            (words, names.get(recipient_id, ""), recipient_id)
            for words, recipients in (
                ("Add", preview.add),
                ("Remove", preview.remove),
                ("Already in place", preview.in_place),
            )
            for recipient_id in names_first(recipients, names)
        ],
        ["Change", "Name", "Recipient"],
        key="bulk_item_recipients",
        alt="What would change for each recipient of the item",
        optional=("Name",),
    )


def _offer_apply(desk: Desk, job: Job, *, is_off: bool) -> None:
    count = job.removals_to_confirm
    if count and not is_off:
        words = f"{many(job.large_removals, 'item')} would lose most or all recipients: {many(count, 'removal')}."
        st.warning(
            plain(f"{words} Type {count} to confirm, then apply."),
            icon=":material/warning:",
        )
    if not is_off:
        with st.container(
            horizontal=True, vertical_alignment="bottom", key="bulk_asked"
        ):
            if count:
                st.text_input(
                    "Number of recipients to remove",
                    key=_count_key(job.key),
                    autocomplete="off",
                )
            st.text_input(
                "Why (optional)",
                key=REASON,
                placeholder="For the history, for example a ticket number",
                autocomplete="off",
            )
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_apply"):
        st.markdown(f"**{plain(_changes(job))}** · not applied yet", width="stretch")
        step_button(
            "Apply",
            _apply,
            desk,
            job.key,
            count,
            key="apply",
            icon="play_arrow",
            failed="Nothing was applied.",
            is_primary=True,
            is_off=is_off,
        )
        step_button("Cancel", desk.bulk.cancel, job.key, key="cancel", icon="close")


def _apply(desk: Desk, key: str, count: int) -> None:
    is_typed = bool(count) and is_confirmed(
        count, typed=st.session_state.get(_count_key(key), "")
    )
    reason = st.session_state.get(REASON, "").strip()
    desk.bulk.apply(key, confirmed_count=count if is_typed else None, reason=reason)
    note_applied(key)


def _count_key(key: str) -> str:
    return f"bulk_confirm_count_{key}"  # a number typed for another job does not count
