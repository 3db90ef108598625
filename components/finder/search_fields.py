"""Fields that find names as a person types.

One is for a single choice, and one for several recipients. A test without a browser
stores acts and typed text instead, as `combobox` describes.
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

_MAX_CHIPS = 100
_MAX_QUESTIONS = 10
_MAX_LINE = 300


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
    field: ChoiceField,
    *,
    label: str,
    placeholder: str = "Name or number",
    is_off: bool = False,
) -> str:
    """Draw the field.

    Return the chosen number, or an empty text if there is none yet.
    """
    process = partial(process_choice, desk, field)
    process()
    choice = field_state(field.key).choice
    fixed = {
        "label": label,
        "placeholder": placeholder,
        "about": subject_of(desk, field.supplier, field.about),
        "isOff": is_off,
    }
    field_state(field.key).is_whole_page = True
    draw_field(
        field.key,
        fixed,
        process,
        partial(_choice_data, desk, field, choice),
        partial(_choice_matches, desk, field),
        reruns_page=True,
    )
    return chosen_one(field.key)


def _choice_data(desk: Desk, field: ChoiceField, choice: str | DoubtfulText) -> Data:
    """Return the chosen option, or the question about a doubtful text."""
    chosen = []
    questions = []
    if isinstance(choice, DoubtfulText):
        question = question_data(
            choice,
            before=f"No {field.kind.value} called",
            after="is known here.",
            use=use_words(field.kind, choice.text),
        )
        questions.append(question)
    elif choice:
        row = desk.names.chosen(field.kind, choice, supplier=field.supplier)
        chosen.append(option_data(row))

    return {
        "isSingle": True,
        "chosen": chosen,
        "questions": questions,
        "questionCount": len(questions),
    }


def _choice_matches(desk: Desk, field: ChoiceField, typed: str) -> Data:
    """Return the matches, and an offer to use a new number."""
    names = desk.names
    kind = field.kind
    supplier = field.supplier
    text = typed.strip()
    if not text:
        first = names.first(kind, supplier=supplier)
        return matches_data(first, map(option_data, first.choices))

    matches = names.find(kind, text, supplier=supplier)
    data = matches_data(matches, map(option_data, matches.choices))
    is_known = any(row.id == text for row in matches.choices)
    if not is_known and names.has_form(kind, text, supplier=supplier):
        data["asNumber"] = use_words(kind, text)
    return data


def process_choice(desk: Desk, field: ChoiceField) -> None:
    """Process the acts that the browser sent since the field was last drawn."""

    def process(act: Act) -> None:
        choice: str | DoubtfulText = ""
        match act.what:
            case "picked":
                choice = act.text
            case "named":
                choice = act.number
            case "entered":
                choice = desk.names.read_one(
                    field.kind, act.text, supplier=field.supplier
                )
        field_state(field.key).choice = choice
        field.on_choice()

    process_acts(field.key, subject_of(desk, field.supplier, field.about), process)


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field, or an empty text."""
    choice = field_state(key).choice
    return choice if isinstance(choice, str) else ""


def put_one(key: str, number: str) -> None:
    """Choose this number. Unlike entered text, it needs no decision by the person."""
    field_state(key).choice = number


def use_words(kind: Kind, text: str) -> str:
    """Return the label of the button that uses the text as a number."""
    article = "an" if kind is Kind.ITEM else "a"
    return f"Use '{cut(visible(text))}' as {article} {kind.value} number"


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


