"""The history: the filter, the entries that it finds, and an item's list on a past day."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial

import streamlit as st

from components.address import (
    HISTORY_PAGE,
    ITEM_PAGE,
    address_of_item,
    link_to,
    unread_visit,
)
from components.clock import (
    full_time,
    local_zone,
    start_of_day,
    time_column,
    time_of_day,
)
from components.downloads import offer_downloads, offer_ticket
from components.finder.search_fields import ChoiceField, choose_one, chosen_one, put_one
from components.item.form import ItemForm
from components.item.open_and_save import ask_undo, ask_undo_when_open
from components.item.save_result import show_steps
from components.markdown_escape import described, listed, plain, showable, verbatim
from components.notices import show_problem, step_button
from components.table import show_table
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeKind
from item_visibility.model.change_words import by_whom
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import HistoryEntry, OthersChanges, Verdict
from item_visibility.model.words import many, names_first
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.history import HistoryFilter, HistoryLine
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_file, write_history
from item_visibility.use_cases.history import day_of_item
from item_visibility.use_cases.ticket import ticket_of_save

LINES, _LINES_OF_ITEM = 200, 10
_ENTRY = "entry"
_WEEK = timedelta(days=6)
"""The button "Last 7 days" finds the changes of today and of the six days before."""
_KINDS = {
    ChangeKind.EDIT: "Change",
    ChangeKind.UNDO: "Undo",
    ChangeKind.OBSERVED: "Made elsewhere",
    ChangeKind.BULK: "Bulk job",
}
_VERDICTS = {
    Verdict.VERIFIED: "Verified",
    Verdict.NOT_CONFIRMED: "Not confirmed",
    Verdict.DIFFERS: "Not everything",
    Verdict.NOTHING_SENT: "Nothing changed",
}
_OPEN = "Not known yet"
_COLUMNS = {
    "Item": st.column_config.TextColumn("Item", width="medium"),
    "Change": st.column_config.TextColumn("Change", width=260),
    "Who": st.column_config.TextColumn("Who", width=120),
    "Outcome": st.column_config.TextColumn("Outcome", width=115),
    "Kind": st.column_config.TextColumn("Kind", width=115),
    "Supplier": st.column_config.TextColumn("Supplier", width=150),
    "Why": st.column_config.TextColumn("Why", width="medium"),
}
_OF_ITEM = ("Item", "Supplier", "Item number", "Supplier number")
_MINUS = "\N{MINUS SIGN}"


def filter_history(desk: Desk) -> HistoryFilter:
    """Draw the filter and return it."""

    def pick(kind: Kind, supplier: str | None = None) -> str:
        key, query, needs_supplier = f"history_{kind.value}", kind.value, supplier == ""
        if (visit := unread_visit(key)) is not None:
            put_one(key, visit.first(query))
        number = choose_one(
            desk,
            ChoiceField(kind, key, supplier),
            label=plain(kind.value.capitalize()),
            placeholder="First choose a supplier"
            if needs_supplier
            else plain(f"Any {kind.value}"),
            is_off=needs_supplier and not chosen_one(key),
        )
        if number != st.query_params.get(
            query, ""
        ):  # every write adds a step to the browser's history
            if number:
                st.query_params[query] = number
            else:
                del st.query_params[query]
        return number

    def select(label: str, key: str, options: Sequence[str]) -> str | None:
        return st.selectbox(
            plain(label),
            options,
            index=None,
            key=key,
            bind="query-params",
            placeholder="Any",
        )

    with st.container(key="history_filter"):
        columns = st.columns(4)
        person = columns[0].text_input(
            "By", key="person", bind="query-params", placeholder="Anybody"
        )
        with columns[1]:
            supplier = pick(Kind.SUPPLIER)
        with columns[2]:
            item = pick(Kind.ITEM, supplier)
        with columns[3]:
            recipient = pick(Kind.RECIPIENT)
        with st.container(horizontal=True):
            update, today = st.session_state.update, datetime.now(local_zone()).date()
            week, mine = (
                {"since": today - _WEEK, "until": None},
                {"person": desk.access.person().name},
            )
            step_button(
                "Last 7 days", update, week, key="history_week", icon="date_range"
            )
            step_button("Mine", update, mine, key="history_mine", icon="person")
            with st.popover(
                "More filters", icon=":material/filter_alt:", key="history_more"
            ):
                outcome = select("Outcome", "outcome", (*_VERDICTS.values(), _OPEN))
                kind = select("Kind of change", "kind", tuple(_KINDS.values()))
                since = st.date_input(
                    "From day", value=None, key="since", bind="query-params"
                )
                until = st.date_input(
                    "To day", value=None, key="until", bind="query-params"
                )
    return HistoryFilter(
        person=person or None,
        supplier=supplier or None,
        item=ItemKey(supplier, item) if supplier and item else None,
        recipient_id=recipient or None,
        verdict=next(
            (one for one, words in _VERDICTS.items() if words == outcome), None
        ),
        is_open=outcome == _OPEN,
        kind=next((one for one, words in _KINDS.items() if words == kind), None),
        since=None if since is None else start_of_day(since),
        until=None
        if until is None or until == date.max
        else start_of_day(until + timedelta(days=1)),
    )


def list_history(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the newest entries that the filter finds, and below them the opened entry."""
    lines = desk.records.history.lines(wanted, limit=LINES + 1)
    if not lines:
        words = "No change matches these filters. Clear one of them."
        if wanted == HistoryFilter():
            words = "No change is recorded yet. Saves on an item appear here."
        st.info(words, icon=":material/info:")
    else:
        if chosen := _show_lines(desk, lines[:LINES]):
            st.query_params[_ENTRY] = chosen
        if len(lines) > LINES:
            st.caption(
                plain(
                    f"The newest {LINES} are shown. To find older ones, filter or "
                    "download all."
                )
            )
        make = partial(
            export_file, desk, lambda: write_history(desk.records.history.all(wanted))
        )
        file = ("XLSX", "history.xlsx", make)
        offer_downloads([file], key="history")
    if wanted.item is not None:
        _show_day(desk, wanted.item)
    entry = desk.records.history.entry(st.query_params.get(_ENTRY, ""))
    if entry is None:
        if lines:
            st.caption("Choose a row to see the details of the change or to undo it.")
    elif _show_entry(desk, entry):
        item = entry.request.item
        ask_undo_when_open(item, entry.request.key)
        st.switch_page(ITEM_PAGE, query_params=address_of_item(item))


