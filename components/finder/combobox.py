"""The combobox itself: found as typed, chosen as chips, asked about before a text becomes a number.

It follows the WAI-ARIA pattern of a combobox with a listbox. It tells what the person did as an `Act`, and
leaves the rest to its caller. A text is never chosen because the field was left.

A test without a browser cannot type here. It sets what the component would have told:

    app.session_state[acts_key("add_recipients")] = [Act("entered", "A, B")]
    app.session_state[typed_key("add_recipients")] = "half a nu"
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from components.verbatim import visible
from item_visibility.desk.directory import Kind
from item_visibility.desk.finder.find_by_name import Choice, Finder
from item_visibility.intake.paste import DoubtfulText

_MOST_CHIPS = 20
_MOST_ASKED = 10
_HERE = Path(__file__).parent
_HTML = """
<label for="input"></label>
<div class="row">
  <div class="box">
    <ul class="chips" aria-label="Chosen"></ul>
    <input id="input" type="text" role="combobox" aria-autocomplete="list" aria-haspopup="listbox"
      aria-expanded="false" aria-controls="list" aria-describedby="hint"
      autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="done">
  </div>
  <button type="button" class="add">Add</button>
  <ul id="list" role="listbox" aria-label="Matches" hidden></ul>
</div>
<p class="hint" id="hint" hidden></p>
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

    They `picked` a number found by name, `removed` the number of a chip, or `entered` a text or a column.
    Of the texts that were asked about they `used` one as a number, `named` the `number` that one stands for,
    `dropped` one, or `used all` as numbers.
    """

    what: str
    text: str = ""
    number: str = ""


def acts_key(key: str) -> str:
    """Return the session key of what was done here and is not taken in yet."""
    return f"find_by_name.acts.{key}"


def typed_key(key: str) -> str:
    """Return the session key of the text that stands in the field."""
    return f"find_by_name.typed.{key}"


def typed(key: str) -> str:
    """Return the text that stands in the field and was not entered."""
    now = _sent(key, "query")  # known before the callbacks of a run: one of them may ask
    before: str = st.session_state.get(typed_key(key), "")
    return now if isinstance(now, str) else before


def taken_acts(key: str) -> Sequence[Act]:
    """Return what the person did since the last call."""
    acts: list[Act] = st.session_state.pop(acts_key(key), [])
    return acts


@st.fragment
def find_many(  # noqa: PLR0913  (each is named where it is called)
    finder: Finder,
    kind: Kind,
    *,
    label: str,
    key: str,
    placeholder: str,
    chosen: Sequence[Choice],
    asked: Sequence[DoubtfulText],
    is_off: bool,
    on_acts: Callable[[], None],
) -> None:
    """Draw the field with its chips, and with the texts that the person is asked about.

    Only the field runs again while somebody types. `on_acts` takes in what was done; then all is drawn anew.
    """
    if acts_key(key) in st.session_state:
        on_acts()
        st.rerun()
    query = typed(key)
    matches = finder.find(kind, query)
    _mount_combobox(
        key=key,
        data={
            "key": key,
            "label": label,
            "placeholder": placeholder,
            "query": query,
            "options": [_option(one) for one in matches.choices],
            "isMore": matches.is_more,
            "taken": matches.taken.id if matches.taken else None,
            "chosen": [_option(one) for one in chosen[-_MOST_CHIPS:]],
            "more": max(len(chosen) - _MOST_CHIPS, 0),
            "asked": [_asked(one) for one in asked[:_MOST_ASKED]],
            "askedInAll": len(asked),
            "question": "Not in the directory. Use as a number?",
            "isOff": is_off,
        },
        on_query_change=lambda: _note_typed(key),
        on_act_change=lambda: _note_act(key, on_acts),
    )


def _option(choice: Choice) -> dict[str, str]:
    return {
        "id": choice.id,
        "name": visible(choice.name),
        "note": visible(choice.market),
        "number": visible(choice.id),
    }


def _asked(one: DoubtfulText) -> dict[str, object]:
    alike = [{"id": number, "name": visible(name), "number": visible(number)} for number, name in one.alike]
    return {"text": one.text, "shown": visible(one.text), "alike": alike}


def _note_typed(key: str) -> None:
    """Keep the text for when the field comes back: Streamlit forgets a field that left the screen."""
    st.session_state[typed_key(key)] = typed(key)


def _note_act(key: str, on_acts: Callable[[], None]) -> None:
    """Have what was done taken in at once, and all drawn anew. What no real browser sends is no act."""
    match _sent(key, "act"):
        case {"act": str(what), "value": [str(text), str(number)]}:
            act = Act(what, text, number)
        case {"act": str(what), "value": str(text)}:
            act = Act(what, text)
        case _:
            return
    st.session_state[acts_key(key)] = [act]
    on_acts()
    st.session_state[acts_key(key)] = []


def _sent(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None
