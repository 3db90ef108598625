"""The combobox itself: found as typed, chosen as chips or as one, asked about before a text becomes a number.

It follows the WAI-ARIA pattern of a combobox with a listbox. It tells what the person did as an `Act`, and
leaves the rest to its caller. A text is never chosen because the field was left.

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
from item_visibility.use_cases.find_by_name import Choice, Matches
from item_visibility.use_cases.known_names import EnteredOne, KnownNames

_Data = dict[str, object]
"""The data that the component gets."""
_MOST_CHIPS = 100
_MOST_ASKED = 10
_ENDED = "Your sign-in has ended. Press Save: your changes are kept, and you can sign in again."
_UNKNOWN = "is not in the directory."
_LONGEST_LINE = 300
_ASKING = "combobox.asking"
"""The session key of the fields whose text came with this run."""
_HERE = Path(__file__).parent
# Off until its program listens: what is typed earlier would be lost.
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
  <span class="said" aria-live="polite"></span>
  <button type="button" class="drop" hidden>Drop</button>
</p>
<ul class="asks" aria-label="To decide" hidden></ul>
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

    They `picked` a number found by name or `grouped` a group, `removed` the number of a chip or of the field,
    `ungrouped` a group, or `entered` a text or a column. Asked about a text, they `used` it as a number,
    `named` the `number` that it means, or `dropped` it; they `dropped all`, or `cleared` what was ignored.
    """

    what: str
    text: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field on a page. `about` is the subject of what is done in it.

    Only the field runs again while somebody types. `on_acts` takes in what was done; then the whole page runs
    again if `reruns_page`.
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
class Many:
    """What a field of many choices shows: chips with marks, texts to decide about, and a line of words."""

    chosen: Sequence[Choice]
    marks: Mapping[str, str]
    groups: Sequence[Group] = ()
    asked: Sequence[DoubtfulText] = ()
    ignored: Sequence[str] = ()
    note: str = ""


def acts_key(key: str) -> str:
    """Return the session key of what a test did here."""
    return f"find_by_name.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text that stands in the field."""
    return f"find_by_name.typed.{key}"


def typed(key: str) -> str:
    """Return the text that stands in the field and was not entered."""
    now = _sent(key, "query")  # known before the callbacks of a run: one of them may ask
    before: str = st.session_state.get(typed_key(key), "")
    return now if isinstance(now, str) else before


def act_subject(desk: Desk, *about: object) -> str:
    """Return what acts in a field are about: what was done about another subject does not count for this."""
    return repr((desk.environment.name, *about))


def take_acts(key: str, *, about: str, take: Callable[[Act], None]) -> None:
    """Give `take` what the person did in this field about this subject, and was not processed yet.

    A run can be cut off anywhere, so each act counts as taken in only afterwards: `take` may get it twice.
    """
    pending = _pending(key)
    if pending or typed(key) != st.session_state.get(_drawn_key(key), ""):
        st.session_state[_taken_key(key)] = True
    for serial, subject, act in pending:
        if subject == about:
            take(act)
        st.session_state[_done_key(key)] = serial
    for act in st.session_state.pop(acts_key(key), []):
        take(act)


def find_many(
    names: KnownNames,
    field: Field,
    *,
    shown: Callable[[], Many],
    mark: Callable[[str], str],
    groups: Callable[[str], Sequence[Group]] = lambda _: (),
) -> None:
    """Draw the field with its chips, and with the texts that the person is asked about.

    `mark` returns the state of a number in a few words, for the list. `groups` finds groups.
    """

    def look(query: str) -> _Data:
        matches = names.find(field.kind, query)
        options = [_option(one, mark=mark(one.id)) for one in matches.choices]
        of_groups = [_group_option(one) for one in groups(query)]
        return _found(matches, [*options, *of_groups])

    def data() -> _Data:
        many = shown()
        chips = [_option(one, mark=many.marks.get(one.id, "")) for one in many.chosen[-_MOST_CHIPS:]]
        return {
            "isSingle": False,
            "chosen": [*map(_group_option, many.groups), *chips],
            "more": max(len(many.chosen) - _MOST_CHIPS, 0),
            "asked": [_asked(one) for one in many.asked[:_MOST_ASKED]],
            "askedInAll": len(many.asked),
            "ignored": visible(" … ".join(many.ignored))[:_LONGEST_LINE],
            "note": visible(many.note),
        }

    _draw_whole(field, data, look)


