"""The history: the filter, the entries found, and an item's list on a past day."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial

import streamlit as st

from components import draw
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
from components.markdown_escape import (
    Markdown,
    as_code,
    described,
    escaped,
    listed,
    phrase,
    showable,
)
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

LINES = 200
_LINES_OF_ITEM = 10
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
_COLUMNS_SHOWN = (
    "When",
    "Item",
    "Who",
    "Change",
    "Outcome",
    "Kind",
    "Supplier",
    "Why",
    "Item number",
    "Supplier number",
)
_OF_ITEM = ("Item", "Supplier", "Item number", "Supplier number")
_MINUS = "\N{MINUS SIGN}"


def filter_history(desk: Desk) -> HistoryFilter:
    """Draw the filter and return it."""
    with st.container(key="history_filter"):
        columns = st.columns(4)
        person = columns[0].text_input(
            "By", key="person", bind="query-params", placeholder="Anybody"
        )
        with columns[1]:
            supplier = _pick(desk, Kind.SUPPLIER)
        with columns[2]:
            item = _pick(desk, Kind.ITEM, supplier)
        with columns[3]:
            recipient = _pick(desk, Kind.RECIPIENT)

        with st.container(horizontal=True):
            _offer_shortcuts(desk)
            with st.popover(
                "More filters", icon=":material/filter_alt:", key="history_more"
            ):
                outcome = _select("Outcome", "outcome", (*_VERDICTS.values(), _OPEN))
                kind = _select("Kind of change", "kind", tuple(_KINDS.values()))
                since = st.date_input(
                    "From day", value=None, key="since", bind="query-params"
                )
                until = st.date_input(
                    "To day", value=None, key="until", bind="query-params"
                )

    verdicts = {words: verdict for verdict, words in _VERDICTS.items()}
    kinds = {words: kind_of_change for kind_of_change, words in _KINDS.items()}
    until_at = None
    # There is no day after the last one that a date can have.
    if until is not None and until != date.max:
        until_at = start_of_day(until + timedelta(days=1))
    return HistoryFilter(
        person=person or None,
        supplier=supplier or None,
        item=ItemKey(supplier, item) if supplier and item else None,
        recipient_id=recipient or None,
        verdict=verdicts.get(outcome or ""),
        is_open=outcome == _OPEN,
        kind=kinds.get(kind or ""),
        since=start_of_day(since) if since is not None else None,
        until=until_at,
    )


def _pick(desk: Desk, kind: Kind, supplier: str | None = None) -> str:
    """Draw a field whose id is in the address. Return the id.

    Without a supplier, an item cannot be chosen: `supplier` is then empty.
    """
    key = f"history_{kind.value}"
    parameter = kind.value
    visit = unread_visit(key)
    if visit is not None:
        put_one(key, visit.first(parameter))

    placeholder = f"Any {kind.value}"
    is_off = False
    if supplier == "":
        placeholder = "First choose a supplier"
        is_off = not chosen_one(key)
    number = choose_one(
        desk,
        ChoiceField(kind, key, supplier),
        label=kind.value.capitalize(),
        placeholder=placeholder,
        is_off=is_off,
    )
    # Write only if it differs: every write adds a step to the browser's history.
    if number != st.query_params.get(parameter, ""):
        if number:
            st.query_params[parameter] = number
        else:
            del st.query_params[parameter]
    return number


def _select(label: str, key: str, options: Sequence[str]) -> str | None:
    return st.selectbox(
        escaped(label),
        options,
        index=None,
        key=key,
        bind="query-params",
        placeholder="Any",
    )


def _offer_shortcuts(desk: Desk) -> None:
    today = datetime.now(local_zone()).date()
    step_button(
        "Last 7 days",
        st.session_state.update,
        {"since": today - _WEEK, "until": None},
        key="history_week",
        icon="date_range",
    )
    step_button(
        "Mine",
        st.session_state.update,
        {"person": desk.access.person().name},
        key="history_mine",
        icon="person",
    )


def list_history(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the newest entries that the filter finds, and the opened entry."""
    lines = desk.records.history.lines(wanted, limit=LINES + 1)
    if lines:
        _show_found(desk, lines, wanted)
    else:
        hint = "No change matches these filters. Clear one of them."
        if wanted == HistoryFilter():
            hint = "No change is recorded yet. Saves on an item appear here."
        draw.info("{}", hint, icon=":material/info:")
    if wanted.item is not None:
        _show_day(desk, wanted.item)

    # Draw the opened entry, and go to its item if its undo was pressed.
    entry = desk.records.history.entry(st.query_params.get(_ENTRY, ""))
    if entry is None:
        if lines:
            draw.caption("Choose a row to see the details of the change or to undo it.")
    elif _show_entry(desk, entry):
        item = entry.request.item
        ask_undo_when_open(item, entry.request.key)
        st.switch_page(ITEM_PAGE, query_params=address_of_item(item))


