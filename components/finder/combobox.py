"""The protocol of the search field in the browser, and its state in the session.

The browser sends each action of the person as an `Act`. A test without a browser cannot
type into a field. Such a test stores acts and the text instead:

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
"""A JSON object for the browser."""

NOBODY = ("", Selection())
_HERE = Path(__file__).parent
_CHANGED = "combobox.changed"
"""Under this key, the session stores the fields whose text has changed in this run."""

_ENDED = (
    "Your sign-in has ended. Press Save: your changes are kept, and you can sign in "
    "again."
)

# The input is disabled until combobox.js runs, because text that was typed earlier
# would be lost.
HTML = """
<label for="input"></label>
<div class="row">
  <div class="box">
    <ul class="chips" aria-label="Chosen"></ul>
    <input id="input" type="text" role="combobox" aria-autocomplete="list"
      aria-haspopup="listbox" aria-expanded="false" aria-controls="list"
      aria-describedby="one hint" autocomplete="off" autocapitalize="off"
      spellcheck="false" enterkeyhint="done" disabled>
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

    chosen: tuple[str, Selection] = NOBODY
    """The subject and its selection."""

    done: int = 0
    """The serial number of the last processed act."""

    drawn: str = ""
    """The text when the field was last drawn."""

    is_processed: bool = False
    """Acts or a text were processed since the field was last drawn."""

    is_whole_page: bool = False
    """The page draws the field now, not its fragment alone."""


def acts_key(key: str) -> str:
    """Return the session key under which a test without a browser stores acts."""
    return f"combobox.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text that is typed in the field."""
    return f"combobox.typed.{key}"


def typed_text(key: str) -> str:
    """Return the text that is typed in the field."""
    # While a callback runs, this text is newer than the stored text.
    text = _reported(key, "query")
    if isinstance(text, str):
        return text

    stored: str = st.session_state.get(typed_key(key), "")
    return stored


def subject_of(desk: Desk, *about: object) -> str:
    """Return a text that differs if the field is about something else."""
    return repr((desk.environment.name, *about))


def process_acts(key: str, subject: str, process: Callable[[Act], None]) -> None:
    """Call `process` for each new act that is about this subject.

    A rerun can interrupt the processing anywhere, so an act can be processed twice.
    """
    pending = _pending(key)
    state = field_state(key)
    if pending or typed_text(key) != state.drawn:
        state.is_processed = True
    for serial, about, act in pending:
        if about == subject:
            process(act)
        state.done = serial

    for act in st.session_state.pop(acts_key(key), []):
        process(act)


@st.fragment
def draw_field(  # noqa: PLR0913  # the parts of a field
    key: str,
    fixed: Data,
    on_acts: Callable[[], None],
    data: Callable[[], Data],
    look: Callable[[str], Data],
    *,
    reruns_page: bool,
) -> None:
    """Draw the field.

    `fixed` does not depend on the person's acts. `data` and `look` return the rest for
    the chosen values and for the text that is typed.
    """
    state = field_state(key)
    is_whole_page = state.is_whole_page
    is_processed = state.is_processed
    state.is_whole_page = False
    state.is_processed = False

    # If this field changes together with a click or with the text of another field,
    # Streamlit 1.67 reruns only this field. The code below then reruns the page.
    others = st.session_state.pop(_CHANGED, frozenset[str]()) - {key}
    has_acts = bool(_pending(key)) or acts_key(key) in st.session_state
    if has_acts:
        on_acts()
        state.is_processed = False
    if has_acts and reruns_page:
        st.rerun()
    if not is_whole_page and (is_processed or others):
        st.rerun()

    text = typed_text(key)
    state.drawn = text
    if may_look_here():
        matches = look(text)
    else:
        matches = matches_data(Matches(), []) | {"moreWords": _ENDED}
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
    """Return the matches for the browser."""
    more = f"and {matches.more:,} more: type more letters" if matches.more else ""
    return {
        "options": list(options),
        "moreWords": more,
        "unique": matches.unique.id if matches.unique else None,
        "asNumber": "",
    }


def option_data(choice: NameRow, *, mark: str = "") -> Data:
    """Return a known supplier, item or recipient for the browser."""
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(market_of(choice)),
        "number": visible(choice.id),
        "mark": visible(mark),
    }


def question_data(doubt: DoubtfulText, *, before: str, after: str, use: str) -> Data:
    """Return a question about a doubtful text for the browser."""
    return {
        "text": doubt.text,
        "shown": visible(doubt.text),
        "before": before,
        "after": doubt.why_not or after,
        "use": "" if doubt.why_not else use,
        "alike": [option_data(row) for row in doubt.alike],
    }


def _remember_text(key: str) -> None:
    # Streamlit forgets the text of a field that is not drawn.
    st.session_state[typed_key(key)] = typed_text(key)
    st.session_state[_CHANGED] = st.session_state.get(_CHANGED, frozenset()) | {key}


def _pending(key: str) -> Sequence[tuple[int, str, Act]]:
    """Return the acts that are not processed yet, with their numbers and subjects."""
    sent = _reported(key, "acts")
    if not isinstance(sent, list):
        return []

    acts = []
    for message in sent:
        match message:
            case {
                "serial": int(serial),
                "about": str(about),
                "act": str(what),
                "text": str(text),
                "number": str(number),
            }:
                acts.append((serial, about, Act(what, text, number)))

    done = field_state(key).done
    return [act for act in acts if act[0] > done]


def _reported(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def field_state(key: str) -> _Field:
    """Return the state of the field in this window."""
    state: _Field = st.session_state.setdefault(f"combobox.field.{key}", _Field())
    return state
