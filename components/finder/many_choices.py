"""A field of recipients that are chosen as chips and kept, until a button does something with them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.finder.combobox import Act, Field, act_subject, find_many, take_acts, typed
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.directory import Kind
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.finder.many_chosen import ManyChosen
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.paste import EnteredIds

_KEPT = "many_choices.kept"


@dataclass(frozen=True, slots=True)
class ChosenRecipients:
    """What is chosen in a field.

    `ids` holds all recipients: single chips, members of sets, recipients of other items. `chips` are the
    single ones, in their order. `undecided` are texts that wait for a decision, and text left in the field.
    `sets` are the names of the recipient sets.
    """

    ids: frozenset[str] = frozenset()
    chips: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


def choose_recipients(  # noqa: PLR0913  (each is named where it is called)
    desk: Desk,
    *,
    label: str,
    key: str,
    about: str,
    listed: frozenset[str] = frozenset(),
    groups_for: ItemKey | None = None,
    is_locked: bool = False,
    reruns_page: bool = False,
) -> None:
    """Draw the field. `about` is the subject that the choice is for; those `listed` in it are marked.

    With `groups_for` it also offers recipient sets, and the recipients of other items of that supplier. Only
    the field runs again when something is chosen, unless `reruns_page`.
    """
    del groups_for, reruns_page
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
            is_off=is_locked,
        ),
        chosen=tuple(Choice((one,), names.get(one, "")) for one in kept.ids),
        asked=kept.asked,
        mark=lambda number: "in the set already" if number in listed else "",
    )


def chosen_recipients(
    desk: Desk, key: str, *, about: str, listed: frozenset[str] = frozenset()
) -> ChosenRecipients:
    """Return what is chosen, also what the browser sent last: a callback runs before the field is drawn."""
    _take_in(desk, key, about, listed)
    kept = _kept(key, act_subject(desk, about))
    left = typed(key).strip()
    undecided = (*(one.text for one in kept.asked), *([left] if left else []))
    return ChosenRecipients(frozenset(kept.ids), kept.ids, undecided)


def put_recipients(desk: Desk, key: str, ids: Iterable[str], *, about: str) -> None:
    """Choose these, as from a link; they are not asked about."""
    kept = (act_subject(desk, about), ManyChosen(tuple(dict.fromkeys(ids))))
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
