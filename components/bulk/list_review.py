"""The review of a list: questions about its unclear parts.

Once they are answered, the preview starts.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from components import draw
from components.bulk.list_form import (
    PASTE,
    ListState,
    Source,
    column_name,
    decide_again,
    read_once,
)
from components.bulk.opened_job import close_job, open_job
from components.markdown_escape import phrase, showable, visible
from components.notices import error_shown, step_button
from components.table import show_table
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.damaged_ids import DamageKind
from item_visibility.lists.headings import unread_words
from item_visibility.lists.table import HiddenCells, heading_words, hidden_words
from item_visibility.model.job import NOT_BEGUN, SkippedRow
from item_visibility.model.words import many
from item_visibility.use_cases.desk import Desk

_PRESSED = "list_review.pressed"
_STARTED = "list_review.started"
"""Maps the key of the job that this window started to how its list was read."""
SKIPPED_SHOWN = 200
_FINDINGS_SHOWN = 200
_DOUBTS_SHOWN = 50
_NO_FINDINGS = frozenset[int]()
_HowRead = tuple[str, str, str, str]


def offer_preview() -> None:
    """Draw the button "Preview"."""
    st.button("Preview", key="preview", icon=":material/preview:", on_click=_press)


def review_list(desk: Desk, source: Source | None) -> None:
    """Ask about unclear parts of the list.

    Start the preview when everything is decided.
    """
    is_pressed = st.session_state.pop(_PRESSED, False)
    if source is None:
        if is_pressed:
            draw.info(
                "There is nothing to preview yet. Upload a file, or paste rows.",
                icon=":material/info:",
            )
        return
    if not source.is_decided:
        return
    if is_pressed:
        source.state.awaits_preview = True
    if not _decide_about_hidden(source):
        return

    chosen = replace(source.bulk_list, fixed=source.fixed)
    if chosen.missing:
        draw.warning("{}", chosen.missing, icon=":material/view_column:")
        return
    with error_shown(
        "The list could not be used. Nothing was changed.", key="bulk_list_error"
    ):
        _review(desk, source, chosen)


def note_applied(key: str) -> None:
    """Empty the field for pasted rows if this job was made from them.

    Call this only in callbacks.
    """
    if key in st.session_state.get(_STARTED, {}):
        st.session_state[PASTE] = ""


def show_how_it_was_read(key: str) -> None:
    """Draw notes about how the list of the job was read, if this window read it."""
    how = st.session_state.get(_STARTED, {}).get(key)
    if how is not None:
        _show_how_read(*how)


def show_skipped_rows(rows: Sequence[SkippedRow], total: int) -> None:
    """Draw the first skipped rows of the list, if any, with the reasons.

    They are in a closed expander.
    """
    if not rows:
        return
    with st.expander(
        "Skipped rows of the list, and why", icon=":material/rule:", key="bulk_skipped"
    ):
        show_table(
            [
                (
                    str(row.number),
                    row.supplier,
                    row.supplier_item_id,
                    row.recipients,
                    visible(row.reason),
                )
                for row in rows
            ],
            ["Row", "Supplier", "Item", "Recipient", "Why"],
            key="bulk_skipped_rows",
            alt="Skipped rows of the list, and why",
            optional=("Supplier", "Item", "Recipient"),
            limit=SKIPPED_SHOWN,
            total=total,
        )


def _press() -> None:
    st.session_state[_PRESSED] = True
    close_job()


def _review(desk: Desk, source: Source, chosen: BulkList) -> None:
    # Ask about the columns and the ids.
    checked = read_once(
        "checked",
        (source.reading, chosen.layout),
        lambda: chosen.checked(desk.names.names_of),
        words="The columns and ids of the list are being checked",
    )
    state = source.state
    checked = replace(checked, fixed=chosen.fixed, decisions=state.decisions)
    if not _decide_about_columns(source, checked):
        return
    _decide_about_findings(source, checked)

    # Show how the rows are read with these decisions.
    understood = read_once(
        "understood",
        (source.reading, checked.layout, checked.fixed, checked.decisions),
        checked.understood,
        words="The rows of the list are being read",
    )
    how = _how_read(source, checked, understood)
    _show_how_read(*how)
    show_skipped_rows(understood.skipped, len(understood.skipped))

    # Start the preview, or say what it still needs.
    if not checked.is_decided:
        draw.info(
            "Make the decisions above, {}.", _then(source), icon=":material/rule:"
        )
    elif not understood.items:
        draw.info(
            "No row can be used, so there is nothing to preview.",
            icon=":material/info:",
        )
    elif state.awaits_preview:
        _start(desk, source, understood, how)
    else:
        draw.info(
            "Press Preview to see what this list would do.", icon=":material/preview:"
        )


def _then(source: Source) -> str:
    if source.state.awaits_preview:
        return "then the preview starts"
    return "then press Preview"


def _decide_about_hidden(source: Source) -> bool:
    words = hidden_words(source.bulk_list.table)
    if not words:
        return True
    with st.container(border=True, key="bulk_hidden"):
        draw.warning(
            "Your file hides {}. Use the hidden cells?",
            words,
            icon=":material/visibility_off:",
        )
        with st.container(horizontal=True, key="bulk_hidden_choices"):
            for choice in HiddenCells:
                st.button(
                    phrase("{} hidden cells", choice.capitalize()),
                    key=f"{choice}_hidden",
                    on_click=_say_hidden,
                    args=(source.state, choice),
                )
    return False


def _say_hidden(state: ListState, choice: HiddenCells | None) -> None:
    state.hidden = choice
    decide_again(state)


def _decide_about_columns(source: Source, checked: BulkList) -> bool:
    if not checked.open_doubts:
        return True
    with st.container(border=True, key="bulk_doubts"):
        draw.warning(
            "Some columns of the list are not used.", icon=":material/view_column:"
        )
        doubts = checked.open_doubts[:_DOUBTS_SHOWN]
        st.text("\n".join(showable(visible(doubt)) for doubt in doubts))
        st.button(
            "Continue without these columns",
            key="accept_columns",
            on_click=setattr,
            args=(source.state, "decisions", Decisions(ignores_columns=True)),
        )
        draw.caption('Or say under "Columns" what they contain, {}.', _then(source))
    return False


def _decide_about_findings(source: Source, checked: BulkList) -> None:
    state = source.state
    has_looked = checked.decisions.has_looked
    indexes = checked.open_findings
    if checked.findings:
        with st.container(border=True, key="bulk_findings"):
            words = _findings_words(checked)
            if has_looked:
                draw.markdown("**{}** · {}", words, _decided_words(checked))
            else:
                draw.markdown("**{}**", words)
            if indexes and checked.is_decided:
                with st.expander(
                    phrase("Still to decide ({:,})", len(indexes)),
                    key="bulk_undecided",
                ):
                    _show_findings(source, checked, indexes)
            elif indexes:
                _show_findings(source, checked, indexes)

    if state.hidden is not None or has_looked:
        step_button(
            "Decide again", _say_hidden, state, None, key="decide_again", icon="undo"
        )


def _findings_words(checked: BulkList) -> str:
    kinds = [finding.kind for finding in checked.findings]
    names = kinds.count(DamageKind.NAME)
    doubtful = len(kinds) - names
    parts = []
    if names:
        parts.append(f"Names found in the directory: {names:,}. Accept their numbers?")
    if doubtful:
        parts.append(f"{many(doubtful, 'id')} may be wrong")
    return " ".join(parts)


def _decided_words(checked: BulkList) -> str:
    decisions = checked.decisions
    skipped = {checked.findings[index].row for index in checked.open_findings}
    return (
        f"{many(len(decisions.accepted), 'suggestion')} accepted, "
        f"{len(decisions.kept):,} kept, "
        f"{many(len(skipped), 'row')} skipped"
    )


def _show_findings(source: Source, checked: BulkList, indexes: list[int]) -> None:
    findings = [checked.findings[index] for index in indexes]
    rows = show_table(
        [
            (
                str(finding.row),
                column_name(checked, finding.column),
                visible(finding.value),
                finding.kind.value,
                "" if finding.suggestion is None else visible(finding.suggestion),
            )
            for finding in findings
        ],
        ["Row", "Column", "Value", "What it is", "Suggestion"],
        key="bulk_findings_table",
        alt="Ids that may be wrong, with suggestions",
        limit=_FINDINGS_SHOWN,
        choose="multi-row",
    )
    chosen = [indexes[row] for row in rows]
    suggested = checked.suggested(indexes)
    suggested_of_chosen = checked.suggested(chosen)
    state = source.state
    with st.container(horizontal=True, key="bulk_decisions"):
        st.button(
            "Accept all",
            key="accept_all",
            type="primary",
            disabled=not suggested,
            on_click=_decide,
            args=(state, suggested, _NO_FINDINGS),
        )
        st.button(
            "Accept selected",
            key="accept_selected",
            disabled=not suggested_of_chosen,
            on_click=_decide,
            args=(state, suggested_of_chosen, _NO_FINDINGS),
        )
        st.button(
            "Keep selected as they are" if chosen else "Keep all as they are",
            key="keep_as_is",
            on_click=_decide,
            args=(state, _NO_FINDINGS, frozenset(chosen or indexes)),
        )
        if not suggested and not checked.decisions.has_looked:
            st.button(
                "Skip these rows",
                key="skip_undecided",
                on_click=_decide,
                args=(state, _NO_FINDINGS, _NO_FINDINGS),
            )
    draw.caption(
        "Nothing is changed without your approval. Rows that you do not decide about "
        "are skipped."
    )


def _decide(state: ListState, accepted: frozenset[int], kept: frozenset[int]) -> None:
    state.decisions = state.decisions.with_findings(accepted=accepted, kept=kept)


def _how_read(source: Source, checked: BulkList, understood: Understood) -> _HowRead:
    """Return a summary, notes, and two doubts. Each may be empty."""
    # The summary counts rows and items.
    rows = sum(len(item.row_numbers) for item in understood.items)
    summary = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    if understood.skipped:
        summary += f", {many(len(understood.skipped), 'row')} skipped"

    # The notes say how the file and the decisions were used.
    table = checked.table
    notes = [*table.notes, heading_words(table)]
    if source.state.hidden:
        notes.append(f"Hidden rows and columns: {source.state.hidden}.")
    if checked.findings:
        notes.append(f"{_decided_words(checked)}.")

    unread = unread_words(table, checked.layout)
    return summary, " ".join(filter(None, notes)), source.question, unread


def _show_how_read(summary: str, notes: str, question: str, unread: str) -> None:
    draw.markdown("**{}**", summary)
    draw.caption("{}", notes)
    if question or unread:
        draw.warning("{}  \n{}", question, unread, icon=":material/view_column:")


def _start(desk: Desk, source: Source, understood: Understood, how: _HowRead) -> None:
    # Give up an earlier preview of this window, which this one replaces.
    for earlier_key in st.session_state.get(_STARTED, {}):
        earlier = desk.bulk.store.job(earlier_key)
        if earlier is not None and earlier.state in NOT_BEGUN:
            desk.bulk.cancel(earlier_key)

    key = desk.bulk.start_preview(
        understood.items,
        title=source.title,
        skipped=understood.skipped,
        repeated=understood.repeated,
    )
    st.session_state[_STARTED] = {key: how}
    source.state.awaits_preview = False
    open_job(key)
    st.rerun()