def _show_found(
    desk: Desk, lines: Sequence[HistoryLine], wanted: HistoryFilter
) -> None:
    chosen = _show_lines(desk, lines[:LINES])
    if chosen:
        st.query_params[_ENTRY] = chosen
    if len(lines) > LINES:
        draw.caption(
            "The newest {} are shown. To find older ones, filter or download all.",
            LINES,
        )

    def write() -> bytes:
        return write_history(desk.records.history.all(wanted))

    make = partial(export_file, desk, write)
    offer_downloads([("XLSX", "history.xlsx", make)], key="history")


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
        lines = _lines_of_item(desk, form.item)
        if not lines:
            return
        chosen = _show_lines(desk, lines, leave_out=_OF_ITEM)
        entry = or_else(None, lambda: desk.records.history.entry(chosen))
        if entry is not None and _show_entry(desk, entry):
            ask_undo(desk, form, chosen)
            st.rerun()
        link_to(
            HISTORY_PAGE,
            "All changes and export",
            "open_in_full",
            address_of_item(form.item),
        )


def _lines_of_item(desk: Desk, item: ItemKey) -> Sequence[HistoryLine]:
    """Return the last changes of the item. Say so if there are none."""
    try:
        lines = desk.records.history.lines(
            HistoryFilter(item=item), limit=_LINES_OF_ITEM
        )
    except RecordsError:
        draw.warning(
            "The history of this item could not be read.",
            icon=":material/history_off:",
        )
        return ()
    if not lines:
        draw.caption("No changes to this item are known yet.")
    return lines


def _show_lines(
    desk: Desk, lines: Sequence[HistoryLine], *, leave_out: Sequence[str] = ()
) -> str:
    """Draw the lines. Return the key of the chosen one, or an empty text."""
    held = desk.names.held()
    suppliers = held.supplier_names(line.item.supplier for line in lines)
    recipients: set[str] = set()
    for line in lines:
        recipients.update(line.added_ids, line.removed_ids)
    names = held.recipient_names(recipients)

    rows = [
        (
            line.started_at,
            held.item_title(line.item),
            by_whom(line.kind, line.person),
            _change(line, names),
            _outcome_words(line.kind, line.verdict),
            _KINDS[line.kind],
            suppliers.get(line.item.supplier, ""),
            line.reason,
            line.item.supplier_item_id,
            line.item.supplier,
        )
        for line in lines
    ]
    indexes = [
        index for index, name in enumerate(_COLUMNS_SHOWN) if name not in leave_out
    ]
    picked = show_table(
        [[row[index] for index in indexes] for row in rows],
        [_COLUMNS_SHOWN[index] for index in indexes],
        key="history",
        about=[line.key for line in lines],
        alt="History of changes, newest first",
        config=_COLUMNS | {"When": time_column("When")},
        optional=("Why", "Supplier"),
        choose="single-row",
    )
    return lines[picked[0]].key if picked else ""


def _change(line: HistoryLine, names: Mapping[str, str]) -> str:
    parts = []
    if line.added_ids:
        parts.append(f"+ {_recipients_words(line.added_ids, line.added, names)}")
    if line.removed_ids:
        words = _recipients_words(line.removed_ids, line.removed, names)
        parts.append(f"{_MINUS} {words}")
    return ", ".join(parts)


def _recipients_words(
    ids: Collection[str], count: int, names: Mapping[str, str]
) -> str:
    """Return the recipients by name, and the number of those without an id in `ids`."""
    words = ", ".join(names.get(own_id) or own_id for own_id in names_first(ids, names))
    more = count - len(ids)
    return f"{words} and {more:,} more" if more > 0 else words


def _outcome_words(kind: ChangeKind, verdict: Verdict | None) -> str:
    if kind is ChangeKind.OBSERVED:
        return "Seen by a read"
    return _OPEN if verdict is None else _VERDICTS[verdict]