def find_one(
    names: KnownNames,
    field: Field,
    *,
    chosen: Choice | None,
    asked: EnteredOne | None,
    supplier: str | None = None,
) -> None:
    """Draw the field with the name of what is chosen, its number beside it, and the question about a text.

    With nothing typed it offers the first ones. `supplier` limits items to those of one.
    """

    def look(query: str) -> _Data:
        text = query.strip()
        matches = (
            names.find(field.kind, text, supplier=supplier)
            if text
            else names.first(field.kind, supplier=supplier)
        )
        is_known = any(one.id == text for one in matches.choices)
        is_number = bool(text) and not is_known and names.has_form(field.kind, text, supplier=supplier)
        found = _found(matches, [_option(one) for one in matches.choices])
        return found | {"asNumber": _use_words(field.kind, text) if is_number else ""}

    data: _Data = {
        "ignored": "",
        "note": "",
        "isSingle": True,
        "chosen": [] if chosen is None else [_option(chosen)],
        "more": 0,
        "asked": [] if asked is None else [_asked_one(field.kind, asked)],
        "askedInAll": 0 if asked is None else 1,
    }
    _draw_whole(field, lambda: data, look)


def _draw_whole(field: Field, data: Callable[[], _Data], look: Callable[[str], _Data]) -> None:
    st.session_state[_whole_key(field.key)] = True
    _draw(field, data, look)


@st.fragment
def _draw(field: Field, data: Callable[[], _Data], look: Callable[[str], _Data]) -> None:
    key = field.key
    is_whole = st.session_state.pop(_whole_key(key), False)
    # Streamlit 1.67 runs one field alone for a change of it that comes together with a click, or with a text
    # in another field.
    is_taken = st.session_state.pop(_taken_key(key), False)
    others = st.session_state.pop(_ASKING, frozenset[str]()) - {key}
    has_acts = bool(_pending(key)) or acts_key(key) in st.session_state
    if has_acts:
        field.on_acts()
        st.session_state.pop(_taken_key(key), None)
    if (has_acts and field.reruns_page) or (not is_whole and (is_taken or others)):
        st.rerun()
    query = st.session_state[_drawn_key(key)] = typed(key)
    shown = {"key": key, "label": field.label, "placeholder": field.placeholder}
    shown |= {"query": query, "done": st.session_state.get(_done_key(key), 0)}
    found = look(query) if may_look_here() else _nothing_found(_ENDED)
    _mount_combobox(
        key=key,
        data=data() | found | shown | {"about": field.about, "isOff": field.is_off},
        on_query_change=lambda: _keep_typed(key),
        on_acts_change=lambda: None,
    )


def _found(matches: Matches, options: list[dict[str, str]]) -> _Data:
    taken = matches.unique.id if matches.unique else None
    words = f"and {matches.more:,} more: type more letters" if matches.more else ""
    return {"options": options, "moreWords": words, "taken": taken, "asNumber": ""}


def _nothing_found(words: str) -> _Data:
    return {"options": [], "moreWords": words, "taken": None, "asNumber": ""}


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


def _asked(one: DoubtfulText) -> dict[str, object]:
    alike = [{"id": number, "name": visible(name), "number": visible(number)} for number, name in one.alike]
    is_name = " " in one.text or not has_digit(one.text)
    if one.text in dict(one.alike):
        words = {"before": "", "after": "may be an id."}
    elif one.is_shared:
        words = {"before": "Several are called", "after": ""}
    elif one.why_not:
        words = {"before": "", "after": one.why_not}
    else:
        words = {"before": "Nobody is called", "after": ""} if is_name else {"before": "", "after": _UNKNOWN}
    use = "" if one.why_not else "Add it as an id"
    return words | {"text": one.text, "shown": visible(one.text), "alike": alike, "use": use}


def _asked_one(kind: Kind, one: EnteredOne) -> dict[str, object]:
    words = {"before": f"No {kind.value} called", "after": one.why_not or "is known here."}
    words |= {"text": one.asked, "shown": visible(one.asked)}
    use = "" if one.why_not else _use_words(kind, one.asked)
    return words | {"use": use, "alike": [_option(choice) for choice in one.nearest]}


def _use_words(kind: Kind, text: str) -> str:
    article = "an" if kind is Kind.ITEM else "a"
    return f"Use '{cut(visible(text))}' as {article} {kind.value} number"


def _keep_typed(key: str) -> None:
    """Keep the text for when the field comes back: Streamlit forgets a field that left the screen."""
    st.session_state[typed_key(key)] = typed(key)
    st.session_state[_ASKING] = st.session_state.get(_ASKING, frozenset()) | {key}


def _pending(key: str) -> Sequence[tuple[int, str, Act]]:
    """Return the acts not processed yet, in order. Ignore data that no real browser sends."""
    done: int = st.session_state.get(_done_key(key), 0)
    sent = _sent(key, "acts")
    acts = [act for one in (sent if isinstance(sent, list) else ()) if (act := _read(one)) is not None]
    return [act for act in acts if act[0] > done]


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


def _sent(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def _done_key(key: str) -> str:
    return f"find_by_name.done.{key}"


def _taken_key(key: str) -> str:
    return f"find_by_name.taken.{key}"


def _whole_key(key: str) -> str:
    return f"find_by_name.whole.{key}"


def _drawn_key(key: str) -> str:
    return f"find_by_name.drawn.{key}"
