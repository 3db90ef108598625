"""Fields that find names as a person types: one for a single choice, and one for several recipients.

The browser sends each action of the person as an `Act`. A test without a browser cannot
type into a field. Such a test stores acts and the text instead:

    app.session_state[acts_key("add_recipients")] = [Act("entered", "A, B")]
    app.session_state[typed_key("add_recipients")] = "half a nu"
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from components.finder.combobox import (
    NOBODY,
    Act,
    Data,
    draw_field,
    field_state,
    matches_data,
    option_data,
    process_acts,
    question_data,
    subject_of,
    typed_text,
)
from components.markdown_escape import visible
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.gs1_and_markets import has_digit
from item_visibility.lists.table import cut
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.choose_recipients import (
    Group,
    Selection,
    add_entered,
    offered_groups,
    open_group,
    remarks_on,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import DoubtfulText

_MAX_CHIPS, _MAX_QUESTIONS, _MAX_LINE = 100, 10, 300


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """A field for one supplier, one recipient, or one item of `supplier`.

    When `supplier` or `about` changes, acts that were sent before the change are
    ignored.
    """

    kind: Kind
    key: str
    supplier: str | None = None
    about: object = None
    on_choice: Callable[[], None] = lambda: None


def choose_one(
    desk: Desk,
    one: ChoiceField,
    *,
    label: str,
    placeholder: str = "Name or number",
    is_off: bool = False,
) -> str:
    """Draw the field.

    Return the chosen number, or an empty text if there is none yet.
    """
    names, kind, key, supplier = desk.names, one.kind, one.key, one.supplier
    process = partial(process_choice, desk, one)
    process()
    choice, number = field_state(key).choice, chosen_one(key)

    def data() -> Data:
        doubts = [choice] if isinstance(choice, DoubtfulText) else []
        before, after = f"No {kind.value} called", "is known here."
        return {
            "isSingle": True,
            "chosen": [option_data(names.chosen(kind, number, supplier=supplier))]
            if number
            else [],
            "questions": [
                question_data(
                    one, before=before, after=after, use=use_words(kind, one.text)
                )
                for one in doubts
            ],
            "questionCount": len(doubts),
        }

    def look(typed: str) -> Data:
        text = typed.strip()
        matches = (
            names.find(kind, text, supplier=supplier)
            if text
            else names.first(kind, supplier=supplier)
        )
        is_known = any(one.id == text for one in matches.choices)
        is_number = (
            bool(text)
            and not is_known
            and names.has_form(kind, text, supplier=supplier)
        )
        as_number = use_words(kind, text) if is_number else ""
        return matches_data(matches, map(option_data, matches.choices)) | {
            "asNumber": as_number
        }

    subject = subject_of(desk, supplier, one.about)
    fixed = {
        "label": label,
        "placeholder": placeholder,
        "about": subject,
        "isOff": is_off,
    }
    field_state(key).is_whole_page = True
    draw_field(key, fixed, process, data, look, reruns_page=True)
    return number


def process_choice(desk: Desk, one: ChoiceField) -> None:
    """Process the acts that the browser sent since the field was last drawn."""

    def process(act: Act) -> None:
        match act.what:
            case "picked":
                choice: str | DoubtfulText = act.text
            case "named":
                choice = act.number
            case "entered":
                choice = desk.names.read_one(one.kind, act.text, supplier=one.supplier)
            case _:
                choice = ""
        field_state(one.key).choice = choice
        one.on_choice()

    process_acts(one.key, subject_of(desk, one.supplier, one.about), process)


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field, or an empty text."""
    choice = field_state(key).choice
    return choice if isinstance(choice, str) else ""


def put_one(key: str, number: str) -> None:
    """Choose this number. Unlike entered text, it needs no decision by the person."""
    field_state(key).choice = number


def use_words(kind: Kind, text: str) -> str:
    return f"Use '{cut(visible(text))}' as {'an' if kind is Kind.ITEM else 'a'} {kind.value} number"


@dataclass(frozen=True, slots=True)
class RecipientField:
    """A field for recipients.

    It marks recipients in `listed`, and drops all chips when `about` changes.

    If `groups_for` is an item, it also offers recipient sets and the lists of the
    supplier's other items.
    """

    key: str
    about: object = ""
    listed: frozenset[str] = frozenset()
    groups_for: ItemKey | None = None