@st.fragment
def show_item_history(desk: Desk, form: ItemForm) -> None:
    """Draw the last entries of the open item in an expander."""
    history = st.expander(
        "History of this item",
        icon=":material/history:",
        key="item_history",
        on_change="rerun",
    )
    if not history.open:
        return
    with history:
        item = form.item
        wanted = HistoryFilter(item=item)
        try:
            lines = desk.records.history.lines(wanted, limit=_LINES_OF_ITEM)
        except RecordsError:
            st.warning(
                "The history of this item could not be read.",
                icon=":material/history_off:",
            )
            return
        if not lines:
            st.caption("No changes to this item are known yet.")
            return
        opened = _show_lines(desk, lines, leave_out=_OF_ITEM)
        entry = or_else(None, lambda: desk.records.history.entry(opened))
        if entry is not None and _show_entry(desk, entry):
            ask_undo(desk, form, opened)
            st.rerun()
        link_to(
            HISTORY_PAGE,
            "All changes and export",
            "open_in_full",
            address_of_item(item),
        )


def _show_lines(
    desk: Desk, lines: Sequence[HistoryLine], *, leave_out: Sequence[str] = ()
) -> str:
    held = desk.names.held()
    suppliers = held.supplier_names(line.item.supplier for line in lines)
    names = held.recipient_names(
        {one for line in lines for one in (*line.added_ids, *line.removed_ids)}
    )
    columns = (
        "When",
        "Item",
        "Who",
        "Change",
        "Outcome",
        "Kind",
        "Supplier",
        "Why",
        *_OF_ITEM[2:],
    )
    rows = [
        (
            line.started_at,
            held.item_title(line.item),
            by_whom(line.kind, line.person),
            _change(line, names),
            _outcome_words(line.kind, line.verdict, line.ended_at),
            _KINDS[line.kind],
            suppliers.get(line.item.supplier, ""),
            line.reason,
            line.item.supplier_item_id,
            line.item.supplier,
        )
        for line in lines
    ]
    shown = [at for at, name in enumerate(columns) if name not in leave_out]
    picked = show_table(
        [[row[at] for at in shown] for row in rows],
        [columns[at] for at in shown],
        key="history",
        about=[line.key for line in lines],
        alt="History of changes, newest first",
        config=_COLUMNS | {"When": time_column("When")},
        optional=("Why", "Supplier"),
        choose="single-row",
    )
    return next((lines[at].key for at in picked), "")


