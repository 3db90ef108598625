"""One user's window without a browser.

window = Window(ITEM)
window.add("A, B")
window.save()
assert window.alerts == ["Added A and B · verified TIME"]
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Dataframe, Element, Node, Widget

from components import address as address_of_page
from components.finder.combobox import Act, acts_key, typed_key
from item_visibility.client.identifiers import ItemKey

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}"
    r"|((today|yesterday|\d{1,2} [A-Z][a-z]{2}( \d{4})?) )?(?<!\d)\d\d:\d\d(?!\d)"
)
MARKDOWN = (
    "markdown",
    "caption",
    "title",
    "header",
    "success",
    "info",
    "warning",
    "error",
)
_FIELDS = ("text_input", "text_area", "toggle", "slider", "segmented_control")
LABELLED = ("button", "page_link", *_FIELDS, "expander", "progress")


def labels(node: Node) -> Iterator[str]:
    proto = node.proto if isinstance(node, Element) else node
    yield from (
        text
        for name in ("label", "help", "text")
        if (text := getattr(proto, name, "")) and isinstance(text, str)
    )


def without_time(text: str) -> str:
    return _TIME.sub("TIME", text)


def as_read(markdown: str) -> str:
    """Return the text with its character references resolved and times replaced."""
    return without_time(unescape(markdown))


ROOT = Path(__file__).resolve().parents[2]
ITEM_PAGE = str(ROOT / "pages/screens/item.py")
CHECK_PAGE = str(ROOT / "pages/screens/check.py")
DIRECTORY_PAGE = str(ROOT / "pages/screens/directory.py")
COVERAGE_PAGE = str(ROOT / "pages/screens/coverage.py")
HISTORY_PAGE = str(ROOT / "pages/screens/history.py")
RECIPIENT_PAGE = str(ROOT / "pages/screens/recipient.py")
CONNECTION_PAGE = str(ROOT / "pages/screens/connection.py")


class Window:
    """A window of one person, with its own session."""

    def __init__(
        self, opened: ItemKey | None = None, /, **address: str | list[str]
    ) -> None:
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        if opened is not None:
            address |= {"supplier": opened.supplier, "item": opened.supplier_item_id}
        self.app.query_params.update(address)
        self.app.run()

    @classmethod
    def on(cls, page: str, /, **address: str | list[str]) -> Self:
        window = cls()
        window.go_to(page, **address)
        return window

    # The person's actions.

    def enter(self, key: str, text: str) -> None:
        """Type into a field and press Enter.

        In a form, this also presses the form's button.
        """
        field = self.app.text_input(key=key).set_value(text)
        if field.form_id:
            buttons = [
                button for button in self.app.button if button.form_id == field.form_id
            ]
            buttons[0].click()
        self.app.run()

    def type(self, key: str, text: object) -> None:
        """Type into a field and stay there. The text is sent with the next action."""
        self._widget(key).set_value(text)

    def add(self, text: str) -> None:
        """Enter recipients in the field Add recipients, by pasting or by Enter."""
        self.find("entered", text)

    def add_as_number(self, text: str) -> None:
        """Add a text that does not look like an id, and choose "Add it as an id"."""
        self.add(text)
        self.find("named", text, text)

    def find(
        self,
        what: str,
        text: str = "",
        number: str = "",
        *,
        key: str = "add_recipients",
    ) -> None:
        self.app.session_state[acts_key(key)] = [Act(what, text, number)]
        self.app.run()

    def type_half(self, text: str, *, key: str = "add_recipients") -> None:
        """Type into a field that finds by name, and do nothing else."""
        self.app.session_state[typed_key(key)] = text

    def found(self, key: str = "add_recipients") -> dict[str, Any]:
        component = next(
            component
            for component in self.app.get("bidi_component")
            if f"-{key}" in component.proto.id
        )
        return dict(json.loads(component.proto.json))

    def leave(self) -> None:
        self.app.run()

    def click(self, key: str) -> None:
        self.app.button(key=key).click()
        self.app.run()

    def save(self) -> None:
        self.click(self.key_of("save"))

    def confirm(self, count: str = "") -> None:
        """Type the number that the dialog asks for, if any, and press Confirm."""
        if count:
            self.type("plan_count", count)
        self.click("plan_confirm")

    def untick(self, recipient_id: str) -> None:
        """Untick a recipient in the table.

        The browser sends the tick only when Save is pressed.
        """
        self._set_tick(recipient_id, is_ticked=False)

    def tick(self, recipient_id: str) -> None:
        self._set_tick(recipient_id, is_ticked=True)

    def open_more(self) -> None:
        self.app.session_state[self.key_of("more")] = True
        self.app.run()

    def unfold_history(self) -> None:
        self.app.session_state["item_history"] = True
        self.app.run()

    def switch(self, key: str, value: object) -> None:
        self.type(key, value)
        self.app.run()

    def select(self, alt: str, *rows: int) -> None:
        table = next(table for table in self.app.dataframe if table.proto.alt == alt)
        selection = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
        self.app.session_state[str(table.key)] = selection
        self.app.run()

    def upload(self, key: str, content: bytes, *, name: str = "list.csv") -> None:
        self.app.file_uploader(key=key).set_value((name, content, "text/csv"))
        self.app.run()

    def go_to(self, page: str, /, **address: str | list[str]) -> None:
        """Open another page, with only these parameters in its address."""
        self.app.switch_page(page)
        self.send_address(**address)
        self.app.run()

    def stay_on(self, page: str) -> None:
        """Continue on the page that the script has opened.

        AppTest does not follow by itself.
        """
        self.app.switch_page(page)

    def go_back_to(self, **address: str) -> None:
        self.send_address(**address)
        with patch.object(address_of_page, "is_back_or_forward", return_value=True):
            self.app.run()

    def send_address(self, **address: str | list[str]) -> None:
        """Send this address with the next run.

        A browser does so if it has not yet received a newer address.
        """
        self.app.query_params.clear()
        self.app.query_params.update(address)

    def forge_along(self, message: object) -> None:
        self.app.session_state[self._editor_key] = message

    def key_of(self, name: str) -> str:
        return next(key for key in self.keys if key.startswith(f"{name}-"))

    # The contents of the screen.

    @property
    def editor(self) -> Dataframe:
        return self.app.data_editor[0]

    @property
    def editors(self) -> int:
        return len(self.app.data_editor)

    @property
    def ticks(self) -> dict[str, bool]:
        """The rows of the editable table, with their ticks as the person sees them."""
        table = self.editor.value
        ticks = dict(zip(table["recipient"], map(bool, table["visible"]), strict=True))
        rows = list(ticks)
        for row, change in self._edits().items():
            ticks[rows[row]] = change["visible"]
        return ticks

    @property
    def boxes(self) -> dict[str, bool]:
        return {unescape(box.label): bool(box.value) for box in self.app.checkbox}

    @property
    def tables(self) -> set[str]:
        return {table.proto.alt for table in self.app.dataframe}

    def rows(self, alt: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of the table with this `alt` text, in these columns or in all."""
        table = next(
            table.value for table in self.app.dataframe if table.proto.alt == alt
        )
        return [
            tuple(row)
            for row in table[list(columns or table.columns)].itertuples(index=False)
        ]

    @property
    def keys(self) -> set[str]:
        return {key for node in self.app if (key := getattr(node, "key", None))}

    def is_off(self, key: str) -> bool:
        return bool(self._widget(key).disabled)

    def label_of(self, key: str) -> str:
        return str(self.app.button(key=key).label)

    def value_of(self, key: str) -> object:
        return getattr(self._widget(key), "value", None)

    @property
    def words(self) -> list[str]:
        """All running and plain text on the screen, with each time replaced by TIME."""
        texts = [without_time(text) for text in self.texts]
        return [*map(as_read, self.markdown), *texts]

    def says(self, words: str) -> bool:
        return any(words in said for said in self.words)

    @property
    def texts(self) -> list[str]:
        """The texts that are shown as plain text."""
        return [element.value for element in self._elements("text", "code")]

    @property
    def markdown(self) -> list[str]:
        """The texts that are rendered as Markdown, including labels and help texts."""
        bodies = [element.value for element in self._elements(*MARKDOWN)]
        nodes = (node for kind in LABELLED for node in self.app.get(kind))
        return bodies + [text for node in nodes for text in labels(node)]

    @property
    def alerts(self) -> list[str]:
        """The texts of the coloured boxes, with each time replaced by TIME."""
        return [
            as_read(box.value)
            for box in self._elements("success", "info", "warning", "error")
        ]

    @property
    def plan(self) -> dict[str, list[str]]:
        tables = {table.proto.alt: table.value for table in self.app.dataframe}
        return {
            verb: list(tables[f"Recipients to {verb}"]["Recipient"])
            for verb in ("remove", "add")
            if f"Recipients to {verb}" in tables
        }

    @property
    def address(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.app.query_params.items()}

    @property
    def _editor_key(self) -> str:
        return str(self.editor.key)

    def _widget(self, key: str) -> Widget:
        widget = self.app.get_by_key(key)
        assert isinstance(widget, Widget)
        return widget

    def _set_tick(self, recipient_id: str, *, is_ticked: bool) -> None:
        row = list(self.editor.value["recipient"]).index(recipient_id)
        edited = self._edits() | {row: {"visible": is_ticked}}
        self.app.session_state[self._editor_key] = {
            "edited_rows": edited,
            "added_rows": [],
            "deleted_rows": [],
        }

    def _edits(self) -> dict[int, dict[str, bool]]:
        state = self.app.session_state.get(self._editor_key) or {}
        return dict(state.get("edited_rows", {}))

    def _elements(self, *kinds: str) -> Iterator[Element]:
        nodes = (node for kind in kinds for node in self.app.get(kind))
        return (node for node in nodes if isinstance(node, Element))
