"""Reads XLSX as a stream, with Python's own XML parser. Only cells that hold something are kept.

A workbook is a ZIP file of XML files: one with the names of the sheets, one with the texts that cells share,
and one for each sheet. Each limit is checked before memory is used: see docs/decisions/files.md.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TypeVar
from xml.parsers import expat

from item_visibility.errors import FileError, SheetsError
from item_visibility.files.table import (
    MAX_CELL_CHARACTERS,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    NO_RESULT,
    NOTHING_CHANGED,
    Hidden,
    Marks,
    NotText,
    Sheets,
    Table,
    TableRow,
    Watch,
    read_padded_rows,
    too_large,
    too_long,
    too_wide,
    unwatched,
)
from item_visibility.files.table_in_words import few

MAX_INFLATED_BYTES = 200 * 1024 * 1024
MAX_TAGS = 8_000_000
"""The limit for one part. It is enough for any allowed table, and limits the reading time."""

_MAX_TAG_BYTES = 1024 * 1024
"""The limit for one tag or comment, because expat 2.5 rereads it from its start for every chunk."""
_MAX_PARTS = 10_000
_MAX_MARKS = 20
_CHUNK_BYTES = 64 * 1024

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_ENTRY = b"PK\x01\x02"
_PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The only compression methods that spreadsheet programs write. The others can need extra memory."""
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    LookupError,  # a missing part or shared text
    ValueError,  # an invalid number
    RuntimeError,  # zipfile's error for a password, or for unknown packing
    EOFError,
)
_TEXT_TYPES = {"s", "str", "inlineStr"}
_TRUE = {"1", "true", "on"}
_CELL = re.compile("([A-Z]{1,3})([0-9]+)")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_LONGEST_ESCAPE = len("_x0000_")


def read_xlsx(content: bytes, sheet: str | None = None, *, watch: Watch = unwatched) -> Table:
    """Return the table on the sheet of this name, or on the only visible sheet that holds something.

    Raise FileError for a file that cannot be read or is too large, and SheetsError when no sheet has the name
    or a person has to choose one.
    """
    if content.count(_ENTRY) > _MAX_PARTS:
        raise _too_much_room()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            return _read_table(_find_sheets(_Package(parts, watch)), sheet)
    except _NOT_READABLE:
        raise FileError(
            "The file cannot be read as XLSX: it has another format, is damaged or has a password.",
            advice=f'{NOTHING_CHANGED} Save it again as "Excel workbook (.xlsx)", without a password.',
        ) from None


def _find_sheets(package: "_Package") -> "list[_Sheet]":
    """Return the sheets with cells, in order. Raise LookupError for none, or for one without its part."""
    workbook = package.read(_WORKBOOK, _WorkbookReader())
    targets = package.read(_RELATIONS, _RelationReader()).targets
    shared = _SharedReader()
    texts = [target for kind, target in targets.values() if kind.endswith("/sharedStrings")]
    for target in texts[:1]:
        package.read(_in_package(target), shared)
    sheets = []
    for name, key, is_hidden in workbook.sheets:
        kind, target = targets[key]
        if kind.endswith("/worksheet"):
            reader = _SheetReader(shared.texts)
            rows = package.rows(_in_package(target), reader)
            sheets.append(_Sheet(name, is_hidden, rows, reader))
    if not sheets:
        raise LookupError("sheet")
    return sheets


def _read_table(sheets: "Sequence[_Sheet]", name: str | None) -> Table:
    filled = [one for one in sheets if one.holds_something()]
    visible = tuple(one.name for one in filled if not one.is_hidden)
    hidden = tuple(one.name for one in filled if one.is_hidden)
    if not filled:
        return read_padded_rows(iter(()))  # raises the error for a file without rows
    if name is None and len(visible) != 1:
        raise _to_choose(visible, hidden)
    chosen = [one for one in filled if (not one.is_hidden if name is None else one.name == name)]
    if len(chosen) != 1:
        raise SheetsError(
            f"The file has no sheet “{name}” that holds anything. There is: {few(visible + hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose one of them.",
            sheets=visible + hidden,
        )
    return chosen[0].table(Sheets(read=chosen[0].name, filled=visible, hidden=hidden))


