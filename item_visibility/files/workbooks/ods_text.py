"""Reads the text in a cell of an ODS workbook, exactly as a person entered it."""

import re
from collections.abc import Mapping

from item_visibility.files.size_limits import MAX_CELL_CHARACTERS
from item_visibility.files.table import too_long
from item_visibility.files.workbooks.xml_reader import own

_SPACES = re.compile(r"[ \t\r\n]+")
_PARAGRAPHS = {"p", "h"}
_ASIDE = {"annotation", "note", "ruby-text", "frame"}
"""Elements within a text that are not part of it."""


class CellText:
    """Collects the paragraphs of a cell.

    Several spaces in the XML count as one, or as none at the beginning. Further spaces that a person entered
    are elements, which may give their number.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._paragraphs = 0
        self._is_in_paragraph = False
        self._drops_space = True

    def takes(self, name: str) -> bool:
        """False for elements that are not text of the cell, such as a comment or a drawing."""
        return name not in _ASIDE if self._is_in_paragraph else name in _PARAGRAPHS

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Handle the start of a paragraph, or of an element for spaces, a tab or a line break."""
        if name in _PARAGRAPHS:
            if self._paragraphs:
                self._append("\n")
            self._paragraphs += 1
            self._is_in_paragraph = self._drops_space = True
        elif name == "s":
            self._append(" " * min(_spaces(given), MAX_CELL_CHARACTERS + 1))
            self._drops_space = False
        elif name in {"tab", "line-break"}:
            self._append("\t" if name == "tab" else "\n")
            self._drops_space = False

    def on_end(self, name: str) -> None:
        """Handle the end of a paragraph."""
        self._is_in_paragraph = self._is_in_paragraph and name not in _PARAGRAPHS

    def add(self, text: str) -> None:
        """Add characters to the current paragraph."""
        if self._is_in_paragraph:
            single = _SPACES.sub(" ", text)
            self._append(single.removeprefix(" ") if self._drops_space else single)
            self._drops_space = single.endswith(" ")

    def take(self) -> str:
        """Return the text of the cell, and start over for the next one."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = self._paragraphs = 0
        return text

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MAX_CELL_CHARACTERS:
            raise too_long()


def _spaces(given: Mapping[str, str]) -> int:
    return int(next((value for key, value in given.items() if own(key) == "c"), "1"))