def _show_day(desk: Desk, item: ItemKey) -> None:
    # Read the item's list on the chosen day.
    day = st.date_input(
        "Who could see the item on …", value=None, key="history_day", width=260
    )
    if day is None:
        return
    start = start_of_day(day)
    end = start_of_day(day + timedelta(days=1))
    past = day_of_item(desk.records.history, item, start=start, end=end)
    if past is None:
        draw.info(
            "The history of this item starts after this day.", icon=":material/info:"
        )
        return

    # Show since when and until when, if that was on this day.
    count = many(len(past.spans), "recipient")
    draw.markdown("**{}** · last read {}", count, time_of_day(past.read_at))
    names = desk.names.recipient_names(past.spans)
    rows = []
    for recipient_id in names_first(past.spans, names):
        since, until = past.spans[recipient_id]
        began = time_of_day(since) if since and since >= start else ""
        ended = time_of_day(until) if until and until < end else ""
        rows.append((names.get(recipient_id, ""), recipient_id, began, ended))
    show_table(
        rows,
        ["Name", "Recipient", "Since", "Until"],
        key="history_day_table",
        alt="Who could see the item on that day",
        optional=("Name", "Since", "Until"),
    )
    draw.caption(
        "A change that was made elsewhere has the time of the first read that found it."
    )


def _show_entry(desk: Desk, entry: HistoryEntry) -> bool:
    """Draw the entry with its details.

    Return True if the button that undoes or redoes it was pressed.
    """
    with st.container(border=True, key="history_entry"):
        _show_heading(desk, entry)
        _show_result(entry)
        show_steps(desk, entry.steps, key="history_steps")
        problems = [step.problem for step in entry.steps if step.problem is not None]
        show_problem(problems[0] if problems else None)
        if entry.result is not None:
            _show_others(desk, entry.result.others)

        with st.container(horizontal=True, key="entry_buttons"):
            is_undo_pressed = _offer_undo(desk, entry)
            offer_ticket(lambda: ticket_of_save(desk, entry.request.key), key="entry")
    return is_undo_pressed


def _show_heading(desk: Desk, entry: HistoryEntry) -> None:
    request = entry.request
    draw.header("{} · {}", _KINDS[request.kind], by_whom(request.kind, request.person))

    key = request.item
    supplier_name = desk.names.chosen(Kind.SUPPLIER, key.supplier).name
    supplier = described(key.supplier, supplier_name)
    item = described(key.supplier_item_id, desk.names.item_name(key))
    draw.markdown(
        "{when}  \nItem {item} of supplier {supplier} at {service}",
        when=_when(entry),
        item=item,
        supplier=supplier,
        service=as_code(entry.service),
    )

    result = entry.result
    since = full_time(entry.seen_before_at or entry.started_at)
    until = f" to {full_time(result.ended_at)}" if result else ""
    draw.caption(
        "{times} · recipients: {before} before, {after} after",
        times=f"{since}{until}",
        before=_count(request.base),
        after=_count(result.after if result else None),
    )
    if request.reason:
        st.text(f"Why: {showable(request.reason)}")


def _when(entry: HistoryEntry) -> Markdown:
    """Return when the change was made, and how it ended."""
    began = time_of_day(entry.started_at)
    if entry.seen_before_at is not None:
        return phrase("Between {} and {}", time_of_day(entry.seen_before_at), began)
    outcome = _outcome_words(entry.request.kind, entry.verdict)
    if entry.result is None:
        return phrase("Started {} · {}", began, outcome)
    return phrase("{} · **{}**", began, outcome)


def _show_result(entry: HistoryEntry) -> None:
    if entry.was_settled_later:
        draw.caption(
            "The program stopped during this save. The outcome was found later."
        )
    result = entry.result
    if result is None:
        return
    if result.message:
        st.text(showable(result.message))
    if result.advice:
        st.text(showable(result.advice))


def _show_others(desk: Desk, others: OthersChanges) -> None:
    names = desk.names.recipient_names(others.added | others.removed)
    if others.added:
        draw.markdown("Added meanwhile: {}", listed(others.added, names))
    if others.removed:
        draw.markdown("Removed meanwhile: {}", listed(others.removed, names))


def _offer_undo(desk: Desk, entry: HistoryEntry) -> bool:
    if not entry.is_undoable or desk.is_locked:
        return False
    verb = "redo" if entry.request.kind is ChangeKind.UNDO else "undo"
    return st.button(
        phrase("{} this change", verb.capitalize()),
        key="undo_entry",
        icon=f":material/{verb}:",
    )


def _count(recipients: frozenset[str] | None) -> str:
    return "not known" if recipients is None else f"{len(recipients):,}"
