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
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice, Matches

Data = dict[str, object]
"""Data for the component."""
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


def draw_field(  # noqa: PLR0913  (each is named where it is called)
    *,
    key: str,
    label: str,
    placeholder: str,
    about: str,
    is_off: bool,
    on_acts: Callable[[], None],
    data: Callable[[], Data],
    look: Callable[[str], Data],
    reruns_page: bool = True,
) -> None:
    """Draw the field with `data`, its choices and questions, and with what `look` finds for a text.

    `about` is the subject of the acts in it. Typing reruns only the field. `on_acts` processes the acts; then
    the whole page reruns if `reruns_page`.
    """
    fixed = {"key": key, "label": label, "placeholder": placeholder, "about": about, "isOff": is_off}
    _state(key).is_whole_page = True
    _draw(key, fixed, on_acts, data, look, reruns_page=reruns_page)


@st.fragment
def _draw(  # noqa: PLR0913  (each is named where it is called)
    key: str,
    fixed: Data,
    on_acts: Callable[[], None],
    data: Callable[[], Data],
    look: Callable[[str], Data],
    *,
    reruns_page: bool,
) -> None:
    state = _state(key)
    is_whole_page, state.is_whole_page = state.is_whole_page, False
    # Streamlit 1.67 runs only this field for a change of it that comes together with a click, or with a text
    # in another field.
    is_processed, state.is_processed = state.is_processed, False
    others = st.session_state.pop(_CHANGED, frozenset[str]()) - {key}
    has_acts = bool(_pending(key)) or acts_key(key) in st.session_state
    if has_acts:
        on_acts()
        state.is_processed = False
    if (has_acts and reruns_page) or (not is_whole_page and (is_processed or others)):
        st.rerun()
    text = state.drawn = typed(key)
    matches = look(text) if may_look_here() else found(Matches(), [], words=_ENDED)
    _mount_combobox(
        key=key,
        data={**fixed, **data(), **matches, "query": text, "done": state.done},
        on_query_change=lambda: _remember_text(key),
        on_acts_change=lambda: None,
    )


def found(matches: Matches, options: list[dict[str, str]], *, words: str = "") -> Data:
    """Return what a search found, as data for the component."""
    more = f"and {matches.more:,} more: type more letters" if matches.more else ""
    unique = matches.unique.id if matches.unique else None
    return {"options": options, "moreWords": words or more, "unique": unique, "asNumber": ""}


def option(choice: Choice, *, mark: str = "") -> dict[str, str]:
    """Return a match, or a chosen one, as data for the component. `mark` says its state in a few words."""
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(choice.market),
        "number": visible(choice.id),
        "mark": visible(mark),
    }


def question(text: str, *, before: str, after: str, use: str, alike: Sequence[Choice]) -> Data:
    """Return a question about a text. `use` is the button that takes the text as an id; empty for none."""
    return {
        "text": text,
        "shown": visible(text),
        "before": before,
        "after": after,
        "use": use,
        "alike": [option(one) for one in alike],
    }


def _remember_text(key: str) -> None:
    """Store the text for when the field is drawn again: Streamlit forgets a field that left the screen."""
    st.session_state[typed_key(key)] = typed(key)
    st.session_state[_CHANGED] = st.session_state.get(_CHANGED, frozenset()) | {key}


def _pending(key: str) -> Sequence[tuple[int, str, Act]]:
    """Return the acts not processed yet, in order. Forged data is ignored."""
    sent = _reported(key, "acts")
    acts = []
    for one in sent if isinstance(sent, list) else ():
        match one:
            case {"serial": int(serial), "about": str(about), "act": str(what), "value": str(text)}:
                acts.append((serial, about, Act(what, text)))
            case {
                "serial": int(serial),
                "about": str(about),
                "act": str(what),
                "value": [str(text), str(id_)],
            }:
                acts.append((serial, about, Act(what, text, id_)))
    return [act for act in acts if act[0] > _state(key).done]


def _reported(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def _state(key: str) -> _FieldState:
    state: _FieldState = st.session_state.setdefault(f"find_by_name.state.{key}", _FieldState())
    return state
