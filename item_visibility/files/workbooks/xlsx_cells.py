"""Reads the cells of an XLSX sheet, and the texts that they share."""

import re
from collections.abc import Mapping

from item_visibility.errors import FileError
from item_visibility.files.size_limits import MAX_CELL_CHARACTERS, MAX_CHARACTERS, MAX_COLUMNS
from item_visibility.files.table import (
    NO_RESULT,
    NOTHING_CHANGED,
    Hidden,
    NotText,
    TableRow,
    too_large,
    too_long,
    too_wide,
)
from item_visibility.files.workbooks.marks import SeenMarks
from item_visibility.files.workbooks.xml_reader import XmlReader

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_CELL = re.compile("([A-Z]{1,3})([0-9]+)")
_LONGEST_ESCAPE = len("_x0000_")
_TEXT_TYPES = {"s", "str", "inlineStr"}


class TextReader(XmlReader):
    """Collects the text of an element, without its phonetic guides."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._length = 0
        self._is_in_text = False
        self._phonetic = 0

    def on_start(self, name: str, given: Mapping[str, str]) -> None:  # noqa: ARG002  (some readers look at it)
        """Handle the start of a text or of a phonetic guide."""
        self._phonetic += name == "rPh"
        self._is_in_text = name in {"t", "v"} and not self._phonetic

    def on_end(self, name: str) -> None:
        """Handle the end of a text."""
        self._phonetic -= name == "rPh"
        self._is_in_text = False

    def on_text(self, text: str) -> None:
        """Add text."""
        if self._is_in_text:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > MAX_CELL_CHARACTERS * _LONGEST_ESCAPE:
                raise too_long()

    def take_text(self) -> str:
        """Return the text collected since the last call."""
        if not self._pieces:
            return ""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = 0
        return text


class SharedReader(TextReader):
    """Reads the texts that the cells of a workbook share."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._characters = 0

    def on_end(self, name: str) -> None:
        """Store a text when it is complete."""
        super().on_end(name)
        if name == "si":
            self.texts.append(_unescaped(self.take_text()))
            self._characters += len(self.texts[-1])
            if self._characters > MAX_CHARACTERS:
                raise too_large()


class SheetReader(TextReader):
    """Reads the rows of a sheet, without empty cells and rows. Cells that are no texts become `of_number`."""

    def __init__(self, shared: list[str], of_number: type[NotText]) -> None:
        super().__init__()
        self._shared = shared
        self._of_number = of_number
        self._rows: list[TableRow] = []
        self._number = 0
        self._is_numbered = False
        self._cells: dict[int, str] = {}
        self._column = -1
        self._type = ""
        self._formula: Mapping[str, str] | None = None
        self._has_value = False
        self._hides_rows = False
        self._hidden_rows: list[int] = []
        self._hidden_columns: set[int] = set()
        self._ranges = 0
        self.marks = SeenMarks()

    def take_rows(self) -> list[TableRow]:
        """Return the rows completed since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def hidden(self) -> Hidden:
        """Return the hidden rows and columns found so far."""
        return Hidden(tuple(self._hidden_rows), tuple(sorted(self._hidden_columns)))

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Handle the start of a row or a cell."""
        if name == "c":
            self._start_cell(given)
        elif name == "row":
            self._start_row(given)
        elif name == "f":
            self._formula = given
            self.marks.add_formula(self._number)
        elif name == "mergeCell":
            self.marks.add_merged(given.get("ref", ""))
        elif name == "sheetFormatPr":
            self._hides_rows = _is_true(given.get("zeroHeight", ""))
        elif name == "col" and (_is_true(given.get("hidden", "")) or _is_zero(given.get("width", ""))):
            self._hide_columns(int(given["min"]), int(given["max"]))
        else:
            self._has_value |= name == "v"
            super().on_start(name, given)

    def on_end(self, name: str) -> None:
        """Handle the end of a row or a cell."""
        if name == "c":
            if cell := self._cell(self.take_text()):
                if self._column >= MAX_COLUMNS:
                    raise too_wide(self._number)
                self._cells[self._column] = cell
        elif name == "row":
            if self._cells:
                cells = tuple(self._cells.get(column, "") for column in range(max(self._cells) + 1))
                self._rows.append(TableRow(self._number, cells))
                self._cells.clear()
        else:
            super().on_end(name)

    def _hide_columns(self, first: int, last: int) -> None:
        self._ranges += 1
        if self._ranges > MAX_COLUMNS:
            raise ValueError("too many ranges of columns")
        self._hidden_columns.update(range(first - 1, min(last, MAX_COLUMNS)))

    def _start_row(self, given: Mapping[str, str]) -> None:
        self._is_numbered = "r" in given
        number = int(given.get("r", self._number + 1))
        if number <= self._number:
            raise ValueError("a row is given twice, or out of its order")
        self._number = number
        self._column = -1
        is_low = _is_zero(given.get("ht", "")) or (self._hides_rows and "ht" not in given)
        if _is_true(given.get("hidden", "1" if is_low else "0")):
            self._hidden_rows.append(number)

    def _start_cell(self, given: Mapping[str, str]) -> None:
        column = self._column + 1
        if "r" in given:
            column, number = _column_and_row(given["r"])
            if self._is_numbered and number != self._number:
                raise ValueError("a cell of another row")
        if column <= self._column:
            raise ValueError("a cell is given twice, or out of its order")
        self._column = column
        self._type = given.get("t", "n")
        self._formula = None
        self._has_value = False
        self.take_text()

    def _cell(self, text: str) -> str:
        """Return the content of the cell. A formula needs a stored result, which may be an empty text."""
        if self._formula is not None and not text and not (self._has_value and self._type == "str"):
            return self._without_result(self._formula)
        if not text:
            return ""
        if self._type == "s":
            return self._shared[_index(text)]
        return _unescaped(text) if self._type in _TEXT_TYPES else self._of_number(text)

    def _without_result(self, formula: Mapping[str, str]) -> str:
        if formula.get("t") in {"array", "dataTable"} and ":" in formula.get("ref", ""):
            raise FileError(
                f"Row {self._number} holds a formula for many cells, without their results.",
                advice=f"{NOTHING_CHANGED} Open the file in a spreadsheet program, and save it there.",
            )
        return NO_RESULT


def _is_true(text: str) -> bool:
    return text in {"1", "true", "on"}


def _is_zero(text: str) -> bool:
    return bool(text) and float(text) == 0


def _index(text: str) -> int:
    """Return the index of a shared text. Raise ValueError when it is not a number."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


def _column_and_row(cell: str) -> tuple[int, int]:
    """Return the column of a cell such as `B3`, from 0, and its row. Raise ValueError for other texts."""
    match = _CELL.fullmatch(cell)
    if match is None:
        raise ValueError(cell)
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1, int(match[2])


def _unescaped(text: str) -> str:
    """Decode characters that XML cannot hold, which workbooks write as `_x0000_`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
