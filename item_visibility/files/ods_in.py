"""ODS in: the cells of the first sheet, read as a stream.

A cell, and a row, may say how often it is repeated: a few bytes could stand for a million rows.
Nothing is repeated before it is known to hold something, and then one row at a time, within the limits.
"""

import zipfile
from collections.abc import Iterator, Mapping

from item_visibility.files.ods_text import CellText
from item_visibility.files.package import reading
from item_visibility.files.table import MAX_COLUMNS, NotText, Table, TableRow, read_placed_rows, too_wide
from item_visibility.files.xml_reader import XmlReader, own

CONTENT = "content.xml"

_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 "
_CELLS = {"table-cell", "covered-table-cell"}
_ASIDE = {"shapes", "tracked-changes"}
"""What stands beside the cells, and may hold texts and cells of its own."""
_VALUES = ("value", "date-value", "time-value", "boolean-value")


def read_ods(package: zipfile.ZipFile) -> Table:
    """The table on the first sheet."""
    return read_placed_rows(_rows(package))


def _rows(package: zipfile.ZipFile) -> Iterator[TableRow]:
    reader = OdsReader()
    for _ in reading(package, CONTENT, reader):
        yield from reader.take_rows()
    if not reader.is_spreadsheet:
        raise ValueError("no spreadsheet")


class OdsReader(XmlReader):
    """The rows of the first sheet, without cells and rows that hold nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.is_spreadsheet = False
        self._sheets = 0
        self._aside = 0
        self._rows: list[tuple[int, tuple[str, ...], int]] = []
        self._number = 1
        self._row_repeat = 1
        self._cells: dict[int, str] = {}
        self._place = 0
        self._cell: Mapping[str, str] | None = None
        self._text = CellText()

    def take_rows(self) -> Iterator[TableRow]:
        """The rows that were completed since the last time, each as often as it is repeated."""
        rows, self._rows = self._rows, []
        for number, cells, repeat in rows:
            for offset in range(repeat):
                yield TableRow(number + offset, cells)

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """A sheet, a row, a cell or a text begins."""
        self.is_spreadsheet |= name == "spreadsheet"
        if self._aside or name in _ASIDE or (self._cell is not None and not self._text.takes(name)):
            self._aside += 1
        elif name == "table":
            self._sheets += 1
        elif self._sheets == 1:
            self._on_start_in_sheet(name, given)

    def on_end(self, name: str) -> None:
        """A row, a cell or a text ends."""
        if self._aside:
            self._aside -= 1
        elif self._sheets == 1:
            self._on_end_in_sheet(name)

    def on_text(self, text: str) -> None:
        """Text stands here."""
        if self._cell is not None and not self._aside:
            self._text.add(text)

    def _on_start_in_sheet(self, name: str, given: Mapping[str, str]) -> None:
        if self._cell is not None:
            self._text.on_start(name, given)
        elif name == "table-row":
            self._row_repeat = _repeated(_owned(given), "number-rows-repeated")
            self._place = 0
        elif name in _CELLS:
            self._cell = _owned(given)

    def _on_end_in_sheet(self, name: str) -> None:
        if self._cell is not None and name in _CELLS:
            self._end_cell(self._cell)
            self._cell = None
        elif self._cell is not None:
            self._text.on_end(name)
        elif name == "table-row":
            if self._cells:
                cells = tuple(self._cells.get(place, "") for place in range(max(self._cells) + 1))
                self._rows.append((self._number, cells, self._row_repeat))
                self._cells.clear()
            self._number += self._row_repeat

    def _end_cell(self, given: Mapping[str, str]) -> None:
        repeat = _repeated(given, "number-columns-repeated")
        if cell := _cell(given, self._text.take()):
            if self._place + repeat > MAX_COLUMNS:
                raise too_wide(self._number)
            self._cells.update(dict.fromkeys(range(self._place, self._place + repeat), cell))
        self._place += repeat


def _owned(given: Mapping[str, str]) -> Mapping[str, str]:
    """The attributes by their own names; LibreOffice marks errors with a type of its own."""
    owned = {own(name): value for name, value in given.items() if not name.startswith(_CALC)}
    return owned | {"calc": given.get(f"{_CALC}value-type", "")}


def _cell(given: Mapping[str, str], shown: str) -> str:
    """What the cell holds: a text as it is shown, or what is behind the number that is shown."""
    if given["calc"] == "error":
        return NotText(shown)
    if given.get("value-type", "string") == "string":
        return given.get("string-value", shown)
    return NotText(next((given[name] for name in _VALUES if name in given), shown))


def _repeated(given: Mapping[str, str], name: str) -> int:
    times = int(given.get(name, "1"))
    if times < 1:
        raise ValueError(name)
    return times
