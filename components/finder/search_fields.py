"""Fields that find names as a person types: one for a single choice, and one for several recipients.

The browser sends each action of the person as an `Act`. A test without a browser cannot
type into a field. Such a test stores acts and the text instead:

    app.session_state[acts_key("add_recipients")] = [Act("entered", "A, B")]
    app.session_state[typed_key("add_recipients")] = "half a nu"
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import streamlit as st

from components.markdown_escape import visible
from components.session import may_look_here
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
from item_visibility.use_cases.find_by_name import DoubtfulText, Matches, market_of

Data = dict[str, object]
_ENDED = "Your sign-in has ended. Press Save: your changes are kept, and you can sign in again."
_CHANGED = "find_by_name.changed"
"""Under this key, the session stores the fields whose text has changed in this run."""
_MAX_CHIPS, _MAX_QUESTIONS, _MAX_LINE = 100, 10, 300
_NOBODY = ("", Selection())
_HERE = Path(__file__).parent
# The input is disabled until combobox.js runs, because text that was typed earlier
# would be lost.
_HTML = """
<label for="input"></label>
<div class="row">
  <div class="box">
    <ul class="chips" aria-label="Chosen"></ul>
    <input id="input" type="text" role="combobox" aria-autocomplete="list" aria-haspopup="listbox"
      aria-expanded="false" aria-controls="list" aria-describedby="one hint"
      autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="done" disabled>
    <span class="number" id="one" hidden></span>
    <button type="button" class="remove clear" tabindex="-1" hidden>&times;</button>
  </div>
  <button type="button" class="add">Add</button>
  <div class="panel" hidden>
    <ul id="list" role="listbox" aria-label="Matches" hidden></ul>
    <p id="hint" hidden></p>
  </div>
</div>
<p class="line" hidden>
  <button type="button" class="decide" hidden></button>
  <span class="remark" aria-live="polite"></span>
  <button type="button" class="drop" hidden>Drop</button>
</p>
<ul class="questions" aria-label="To decide" hidden></ul>
<div class="sr" role="status" aria-live="polite"></div>
"""
_mount_combobox = st.components.v2.component(
    "find_by_name",
    html=_HTML,
    css=(_HERE / "combobox.css").read_text("utf-8"),
    js=(_HERE / "combobox.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class Act:
    """One action of the person. `what` has one of these values.

    - `picked`: chose a number from the matches. `grouped`: chose a set or the
      recipients of an item.
    - `removed`: removed the choice or a chip. `ungrouped`: removed the chip of a group.
    - `entered`: entered a text or pasted a column.
    - `named`: said which number a doubtful text means. `dropped`: removed a doubtful
      text. `dropped all`: removed all doubtful texts.
    - `cleared`: removed the line with the ignored words.
    """

    what: str
    text: str = ""
    number: str = ""


@dataclass(slots=True)
class _Field:
    """The state of a field in this window.

    A RecipientField uses `chosen`, and a ChoiceField `choice`.
    """

    choice: str | DoubtfulText = ""
    chosen: tuple[str, Selection] = _NOBODY  # the subject and its selection
    done: int = 0  # the serial number of the last processed act
    drawn: str = ""  # the text when the field was last drawn
    is_processed: bool = False
    is_whole_page: bool = False


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
    choice, number = _field(key).choice, chosen_one(key)

    def data() -> Data:
        doubts = [choice] if isinstance(choice, DoubtfulText) else []
        before, after = f"No {kind.value} called", "is known here."
        return {
            "isSingle": True,
            "chosen": [_option(names.chosen(kind, number, supplier=supplier))]
            if number
            else [],
            "questions": [
                _question(
                    one, before=before, after=after, use=_use_words(kind, one.text)
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
        as_number = _use_words(kind, text) if is_number else ""
        return _found(matches, map(_option, matches.choices)) | {"asNumber": as_number}

    subject = _subject(desk, supplier, one.about)
    fixed = {
        "label": label,
        "placeholder": placeholder,
        "about": subject,
        "isOff": is_off,
    }
    _field(key).is_whole_page = True
    _draw(key, fixed, process, data, look, reruns_page=True)
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
        _field(one.key).choice = choice
        one.on_choice()

    _process_acts(one.key, _subject(desk, one.supplier, one.about), process)


def chosen_one(key: str) -> str:
    """Return the number that is chosen in the field, or an empty text."""
    choice = _field(key).choice
    return choice if isinstance(choice, str) else ""


def put_one(key: str, number: str) -> None:
    """Choose this number. Unlike entered text, it needs no decision by the person."""
    _field(key).choice = number


def _use_words(kind: Kind, text: str) -> str:
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
            _option(NameRow((id_,), names.get(id_, "")), mark=marks.get(id_, ""))
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
            _option(it, mark=listed_mark if it.id in one.listed else "")
            for it in matches.choices
        ]
        groups = (
            () if one.groups_for is None else offered_groups(desk, one.groups_for, text)
        )
        return _found(matches, [*options, *map(_group_option, groups)])

    placeholder, subject = (
        "Name or number, or paste a column",
        _subject(desk, one.about),
    )
    fixed = {
        "label": label,
        "placeholder": placeholder,
        "about": subject,
        "isOff": is_locked,
    }
    _field(one.key).is_whole_page = True
    _draw(one.key, fixed, process, data, look, reruns_page=reruns_page)


def chosen_recipients(desk: Desk, one: RecipientField) -> Selection:
    """Return the selection.

    Text that is still being typed counts as a text that needs a decision.
    """
    _process_recipients(desk, one)
    selection, rest = _selection(desk, one), _typed(one.key).strip()
    return (
        replace(selection, doubtful=(*selection.doubtful, DoubtfulText(rest)))
        if rest
        else selection
    )


def put_recipients(desk: Desk, one: RecipientField, ids: Iterable[str]) -> None:
    """Choose exactly these recipients.

    Unlike entered text, they need no decision by the person.
    """
    _field(one.key).chosen = (
        _subject(desk, one.about),
        Selection(tuple(dict.fromkeys(ids))),
    )


def forget_chosen(key: str) -> None:
    """Empty the field."""
    _field(key).chosen = _NOBODY


def _process_recipients(desk: Desk, one: RecipientField) -> None:
    subject = _subject(desk, one.about)

    def process(act: Act) -> None:
        _field(one.key).chosen = (
            subject,
            _after(desk, one, _selection(desk, one), act),
        )

    _process_acts(one.key, subject, process)


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
    subject, selection = _field(one.key).chosen
    return selection if subject == _subject(desk, one.about) else Selection()


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
    return _question(one, before=before, after=after, use=use)


def acts_key(key: str) -> str:
    """Return the session key under which a test without a browser stores acts."""
    return f"find_by_name.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text that is typed in the field."""
    return f"find_by_name.typed.{key}"


