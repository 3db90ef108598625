"""The box that takes one to many recipient ids, and reports on each."""

import time
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from components.item.doubtful_texts import offer_answers, show_texts
from components.item.window_drafts import keep_draft, kept_draft
from components.text_table import show_table
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.paste import PastedIds, Remark, quoted, read_entered, sort_entered

_BOX = "add_recipients"
_REPORT = "add_box.report"
_SEEN = "add_box.seen"
_LEFT_FOR = "add_box.left_for"
_ONE_GESTURE_S = 1.0


@dataclass(frozen=True, slots=True)
class _Report:
    """The result of a text that was entered for an item."""

    item: ItemKey
    text: str
    pasted: PastedIds

    @property
    def left_over(self) -> str:
        """The text that stays in the box because it was not taken."""
        refused = (remark.recipient_id for remark in self.pasted.refused)
        return "\n".join(quoted(text) for text in (*refused, *(one.text for one in self.pasted.doubtful)))


def add_recipients(desk: Desk, item: ItemKey, *, is_locked: bool) -> None:
    """Draw the box. Additions are staged, and nothing is sent before Save.

    Leaving the box stages nothing: the text may be half a number. Add stages it. So does the press of Save
    that leaves the box, so that paste and Save are enough.
    """
    st.text_area(
        "Add recipients",
        key=_BOX,
        placeholder="One or many recipient numbers, on lines of their own or separated by commas",
        disabled=is_locked,
        on_change=_note_leaving,
        args=(desk, item),
    )
    st.button(
        "Add",
        key="add",
        icon=":material/add:",
        disabled=is_locked,
        on_click=stage_entered,
        args=(desk, item),
    )
    report: _Report | None = st.session_state.get(_REPORT)
    report = report if report is not None and report.item == item else None
    if is_left(report):
        st.caption("Not staged yet: press Add.")
    if report is not None:
        _show_report(report)
        if not is_locked:
            offer_answers(report.pasted.doubtful, partial(_take, desk, item))


def stage_entered(desk: Desk, item: ItemKey) -> None:
    """Stage the text of the box. Refused or doubtful ids stay in it.

    The same text, or the part left of it, can arrive twice. The second time changes nothing.
    """
    draft = kept_draft(desk, item)
    text = st.session_state.get(_BOX, "")
    if draft is None or not text.strip():
        return
    there = draft.recipients | draft.add
    pasted = sort_entered(read_entered(text, desk.names, there=there), draft=draft)
    if pasted.new:
        keep_draft(desk, draft.with_added(pasted.new))
    now, before = _Report(item, text, pasted), st.session_state.get(_REPORT)
    st.session_state[_BOX] = now.left_over
    if pasted.new or not _tells_of(before, item, text):
        st.session_state[_REPORT] = now


def stage_left_by_press(desk: Desk, item: ItemKey) -> None:
    """Stage the text if the press of Save itself left the box; text left earlier stays there.

    A click sends the text of the field it leaves just before itself.
    """
    left: tuple[ItemKey, frozenset[str], float] | None = st.session_state.get(_LEFT_FOR)
    draft = kept_draft(desk, item)
    if left is None or draft is None:
        return
    its_item, wanted, left_at = left
    if its_item == item and wanted == draft.wanted and time.monotonic() - left_at < _ONE_GESTURE_S:
        stage_entered(desk, item)


def has_left() -> bool:
    """True when the box holds text that is not staged."""
    return bool(st.session_state.get(_BOX, "").strip())


def is_left(report: _Report | None) -> bool:
    """True when the box holds text that the person has not been told about yet."""
    text = st.session_state.get(_BOX, "")
    return bool(text.strip()) and (report is None or text != report.left_over)


def has_unseen_doubts(item: ItemKey) -> bool:
    """True when an entry is doubtful or was refused, and the person was not told yet."""
    report: _Report | None = st.session_state.get(_REPORT)
    if report is None or report.item != item or st.session_state.get(_SEEN) == report:
        return False
    return bool(report.pasted.suspicious or report.pasted.refused or report.pasted.doubtful)


def forget_report() -> None:
    """Drop the report on the last ids after a save or discard, unless doubtful ones are still open."""
    report: _Report | None = st.session_state.get(_REPORT)
    if report is not None and not report.pasted.doubtful:
        st.session_state.pop(_REPORT, None)


def _note_leaving(desk: Desk, item: ItemKey) -> None:
    """Note when the box was left, and which recipients were wanted then."""
    draft = kept_draft(desk, item)
    if draft is not None:
        st.session_state[_LEFT_FOR] = (item, draft.wanted, time.monotonic())


def _take(desk: Desk, item: ItemKey, text: str, recipient_id: str) -> None:
    """Stage the number that the person confirmed for a doubtful text."""
    draft = kept_draft(desk, item)
    report: _Report | None = st.session_state.get(_REPORT)
    if draft is None or report is None or report.item != item:
        return
    keep_draft(desk, draft.with_added([recipient_id]))
    pasted = report.pasted
    rest = tuple(one for one in pasted.doubtful if one.text != text)
    is_new = recipient_id not in draft.wanted
    told = replace(pasted, doubtful=rest, new=(*pasted.new, recipient_id) if is_new else pasted.new)
    now = replace(report, pasted=told)
    if st.session_state.get(_BOX, "") == report.left_over:
        st.session_state[_BOX] = now.left_over
    st.session_state[_REPORT] = now


def _tells_of(report: _Report | None, item: ItemKey, text: str) -> bool:
    return report is not None and report.item == item and text in {report.text, report.left_over}


def _show_report(report: _Report) -> None:
    st.session_state[_SEEN] = report
    pasted = report.pasted
    st.caption(plain(_counts(pasted)))
    if remarks := _remarks(pasted):
        show_table(
            remarks,
            ["Recipient", "Remark"],
            key="add_report",
            alt="What became of the recipients that were entered",
        )
    if pasted.doubtful:
        show_texts(pasted.doubtful, key="add_doubtful")


def _remarks(pasted: PastedIds) -> list[tuple[str, str]]:
    def of(kind: str, remarks: tuple[Remark, ...]) -> list[tuple[str, str]]:
        return [(remark.recipient_id, f"{kind}: {remark.why}") for remark in remarks]

    remarks = [(identifier, "already there") for identifier in pasted.already_there]
    remarks += [(identifier, "repeated: taken once") for identifier in pasted.repeated]
    return remarks + of("not taken", pasted.refused) + of("please check", pasted.suspicious)


def _counts(pasted: PastedIds) -> str:
    counts = (
        (len(pasted.new), "new, staged to add"),
        (len(pasted.already_there), "already there"),
        (len(pasted.repeated), "repeated"),
        (len(pasted.refused), "not taken"),
        (len(pasted.suspicious), "to check"),
        (len(pasted.doubtful), "perhaps no number"),
    )
    return " · ".join(f"{count} {words}" for count, words in counts if count) or "Nothing to add."