def choose_recipients(
    desk: Desk,
    one: RecipientField,
    *,
    label: str,
    is_locked: bool = False,
    listed_mark: str = "can already see this item",
    reruns_page: bool = False,
) -> None:
    """Draw a field for recipients.

    A choice reruns the page if `reruns_page`, otherwise only the field.
    """
    process = partial(_process_recipients, desk, one)
    process()

    def data() -> Data:
        selection = _selection(desk, one)
        shown = selection.ids[-_MAX_CHIPS:]
        names = desk.names.recipient_names(shown)
        marks = remarks_on(
            [id_ for id_ in selection.ids if id_ not in one.listed], listed=one.listed
        )
        marks |= {id_: listed_mark for id_ in shown if id_ in one.listed}
        chips = [
            option_data(NameRow((id_,), names.get(id_, "")), mark=marks.get(id_, ""))
            for id_ in shown
        ]
        count = (
            f"{len(selection.ids)} chosen"
            if reruns_page and len(selection.ids) > 1
            else ""
        )
        return {
            "isSingle": False,
            "chosen": [*map(_group_option, selection.groups), *chips],
            "more": len(selection.ids) - len(shown),
            "questions": [
                _question_about(text) for text in selection.doubtful[:_MAX_QUESTIONS]
            ],
            "questionCount": len(selection.doubtful),
            "ignored": visible(" … ".join(selection.ignored))[:_MAX_LINE],
            "note": visible(selection.note or count),
        }

    def look(text: str) -> Data:
        matches = desk.names.find(Kind.RECIPIENT, text)
        options = [
            option_data(it, mark=listed_mark if it.id in one.listed else "")
            for it in matches.choices
        ]
        groups = (
            () if one.groups_for is None else offered_groups(desk, one.groups_for, text)
        )
        return matches_data(matches, [*options, *map(_group_option, groups)])

    placeholder, subject = (
        "Name or number, or paste a column",
        subject_of(desk, one.about),
    )
    fixed = {
        "label": label,
        "placeholder": placeholder,
        "about": subject,
        "isOff": is_locked,
    }
    field_state(one.key).is_whole_page = True
    draw_field(one.key, fixed, process, data, look, reruns_page=reruns_page)


def chosen_recipients(desk: Desk, one: RecipientField) -> Selection:
    """Return the selection.

    Text that is still being typed counts as a text that needs a decision.
    """
    _process_recipients(desk, one)
    selection, rest = _selection(desk, one), typed_text(one.key).strip()
    return (
        replace(selection, doubtful=(*selection.doubtful, DoubtfulText(rest)))
        if rest
        else selection
    )


def put_recipients(desk: Desk, one: RecipientField, ids: Iterable[str]) -> None:
    """Choose exactly these recipients.

    Unlike entered text, they need no decision by the person.
    """
    field_state(one.key).chosen = (
        subject_of(desk, one.about),
        Selection(tuple(dict.fromkeys(ids))),
    )


def forget_chosen(key: str) -> None:
    """Empty the field."""
    field_state(key).chosen = NOBODY


def _process_recipients(desk: Desk, one: RecipientField) -> None:
    subject = subject_of(desk, one.about)

    def process(act: Act) -> None:
        field_state(one.key).chosen = (
            subject,
            _after(desk, one, _selection(desk, one), act),
        )

    process_acts(one.key, subject, process)


def _after(
    desk: Desk, one: RecipientField, selection: Selection, act: Act
) -> Selection:
    after = selection
    match act.what:
        case "entered":
            after = add_entered(desk.names, selection, act.text, listed=one.listed)
        case "grouped" if one.groups_for is not None:
            after = _with_group(desk, selection, one.groups_for, act.text)
        case "picked":
            after = selection.with_ids([act.text])
        case "named" if act.text in {
            doubt.text for doubt in selection.doubtful if not doubt.why_not
        }:
            after = selection.with_ids([act.number], decided={act.text})
        case "dropped":
            after = selection.with_ids([], decided={act.text})
        case "dropped all":
            after = replace(selection, doubtful=())
        case "cleared":
            after = replace(selection, ignored=())
        case "removed":
            after = selection.without(act.text)
        case "ungrouped":
            after = selection.without_group(act.text)
    return after


def _with_group(
    desk: Desk, selection: Selection, item: ItemKey, group_id: str
) -> Selection:
    try:
        group = open_group(desk, item, group_id)
    except ItemVisibilityError as error:
        return replace(
            selection,
            note=f"Nothing was added, because a list could not be read: {error.message}",
        )
    if not group.recipients:
        return replace(selection, note=f"Nothing was added: {group.words} is empty.")
    return selection.with_group(group)


def _selection(desk: Desk, one: RecipientField) -> Selection:
    subject, selection = field_state(one.key).chosen
    return selection if subject == subject_of(desk, one.about) else Selection()


def _group_option(group: Group) -> Data:
    count = "" if group.count is None else f"{group.count:,}"
    return {"id": group.id, "name": visible(group.words), "note": count, "group": True}


def _question_about(one: DoubtfulText) -> Data:
    before, after = "", "is not in the directory."
    if one.text in {row.id for row in one.alike}:
        after = "may be an id."
    elif one.is_name and len(one.alike) == 1:
        after = "was found in a sentence."
    elif one.is_name:
        before, after = "Several recipients are called", ""
    elif not one.why_not and (" " in one.text or not has_digit(one.text)):
        before, after = "No recipient is called", ""
    use = "" if one.is_name else "Add it as an id"
    return question_data(one, before=before, after=after, use=use)