def _typed(key: str) -> str:
    now = _reported(
        key, "query"
    )  # while a callback runs, this text is newer than the stored text
    before: str = st.session_state.get(typed_key(key), "")
    return now if isinstance(now, str) else before


def _subject(desk: Desk, *about: object) -> str:
    return repr((desk.environment.name, *about))


def _process_acts(key: str, subject: str, process: Callable[[Act], None]) -> None:
    # A rerun can interrupt the processing anywhere, so an act can be processed twice.
    pending, state = _pending(key), _field(key)
    if pending or _typed(key) != state.drawn:
        state.is_processed = True
    for serial, about, act in pending:
        if about == subject:
            process(act)
        state.done = serial
    for act in st.session_state.pop(acts_key(key), []):
        process(act)


@st.fragment
def _draw(
    key: str,
    fixed: Data,
    on_acts: Callable[[], None],
    data: Callable[[], Data],
    look: Callable[[str], Data],
    *,
    reruns_page: bool,
) -> None:
    state = _field(key)
    is_whole_page, state.is_whole_page = state.is_whole_page, False
    # If this field changes together with a click or with the text of another field,
    # Streamlit 1.67 reruns only this field. The code below then reruns the page.
    is_processed, state.is_processed = state.is_processed, False
    others = st.session_state.pop(_CHANGED, frozenset[str]()) - {key}
    has_acts = bool(_pending(key)) or acts_key(key) in st.session_state
    if has_acts:
        on_acts()
        state.is_processed = False
    if (has_acts and reruns_page) or (not is_whole_page and (is_processed or others)):
        st.rerun()
    text = state.drawn = _typed(key)
    matches = (
        look(text) if may_look_here() else _found(Matches(), []) | {"moreWords": _ENDED}
    )
    _mount_combobox(
        key=key,
        data={
            "key": key,
            **fixed,
            **data(),
            **matches,
            "query": text,
            "done": state.done,
        },
        on_query_change=lambda: _remember_text(key),
        on_acts_change=lambda: None,
    )


def _found(matches: Matches, options: Iterable[Data]) -> Data:
    more = f"and {matches.more:,} more: type more letters" if matches.more else ""
    unique = matches.unique.id if matches.unique else None
    return {
        "options": list(options),
        "moreWords": more,
        "unique": unique,
        "asNumber": "",
    }


def _option(choice: NameRow, *, mark: str = "") -> Data:
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(market_of(choice)),
        "number": visible(choice.id),
        "mark": visible(mark),
    }


def _question(doubt: DoubtfulText, *, before: str, after: str, use: str) -> Data:
    return {
        "text": doubt.text,
        "shown": visible(doubt.text),
        "before": before,
        "after": doubt.why_not or after,
        "use": "" if doubt.why_not else use,
        "alike": [_option(one) for one in doubt.alike],
    }


def _remember_text(key: str) -> None:
    st.session_state[typed_key(key)] = _typed(
        key
    )  # Streamlit forgets the text of a field that is not drawn
    st.session_state[_CHANGED] = st.session_state.get(_CHANGED, frozenset()) | {key}


def _pending(key: str) -> Sequence[tuple[int, str, Act]]:
    sent = _reported(key, "acts")
    acts = []
    for one in sent if isinstance(sent, list) else ():
        match one:
            case {
                "serial": int(serial),
                "about": str(about),
                "act": str(what),
                "text": str(text),
                "number": str(number),
            }:
                acts.append((serial, about, Act(what, text, number)))
    return [act for act in acts if act[0] > _field(key).done]


def _reported(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def _field(key: str) -> _Field:
    state: _Field = st.session_state.setdefault(f"find_by_name.field.{key}", _Field())
    return state
