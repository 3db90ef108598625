"""The find-by-name field: chips or one choice, and questions about texts that may not be numbers.

It follows the WAI-ARIA pattern of a combobox with a listbox. It reports each thing that the person does as an
`Act`. Leaving the field never chooses its text.

A test without a browser cannot type here. It sets what the component would have reported:

    app.session_state[acts_key("add_recipients")] = [Act("entered", "A, B")]
    app.session_state[typed_key("add_recipients")] = "half a nu"
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from components.session import may_look_here
from components.verbatim import visible
from item_visibility.lists.numbers import has_digit
from item_visibility.lists.paste import DoubtfulText
from item_visibility.lists.table import cut
from item_visibility.use_cases.choose_recipients import Group
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import Choice, KnownNames, Matches, SingleChoice

_Data = dict[str, object]
"""Data for the component."""
_MAX_CHIPS = 100
_MAX_QUESTIONS = 10
_MAX_LINE = 300
_ENDED = "Your sign-in has ended. Press Save: your changes are kept, and you can sign in again."
_CHANGED = "find_by_name.changed"
"""The session key of the fields whose text changed in this run."""
_HERE = Path(__file__).parent
# The input is disabled until the script listens: earlier typing would be lost.
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
    """One thing that the person did.

    They `picked` a number found by name, `grouped` a group, `removed` a chip or the choice, `ungrouped` a
    group, or `entered` a text or a column. To a question about a text they answered: `used` it as a number,
    `named` the `number` that it means, or `dropped` it. They `dropped all` questions, or `cleared` the prose.
    """

    what: str
    text: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field on a page. `about` is the subject of the acts in it.

    Typing reruns only the field. `on_acts` processes the acts; then the whole page reruns if `reruns_page`.
    """

    kind: Kind
    key: str
    label: str
    placeholder: str
    about: str
    on_acts: Callable[[], None]
    is_off: bool = False
    reruns_page: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chips:
    """The contents of a field of many choices: chips with marks, doubtful texts, and a line of words."""

    choices: Sequence[Choice]
    marks: Mapping[str, str]
    groups: Sequence[Group]
    doubtful: Sequence[DoubtfulText]
    ignored: Sequence[str]
    note: str


@dataclass(slots=True)
class _FieldState:
    """The state of a field in this window.

    `done` is the serial of the last processed act, `drawn` the text when the field was last drawn.
    `is_processed` is set when acts or a text were processed, `is_whole_page` when the whole page is drawn.
    """

    done: int = 0
    drawn: str = ""
    is_processed: bool = False
    is_whole_page: bool = False


def acts_key(key: str) -> str:
    """Return the session key in which a test puts acts."""
    return f"find_by_name.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text in the field."""
    return f"find_by_name.typed.{key}"


def typed(key: str) -> str:
    """Return the text in the field that was not entered."""
    now = _reported(key, "query")  # available before the callbacks of a run, which may need it
    before: str = st.session_state.get(typed_key(key), "")
    return now if isinstance(now, str) else before


def act_subject(desk: Desk, *about: object) -> str:
    """Return the subject of acts in a field: acts about another subject are ignored."""
    return repr((desk.environment.name, *about))


def process_acts(key: str, *, about: str, process: Callable[[Act], None]) -> None:
    """Call `process` with each new act in this field about this subject.

    A run can be cut off anywhere, so an act is marked as done only afterwards: `process` may get it twice.
    """
    pending, state = _pending(key), _state(key)
    if pending or typed(key) != state.drawn:
        state.is_processed = True
    for serial, subject, act in pending:
        if subject == about:
            process(act)
        state.done = serial
    for act in st.session_state.pop(acts_key(key), []):
        process(act)


def find_many(
    names: KnownNames,
    field: Field,
    *,
    chips: Callable[[], Chips],
    mark: Callable[[str], str],
    groups: Callable[[str], Sequence[Group]],
) -> None:
    """Draw the field with its chips and its questions about texts.

    `mark` returns the state of a number in a few words, for the list. `groups` finds groups by a text.
    """

    def look(query: str) -> _Data:
        matches = names.find(field.kind, query)
        options = [_option(one, mark=mark(one.id)) for one in matches.choices]
        return _found(matches, [*options, *map(_group_option, groups(query))])

    def data() -> _Data:
        now = chips()
        recent = [_option(one, mark=now.marks.get(one.id, "")) for one in now.choices[-_MAX_CHIPS:]]
        return {
            "isSingle": False,
            "chosen": [*map(_group_option, now.groups), *recent],
            "more": max(len(now.choices) - _MAX_CHIPS, 0),
            "questions": [_question(one) for one in now.doubtful[:_MAX_QUESTIONS]],
            "questionCount": len(now.doubtful),
            "ignored": visible(" … ".join(now.ignored))[:_MAX_LINE],
            "note": visible(now.note),
        }

    _state(field.key).is_whole_page = True
    _draw(field, data, look)


