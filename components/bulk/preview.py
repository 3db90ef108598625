"""The preview of a job: totals, items, recipients, and the button "Apply"."""

from collections.abc import Callable

import streamlit as st

from components import draw
from components.bulk.list_review import SKIPPED_SHOWN, note_applied, show_skipped_rows
from components.markdown_escape import described, showable
from components.notices import error_as_notice, step_button
from components.table import choose_group, show_table
from item_visibility.model.job import ItemPreview, ItemsShown, Job, JobItem
from item_visibility.model.large_changes import is_confirmed
from item_visibility.model.words import many, names_first
from item_visibility.use_cases.desk import Desk

REASON = "bulk_reason"
SHOWN = "bulk_items_shown"
_TO_APPLY = "preview.to_apply"
_UNKNOWN = "preview.unknown"
_UNKNOWN_SHOWN = 200
_ITEMS_SHOWN = 500
_MINUS = "\N{MINUS SIGN}"
_GROUPS: dict[ItemsShown, tuple[str, Callable[[Job], int]]] = {
    ItemsShown.CHANGES: ("To change", lambda job: job.changing),
    ItemsShown.LARGE_REMOVALS: ("Large removals", lambda job: job.large_removals),
    ItemsShown.REFUSED: ("Refused", lambda job: job.refused),
    ItemsShown.UNREAD: ("Not read", lambda job: job.unread),
    ItemsShown.NOTHING_TO_DO: ("Nothing to do", lambda job: job.nothing_to_do),
}
"""The groups of items in a preview, each with its label and the number of its items."""


def apply_once_read(key: str) -> None:
    """Make this window apply the job when its preview is ready.

    It is not applied if it needs a decision.
    """
    st.session_state[_TO_APPLY] = key


def show_preview(desk: Desk, job: Job, *, is_locked: bool) -> None:
    """Draw the totals, the items and the button "Apply".

    Apply the job instead if `apply_once_read` chose it.
    """
    is_applicable = bool(job.changing) and not job.unread and not is_locked
    if st.session_state.get(_TO_APPLY) == job.key:
        del st.session_state[_TO_APPLY]
        if is_applicable and not job.removals_to_confirm:
            with error_as_notice("Nothing was applied."):
                _apply(desk, job.key, 0)
            st.rerun()

    _show_totals(desk, job)
    _show_items(desk, job)
    if desk.access.allows_owner(job.person_key):
        with st.bottom:
            _offer_apply(desk, job, is_off=not is_applicable)


def _show_totals(desk: Desk, job: Job) -> None:
    draw.markdown(
        "**{}** · {} · {:,} unchanged · nothing is sent yet",
        _changes(job),
        many(job.item_count, "item"),
        job.in_place,
    )

    # Rows of the list that are not part of the job.
    if job.skipped:
        draw.warning(
            "{} of the list {} skipped.",
            many(job.skipped, "row"),
            "is" if job.skipped == 1 else "are",
            icon=":material/rule:",
        )
    skipped = desk.bulk.store.skipped_rows(job.key, limit=SKIPPED_SHOWN)
    show_skipped_rows(skipped, job.skipped)
    if job.message:
        st.text(showable(job.message))

    # Items that need a look before the job is applied.
    if job.unread:
        _offer_to_read_again(desk, job)
    else:
        _show_unknown(desk, job)
        if job.is_nothing_to_do:
            draw.info(
                "Nothing to change: all items except refused ones already match the "
                "list.",
                icon=":material/check:",
            )
    if job.refused:
        draw.warning(
            '{} cannot be changed: see "Refused".',
            many(job.refused, "item"),
            icon=":material/block:",
        )


def _offer_to_read_again(desk: Desk, job: Job) -> None:
    draw.warning(
        '{} could not be read. Press "Read again", then apply.',
        many(job.unread, "item"),
        icon=":material/cloud_off:",
    )
    if desk.access.allows_owner(job.person_key):
        step_button(
            "Read again", desk.bulk.resume, job.key, key="reread", icon="refresh"
        )


def _changes(job: Job) -> str:
    return f"+{job.to_add:,} {_MINUS}{job.to_remove:,}"