class _Package:
    """The parts of a workbook. The declared sizes are checked first: Python reads no more of a part."""

    def __init__(self, parts: zipfile.ZipFile, watch: Watch) -> None:
        self._parts = parts
        self._watch = watch
        self._size = sum(part.file_size for part in parts.infolist())
        self._read = 0
        if self._size > MAX_INFLATED_BYTES:
            raise _too_much_room()
        if any(part.compress_type not in _PACKINGS for part in parts.infolist()):
            raise zipfile.BadZipFile("a compression method that no spreadsheet program uses")

    def read(self, part: str, reader: "_Reader") -> "_Reader":
        """Feed the whole part to the reader."""
        for _ in self._feed(part, reader):
            pass
        return reader

    def rows(self, part: str, reader: "_SheetReader") -> Iterator[TableRow]:
        """Yield the filled rows of a sheet while its part is read."""
        for _ in self._feed(part, reader):
            yield from reader.take_rows()

    def _feed(self, part: str, reader: "_XmlReader") -> Iterator[None]:
        """Feed the part to the reader. Report the progress and yield after each chunk."""
        with self._parts.open(part) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                reader.feed(chunk)
                self._read += len(chunk)
                self._watch(min(1.0, self._read / self._size))
                yield
        reader.end()
        yield


@dataclass(slots=True)
class _Sheet:
    """A sheet whose rows are read as they are needed."""

    name: str
    is_hidden: bool
    rows: Iterator[TableRow]
    reader: "_SheetReader"

    def holds_something(self) -> bool:
        first = next(self.rows, None)
        if first is not None:
            self.rows = chain([first], self.rows)
        return first is not None

    def table(self, sheets: Sheets) -> Table:
        """Return the table on this sheet, with the filled rows and columns that are hidden."""
        table = read_padded_rows(self.rows)
        rows = (TableRow(table.header_number, table.header), *table.rows)
        numbers = {row.number for row in rows}
        hidden = Hidden(
            rows=tuple(number for number in self.reader.hidden_rows if number in numbers),
            columns=tuple(
                column
                for column in sorted(self.reader.hidden_columns)
                if column < len(table.header) and any(row.cells[column] for row in rows)
            ),
        )
        marks = Marks(tuple(self.reader.merged), tuple(self.reader.formulas))
        return replace(table, hidden=hidden, sheets=sheets, marks=marks)


class _XmlReader:
    """Reads XML in chunks. Namespaces of elements are ignored, because workbooks come in several dialects."""

    def __init__(self) -> None:
        self._tags = self._bytes = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse_entities
        self._parser.StartElementHandler = lambda name, given: self.on_start(_own(name), given)
        self._parser.EndElementHandler = lambda name: self.on_end(_own(name))
        self._parser.CharacterDataHandler = self.on_text

    def feed(self, chunk: bytes) -> None:
        """Read a chunk. Raise FileError when there are more tags than any allowed table needs."""
        self._tags += chunk.count(b"<")
        if self._tags > MAX_TAGS:
            raise FileError(
                "The file holds too many cells, most of them empty.",
                advice=f"{NOTHING_CHANGED} Copy what is needed into a new file.",
            )
        self._parser.Parse(chunk, False)  # noqa: FBT003  (expat's)
        self._bytes += len(chunk)
        if self._bytes - self._parser.CurrentByteIndex > _MAX_TAG_BYTES:
            raise ValueError("a tag without an end")

    def end(self) -> None:
        self._parser.Parse(b"", True)  # noqa: FBT003  (expat's)

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Handle the start of an element. Attribute names include their namespace, if they have one."""

    def on_end(self, name: str) -> None:
        """Handle the end of an element."""

    def on_text(self, text: str) -> None:
        """Handle text."""


_Reader = TypeVar("_Reader", bound=_XmlReader)


class _WorkbookReader(_XmlReader):
    """Finds the sheets of a workbook: name, key of the part, and whether the sheet is hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[tuple[str, str, bool]] = []

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        if name == "sheet":
            key = next(value for key, value in given.items() if _own(key) == "id")
            self.sheets.append((given.get("name", ""), key, given.get("state", "visible") != "visible"))
            if len(self.sheets) > _MAX_PARTS:
                raise ValueError("too many sheets")


class _RelationReader(_XmlReader):
    """Finds the parts of a workbook: key, type and location."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: dict[str, tuple[str, str]] = {}

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        if name == "Relationship":
            self.targets[given["Id"]] = (given["Type"], given["Target"])
            if len(self.targets) > _MAX_PARTS:
                raise ValueError("too many parts")


class _TextReader(_XmlReader):
    """Collects the text of an element, without its phonetic guides."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._length = 0
        self._is_in_text = False
        self._phonetic = 0

    def on_start(self, name: str, given: Mapping[str, str]) -> None:  # noqa: ARG002  (some readers look at it)
        self._phonetic += name == "rPh"
        self._is_in_text = name in {"t", "v"} and not self._phonetic

    def on_end(self, name: str) -> None:
        self._phonetic -= name == "rPh"
        self._is_in_text = False

    def on_text(self, text: str) -> None:
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


