"""A field of recipients that are chosen as chips and kept, until a button does something with them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from components.finder.combobox import Act, Field, Many, act_subject, find_many, take_acts, typed
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.paste import remarks_on
from item_visibility.use_cases.choose_recipients import ManyChosen
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.find_by_name import Choice

_KEPT = "many_choices.kept"
_GROUPS_FOR = "many_choices.groups_for"


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
    listed_mark: str = "already can see this item",
    reruns_page: bool = False,
) -> None:
    """Draw the field. `about` is the subject that the choice is for; those `listed` in it are marked.

    With `groups_for` it also offers recipient sets, and the recipients of other items of that supplier. Only
    the field runs again when something is chosen, unless `reruns_page`.
    """
    st.session_state.setdefault(_GROUPS_FOR, {})[key] = groups_for
    take = partial(_take_in, desk, key, about, listed)
    take()
    subject = act_subject(desk, about)

    def shown() -> Many:
        kept = _kept(key, subject)
        names = desk.names.recipient_names(kept.ids)
        marks = {one: listed_mark for one in kept.ids if one in listed}
        return Many(
            chosen=[Choice((one,), names.get(one, "")) for one in kept.ids],
            groups=kept.groups,
            marks=remarks_on([one for one in kept.ids if one not in listed], listed=listed) | marks,
            asked=kept.asked,
            ignored=kept.ignored,
            note=kept.note or (f"{len(kept.ids)} chosen" if reruns_page and len(kept.ids) > 1 else ""),
        )

    find_many(
        desk.names,
        Field(
            kind=Kind.RECIPIENT,
            label=label,
            key=key,
            placeholder="Name or number, or paste a column",
            about=subject,
            on_acts=take,
            is_off=is_locked,
            reruns_page=reruns_page,
        ),
        shown=shown,
        mark=lambda number: listed_mark if number in listed else "",
        groups=lambda text: () if groups_for is None else desk.groups.offered(groups_for, text),
    )


def chosen_recipients(
    desk: Desk, key: str, *, about: str, listed: frozenset[str] = frozenset()
) -> ChosenRecipients:
    """Return what is chosen, also what the browser sent last: a callback runs before the field is drawn."""
    _take_in(desk, key, about, listed)
    kept = _kept(key, act_subject(desk, about))
    left = typed(key).strip()
    return ChosenRecipients(
        ids=kept.everyone,
        chips=kept.ids,
        undecided=(*(one.text for one in kept.asked), *([left] if left else [])),
        sets=tuple(group.set_name for group in kept.groups if group.set_name),
    )


def put_recipients(desk: Desk, key: str, ids: Iterable[str], *, about: str) -> None:
    """Choose these, as from a link; they are not asked about."""
    kept = (act_subject(desk, about), ManyChosen(tuple(dict.fromkeys(ids))))
    st.session_state[_KEPT] = st.session_state.get(_KEPT, {}) | {key: kept}


def forget_chosen(key: str) -> None:
    """Empty the field after its recipients were taken."""
    st.session_state.get(_KEPT, {}).pop(key, None)


def _take_in(desk: Desk, key: str, about: str, listed: frozenset[str]) -> None:
    subject = act_subject(desk, about)

    def do(act: Act) -> None:
        kept = _kept(key, subject)
        if act.what == "grouped":
            kept = _with_group(desk, kept, st.session_state.get(_GROUPS_FOR, {}).get(key), act.text)
        elif act.what == "entered":
            entered = desk.entered.read(act.text, listed=listed, as_numbers=frozenset(kept.ids))
            there = len(listed.intersection(entered.ids))
            kept = replace(kept.with_entered(entered), note=f"{there:,} already listed" if there else "")
        else:
            kept = _after(kept, act)
        st.session_state.setdefault(_KEPT, {})[key] = (subject, kept)

    take_acts(key, about=subject, take=do)


def _after(kept: ManyChosen, act: Act) -> ManyChosen:
    """Return what is chosen after the act. Only a text that was asked about can be used as an id."""
    match act.what:
        case "picked":
            after = kept.with_ids([act.text])
        case "used" | "named" if act.text in {one.text for one in kept.asked if not one.why_not}:
            after = kept.with_ids([act.number or act.text], settled={act.text})
        case "dropped":
            after = kept.with_ids([], settled={act.text})
        case "dropped all":
            after = replace(kept, asked=())
        case "cleared":
            after = replace(kept, ignored=())
        case "removed":
            after = kept.without(act.text)
        case "ungrouped":
            after = kept.without_group(act.text)
        case _:
            after = kept
    return after


def _with_group(desk: Desk, kept: ManyChosen, item: ItemKey | None, choice_id: str) -> ManyChosen:
    """Return the choice with the group, read now; if it cannot be read or is empty, with a note."""
    if item is None:
        return kept
    try:
        group = desk.groups.open(item, choice_id)
    except ItemVisibilityError as error:
        return replace(kept, note=f"Could not be read, so nothing was added: {error.message}")
    if not group.recipients:
        return replace(kept, note=f"Nothing was added: {group.words} is empty.")
    return kept.with_group(group)


def _kept(key: str, subject: str) -> ManyChosen:
    about, kept = st.session_state.get(_KEPT, {}).get(key, (subject, ManyChosen()))
    return kept if about == subject else ManyChosen()
