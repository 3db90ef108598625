"""The choice of a supplier, of recipients and of recipient sets. The address holds it."""

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import act_subject
from components.finder.many_choices import choose_recipients, chosen_recipients, put_recipients
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.item.picker import last_item
from item_visibility.storage.fallback import or_else
from item_visibility.use_cases.coverage import CoverageChoice
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

SUPPLIER, RECIPIENTS, SETS = "coverage_supplier", "coverage_recipients", "coverage_sets"
_NAMES = ("supplier", "recipient", "set")
_WHO = "coverage"


def choose_coverage(desk: Desk) -> CoverageChoice | None:
    """Draw the fields and return the choice; None while neither a supplier nor a recipient is chosen."""
    _read_address(desk)
    sets = or_else((), desk.records.sets.names)
    with st.container(key="coverage_choice"):
        columns = st.columns([2, 3, 2] if sets or _chosen_sets() else [2, 3])
        with columns[0]:
            choose_one(
                desk.names,
                Kind.SUPPLIER,
                label="Supplier",
                key=SUPPLIER,
                placeholder="All suppliers",
                about=act_subject(desk, SUPPLIER),
            )
        with columns[1]:
            choose_recipients(desk, label="Recipients", key=RECIPIENTS, about=_WHO, reruns_page=True)
        for column in columns[2:]:
            with column:
                _choose_sets(sets)
    choice = _choice(desk)
    _write_address(choice)
    return choice if choice.supplier or choice.has_columns else None


def _choice(desk: Desk) -> CoverageChoice:
    recipients = chosen_recipients(desk, RECIPIENTS, about=_WHO).chips
    return CoverageChoice(chosen_one(SUPPLIER) or None, recipients, _chosen_sets())


def _choose_sets(sets: tuple[str, ...]) -> None:
    chosen = _chosen_sets()
    st.multiselect(
        "Recipient sets",
        (*sets, *(one for one in chosen if one not in sets)),  # one that is gone can be removed
        key=SETS,
        placeholder="None",
        persist_state="session",
    )


def _chosen_sets() -> tuple[str, ...]:
    return tuple(st.session_state.get(SETS, ()))


def _read_address(desk: Desk) -> None:
    """Read the choice from the address of an opened page, or of Back and Forward.

    A page that is opened without a choice in its address keeps its last one.
    """
    visit = unread_visit("coverage")
    if visit is None:
        return
    supplier, (recipients, sets) = visit.first(_NAMES[0]), map(visit.all, _NAMES[1:])
    if supplier or recipients or sets or visit.is_back:
        put_one(SUPPLIER, supplier)
        put_recipients(desk, RECIPIENTS, recipients, about=_WHO)
        st.session_state[SETS] = list(sets)
    elif _choice(desk) == CoverageChoice() and (item := last_item(desk)) is not None:
        put_one(SUPPLIER, item.supplier)


def _write_address(choice: CoverageChoice) -> None:
    """Write the choice into the address, only if it changed: each write is a step of Back."""
    now = (choice.supplier,) if choice.supplier else (), choice.recipients, choice.sets
    if now != tuple(tuple(st.query_params.get_all(name)) for name in _NAMES):
        others = {name: st.query_params.get_all(name) for name in st.query_params if name not in _NAMES}
        st.query_params.from_dict(others | {name: one for name, one in zip(_NAMES, now, strict=True) if one})
