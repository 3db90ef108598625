"""The protocol of the search field in the browser, and its state in the session.

The browser sends each action of the person as an `Act`. A test without a browser cannot type into a field.
Such a test stores acts and the text instead:

    app.session_state[acts_key("add_recipients")] = [Act("entered", "A, B")]
    app.session_state[typed_key("add_recipients")] = "half a nu"
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from components.markdown_escape import visible
from components.session import may_look_here
from item_visibility.model.known_ids import NameRow
from item_visibility.use_cases.choose_recipients import Selection
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import DoubtfulText, Matches, market_of

Data = dict[str, object]


_ENDED = "Your sign-in has ended. Press Save: your changes are kept, and you can sign in again."


_CHANGED = "find_by_name.changed"
"""Under this key, the session stores the fields whose text has changed in this run."""


NOBODY = ("", Selection())


_HERE = Path(__file__).parent


# The input is disabled until combobox.js runs, because text that was typed earlier
# would be lost.
HTML = """
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
    html=HTML,
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
    chosen: tuple[str, Selection] = NOBODY  # the subject and its selection
    done: int = 0  # the serial number of the last processed act
    drawn: str = ""  # the text when the field was last drawn
    is_processed: bool = False
    is_whole_page: bool = False


def acts_key(key: str) -> str:
    """Return the session key under which a test without a browser stores acts."""
    return f"find_by_name.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text that is typed in the field."""
    return f"find_by_name.typed.{key}"


def typed_text(key: str) -> str:
    now = _reported(
        key, "query"
    )  # while a callback runs, this text is newer than the stored text
    before: str = st.session_state.get(typed_key(key), "")
    return now if isinstance(now, str) else before


def subject_of(desk: Desk, *about: object) -> str:
    return repr((desk.environment.name, *about))


def process_acts(key: str, subject: str, process: Callable[[Act], None]) -> None:
    # A rerun can interrupt the processing anywhere, so an act can be processed twice.
    pending, state = _pending(key), field_state(key)
    if pending or typed_text(key) != state.drawn:
        state.is_processed = True
    for serial, about, act in pending:
        if about == subject:
            process(act)
        state.done = serial
    for act in st.session_state.pop(acts_key(key), []):
        process(act)


@st.fragment
def draw_field(
    key: str,
    fixed: Data,
    on_acts: Callable[[], None],
    data: Callable[[], Data],
    look: Callable[[str], Data],
    *,
    reruns_page: bool,
) -> None:
    state = field_state(key)
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
    text = state.drawn = typed_text(key)
    matches = (
        look(text)
        if may_look_here()
        else matches_data(Matches(), []) | {"moreWords": _ENDED}
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


def matches_data(matches: Matches, options: Iterable[Data]) -> Data:
    more = f"and {matches.more:,} more: type more letters" if matches.more else ""
    unique = matches.unique.id if matches.unique else None
    return {
        "options": list(options),
        "moreWords": more,
        "unique": unique,
        "asNumber": "",
    }


def option_data(choice: NameRow, *, mark: str = "") -> Data:
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(market_of(choice)),
        "number": visible(choice.id),
        "mark": visible(mark),
    }


def question_data(doubt: DoubtfulText, *, before: str, after: str, use: str) -> Data:
    return {
        "text": doubt.text,
        "shown": visible(doubt.text),
        "before": before,
        "after": doubt.why_not or after,
        "use": "" if doubt.why_not else use,
        "alike": [option_data(one) for one in doubt.alike],
    }


def _remember_text(key: str) -> None:
    st.session_state[typed_key(key)] = typed_text(
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
    return [act for act in acts if act[0] > field_state(key).done]


def _reported(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def field_state(key: str) -> _Field:
    state: _Field = st.session_state.setdefault(f"find_by_name.field.{key}", _Field())
    return state
