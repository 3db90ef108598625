"""The outcome of a save: one line in the bar when all is verified, else that of each recipient, too."""

import streamlit as st

from components.clock import time_alone, time_of_day
from components.evidence.pack_dialog import offer_evidence
from components.history.entry_labels import GOALS
from components.notices import show_problem
from components.saving.press import is_as_left
from components.saving.undoing import stage_undo
from components.shell.browser_cookie import this_browser
from components.text_table import show_table
from components.verbatim import listed_after, plain
from item_visibility.changes.claim import Claim, claim_of, claim_words
from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import OthersChanges, SaveResult, Verdict
from item_visibility.changes.request import ChangeKind
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.use_cases import Desk

_LOOKED_UP = 100
"""Names that are looked up to tell of a save: it names three, and counts the rest."""


def verified_line(desk: Desk, status: SaveStatus, draft: Draft) -> str:
    """Return the outcome in one line when all of it is verified, and is still so; else an empty text."""
    result = _to_tell(status)
    if result is None or not _is_verified(result) or not _is_latest(status, result, draft):
        return ""
    words = f"{_words(desk, result)} · verified {time_alone(result.ended_at)}"
    return words + _where(status.request.owner)


def show_outcome(desk: Desk, status: SaveStatus, draft: Draft) -> None:
    """Draw the outcome of a save of which not all is verified, or that has something to tell besides."""
    result = _to_tell(status)
    if result is None or _is_verified(result) or not _is_latest(status, result, draft):
        return
    _show_headline(desk, result, _where(status.request.owner))
    for words in filter(None, (result.message, result.advice)):
        st.text(words)


def offer_undo(desk: Desk, status: SaveStatus, draft: Draft) -> None:
    """Offer in the bar to undo the save that it tells of."""
    result = _to_tell(status)
    if result is not None and draft.is_empty and result.has_left(draft.recipients):
        _offer_undo(desk, status, result)


def offer_save_evidence(desk: Desk, status: SaveStatus, draft: Draft) -> None:
    """Offer evidence of the save that the bar tells of."""
    result = _to_tell(status)
    if result is not None and _is_latest(status, result, draft):
        key, item = status.request.key, status.request.item
        address = {"supplier": item.supplier, "item": item.supplier_item_id}
        offer_evidence(lambda link: desk.evidence.of_save(key, link=link), address, key="save")


def show_details(desk: Desk, status: SaveStatus, draft: Draft, *, is_editable: bool) -> None:
    """Draw on the page what the bar has no room for, and what an earlier save was."""
    result, request = _to_tell(status), status.request
    if result is None:
        return
    if not result.has_left(draft.recipients):
        _show_as_past(desk, result, draft)
    elif _is_latest(status, result, draft):
        if not result.is_saved:
            if request.owner and _where(request.owner):
                st.caption("Save was pressed in another browser.")
            _show_steps(desk, result)
        if request.owner == this_browser():
            _show_others(desk, result.others)
    elif draft.origin.kind is not ChangeKind.UNDO:
        with st.container(horizontal=True, vertical_alignment="center", key="last_save"):
            st.caption(plain(f"Last save here {time_of_day(result.ended_at)}: {_told(desk, result)}."))
            if is_editable:
                _offer_undo(desk, status, result)


def _to_tell(status: SaveStatus) -> SaveResult | None:
    """Return the result, unless nothing was sent for somebody else."""
    result, whose = status.result, status.request.owner
    if result is None or (result.verdict is Verdict.NOTHING_SENT and whose != this_browser()):
        return None
    return result


def _is_latest(status: SaveStatus, result: SaveResult, draft: Draft) -> bool:
    """True while the screen shows what the save left: the list as it was then, and nothing staged since."""
    is_behind = result.is_saved and not draft.is_empty and not is_as_left(draft, status)
    return result.has_left(draft.recipients) and not is_behind


def _is_verified(result: SaveResult) -> bool:
    return claim_of(result) is Claim.VERIFIED and not result.message


def _offer_undo(desk: Desk, status: SaveStatus, result: SaveResult) -> None:
    if result.added or result.removed:
        st.button("Undo", key="undo", type="tertiary", on_click=stage_undo, args=(desk, status))


def _where(owner: str) -> str:
    """Return words for a save made in another browser or by an unknown one; empty for this browser."""
    if owner == this_browser():
        return ""
    return " · saved in another browser" if owner else " · the last save here"


def _show_as_past(desk: Desk, result: SaveResult, draft: Draft) -> None:
    """Describe a save that is not the last change, or that the list on the screen does not show yet."""
    at = time_of_day(result.ended_at)
    done = _told(desk, result)
    if result.ended_at <= draft.read_at:
        st.info(plain(f"Last save here {at}: {done}. The list has changed since."), icon=":material/history:")
    else:
        st.warning(
            plain(f"The last save here ended {at}, after the list below was read: {done}. ")
            + "Load the list again before you change anything.",
            icon=":material/update:",
        )


def _words(desk: Desk, result: SaveResult) -> str:
    changed = (*result.added, *result.removed)
    return claim_words(result, desk.names.recipient_names(frozenset(changed[:_LOOKED_UP])))


def _told(desk: Desk, result: SaveResult) -> str:
    """Return in a few words what may be claimed of an earlier save."""
    words = _words(desk, result)
    return f"{words} · verified then" if claim_of(result) is Claim.VERIFIED else words


def _show_headline(desk: Desk, result: SaveResult, where: str) -> None:
    at = time_alone(result.ended_at)
    words = _words(desk, result)
    missing = "" if where else "Missing changes stay staged."
    match claim_of(result):
        case Claim.VERIFIED:
            st.success(plain(f"{words} · verified {at}") + where, icon=":material/check_circle:")
        case Claim.NOT_KNOWN:
            stays = "" if where else "Unconfirmed changes stay staged."
            st.warning(plain(f"{words} · {at}. ") + stays, icon=":material/hourglass:")
        case Claim.PARTLY:
            st.error(plain(f"{words} · {at}. ") + missing, icon=":material/error:")
        case Claim.NOTHING_CHANGED if result.steps:
            st.error(plain(f"{words} · {at}. ") + missing, icon=":material/error:")
        case Claim.NOTHING_CHANGED:
            st.warning(plain(f"{words} · {at}"), icon=":material/info:")


def _show_steps(desk: Desk, result: SaveResult) -> None:
    names = desk.names.recipient_names(frozenset(step.step.recipient_id for step in result.steps))
    rows = [
        (
            names.get(step.step.recipient_id, ""),
            step.step.recipient_id,
            GOALS[step.step.goal],
            step.outcome.capitalize(),
            step.message,
        )
        for step in result.steps
    ]
    if rows:
        show_table(
            rows,
            ["Name", "Recipient", "Change", "Outcome", "Why"],
            key="outcome_table",
            alt="How the change ended for each recipient",
        )
    problem = next((step.problem for step in result.steps if step.problem is not None), None)
    show_problem(problem)


def _show_others(desk: Desk, others: OthersChanges) -> None:
    if others.is_empty:
        return
    names = desk.names.recipient_names(others.added | others.removed)
    st.info(
        "The list had changed since it was read here. Those changes were kept."
        + listed_after("  \nAdded meanwhile:", others.added, names)
        + listed_after("  \nRemoved meanwhile:", others.removed, names),
        icon=":material/history:",
    )
