"""The field that takes recipients by name or number, one or a whole column, and reports on each."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from components.finder.combobox import Act, Field, act_subject, find_many, take_acts, typed
from components.item.window_drafts import keep_draft, kept_draft
from components.text_table import show_table
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.directory import Kind
from item_visibility.desk.finder.already import already
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.paste import DoubtfulText, EnteredIds, PastedIds, Remark, sort_entered

_BOX = "add_recipients"
_REPORT = "add_box.report"
_SEEN = "add_box.seen"
_ENTERED = "add_box.entered"


@dataclass(frozen=True, slots=True)
class _Report:
    """The result of what was entered last for an item, and all texts that are still to be decided."""

    item: ItemKey
    pasted: PastedIds


def add_recipients(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Draw the field. A choice here is staged, and nothing is sent before Save.

    The chips are the staged additions. Leaving the field stages nothing: the text may be half a name.
    """
    item = draft.item
    report = _report(item)
    find_many(
        desk.finder,
        Field(
            kind=Kind.RECIPIENT,
            label="Add recipients",
            key=_BOX,
            placeholder="Name or number, or paste a column",
            about=act_subject(desk, item),
            is_off=is_locked,
            on_acts=partial(take_in_entered, desk, item),
        ),
        chosen=_chips(desk, draft),
        asked=() if report is None else report.pasted.doubtful,
        mark=partial(already, draft),
    )
    if report is not None:
        _show_report(report)


def take_in_entered(desk: Desk, item: ItemKey) -> None:
    """Stage what the person did in the field, in its order."""
    take_acts(_BOX, about=act_subject(desk, item), take=partial(_do, desk, item))


def entered_here(item: ItemKey) -> tuple[str, ...]:
    """Return the recipients that were added to the item here since it was last saved, in their order."""
    entered: dict[ItemKey, tuple[str, ...]] = st.session_state.get(_ENTERED, {})
    return entered.get(item, ())


def has_left() -> bool:
    """True when the field holds text that is not staged."""
    return bool(typed(_BOX).strip())


def has_unseen_doubts(item: ItemKey) -> bool:
    """True when an entry is doubtful or was refused, and the person was not told yet."""
    return has_doubts(item) and st.session_state.get(_SEEN) != _report(item)


def has_doubts(item: ItemKey) -> bool:
    """True when an entry is doubtful or was refused."""
    report = _report(item)
    return report is not None and report.pasted.is_doubtful


def forget_report() -> None:
    """Drop the report on the last ids after a save or discard, unless doubtful ones are still open."""
    st.session_state.pop(_ENTERED, None)
    report: _Report | None = st.session_state.get(_REPORT)
    if report is not None and not report.pasted.doubtful:
        st.session_state.pop(_REPORT, None)


def _do(desk: Desk, item: ItemKey, act: Act) -> None:
    draft = kept_draft(desk, item)
    if draft is None:
        return
    texts = {one.text for one in _doubtful(item)}
    match act.what:
        case "picked":
            _stage(desk, draft, EnteredIds((act.text,), ()))
        case "entered":
            read = desk.entered.read(act.text, listed=draft.recipients, as_numbers=draft.add)
            _stage(desk, draft, read)
        case "removed" if act.text in draft.add:
            keep_draft(desk, draft.with_taken_back(act.text))
        case "used" if act.text in texts:
            _stage(desk, draft, EnteredIds((act.text,), ()), settled={act.text})
        case "named" if act.text in texts:
            _stage(desk, draft, EnteredIds((act.number,), ()), settled={act.text})
        case "dropped":
            _stage(desk, draft, EnteredIds((), ()), settled={act.text})
        case "used all":
            _stage(desk, draft, EnteredIds(tuple(sorted(texts)), ()), settled=texts)


def _stage(desk: Desk, draft: Draft, entered: EnteredIds, *, settled: Iterable[str] = ()) -> None:
    """Stage the entered ids and report on them. Texts asked about stay until they are settled."""
    pasted = sort_entered(entered, draft=draft)
    if pasted.new:
        keep_draft(desk, draft.with_added(pasted.new))
    item = draft.item
    before = dict.fromkeys((*entered_here(item), *pasted.new))
    st.session_state.setdefault(_ENTERED, {})[item] = tuple(before)
    asked = {one.text: one for one in (*_doubtful(item), *pasted.doubtful)}
    for text in settled:
        asked.pop(text, None)
    st.session_state[_REPORT] = _Report(item, replace(pasted, doubtful=tuple(asked.values())))


def _report(item: ItemKey) -> _Report | None:
    report: _Report | None = st.session_state.get(_REPORT)
    return report if report is not None and report.item == item else None


def _doubtful(item: ItemKey) -> tuple[DoubtfulText, ...]:
    report = _report(item)
    return () if report is None else report.pasted.doubtful


def _chips(desk: Desk, draft: Draft) -> tuple[Choice, ...]:
    """Return the staged additions: those entered here last, in their order."""
    names = desk.names.recipient_names(draft.add)
    here = [one for one in entered_here(draft.item) if one in draft.add]
    others = sorted(draft.add - frozenset(here), key=lambda one: (names.get(one, "").casefold(), one))
    return tuple(Choice((one,), names.get(one, "")) for one in (*others, *here))


def _show_report(report: _Report) -> None:
    st.session_state[_SEEN] = report
    pasted = report.pasted
    st.caption(plain(_counts(pasted)))
    if remarks := _remarks(pasted):
        show_table(
            remarks,
            ["Recipient", "Remark"],
            key="add_report",
            alt="The recipients that you entered, and what happened to each",
        )


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
        (len(pasted.doubtful), "to decide"),
    )
    return " · ".join(f"{count} {words}" for count, words in counts if count) or "Nothing to add."
