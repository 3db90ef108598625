"""A field that holds one choice."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import Act, Field, find_one, process_acts
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import KnownNames, SingleChoice

_CHOICES = "one_choice.choices"


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
    """Draw the field and return the chosen number; empty without one, and while a question is open.

    The query parameter `query`, if given, holds the choice: a link, Back or Forward changes it.
    """
    if query:
        visit = unread_visit(key)
        if visit is not None:
            put_one(key, visit.first(query))
        _write_query(query, chosen_one(key))

    process_all = partial(
        process_choice, names, kind, key=key, about=about, supplier=supplier, query=query, on_choice=on_choice
    )
    process_all()
    choice = _choices().get(key, SingleChoice())
    find_one(
        names,
        Field(
            kind=kind,
            label=label,
            key=key,
            placeholder=placeholder,
            about=about,
            is_off=is_off,
            on_acts=process_all,
        ),
        choice,
        supplier=supplier,
    )
    return choice.number


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field."""
    return _choices().get(key, SingleChoice()).number


def put_one(key: str, number: str, *, query: str = "") -> None:
    """Choose the number, as from a link, without a question about it."""
    _put(key, SingleChoice(number), query=query)


def process_choice(  # noqa: PLR0913  (each is named where it is called)
    names: KnownNames,
    kind: Kind,
    *,
    key: str,
    about: str,
    supplier: str | None = None,
    query: str = "",
    on_choice: Callable[[], None] = lambda: None,
) -> None:
    """Process what the person did in the field since it was drawn."""

    def process(act: Act) -> None:
        _put(key, _meaning_of(names, kind, act, supplier=supplier), query=query)
        on_choice()

    process_acts(key, about=about, process=process)


def _meaning_of(names: KnownNames, kind: Kind, act: Act, *, supplier: str | None) -> SingleChoice:
    """Return the number that the act chooses, or the text to ask about; empty if it removes the choice."""
    match act.what:
        case "picked" | "used":
            return SingleChoice(act.text)
        case "named":
            return SingleChoice(act.number)
        case "entered":
            return names.read_one(kind, act.text, supplier=supplier)
    return SingleChoice()


def _choices() -> dict[str, SingleChoice]:
    choices: dict[str, SingleChoice] = st.session_state.get(_CHOICES, {})
    return choices


def _put(key: str, choice: SingleChoice, *, query: str) -> None:
    st.session_state[_CHOICES] = _choices() | {key: choice}
    if query:
        _write_query(query, choice.number)


def _write_query(query: str, number: str) -> None:
    """Write the choice into the address, only if it changed: each write is a step of Back."""
    if number == st.query_params.get(query, ""):
        return
    if number:
        st.query_params[query] = number
    else:
        del st.query_params[query]