def choose_recipients(  # noqa: PLR0913  # the parts of a field
    desk: Desk,
    field: RecipientField,
    *,
    label: str,
    is_locked: bool = False,
    listed_mark: str = "can already see this item",
    reruns_page: bool = False,
) -> None:
    """Draw a field for recipients.

    A choice reruns the page if `reruns_page`, otherwise only the field.
    """
    process = partial(_process_recipients, desk, field)
    process()

    def data() -> Data:
        # The chosen recipients, each with a remark.
        selection = _selection(desk, field)
        shown = selection.ids[-_MAX_CHIPS:]
        names = desk.names.recipient_names(shown)
        new = [id_ for id_ in selection.ids if id_ not in field.listed]
        marks = remarks_on(new, listed=field.listed)
        marks |= {id_: listed_mark for id_ in shown if id_ in field.listed}
        chips = [
            option_data(NameRow((id_,), names.get(id_, "")), mark=marks.get(id_, ""))
            for id_ in shown
        ]

        # Texts that need a decision, and other lines.
        questions = [
            _question_about(doubt) for doubt in selection.doubtful[:_MAX_QUESTIONS]
        ]
        count = ""
        if reruns_page and len(selection.ids) > 1:
            count = f"{len(selection.ids)} chosen"
        return {
            "isSingle": False,
            "chosen": [*map(_group_option, selection.groups), *chips],
            "more": len(selection.ids) - len(shown),
            "questions": questions,
            "questionCount": len(selection.doubtful),
            "ignored": visible(" … ".join(selection.ignored))[:_MAX_LINE],
            "note": visible(selection.note or count),
        }

    def look(text: str) -> Data:
        matches = desk.names.find(Kind.RECIPIENT, text)
        options = [
            option_data(row, mark=listed_mark if row.id in field.listed else "")
            for row in matches.choices
        ]
        if field.groups_for is not None:
            groups = offered_groups(desk, field.groups_for, text)
            options += map(_group_option, groups)
        return matches_data(matches, options)

    fixed = {
        "label": label,
        "placeholder": "Name or number, or paste a column",
        "about": subject_of(desk, field.about),
        "isOff": is_locked,
    }
    field_state(field.key).is_whole_page = True
    draw_field(field.key, fixed, process, data, look, reruns_page=reruns_page)


def chosen_recipients(desk: Desk, field: RecipientField) -> Selection:
    """Return the selection.

    Text that is still being typed counts as a text that needs a decision.
    """
    _process_recipients(desk, field)
    selection = _selection(desk, field)
    rest = typed_text(field.key).strip()
    if not rest:
        return selection
    return replace(selection, doubtful=(*selection.doubtful, DoubtfulText(rest)))


def put_recipients(desk: Desk, field: RecipientField, ids: Iterable[str]) -> None:
    """Choose exactly these recipients.

    Unlike entered text, they need no decision by the person.
    """
    selection = Selection(tuple(dict.fromkeys(ids)))
    field_state(field.key).chosen = (subject_of(desk, field.about), selection)


def forget_chosen(key: str) -> None:
    """Empty the field."""
    field_state(key).chosen = NOBODY


def _process_recipients(desk: Desk, field: RecipientField) -> None:
    subject = subject_of(desk, field.about)

    def process(act: Act) -> None:
        selection = _after(desk, field, _selection(desk, field), act)
        field_state(field.key).chosen = (subject, selection)

    process_acts(field.key, subject, process)


def _after(
    desk: Desk, field: RecipientField, selection: Selection, act: Act
) -> Selection:
    """Return the selection after this act. Acts that make no sense change nothing."""
    after = selection
    match act.what:
        case "entered":
            after = add_entered(desk.names, selection, act.text, listed=field.listed)
        case "grouped" if field.groups_for is not None:
            after = _with_group(desk, selection, field.groups_for, act.text)
        case "picked":
            after = selection.with_ids([act.text])
        case "named" if _may_be_decided(selection, act.text):
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


def _may_be_decided(selection: Selection, text: str) -> bool:
    return any(doubt.text == text and not doubt.why_not for doubt in selection.doubtful)


def _with_group(
    desk: Desk, selection: Selection, item: ItemKey, group_id: str
) -> Selection:
    try:
        group = open_group(desk, item, group_id)
    except ItemVisibilityError as error:
        note = f"Nothing was added, because a list could not be read: {error.message}"
        return replace(selection, note=note)

    if not group.recipients:
        return replace(selection, note=f"Nothing was added: {group.words} is empty.")
    return selection.with_group(group)


def _selection(desk: Desk, field: RecipientField) -> Selection:
    subject, selection = field_state(field.key).chosen
    return selection if subject == subject_of(desk, field.about) else Selection()


def _group_option(group: Group) -> Data:
    count = "" if group.count is None else f"{group.count:,}"
    return {"id": group.id, "name": visible(group.words), "note": count, "group": True}


def _question_about(doubt: DoubtfulText) -> Data:
    before = ""
    after = ""
    if doubt.text in {row.id for row in doubt.alike}:
        after = "may be an id."
    elif doubt.is_name and len(doubt.alike) == 1:
        after = "was found in a sentence."
    elif doubt.is_name:
        before = "Several recipients are called"
    elif not doubt.why_not and (" " in doubt.text or not has_digit(doubt.text)):
        before = "No recipient is called"
    else:
        after = "is not in the directory."

    use = "" if doubt.is_name else "Add it as an id"
    return question_data(doubt, before=before, after=after, use=use)
