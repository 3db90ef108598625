"""The review of a list: questions about its unclear parts.

Once they are answered, the preview starts.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from components.bulk.list_form import (
    PASTE,
    ListState,
    Source,
    close_job,
    column_name,
    decide_again,
    open_job,
    read_once,
)
from components.markdown_escape import plain, showable, visible
from components.notices import error_shown, step_button
from components.table import show_table
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.damaged_ids import DamageKind
from item_visibility.lists.headings import unread_words
from item_visibility.lists.table import HiddenCells, heading_words, hidden_words
from item_visibility.model.job import NOT_BEGUN, SkippedRow
from item_visibility.model.words import many
from item_visibility.use_cases.desk import Desk

_PRESSED, _STARTED = (
    "list_review.pressed",
    "list_review.started",
)  # {key of the job: how its list was read}
SKIPPED_SHOWN = _SHOWN = 200
_LINES = 50


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
            st.info(
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
        st.warning(plain(chosen.missing), icon=":material/view_column:")
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
    """Draw notes about how the list of the job was read, if this window has read the list."""
    if how := st.session_state.get(_STARTED, {}).get(key):
        _show_how_read(*how)


def show_skipped_rows(rows: Sequence[SkippedRow], total: int) -> None:
    """Draw the first skipped rows of the list, if any, with the reasons, in a closed expander."""
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
    understood = read_once(
        "understood",
        (source.reading, checked.layout, checked.fixed, checked.decisions),
        checked.understood,
        words="The rows of the list are being read",
    )
    how = _how_read(source, checked, understood)
    _show_how_read(*how)
    show_skipped_rows(understood.skipped, len(understood.skipped))
    if not checked.is_decided:
        st.info(f"Make the decisions above, {_then(source)}.", icon=":material/rule:")
    elif not understood.items:
        st.info(
            "No row can be used, so there is nothing to preview.",
            icon=":material/info:",
        )
    elif state.awaits_preview:
        _start(desk, source, understood, how)
    else:
        st.info(
            "Press Preview to see what this list would do.", icon=":material/preview:"
        )


def _then(source: Source) -> str:
    return (
        "then the preview starts"
        if source.state.awaits_preview
        else "then press Preview"
    )


def _decide_about_hidden(source: Source) -> bool:
    words = hidden_words(source.bulk_list.table)
    if not words:
        return True
    with st.container(border=True, key="bulk_hidden"):
        question = f"Your file hides {words}. Use the hidden cells?"
        st.warning(plain(question), icon=":material/visibility_off:")
        with st.container(horizontal=True, key="bulk_hidden_choices"):
            for choice, verb in ((HiddenCells.USE, "Use"), (HiddenCells.SKIP, "Skip")):
                st.button(
                    plain(f"{verb} hidden cells"),
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
        st.warning(
            "Some columns of the list are not used.", icon=":material/view_column:"
        )
        st.text(
            "\n".join(showable(visible(one)) for one in checked.open_doubts[:_LINES])
        )
        st.button(
            "Continue without these columns",
            key="accept_columns",
            on_click=setattr,
            args=(source.state, "decisions", Decisions(ignores_columns=True)),
        )
        st.caption(f'Or say under "Columns" what they contain, {_then(source)}.')
    return False


def _decide_about_findings(source: Source, checked: BulkList) -> None:
    state, indexes = source.state, checked.open_findings
    if checked.findings:
        names = sum(one.kind is DamageKind.NAME for one in checked.findings)
        wrong = len(checked.findings) - names
        question = (
            f"Names found in the directory: {names:,}. Accept their numbers?"
            if names
            else ""
        )
        doubt = f"{many(wrong, 'id')} may be wrong" if wrong else ""
        decided = (
            f" · {plain(_decided_words(checked))}"
            if checked.decisions.has_looked
            else ""
        )
        with st.container(border=True, key="bulk_findings"):
            st.markdown(f"**{plain(f'{question} {doubt}'.strip())}**{decided}")
            if indexes and checked.is_decided:
                with st.expander(
                    plain(f"Still to decide ({len(indexes):,})"), key="bulk_undecided"
                ):
                    _show_findings(source, checked, indexes)
            elif indexes:
                _show_findings(source, checked, indexes)
    if state.hidden is not None or checked.decisions.has_looked:
        step_button(
            "Decide again", _say_hidden, state, None, key="decide_again", icon="undo"
        )


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
                str(one.row),
                column_name(checked, one.column),
                visible(one.value),
                one.kind.value,
                "" if one.suggestion is None else visible(one.suggestion),
            )
            for one in findings
        ],
        ["Row", "Column", "Value", "What it is", "Suggestion"],
        key="bulk_findings_table",
        alt="Ids that may be wrong, with suggestions",
        limit=_SHOWN,
        choose="multi-row",
    )
    chosen = [indexes[at] for at in rows]
    suggested, picked = checked.suggested(indexes), checked.suggested(chosen)
    nothing = frozenset[int]()
    keep = "Keep selected as they are" if chosen else "Keep all as they are"
    buttons = [
        ("Accept all", "accept_all", suggested, nothing, not suggested),
        ("Accept selected", "accept_selected", picked, nothing, not picked),
        (keep, "keep_as_is", nothing, frozenset(chosen or indexes), False),
    ]
    if not suggested and not checked.decisions.has_looked:
        buttons.append(("Skip these rows", "skip_undecided", nothing, nothing, False))
    with st.container(horizontal=True, key="bulk_decisions"):
        for label, key, accepted, kept, is_off in buttons:
            st.button(
                label,
                key=key,
                type="primary" if key == "accept_all" else "secondary",
                disabled=is_off,
                on_click=_decide,
                args=(source.state, accepted, kept),
            )
    st.caption(
        "Nothing is changed without your approval. Rows that you do not decide about "
        "are skipped."
    )


def _decide(state: ListState, accepted: frozenset[int], kept: frozenset[int]) -> None:
    state.decisions = state.decisions.with_findings(accepted=accepted, kept=kept)


def _how_read(
    source: Source, checked: BulkList, understood: Understood
) -> tuple[str, str, str]:
    table, hidden = checked.table, source.state.hidden
    rows = sum(len(one.row_numbers) for one in understood.items)
    summary = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    skipped = (
        f", {many(len(understood.skipped), 'row')} skipped"
        if understood.skipped
        else ""
    )
    words = (
        *table.notes,
        heading_words(table),
        f"Hidden rows and columns: {hidden}." if hidden else "",
        f"{_decided_words(checked)}." if checked.findings else "",
    )
    doubts = filter(None, (source.question, unread_words(table, checked.layout)))
    return (
        f"{summary}{skipped}",
        " ".join(filter(None, words)),
        "  \n".join(map(plain, doubts)),
    )


def _show_how_read(summary: str, words: str, doubts: str) -> None:
    st.markdown(f"**{plain(summary)}**")
    st.caption(plain(words))
    if doubts:
        st.warning(doubts, icon=":material/view_column:")


def _start(
    desk: Desk, source: Source, understood: Understood, how: tuple[str, str, str]
) -> None:
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
