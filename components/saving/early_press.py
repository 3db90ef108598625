"""Presses that Streamlit 1.67 would lose: keyboard shortcuts, Enter in a field, and a press that comes early.

A button's own `shortcut` stands in its accessible name, and does not send the text of an open field. And a
button that is off until the screen shows what was pasted, ticked or typed swallows the press of a quick hand.
Such a press waits until the button is on. It counts for nothing as soon as anything else is done: so what the
button then stands for was done before the press.

Streamlit sends a tick of a table some 150 ms after it was made. A press that comes meanwhile waits too, until
the screen has listed that tick: Save takes the ticks that stood when it was pressed.
"""

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import streamlit as st

_DRAWINGS = count()
_mount_presses = st.components.v2.component(
    "early_press", js=Path(__file__).with_suffix(".js").read_text("utf-8")
)


def listen_for_presses(  # noqa: PLR0913  (each is named where it is called)
    *,
    key: str,
    buttons: Mapping[str, bool],
    on_press: Callable[[], None],
    on_miss: Callable[[], None],
    is_patient: bool = True,
    shortcuts: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> None:
    """Listen for presses of these buttons (by key; True while on), of shortcuts, and of Enter in fields.

    `shortcuts` go with Ctrl, on a Mac with Command. `on_press` is called for a press that waited until its
    button was on, `on_miss` as soon as one begins to wait. Without patience none waits.
    """
    _mount_presses(
        key=key,
        data={
            "buttons": dict(buttons),
            "isPatient": is_patient,
            "drawing": next(_DRAWINGS),  # so that the browser is told of each
            "shortcuts": dict(shortcuts or {}),
            "fields": dict(fields or {}),
        },
        height=1,
        on_press_change=on_press,
        on_miss_change=on_miss,
    )