class _SharedReader(_TextReader):
    """Reads the texts that the cells of a workbook share, each only once in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._characters = 0

    def on_end(self, name: str) -> None:
        super().on_end(name)
        if name == "si":
            self.texts.append(_unescaped(self.take_text()))
            self._characters += len(self.texts[-1])
            if self._characters > MAX_CHARACTERS:
                raise too_large()


class _SheetReader(_TextReader):
    """Reads the rows of a sheet, without empty cells and rows. Cells that are not texts become NotText.

    `merged` and `formulas` are the first merged cells and rows with formulas.
    """

    def __init__(self, shared: list[str]) -> None:
        super().__init__()
        self.hidden_rows: list[int] = []
        self.hidden_columns: set[int] = set()
        self.merged: list[str] = []
        self.formulas: dict[int, None] = {}
        self._shared = shared
        self._rows: list[TableRow] = []
        self._number = 0
        self._is_numbered = False
        self._cells: dict[int, str] = {}
        self._column = -1
        self._type = ""
        self._formula: Mapping[str, str] | None = None
        self._has_value = False
        self._hides_rows = False
        self._ranges = 0

    def take_rows(self) -> list[TableRow]:
        """Return the rows completed since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        if name == "c":
            self._start_cell(given)
        elif name == "row":
            self._start_row(given)
        elif name == "f":
            self._formula = given
            if len(self.formulas) < _MAX_MARKS:
                self.formulas[self._number] = None
        elif name == "mergeCell":
            if len(self.merged) < _MAX_MARKS:
                self.merged.append(given.get("ref", ""))
        elif name == "sheetFormatPr":
            self._hides_rows = given.get("zeroHeight") in _TRUE
        elif name == "col" and (given.get("hidden") in _TRUE or _is_zero(given.get("width", ""))):
            self._hide_columns(int(given["min"]), int(given["max"]))
        else:
            self._has_value |= name == "v"
            super().on_start(name, given)

    def on_end(self, name: str) -> None:
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
        self.hidden_columns.update(range(first - 1, min(last, MAX_COLUMNS)))

    def _start_row(self, given: Mapping[str, str]) -> None:
        self._is_numbered = "r" in given
        number = int(given.get("r", self._number + 1))
        if number <= self._number:
            raise ValueError("a row is given twice, or out of its order")
        self._number = number
        self._column = -1
        is_low = _is_zero(given.get("ht", "")) or (self._hides_rows and "ht" not in given)
        if given.get("hidden", "1" if is_low else "0") in _TRUE:
            self.hidden_rows.append(number)

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
        return _unescaped(text) if self._type in _TEXT_TYPES else NotText(text)

    def _without_result(self, formula: Mapping[str, str]) -> str:
        if formula.get("t") in {"array", "dataTable"} and ":" in formula.get("ref", ""):
            raise FileError(
                f"Row {self._number} holds a formula for many cells, without their results.",
                advice=f"{NOTHING_CHANGED} Open the file in a spreadsheet program, and save it there.",
            )
        return NO_RESULT


@lru_cache(maxsize=256)
def _own(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _in_package(target: str) -> str:
    """Return the full name of a part from the workbook's reference, which may be relative or absolute."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


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
    """Decode the characters that XML cannot hold. Workbooks write them as `_x0000_`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _refuse_entities(*_: object) -> None:
    raise FileError(
        "The file declares XML entities, which no workbook needs.",
        advice=f"{NOTHING_CHANGED} Save it again with a spreadsheet program.",
    )


def _too_much_room() -> FileError:
    return FileError(
        "The file would take too much room when it is unpacked.",
        advice=f"{NOTHING_CHANGED} Divide it into several files.",
    )


def _to_choose(visible: tuple[str, ...], hidden: tuple[str, ...]) -> SheetsError:
    if not visible:
        return SheetsError(
            f"Only hidden sheets of the file hold anything: {few(hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose one of them, or show it in the file.",
            sheets=hidden,
        )
    return SheetsError(
        f"Several sheets of the file hold something: {few(visible)}.",
        advice=f"{NOTHING_CHANGED} Choose the one that is the list, or keep one sheet in the file.",
        sheets=visible + hidden,
    )
