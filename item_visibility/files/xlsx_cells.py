"""The XML inside a workbook, as far as texts in cells need it."""

import re
from collections.abc import Mapping

from item_visibility.files.table import (
    MAX_CELL_CHARACTERS,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    NotText,
    TableRow,
    too_large,
    too_long,
    too_wide,
)
from item_visibility.files.xml_reader import XmlReader, own

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_CELL = re.compile("([A-Z]{1,3})[0-9]+")
_MAX_RELATIONS = 10_000
_LONGEST_ESCAPE = len("_x0000_")
_TEXT_TYPES = {"s", "str", "inlineStr"}


class RelationReader(XmlReader):
    """Where the workbook keeps its sheets, and the texts that they share."""

    def __init__(self) -> None:
        super().__init__()
        self._sheets: list[str] = []
        self._targets: dict[str, tuple[str, str]] = {}

    def end(self) -> None:
        """Get ready for the next of the two parts."""
        super().end()
        sheets, targets = self._sheets, self._targets
        XmlReader.__init__(self)
        self._sheets, self._targets = sheets, targets

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """A sheet of the workbook, or where a part is kept."""
        if name == "sheet":
            self._sheets.append(next(value for key, value in given.items() if own(key) == "id"))
        elif name == "Relationship":
            self._targets[given["Id"]] = (given["Type"], given["Target"])
        if len(self._sheets) + len(self._targets) > _MAX_RELATIONS:
            raise ValueError("too many parts")

    def target_of_type(self, kind: re.Pattern[str]) -> str | None:
        """Where the part of this type is kept; None when there is none."""
        return next((target for type_, target in self._targets.values() if kind.search(type_)), None)

    def first_sheet(self, kind: re.Pattern[str]) -> str:
        """Where the first sheet is kept that holds cells; KeyError when none does."""
        kept = [self._targets[sheet] for sheet in self._sheets]
        targets = [target for type_, target in kept if kind.search(type_)]
        if not targets:
            raise KeyError("sheet")
        return targets[0]


class TextReader(XmlReader):
    """Gathers the text of an element; what only says how it is pronounced is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._length = 0
        self._is_in_text = False
        self._phonetic = 0

    def on_start(self, name: str, given: Mapping[str, str]) -> None:  # noqa: ARG002  (some readers look at it)
        """Text begins, or what is not to be read."""
        self._phonetic += name == "rPh"
        self._is_in_text = name in {"t", "v"} and not self._phonetic

    def on_end(self, name: str) -> None:
        """Text ends."""
        self._phonetic -= name == "rPh"
        self._is_in_text = False

    def on_text(self, text: str) -> None:
        """Text stands here."""
        if self._is_in_text:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > MAX_CELL_CHARACTERS * _LONGEST_ESCAPE:
                raise too_long()

    def take_text(self) -> str:
        """What was gathered since the last time."""
        if not self._pieces:
            return ""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = 0
        return text


class SharedReader(TextReader):
    """The texts that the cells of a workbook share."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._characters = 0

    def on_end(self, name: str) -> None:
        """One of them is complete."""
        super().on_end(name)
        if name == "si":
            self.texts.append(_unescaped(self.take_text()))
            self._characters += len(self.texts[-1])
            if self._characters > MAX_CHARACTERS:
                raise too_large()


class SheetReader(TextReader):
    """The rows of a sheet, without cells and rows that hold nothing."""

    def __init__(self, shared: list[str]) -> None:
        super().__init__()
        self._shared = shared
        self._rows: list[TableRow] = []
        self._number = 0
        self._cells: dict[int, str] = {}
        self._place = -1
        self._type = ""

    def take_rows(self) -> list[TableRow]:
        """The rows that were completed since the last time."""
        rows, self._rows = self._rows, []
        return rows

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """A row or a cell begins."""
        if name == "c":
            self._place = _place(given["r"]) if "r" in given else self._place + 1
            self._type = given.get("t", "n")
            self.take_text()
        elif name == "row":
            self._number = int(given.get("r", self._number + 1))
            self._place = -1
        else:
            super().on_start(name, given)

    def on_end(self, name: str) -> None:
        """A row or a cell is complete."""
        if name == "c":
            if text := self.take_text():
                if self._place >= MAX_COLUMNS:
                    raise too_wide(self._number)
                self._cells[self._place] = self._cell(text)
        elif name == "row":
            if self._cells:
                cells = tuple(self._cells.get(place, "") for place in range(max(self._cells) + 1))
                self._rows.append(TableRow(self._number, cells))
                self._cells.clear()
        else:
            super().on_end(name)

    def _cell(self, text: str) -> str:
        if self._type == "s":
            return self._shared[int(text)]
        return _unescaped(text) if self._type in _TEXT_TYPES else NotText(text)


def _place(cell: str) -> int:
    """The column of a cell such as `B3`, from 0; ValueError when it is none."""
    match = _CELL.fullmatch(cell)
    if match is None:
        raise ValueError(cell)
    place = 0
    for letter in match[1]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _unescaped(text: str) -> str:
    """Workbooks write characters that XML cannot hold as `_x0000_`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
