"""The box that takes one to many recipient ids, and says what became of each."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from components.drafts import keep_draft, kept_draft
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk import Desk
from item_visibility.paste import PastedIds, read_pasted

_BOX = "add_recipients"
_REPORT = "add_box.report"
_SEEN = "add_box.seen"


@dataclass(frozen=True, slots=True)
class _Report:
    """What became of a text that was entered for an item."""

    item: ItemKey
    text: str
    pasted: PastedIds

    @property
    def left_over(self) -> str:
        """What stays in the box: the ids that were not taken."""
        return "\n".join(remark.recipient_id for remark in self.pasted.refused)


def add_recipients(desk: Desk, item: ItemKey, *, is_locked: bool) -> None:
    """Draw the box; what was added is staged, and nothing is sent before Save.

    Leaving the box is as good as pressing Add, so that paste and Save are enough.
    """
    st.text_area(
        "Add recipients",
        key=_BOX,
        placeholder="One or many recipient numbers, on lines of their own or separated by commas",
        disabled=is_locked,
        on_change=stage_entered,
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
    _show_report(st.session_state.get(_REPORT), item)


def stage_entered(desk: Desk, item: ItemKey) -> None:
    """Stage what stands in the box; what cannot be taken stays there.

    The same text, or what was left of it, can come twice, from leaving the box and from the click
    that left it: the second time it changes nothing.
    """
    draft = kept_draft(desk, item)
    text = st.session_state.get(_BOX, "")
    if draft is None or not text.strip():
        return
    pasted = read_pasted(text, draft=draft)
    if pasted.new:
        keep_draft(desk, draft.with_added(pasted.new))
    now, before = _Report(item, text, pasted), st.session_state.get(_REPORT)
    st.session_state[_BOX] = now.left_over
    if pasted.new or not _tells_of(before, item, text):
        st.session_state[_REPORT] = now


def has_unseen_doubts(item: ItemKey) -> bool:
    """True when ids were entered that are suspicious or were not taken, and the person was not told yet."""
    report: _Report | None = st.session_state.get(_REPORT)
    if report is None or report.item != item or st.session_state.get(_SEEN) == report:
        return False
    return bool(report.pasted.suspicious or report.pasted.refused)


def _tells_of(report: _Report | None, item: ItemKey, text: str) -> bool:
    return report is not None and report.item == item and text in {report.text, report.left_over}


def forget_report() -> None:
    """Forget what became of the last ids, once it is saved or discarded."""
    st.session_state.pop(_REPORT, None)


def _show_report(report: _Report | None, item: ItemKey) -> None:
    if report is None or report.item != item:
        return
    st.session_state[_SEEN] = report
    pasted = report.pasted
    st.caption(plain(_counts(pasted)))
    remarks = [(identifier, "already there") for identifier in pasted.already_there]
    remarks += [(identifier, "repeated: taken once") for identifier in pasted.repeated]
    remarks += [(remark.recipient_id, f"not taken: {remark.why}") for remark in pasted.refused]
    remarks += [(remark.recipient_id, f"please check: {remark.why}") for remark in pasted.suspicious]
    if remarks:
        st.dataframe(
            pd.DataFrame(remarks, columns=["Recipient", "Remark"], dtype=str),
            key="add_report",
            hide_index=True,
            alt="What became of the recipients that were entered",
        )


def _counts(pasted: PastedIds) -> str:
    counts = (
        (len(pasted.new), "new, staged to add"),
        (len(pasted.already_there), "already there"),
        (len(pasted.repeated), "repeated"),
        (len(pasted.refused), "not taken"),
        (len(pasted.suspicious), "to check"),
    )
    return " · ".join(f"{count} {words}" for count, words in counts if count) or "Nothing to add."
