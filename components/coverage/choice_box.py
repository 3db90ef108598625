"""The choice of items, and of whom they are compared with. It is in the address, so a link shows the same."""

import streamlit as st

from components.finder.many_choices import choose_recipients, chosen_recipients, put_recipients
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.followed_address import is_from_person, note_address
from components.item.picker import kept_item
from components.verbatim import plain
from item_visibility.desk.coverage.matrix import MOST_COLUMNS
from item_visibility.desk.coverage.wanted import Against, Wanted
from item_visibility.desk.directory import Kind
from item_visibility.desk.use_cases import Desk
from item_visibility.records.fallback import or_else

SUPPLIER, ITEMS, AGAINST = "coverage_supplier", "coverage_items", "coverage_against"
SET, RECIPIENTS = "coverage_set", "coverage_recipients"
_WHO = "coverage"
_NAMES = ("supplier", "items", "against", "set", "recipient")
_BY_WORDS = {
    "Recipients seen most": Against.FREQUENT,
    "Recipients of a set": Against.SET,
    "Recipients I choose": Against.CHOSEN,
    "Recipient sets": Against.SETS,
}
_WORDS = {against.value: words for words, against in _BY_WORDS.items()}


def choose_coverage(desk: Desk) -> Wanted | None:
    """Draw the choice and return it; None while there is no supplier, or a text is to be decided."""
    _follow_address(desk)
    with st.container(key="coverage_choice"):
        left, right = st.columns(2)
        with left:
            supplier = choose_one(
                desk.finder,
                Kind.SUPPLIER,
                label="Supplier",
                key=SUPPLIER,
                placeholder="Name or number of the supplier",
                about=desk.environment.name,
            )
        right.text_input(
            "Items",
            key=ITEMS,
            type="search",
            placeholder="All; or words of a name, a market, part of a number",
            autocomplete="off",
        )
        st.segmented_control(
            "Show for",
            ("Recipients seen most", "Recipients of a set", "Recipients I choose", "Recipient sets"),
            key=AGAINST,
            required=True,
            help=plain(
                f"Recipients seen most: the {MOST_COLUMNS} that can see the most of the supplier's items"
            ),
        )
        is_decided = _choose_whom(desk)
    wanted = _chosen(desk, supplier)
    _write_address(wanted)
    return wanted if supplier and is_decided else None


def _choose_whom(desk: Desk) -> bool:
    """Draw what the kind of columns needs; False while it is not there."""
    match _against():
        case Against.SET:
            sets = or_else(None, desk.records.sets.names)
            chosen = st.selectbox(
                "Recipient set",
                sets or (),
                index=None,
                key=SET,
                placeholder="Could not be read" if sets is None else "Choose a set",
            )
            return chosen is not None
        case Against.CHOSEN:
            choose_recipients(desk, label="Recipients", key=RECIPIENTS, about=_WHO, reruns_page=True)
            named = chosen_recipients(desk, RECIPIENTS, about=_WHO)
            return bool(named.ids) and not named.undecided
        case _:
            return True


def _chosen(desk: Desk, supplier: str) -> Wanted:
    against = _against()
    named = chosen_recipients(desk, RECIPIENTS, about=_WHO)
    recipients = () if named.undecided else named.chips
    return Wanted(
        supplier,
        against,
        set_name=(st.session_state.get(SET) or "") if against is Against.SET else "",
        recipients=recipients if against is Against.CHOSEN else (),
        text=st.session_state.get(ITEMS, "").strip(),
    )


def _against() -> Against:
    return _BY_WORDS[st.session_state[AGAINST]]


def _follow_address(desk: Desk) -> None:
    """Take the choice from a new address: an opened link, or Back and Forward."""
    address = _in_address()
    is_arrival = AGAINST not in st.session_state
    is_new = is_from_person(_WHO, address)
    if not (is_arrival or is_new):
        return
    note_address(_WHO, address, before=address)
    supplier, items, against, set_name, recipients = address
    item = kept_item(desk)
    put_one(SUPPLIER, supplier or chosen_one(SUPPLIER) or (item.supplier if item else ""))
    st.session_state[ITEMS] = items
    st.session_state[AGAINST] = _WORDS.get(against, _WORDS[Against.FREQUENT])
    st.session_state[SET] = set_name or None
    put_recipients(desk, RECIPIENTS, recipients, about=_WHO)


def _write_address(wanted: Wanted) -> None:
    """Put the choice into the address, once on each change: each write is a step of Back."""
    before, address = _in_address(), _all_in_address()
    against = "" if wanted.against is Against.FREQUENT else wanted.against.value
    own = (wanted.supplier, wanted.text, against, wanted.set_name, wanted.recipients)
    others = {name: value for name, value in address.items() if name not in _NAMES}
    now = others | {name: value for name, value in zip(_NAMES, own, strict=True) if value}
    note_address(_WHO, own, before=before)
    if own != before:
        st.query_params.from_dict(now)


def _in_address() -> tuple[str, str, str, str, tuple[str, ...]]:
    supplier, items, against, set_name = (st.query_params.get(name, "") for name in _NAMES[:-1])
    return supplier, items, against, set_name, tuple(st.query_params.get_all(_NAMES[-1]))


def _all_in_address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}
