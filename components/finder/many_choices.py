"""A field of recipients that are chosen as chips and kept until a button uses them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from components.finder.combobox import Act, Chips, Field, act_subject, find_many, process_acts, typed
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.paste import remarks_on
from item_visibility.use_cases.choose_recipients import Selection
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import Choice

_SELECTIONS = "many_choices.selections"
_GROUPS_FOR = "many_choices.groups_for"


@dataclass(frozen=True, slots=True)
class ChosenRecipients:
    """The recipients chosen in a field.

    `ids` holds all of them: single chips, members of sets, recipients of other items. `chips` are the single
    ones in their order. `undecided` are texts that wait for a decision, and text left in the field. `sets`
    are the names of the recipient sets.
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
    """Draw the field. `about` is the subject of the choice; recipients `listed` in it are marked.

    With `groups_for` it also offers recipient sets, and the recipients of other items of that supplier. A
    choice reruns only the field, unless `reruns_page`.
    """
    st.session_state.setdefault(_GROUPS_FOR, {})[key] = groups_for
    process = partial(_process_acts, desk, key, about, listed)
    process()
    subject = act_subject(desk, about)

    def chips() -> Chips:
        selection = _selection(key, subject)
        names = desk.names.recipient_names(selection.ids)
        marks = remarks_on([one for one in selection.ids if one not in listed], listed=listed)
        count = f"{len(selection.ids)} chosen" if reruns_page and len(selection.ids) > 1 else ""
        return Chips(
            choices=[Choice((one,), names.get(one, "")) for one in selection.ids],
            marks=marks | {one: listed_mark for one in selection.ids if one in listed},
            groups=selection.groups,
            doubtful=selection.doubtful,
            ignored=selection.ignored,
            note=selection.note or count,
        )

    find_many(
        desk.names,
        Field(
            kind=Kind.RECIPIENT,
            label=label,
            key=key,
            placeholder="Name or number, or paste a column",
            about=subject,
            on_acts=process,
            is_off=is_locked,
            reruns_page=reruns_page,
        ),
        chips=chips,
        mark=lambda number: listed_mark if number in listed else "",
        groups=lambda text: () if groups_for is None else desk.groups.offered(groups_for, text),
    )


def chosen_recipients(
    desk: Desk, key: str, *, about: str, listed: frozenset[str] = frozenset()
) -> ChosenRecipients:
    """Return the choice, with the browser's last message: a callback runs before the field is drawn."""
    _process_acts(desk, key, about, listed)
    selection = _selection(key, act_subject(desk, about))
    rest = typed(key).strip()
    return ChosenRecipients(
        ids=selection.everyone,
        chips=selection.ids,
        undecided=(*(one.text for one in selection.doubtful), *([rest] if rest else [])),
        sets=tuple(group.set_name for group in selection.groups if group.set_name),
    )


def put_recipients(desk: Desk, key: str, ids: Iterable[str], *, about: str) -> None:
    """Choose these ids, as from a link, without a question about them."""
    _put(key, act_subject(desk, about), Selection(tuple(dict.fromkeys(ids))))


def forget_chosen(key: str) -> None:
    """Empty the field after its recipients were used."""
    st.session_state.get(_SELECTIONS, {}).pop(key, None)


def _process_acts(desk: Desk, key: str, about: str, listed: frozenset[str]) -> None:
    subject = act_subject(desk, about)

    def process(act: Act) -> None:
        selection = _selection(key, subject)
        if act.what == "grouped":
            item = st.session_state.get(_GROUPS_FOR, {}).get(key)
            selection = selection if item is None else _with_group(desk, selection, item, act.text)
        elif act.what == "entered":
            entered = desk.names.read_many(act.text, listed=listed, as_numbers=frozenset(selection.ids))
            count = len(listed.intersection(entered.ids))
            note = f"{count:,} already listed" if count else ""
            selection = replace(selection.with_entered(entered), note=note)
        else:
            selection = _after(selection, act)
        _put(key, subject, selection)

    process_acts(key, about=subject, process=process)


def _after(selection: Selection, act: Act) -> Selection:
    """Return the selection after the act. A text is used as an id only if the field has asked about it."""
    after = selection
    match act.what:
        case "picked":
            after = selection.with_ids([act.text])
        case "used" | "named" if act.text in {one.text for one in selection.doubtful if not one.why_not}:
            after = selection.with_ids([act.number or act.text], settled={act.text})
        case "dropped":
            after = selection.with_ids([], settled={act.text})
        case "dropped all":
            after = replace(selection, doubtful=())
        case "cleared":
            after = replace(selection, ignored=())
        case "removed":
            after = selection.without(act.text)
        case "ungrouped":
            after = selection.without_group(act.text)
    return after


def _with_group(desk: Desk, selection: Selection, item: ItemKey, group_id: str) -> Selection:
    """Return the selection with the group, read now; with a note if it cannot be read or is empty."""
    try:
        group = desk.groups.open(item, group_id)
    except ItemVisibilityError as error:
        return replace(selection, note=f"Could not be read, so nothing was added: {error.message}")
    if not group.recipients:
        return replace(selection, note=f"Nothing was added: {group.words} is empty.")
    return selection.with_group(group)


def _selection(key: str, subject: str) -> Selection:
    about, selection = st.session_state.get(_SELECTIONS, {}).get(key, (subject, Selection()))
    return selection if about == subject else Selection()


def _put(key: str, subject: str, selection: Selection) -> None:
    st.session_state.setdefault(_SELECTIONS, {})[key] = (subject, selection)
