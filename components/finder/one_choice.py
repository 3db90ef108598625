"""A field that holds one choice, and keeps it; and what an act in such a field means."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import Act, Field, find_one, take_acts
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import EnteredOne, KnownNames

_CHOSEN = "one_choice.chosen"


def choose_one(  # noqa: PLR0913  (each is named where it is called)
    names: KnownNames,
    kind: Kind,
    *,
    label: str,
    key: str,
    placeholder: str,
    about: str,
    query: str = "",
    supplier: str | None = None,
    is_off: bool = False,
    on_choice: Callable[[], None] = lambda: None,
) -> str:
    """Draw the field and return the chosen number; empty when there is none, or a text is asked about.

    The query parameter `query`, if given, holds the choice, and a link, Back or Forward changes it.
    """
    if query:
        _follow_query(key, query)

    def do(act: Act) -> None:
        _keep_choice(key, meant(names, kind, act, supplier=supplier), query=query)
        on_choice()

    take = partial(take_acts, key, about=about, take=do)
    take()
    number = chosen_one(key)
    kept = _kept().get(key, EnteredOne())
    find_one(
        names,
        Field(
            kind=kind,
            label=label,
            key=key,
            placeholder=placeholder,
            about=about,
            is_off=is_off,
            on_acts=take,
        ),
        chosen=names.chosen(kind, number, supplier=supplier) if number else None,
        asked=kept if kept.asked else None,
        supplier=supplier,
    )
    return number


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field."""
    return _kept().get(key, EnteredOne()).number


def put_one(key: str, number: str, *, query: str = "") -> None:
    """Choose the number, as from a link; it is not asked about."""
    _keep_choice(key, EnteredOne(number), query=query)


def _follow_query(key: str, query: str) -> None:
    """Take the choice from the address of an opened page, or of Back and Forward."""
    visit = unread_visit(key)
    if visit is not None:
        put_one(key, visit.first(query))
    _write_query(query, chosen_one(key))


def meant(names: KnownNames, kind: Kind, act: Act, *, supplier: str | None = None) -> EnteredOne:
    """Return the number that the act chooses, the text that it leaves to be asked about, or neither."""
    match act.what:
        case "picked" | "used":
            return EnteredOne(act.text)
        case "named":
            return EnteredOne(act.number)
        case "entered":
            return names.read_one(kind, act.text, supplier=supplier)
        case _:
            return EnteredOne()


def _kept() -> dict[str, EnteredOne]:
    kept: dict[str, EnteredOne] = st.session_state.get(_CHOSEN, {})
    return kept


def _keep_choice(key: str, entered: EnteredOne, *, query: str = "") -> None:
    st.session_state[_CHOSEN] = _kept() | {key: entered}
    if query:
        _write_query(query, entered.number)


def _write_query(query: str, number: str) -> None:
    """Write the choice into the address, only if it changed: each write is a step of Back."""
    if number == st.query_params.get(query, ""):
        return
    if number:
        st.query_params[query] = number
    else:
        del st.query_params[query]