def find_one(names: KnownNames, field: Field, choice: SingleChoice, *, supplier: str | None = None) -> None:
    """Draw the field with the name and number of its choice, or the question about a text.

    With nothing typed it offers the first ones. `supplier` limits items to those of one.
    """
    number = choice.number
    chosen = [_option(names.chosen(field.kind, number, supplier=supplier))] if number else []
    questions = [_question_of_one(field.kind, choice)] if choice.question else []
    data: _Data = {
        "isSingle": True,
        "chosen": chosen,
        "more": 0,
        "questions": questions,
        "questionCount": len(questions),
        "ignored": "",
        "note": "",
    }

    def look(query: str) -> _Data:
        text = query.strip()
        if not text:
            matches = names.first(field.kind, supplier=supplier)
        else:
            matches = names.find(field.kind, text, supplier=supplier)
        is_known = any(one.id == text for one in matches.choices)
        is_number = bool(text) and not is_known and names.has_form(field.kind, text, supplier=supplier)
        found = _found(matches, [_option(one) for one in matches.choices])
        return found | {"asNumber": _use_words(field.kind, text) if is_number else ""}

    _state(field.key).is_whole_page = True
    _draw(field, lambda: data, look)


@st.fragment
def _draw(field: Field, data: Callable[[], _Data], look: Callable[[str], _Data]) -> None:
    key, state = field.key, _state(field.key)
    is_whole_page, state.is_whole_page = state.is_whole_page, False
    # Streamlit 1.67 runs only this field for a change of it that comes together with a click, or with a text
    # in another field.
    is_processed, state.is_processed = state.is_processed, False
    others = st.session_state.pop(_CHANGED, frozenset[str]()) - {key}
    has_acts = bool(_pending(key)) or acts_key(key) in st.session_state
    if has_acts:
        field.on_acts()
        state.is_processed = False
    if (has_acts and field.reruns_page) or (not is_whole_page and (is_processed or others)):
        st.rerun()
    state.drawn = typed(key)
    found = look(state.drawn) if may_look_here() else _found(Matches(), [], words=_ENDED)
    _mount_combobox(
        key=key,
        data={
            **data(),
            **found,
            "key": key,
            "label": field.label,
            "placeholder": field.placeholder,
            "query": state.drawn,
            "done": state.done,
            "about": field.about,
            "isOff": field.is_off,
        },
        on_query_change=lambda: _remember_text(key),
        on_acts_change=lambda: None,
    )


def _found(matches: Matches, options: list[dict[str, str]], *, words: str = "") -> _Data:
    more = f"and {matches.more:,} more: type more letters" if matches.more else ""
    unique = matches.unique.id if matches.unique else None
    return {"options": options, "moreWords": words or more, "unique": unique, "asNumber": ""}


def _option(choice: Choice, *, mark: str = "") -> dict[str, str]:
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(choice.market),
        "number": visible(choice.id),
        "mark": visible(mark),
    }


def _group_option(group: Group) -> dict[str, str]:
    count = "" if group.count is None else f"{group.count:,}"
    words = {"name": visible(group.words), "note": count, "number": "", "mark": ""}
    return words | {"id": group.id, "group": "group"}


def _question(one: DoubtfulText) -> dict[str, object]:
    before, after = "", one.why_not or "is not in the directory."
    if one.text in dict(one.alike):
        after = "may be an id."
    elif one.is_shared:
        before, after = "Several are called", ""
    elif not one.why_not and (" " in one.text or not has_digit(one.text)):
        before, after = "Nobody is called", ""
    return {
        "text": one.text,
        "shown": visible(one.text),
        "before": before,
        "after": after,
        "use": "" if one.why_not else "Add it as an id",
        "alike": [_option(Choice((number,), name)) for number, name in one.alike],
    }


def _question_of_one(kind: Kind, choice: SingleChoice) -> dict[str, object]:
    return {
        "text": choice.question,
        "shown": visible(choice.question),
        "before": f"No {kind.value} called",
        "after": choice.why_not or "is known here.",
        "use": "" if choice.why_not else _use_words(kind, choice.question),
        "alike": [_option(one) for one in choice.nearest],
    }


def _use_words(kind: Kind, text: str) -> str:
    article = "an" if kind is Kind.ITEM else "a"
    return f"Use '{cut(visible(text))}' as {article} {kind.value} number"


def _remember_text(key: str) -> None:
    """Store the text for when the field is drawn again: Streamlit forgets a field that left the screen."""
    st.session_state[typed_key(key)] = typed(key)
    st.session_state[_CHANGED] = st.session_state.get(_CHANGED, frozenset()) | {key}


def _pending(key: str) -> Sequence[tuple[int, str, Act]]:
    """Return the acts not processed yet, in order. Forged data is ignored."""
    sent = _reported(key, "acts")
    acts = [act for one in (sent if isinstance(sent, list) else ()) if (act := _read(one)) is not None]
    return [act for act in acts if act[0] > _state(key).done]


def _read(sent: object) -> tuple[int, str, Act] | None:
    match sent:
        case {
            "serial": int(serial),
            "about": str(about),
            "act": str(what),
            "value": [str(text), str(number)],
        }:
            return serial, about, Act(what, text, number)
        case {"serial": int(serial), "about": str(about), "act": str(what), "value": str(text)}:
            return serial, about, Act(what, text)
        case _:
            return None


def _reported(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def _state(key: str) -> _FieldState:
    state: _FieldState = st.session_state.setdefault(f"find_by_name.state.{key}", _FieldState())
    return state
