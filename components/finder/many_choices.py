"""A field of recipients that are chosen as chips and kept, until a button does something with them."""

from functools import partial

import streamlit as st

from components.finder.combobox import Act, Field, act_subject, find_many, take_acts, typed
from components.notices import Notice, keep_notice
from item_visibility.desk.directory import Kind
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.finder.many_chosen import ManyChosen
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.paste import EnteredIds

_KEPT = "many_choices.kept"


def choose_recipients(
    desk: Desk, *, label: str, key: str, about: str, listed: frozenset[str] = frozenset()
) -> None:
    """Draw the field. `about` is the subject that the choice is for; those `listed` in it are marked."""
    take = partial(_take_in, desk, key, about, listed)
    take()
    subject = act_subject(desk, about)
    kept = _kept(key, subject)
    names = desk.names.recipient_names(kept.ids)
    find_many(
        desk.finder,
        Field(
            kind=Kind.RECIPIENT,
            label=label,
            key=key,
            placeholder="Name or number, or paste a column",
            about=subject,
            on_acts=take,
        ),
        chosen=tuple(Choice((one,), names.get(one, "")) for one in kept.ids),
        asked=kept.asked,
        mark=lambda number: "in the set already" if number in listed else "",
    )


def chosen_recipients(
    desk: Desk, key: str, *, about: str, listed: frozenset[str] = frozenset()
) -> tuple[str, ...] | None:
    """Return what is chosen, or None with a notice while a text is to be decided or was left there."""
    _take_in(desk, key, about, listed)  # a button can be quicker than the run of what was chosen just before
    chosen = settled_recipients(desk, key, about=about)
    if chosen is None:
        keep_notice(Notice("Nothing was changed: a text in the field is not decided yet."))
    return chosen


def settled_recipients(desk: Desk, key: str, *, about: str) -> tuple[str, ...] | None:
    """Return what is chosen, or None while a text is to be decided or was left in the field."""
    kept = _kept(key, act_subject(desk, about))
    return None if kept.asked or typed(key).strip() else kept.ids


def put_recipients(desk: Desk, key: str, ids: tuple[str, ...], *, about: str) -> None:
    """Choose these, as from a link; they are not asked about."""
    kept = (act_subject(desk, about), ManyChosen(ids))
    st.session_state[_KEPT] = st.session_state.get(_KEPT, {}) | {key: kept}


def forget_chosen(key: str) -> None:
    """Empty the field after its recipients were taken."""
    st.session_state.get(_KEPT, {}).pop(key, None)


def _take_in(desk: Desk, key: str, about: str, listed: frozenset[str]) -> None:
    subject = act_subject(desk, about)
    take_acts(key, about=subject, take=partial(_do, desk, key, subject, listed))


def _do(desk: Desk, key: str, subject: str, listed: frozenset[str], act: Act) -> None:
    kept = _kept(key, subject)
    texts = {one.text for one in kept.asked}
    match act.what:
        case "picked":
            after = kept.with_entered(EnteredIds((act.text,), ()))
        case "entered":
            after = kept.with_entered(
                desk.entered.read(act.text, listed=listed, as_numbers=frozenset(kept.ids))
            )
        case "removed":
            after = kept.without(act.text)
        case "used" if act.text in texts:
            after = kept.with_entered(EnteredIds((act.text,), ()), settled={act.text})
        case "named" if act.text in texts:
            after = kept.with_entered(EnteredIds((act.number,), ()), settled={act.text})
        case "used all":
            after = kept.with_entered(EnteredIds(tuple(sorted(texts)), ()), settled=texts)
        case _:
            after = kept.with_entered(EnteredIds((), ()), settled={act.text})
    st.session_state.setdefault(_KEPT, {})[key] = (subject, after)


def _kept(key: str, subject: str) -> ManyChosen:
    about, kept = st.session_state.get(_KEPT, {}).get(key, (subject, ManyChosen()))
    return kept if about == subject else ManyChosen()
