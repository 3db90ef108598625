"""Reads the cells of one sheet of an ODS workbook as a stream.

A cell or row can have a repeat count, so a few bytes could stand for a million rows. Only filled cells are
repeated, one row at a time and within the limits.
All sheets are in one part. It is read once to find the sheets that hold something, and once for the list.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from item_visibility.files.size_limits import MAX_COLUMNS
from item_visibility.files.table import NO_RESULT, Hidden, NotText, Table, TableRow, too_wide
from item_visibility.files.table_in_words import column_letters
from item_visibility.files.workbooks.marks import SeenMarks
from item_visibility.files.workbooks.ods_text import CellText
from item_visibility.files.workbooks.package import Package, read_part, reading
from item_visibility.files.workbooks.sheets import FoundSheet, read_sheet
from item_visibility.files.workbooks.xml_reader import XmlReader, own

CONTENT = "content.xml"

_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 "
_CELLS = {"table-cell", "covered-table-cell"}
_ASIDE = {"shapes", "tracked-changes"}
"""Elements beside the cells, which may hold texts and cells of their own."""
_VALUES = ("value", "date-value", "time-value", "boolean-value")
_GROUPS = {"table-row-group", "table-column-group"}
_NOT_SHOWN = {"collapse", "filter"}
_MAX_SHEETS = 10_000


@dataclass(slots=True)
class _Sheet:
    name: str
    is_hidden: bool
    holds_something: bool = False


def read_ods(package: Package, sheet: str | None) -> Table:
    """Return the table on the sheet of this name, or on the only visible one that holds something."""
    look = OdsReader()
    read_part(package, CONTENT, look)
    if not look.is_spreadsheet:
        raise ValueError("no spreadsheet")
    found = []
    for index, one in enumerate(look.sheets):
        reader = OdsReader(wanted=index)
        rows = _rows(package, reader) if one.holds_something else iter(())
        found.append(
            FoundSheet(
                one.name, is_hidden=one.is_hidden, rows=rows, hidden=reader.hidden, marks=reader.marks.found
            )
        )
    return read_sheet(found, sheet)


def _rows(package: Package, reader: "OdsReader") -> Iterator[TableRow]:
    for _ in reading(package, CONTENT, reader):
        yield from reader.take_rows()


class OdsReader(XmlReader):
    """Reads the rows of the sheet with the wanted index, without empty cells and rows."""

    def __init__(self, *, wanted: int | None = None) -> None:
        super().__init__()
        self.is_spreadsheet = False
        self.sheets: list[_Sheet] = []
        self._wanted = wanted
        self._is_in_sheet = False
        self._style = ""
        self._hidden_styles: set[str] = set()
        self._aside = 0
        self._rows: list[tuple[int, tuple[str, ...], int]] = []
        self._hidden_rows: list[tuple[int, int]] = []
        self._hidden_columns: set[int] = set()
        self._groups: list[bool] = []
        self._number = 1
        self._row_repeat = 1
        self._is_hidden_row = False
        self._next_column = 0
        self._cells: dict[int, str] = {}
        self._column = 0
        self._cell: Mapping[str, str] | None = None
        self._text = CellText()
        self.marks = SeenMarks()

    def take_rows(self) -> Iterator[TableRow]:
        """Yield the rows completed since the last call, each as often as it is repeated."""
        rows, self._rows = self._rows, []
        for number, cells, repeat in rows:
            for offset in range(repeat):
                yield TableRow(number + offset, cells)

    def hidden(self) -> Hidden:
        """Return the hidden rows that hold something, and all hidden columns."""
        rows = (number + offset for number, repeat in self._hidden_rows for offset in range(repeat))
        return Hidden(tuple(rows), tuple(sorted(self._hidden_columns)))

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Handle the start of a style, a sheet, a row, a cell or a text."""
        self.is_spreadsheet |= name == "spreadsheet"
        if self._aside or name in _ASIDE or (self._cell is not None and not self._text.takes(name)):
            self._aside += 1
        elif name == "style":
            self._style = _owned(given).get("name", "")
        elif name == "table-properties" and _owned(given).get("display") == "false":
            self._hidden_styles.add(self._style)
        elif name == "table":
            self._start_sheet(_owned(given))
        elif self._is_in_sheet:
            self._on_start_in_sheet(name, given)

    def on_end(self, name: str) -> None:
        """Handle the end of a sheet, a row, a cell or a text."""
        if self._aside:
            self._aside -= 1
        elif name == "table":
            self._is_in_sheet = False
        elif self._is_in_sheet:
            self._on_end_in_sheet(name)

    def on_text(self, text: str) -> None:
        """Add text to the current cell."""
        if self._cell is not None and not self._aside:
            self._text.add(text)

    def _start_sheet(self, given: Mapping[str, str]) -> None:
        if len(self.sheets) == _MAX_SHEETS:
            raise ValueError("too many sheets")
        is_hidden = given.get("style-name") in self._hidden_styles or given.get("display") == "false"
        self.sheets.append(_Sheet(given.get("name", ""), is_hidden))
        self._is_in_sheet = self._wanted in {None, len(self.sheets) - 1}

    def _on_start_in_sheet(self, name: str, given: Mapping[str, str]) -> None:
        if self._cell is not None:
            self._text.on_start(name, given)
        elif name in _GROUPS:
            self._groups.append(_owned(given).get("display") == "false")
        elif name == "table-column":
            self._start_column(_owned(given))
        elif name == "table-row":
            owned = _owned(given)
            self._row_repeat = _repeated(owned, "number-rows-repeated")
            self._is_hidden_row = self._is_hidden(owned)
            self._column = 0
        elif name in _CELLS:
            self._cell = _owned(given)

    def _on_end_in_sheet(self, name: str) -> None:
        if self._cell is not None and name in _CELLS:
            self._end_cell(self._cell)
            self._cell = None
        elif self._cell is not None:
            self._text.on_end(name)
        elif name in _GROUPS:
            self._groups.pop()
        elif name == "table-row":
            if self._cells:
                cells = tuple(self._cells.get(column, "") for column in range(max(self._cells) + 1))
                self._rows.append((self._number, cells, self._row_repeat))
                self._cells.clear()
                self._hidden_rows += [(self._number, self._row_repeat)] * self._is_hidden_row
            self._number += self._row_repeat

    def _start_column(self, given: Mapping[str, str]) -> None:
        """Note a column, up to the limit. Empty columns are repeated to the end of the sheet."""
        end = min(self._next_column + _repeated(given, "number-columns-repeated"), MAX_COLUMNS)
        if self._is_hidden(given):
            self._hidden_columns.update(range(self._next_column, end))
        self._next_column = end

    def _end_cell(self, given: Mapping[str, str]) -> None:
        repeat = _repeated(given, "number-columns-repeated")
        if cell := _cell(given, self._text.take()):
            self.sheets[-1].holds_something = True
            if self._wanted is not None:
                self._note_marks(given)
                if self._column + repeat > MAX_COLUMNS:
                    raise too_wide(self._number)
                self._cells.update(dict.fromkeys(range(self._column, self._column + repeat), cell))
        self._column += repeat

    def _note_marks(self, given: Mapping[str, str]) -> None:
        """Note a formula, and a cell that covers others."""
        if "formula" in given:
            self.marks.add_formula(self._number)
        rows, columns = (_repeated(given, f"number-{what}-spanned") for what in ("rows", "columns"))
        if rows * columns > 1:
            first, last = column_letters(self._column), column_letters(self._column + columns - 1)
            self.marks.add_merged(f"{first}{self._number}:{last}{self._number + rows - 1}")

    def _is_hidden(self, given: Mapping[str, str]) -> bool:
        return given.get("visibility") in _NOT_SHOWN or any(self._groups)


def _owned(given: Mapping[str, str]) -> Mapping[str, str]:
    """Return the attributes without namespaces. LibreOffice marks errors with its own type."""
    owned = {own(name): value for name, value in given.items() if not name.startswith(_CALC)}
    return owned | {"calc": given.get(f"{_CALC}value-type", "")}


def _cell(given: Mapping[str, str], shown: str) -> str:
    """Return the content of the cell: its text as shown, or the stored value behind a number."""
    is_error = given["calc"] == "error"
    is_text = given.get("value-type", "string") == "string" and not is_error
    text = shown
    if not is_error:
        names = ("string-value",) if is_text else _VALUES
        text = next((given[name] for name in names if name in given), shown)
    if not text and (is_error or ("formula" in given and "value-type" not in given)):
        return NO_RESULT
    return text if is_text else NotText(text)


def _repeated(given: Mapping[str, str], name: str) -> int:
    times = int(given.get(name, "1"))
    if times < 1:
        raise ValueError(name)
    return times