def _change(line: HistoryLine, names: Mapping[str, str]) -> str:
    parts = []
    for sign, ids, count in (
        ("+", line.added_ids, line.added),
        (_MINUS, line.removed_ids, line.removed),
    ):
        if ids:
            who = ", ".join(names.get(one) or one for one in names_first(ids, names))
            more = f" and {count - len(ids):,} more" if count > len(ids) else ""
            parts.append(f"{sign} {who}{more}")
    return ", ".join(parts)


def _outcome_words(
    kind: ChangeKind, verdict: Verdict | None, ended_at: datetime | None
) -> str:
    if kind is ChangeKind.OBSERVED:
        return "Seen by a read"
    return _OPEN if verdict is None or ended_at is None else _VERDICTS[verdict]


def _show_day(desk: Desk, item: ItemKey) -> None:
    day = st.date_input(
        "Who could see the item on …", value=None, key="history_day", width=260
    )
    if day is None:
        return
    start, end = start_of_day(day), start_of_day(day + timedelta(days=1))
    past = day_of_item(desk.records.history, item, start=start, end=end)
    if past is None:
        st.info(
            "The history of this item starts after this day.", icon=":material/info:"
        )
        return
    spans, names = past.spans, desk.names.recipient_names(past.spans)
    st.markdown(
        f"**{plain(many(len(spans), 'recipient'))}** · "
        f"{plain(f'last read {time_of_day(past.read_at)}')}"
    )
    show_table(
        [
            (
                names.get(one, ""),
                one,
                time_of_day(since)
                if (since := spans[one][0]) and since >= start
                else "",
                time_of_day(until) if (until := spans[one][1]) and until < end else "",
            )
            for one in names_first(spans, names)
        ],
        ["Name", "Recipient", "Since", "Until"],
        key="history_day_table",
        alt="Who could see the item on that day",
        optional=("Name", "Since", "Until"),
    )
    st.caption(
        "A change that was made elsewhere has the time of the first read that found it."
    )


def _show_entry(desk: Desk, entry: HistoryEntry) -> bool:
    """Draw the entry with its details.

    Return True if the button that undoes or redoes it was pressed.
    """
    request, result = entry.request, entry.result
    ended_at, after = (result.ended_at, result.after) if result else (None, None)
    begun, seen_before = entry.started_at, entry.seen_before_at
    words = plain(_outcome_words(request.kind, entry.verdict, ended_at))
    when = f"{plain(time_of_day(begun))} · **{words}**"
    if seen_before is not None:
        when = plain(f"Between {time_of_day(seen_before)} and {time_of_day(begun)}")
    elif ended_at is None:
        when = f"{plain(f'Started {time_of_day(begun)}')} · {words}"
    until = f" to {full_time(ended_at)}" if ended_at else ""
    others = result.others if result else OthersChanges()
    with st.container(border=True, key="history_entry"):
        st.header(
            f"{plain(_KINDS[request.kind])} · "
            f"{plain(by_whom(request.kind, request.person))}",
            anchor=False,
        )
        supplier = described(
            request.item.supplier,
            desk.names.chosen(Kind.SUPPLIER, request.item.supplier).name,
        )
        item = described(
            request.item.supplier_item_id, desk.names.item_name(request.item)
        )
        st.markdown(
            f"{when}  \nItem {item} of supplier {supplier} at {verbatim(entry.service)}"
        )
        lists = f"recipients: {_count(request.base)} before, {_count(after)} after"
        st.caption(plain(f"{full_time(seen_before or begun)}{until} · {lists}"))
        if request.reason:
            st.text(f"Why: {showable(request.reason)}")
        if entry.was_settled_later:
            st.caption(
                "The program stopped during this save. The outcome was found later."
            )
        for line in filter(None, (result.message, result.advice) if result else ()):
            st.text(showable(line))
        show_steps(desk, entry.steps, key="history_steps")
        show_problem(
            next((one.problem for one in entry.steps if one.problem is not None), None)
        )
        names = desk.names.recipient_names(others.added | others.removed)
        for verb, recipients in (("Added", others.added), ("Removed", others.removed)):
            if recipients:
                st.markdown(f"{verb} meanwhile: {listed(recipients, names)}")
        with st.container(horizontal=True, key="entry_buttons"):
            is_undo_pressed = False
            if entry.is_undoable and not desk.is_locked:
                verb = "redo" if request.kind is ChangeKind.UNDO else "undo"
                label = plain(f"{verb.capitalize()} this change")
                is_undo_pressed = st.button(
                    label, key="undo_entry", icon=f":material/{verb}:"
                )
            offer_ticket(lambda: ticket_of_save(desk, request.key), key="entry")
    return is_undo_pressed


def _count(recipients: frozenset[str] | None) -> str:
    return "not known" if recipients is None else f"{len(recipients):,}"
