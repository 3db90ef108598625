"""The choice of a recipient, of a supplier and of what to compare with. It stands in the address."""

from dataclasses import dataclass

import streamlit as st

from components.examples import example_recipient
from components.finder.combobox import act_subject
from components.finder.one_choice import choose_one, chosen_one, put_one
from components.followed_address import is_from_person, note_address
from components.notices import show_error
from item_visibility.desk.directory import Kind
from item_visibility.desk.scans.recipient_view import ALONE, OtherSide, Side
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.records.fallback import or_else

_RECIPIENT, _SUPPLIER, _OTHER = "recipient_asked", "recipient_supplier", "recipient_other"
_COMPARE = "recipient_compare"
_IN_ADDRESS = {"recipient": _RECIPIENT, "supplier": _SUPPLIER}
_WHO = "recipient"
_SEPARATOR = ":"
_SET = "Set "
_WORDS: dict[str, str] = {
    Side.NONE: "Nothing",
    Side.RECIPIENT: "Another recipient",
}


@dataclass(frozen=True, slots=True)
class RecipientChoice:
    """The chosen recipient and supplier, and what to compare with; `supplier` is None for all."""

    recipient_id: str
    supplier: str | None
    against: OtherSide


def choose_recipient(desk: Desk) -> RecipientChoice | None:
    """Draw the fields, and return what is chosen; None without a recipient."""
    _follow_address(desk)
    with st.container(key="recipient_choice"):
        columns = st.columns(3)
        with columns[0]:
            _find(desk, Kind.RECIPIENT, "Recipient", _RECIPIENT, "Name or number of the recipient")
        with columns[1]:
            _find(desk, Kind.SUPPLIER, "Supplier", _SUPPLIER, "All suppliers")
        with columns[2]:
            side, name = _choose_side(desk)
    recipient_id = chosen_one(_RECIPIENT)
    if not recipient_id:
        return None
    return RecipientChoice(recipient_id, chosen_one(_SUPPLIER) or None, _against(desk, side, name))


def _choose_side(desk: Desk) -> tuple[Side, str]:
    """Draw the field, and return what is chosen."""
    sets = or_else((), desk.records.sets.names)
    options = [*_WORDS.values(), *map(_of_set, sets)]
    kept: str = st.session_state.get(_COMPARE, "")
    if kept.startswith(_SET) and kept not in options:
        options.append(kept)  # it is gone: that is told below
    st.session_state[_COMPARE] = kept if kept in options else options[0]
    st.selectbox(
        "Compare with",
        options,
        key=_COMPARE,
        on_change=_write_address,
        help="Missing: the other side can see it, this recipient cannot. Extra: the other way round. "
        "The other side of a set is all of its other members, or none of them.",
    )
    side, name = _chosen_side()
    if side is Side.RECIPIENT:
        _find(desk, Kind.RECIPIENT, "Other recipient", _OTHER, "Name or number of the other recipient")
        name = chosen_one(_OTHER)
    return side, name


def _chosen_side() -> tuple[Side, str]:
    """Return the side that is chosen, and the name of the set or the number of the other recipient."""
    words: str = st.session_state.get(_COMPARE, "")
    if words.startswith(_SET):
        return Side.SET, words.removeprefix(_SET)
    side = next((Side(side) for side, shown in _WORDS.items() if shown == words), Side.NONE)
    return side, chosen_one(_OTHER) if side is Side.RECIPIENT else ""


def _of_set(name: str) -> str:
    return f"{_SET}{name}"


def _find(desk: Desk, kind: Kind, label: str, key: str, placeholder: str) -> None:
    choose_one(
        desk.finder,
        kind,
        label=label,
        key=key,
        placeholder=placeholder,
        about=act_subject(desk, key),
        on_choice=_write_address,
    )


def _against(desk: Desk, side: Side, name: str) -> OtherSide:
    """Return what to compare with; alone while the other recipient is missing, or the set cannot be read."""
    if side is Side.RECIPIENT and name:
        return OtherSide(side, name)
    if side is Side.SET:
        try:
            return OtherSide(Side.SET, name, desk.sets.open(name).recipients)
        except ItemVisibilityError as error:
            show_error("The set could not be read. Nothing is compared.", error, key="recipient_set_error")
    return ALONE


def _follow_address(desk: Desk) -> None:
    """Take the choice from a new address; a page that is opened without one keeps the last choice."""
    is_arrival = _COMPARE not in st.session_state
    if not is_arrival and not is_from_person(_WHO, _address()):
        return
    if is_arrival and not any(_address()):
        first = example_recipient(desk) if desk.showcase and not chosen_one(_RECIPIENT) else None
        if first is not None:
            put_one(_RECIPIENT, first.id)
        st.session_state[_COMPARE] = _WORDS[Side.NONE]
        _write_address()
        return
    for name, key in _IN_ADDRESS.items():
        put_one(key, st.query_params.get(name, ""))
    side, _, name = st.query_params.get("compare", "").partition(_SEPARATOR)
    put_one(_OTHER, name if side == Side.RECIPIENT else "")
    st.session_state[_COMPARE] = _of_set(name) if side == Side.SET else _WORDS.get(side, "")
    note_address(_WHO, _address(), before=_address())


def _write_address() -> None:
    before = _address()
    values = {name: chosen_one(key) for name, key in _IN_ADDRESS.items()}
    side, name = _chosen_side()
    values["compare"] = f"{side}{_SEPARATOR}{name}" if name else side.value
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in values}
    st.query_params.from_dict(others | {name: value for name, value in values.items() if value})
    note_address(_WHO, _address(), before=before)


def _address() -> tuple[str, ...]:
    return tuple(st.query_params.get(name, "") for name in (*_IN_ADDRESS, "compare"))
