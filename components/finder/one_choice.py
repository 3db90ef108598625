"""A field that holds one choice."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import (
    Act,
    Data,
    act_subject,
    draw_field,
    found,
    option,
    process_acts,
    question,
)
from components.verbatim import visible
from item_visibility.lists.table import cut
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import SingleChoice

_CHOICES = "one_choice.choices"


def choose_one(  # noqa: PLR0913  (each is named where it is called)
    desk: Desk,
    kind: Kind,
    *,
    label: str,
    key: str,
    placeholder: str,
    about: object = None,
    query: str = "",
    supplier: str | None = None,
    is_off: bool = False,
    on_choice: Callable[[], None] = lambda: None,
) -> str:
    """Draw the field and return the chosen number; empty without one, and while a question is open.

    The query parameter `query`, if given, holds the choice: a link, Back or Forward changes it. With nothing
    typed the field offers the first ones. `supplier` limits items to those of one. What is done in a field
    about another supplier, or something else that it is `about`, is ignored.
    """
    names = desk.names
    if query:
        visit = unread_visit(key)
        if visit is not None:
            put_one(key, visit.first(query))
        _write_query(query, chosen_one(key))
    process = partial(
        process_choice, desk, kind, key=key, about=about, supplier=supplier, query=query, on_choice=on_choice
    )
    process()
    choice = _choice(key)

    def data() -> Data:
        number, text = choice.number, choice.question
        chosen = [option(names.chosen(kind, number, supplier=supplier))] if number else []
        one = question(
            text,
            before=f"No {kind.value} called",
            after=choice.why_not or "is known here.",
            use="" if choice.why_not else _use_words(kind, text),
            alike=choice.nearest,
        )
        return {
            "isSingle": True,
            "chosen": chosen,
            "more": 0,
            "questions": [one] if text else [],
            "questionCount": int(bool(text)),
            "ignored": "",
            "note": "",
        }

    def look(typed: str) -> Data:
        text = typed.strip()
        matches = names.find(kind, text, supplier=supplier) if text else names.first(kind, supplier=supplier)
        is_known = any(one.id == text for one in matches.choices)
        is_number = bool(text) and not is_known and names.has_form(kind, text, supplier=supplier)
        options = [option(one) for one in matches.choices]
        return found(matches, options) | {"asNumber": _use_words(kind, text) if is_number else ""}

    draw_field(
        key=key,
        label=label,
        placeholder=placeholder,
        about=act_subject(desk, supplier, about),
        is_off=is_off,
        on_acts=process,
        data=data,
        look=look,
    )
    return choice.number


def process_choice(  # noqa: PLR0913  (each is named where it is called)
    desk: Desk,
    kind: Kind,
    *,
    key: str,
    about: object = None,
    supplier: str | None = None,
    query: str = "",
    on_choice: Callable[[], None] = lambda: None,
) -> None:
    """Process what the person did in the field since it was drawn."""

    def process(act: Act) -> None:
        match act.what:
            case "picked" | "used":
                choice = SingleChoice(act.text)
            case "named":
                choice = SingleChoice(act.number)
            case "entered":
                choice = desk.names.read_one(kind, act.text, supplier=supplier)
            case _:
                choice = SingleChoice()
        st.session_state.setdefault(_CHOICES, {})[key] = choice
        if query:
            _write_query(query, choice.number)
        on_choice()

    process_acts(key, about=act_subject(desk, supplier, about), process=process)


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field."""
    return _choice(key).number


def put_one(key: str, number: str) -> None:
    """Choose the number, as from a link, without a question about it."""
    st.session_state.setdefault(_CHOICES, {})[key] = SingleChoice(number)


def _choice(key: str) -> SingleChoice:
    choices: dict[str, SingleChoice] = st.session_state.get(_CHOICES, {})
    return choices.get(key, SingleChoice())


def _write_query(query: str, number: str) -> None:
    """Write the choice into the address, only if it changed: each write is a step of Back."""
    if number == st.query_params.get(query, ""):
        return
    if number:
        st.query_params[query] = number
    else:
        del st.query_params[query]


def _use_words(kind: Kind, text: str) -> str:
    article = "an" if kind is Kind.ITEM else "a"
    return f"Use '{cut(visible(text))}' as {article} {kind.value} number"
