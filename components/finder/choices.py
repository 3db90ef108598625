"""The fields that find by name: one choice, or recipients as chips that are kept until a button uses them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
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
    typed,
)
from components.verbatim import visible
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.numbers import has_digit
from item_visibility.lists.table import cut
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.choose_recipients import (
    DoubtfulText,
    Group,
    Selection,
    add_entered,
    offered_groups,
    open_group,
    remarks_on,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice, SingleChoice

_CHOICES = "choices.one"
_SELECTIONS = "choices.selections"
_GROUPS_FOR = "choices.groups_for"
_MAX_CHIPS, _MAX_QUESTIONS, _MAX_LINE = 100, 10, 300


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


@dataclass(frozen=True, slots=True)
class ChosenRecipients:
    """The recipients chosen in a field.

    `ids` holds all of them: single chips, members of sets, recipients of other items. `chips` are the single
    ones in their order. `undecided` are texts that wait for a decision, and text left in the field.
    """

    ids: frozenset[str] = frozenset()
    chips: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


def choose_recipients(  # noqa: PLR0913  (each is named where it is called)
    desk: Desk,
    *,
    label: str,
    key: str,
    about: str = "",
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

    def data() -> Data:
        selection = _selection(key, subject)
        shown = selection.ids[-_MAX_CHIPS:]
        names = desk.names.recipient_names(shown)
        marks = remarks_on([one for one in selection.ids if one not in listed], listed=listed)
        marks |= {one: listed_mark for one in shown if one in listed}
        chips = [option(Choice((one,), names.get(one, "")), mark=marks.get(one, "")) for one in shown]
        count = f"{len(selection.ids)} chosen" if reruns_page and len(selection.ids) > 1 else ""
        return {
            "isSingle": False,
            "chosen": [*map(_group_option, selection.groups), *chips],
            "more": len(selection.ids) - len(shown),
            "questions": [_question(one) for one in selection.doubtful[:_MAX_QUESTIONS]],
            "questionCount": len(selection.doubtful),
            "ignored": visible(" … ".join(selection.ignored))[:_MAX_LINE],
            "note": visible(selection.note or count),
        }

    def look(text: str) -> Data:
        matches = desk.names.find(Kind.RECIPIENT, text)
        options = [option(one, mark=listed_mark if one.id in listed else "") for one in matches.choices]
        groups = () if groups_for is None else offered_groups(desk, groups_for, text)
        return found(matches, [*options, *map(_group_option, groups)])

    draw_field(
        key=key,
        label=label,
        placeholder="Name or number, or paste a column",
        about=subject,
        is_off=is_locked,
        on_acts=process,
        data=data,
        look=look,
        reruns_page=reruns_page,
    )


def chosen_recipients(
    desk: Desk, key: str, *, about: str = "", listed: frozenset[str] = frozenset()
) -> ChosenRecipients:
    """Return the choice, with the browser's last message: a callback runs before the field is drawn."""
    _process_acts(desk, key, about, listed)
    selection = _selection(key, act_subject(desk, about))
    rest = typed(key).strip()
    return ChosenRecipients(
        ids=selection.everyone,
        chips=selection.ids,
        undecided=(*(one.text for one in selection.doubtful), *([rest] if rest else [])),
    )


def put_recipients(desk: Desk, key: str, ids: Iterable[str], *, about: str = "") -> None:
    """Choose these ids, as from a link, without a question about them."""
    _put(key, act_subject(desk, about), Selection(tuple(dict.fromkeys(ids))))


def forget_chosen(key: str) -> None:
    """Empty the field after its recipients were used."""
    st.session_state.get(_SELECTIONS, {}).pop(key, None)


def _process_acts(desk: Desk, key: str, about: str, listed: frozenset[str]) -> None:
    subject = act_subject(desk, about)

    def process(act: Act) -> None:
        selection = _selection(key, subject)
        item = st.session_state.get(_GROUPS_FOR, {}).get(key)
        if act.what == "entered":
            selection = add_entered(desk.names, selection, act.text, listed=listed)
        elif act.what == "grouped" and item is not None:
            try:
                group = open_group(desk, item, act.text)
            except ItemVisibilityError as error:
                note = f"Could not be read, so nothing was added: {error.message}"
                selection = replace(selection, note=note)
            else:
                note = f"Nothing was added: {group.words} is empty."
                is_empty = not group.recipients
                selection = replace(selection, note=note) if is_empty else selection.with_group(group)
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


def _selection(key: str, subject: str) -> Selection:
    about, selection = st.session_state.get(_SELECTIONS, {}).get(key, (subject, Selection()))
    return selection if about == subject else Selection()


def _put(key: str, subject: str, selection: Selection) -> None:
    st.session_state.setdefault(_SELECTIONS, {})[key] = (subject, selection)


def _group_option(group: Group) -> dict[str, str]:
    count = "" if group.count is None else f"{group.count:,}"
    words = {"name": visible(group.words), "note": count, "number": "", "mark": ""}
    return words | {"id": group.id, "group": "group"}


def _question(one: DoubtfulText) -> Data:
    before, after = "", one.why_not or "is not in the directory."
    if one.text in dict(one.alike):
        after = "may be an id."
    elif one.is_name and len(one.alike) == 1:
        after = "is part of a sentence."
    elif one.is_name:
        before, after = "Several are called", ""
    elif not one.why_not and (" " in one.text or not has_digit(one.text)):
        before, after = "Nobody is called", ""
    use = "" if one.why_not else "Add it as an id"
    alike = [Choice((number,), name) for number, name in one.alike]
    return question(one.text, before=before, after=after, use=use, alike=alike)