def _show_unknown(desk: Desk, job: Job) -> None:
    # Look the numbers up once for each job.
    key, rows = st.session_state.get(_UNKNOWN, ("", ()))
    if key != job.key:
        rows = desk.bulk.not_in_directory(job.key)
        st.session_state[_UNKNOWN] = job.key, rows
    if not rows:
        return

    draw.warning("Some numbers are not in your directory.", icon=":material/help:")
    with st.expander(
        "Not in your directory", icon=":material/contact_support:", key="bulk_unknown"
    ):
        show_table(
            rows,
            ["What", "Number", "Supplier"],
            key="bulk_unknown_rows",
            alt="Items and recipients that are not in your directory",
            limit=_UNKNOWN_SHOWN,
        )


def _show_items(desk: Desk, job: Job) -> None:
    groups = {}
    for shown, (label, count) in _GROUPS.items():
        total = count(job)
        if total:
            groups[label] = shown, total
    if not groups:
        return

    shown, total = choose_group("Items to look at", groups, key=SHOWN)
    items = desk.bulk.store.items(job.key, after=-1, limit=_ITEMS_SHOWN, shown=shown)
    picked = show_table(
        [_row(desk, item) for item in items],
        ["Name", "Item", "Supplier", "To add", "To remove", "Unchanged", "Remark"],
        key=f"bulk_items_{shown.name.lower()}",
        about=(job.key, [item.position for item in items]),
        alt="What would change, item by item",
        optional=("Name", "Remark"),
        choose="single-row",
        total=total,
    )
    if picked:
        _show_item(desk, items[picked[0]])
    else:
        draw.caption("Choose a row to see its recipients.")


def _row(desk: Desk, job_item: JobItem) -> tuple[object, ...]:
    item = job_item.intent.item
    preview = job_item.preview
    counts = (0, 0, 0)
    if preview is not None:
        counts = (len(preview.add), len(preview.remove), len(preview.in_place))
    return (
        desk.names.item_name(item),
        item.supplier_item_id,
        item.supplier,
        *counts,
        _remark(preview),
    )


def _remark(preview: ItemPreview | None) -> str:
    if preview is None:
        return "Not read yet"
    if preview.refusal:
        return preview.refusal
    current = preview.current or ()
    if preview.is_large_removal:
        return (
            f"Large removal: {len(preview.remove)} of {len(current)} would no longer "
            "see the item"
        )
    return "" if current else "Nobody can see the item now"


def _show_item(desk: Desk, job_item: JobItem) -> None:
    item = job_item.intent.item
    preview = job_item.preview
    name = desk.names.item_name(item)
    draw.markdown("**Item** {}", described(item.supplier_item_id, name))
    if preview is None:
        return

    names = desk.names.recipient_names(preview.add | preview.remove | preview.in_place)
    changes = {
        "Add": preview.add,
        "Remove": preview.remove,
        "Already in place": preview.in_place,
    }
    rows = []
    for change, recipients in changes.items():
        rows += [
            (change, names.get(recipient_id, ""), recipient_id)
            for recipient_id in names_first(recipients, names)
        ]
    show_table(
        rows,
        ["Change", "Name", "Recipient"],
        key="bulk_item_recipients",
        alt="What would change for each recipient of the item",
        optional=("Name",),
    )


def _offer_apply(desk: Desk, job: Job, *, is_off: bool) -> None:
    count = job.removals_to_confirm

    # Ask for the number of removals, and for a reason.
    if count and not is_off:
        draw.warning(
            "{items} would lose most or all recipients: {removals}. Type {count} to "
            "confirm, then apply.",
            items=many(job.large_removals, "item"),
            removals=many(count, "removal"),
            count=count,
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
        draw.markdown("**{}** · not applied yet", _changes(job))
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
    typed = st.session_state.get(_count_key(key), "")
    is_typed = bool(count) and is_confirmed(count, typed=typed)
    reason = st.session_state.get(REASON, "").strip()
    desk.bulk.apply(key, confirmed_count=count if is_typed else None, reason=reason)
    note_applied(key)


def _count_key(key: str) -> str:
    # The job's key is part of it: a number typed for another job does not count.
    return f"bulk_confirm_count_{key}"
