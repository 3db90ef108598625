"""Reads XLSX as a stream.

A workbook is a ZIP file of XML files: one with the names of the sheets, one with the texts that cells share,
and one for each sheet. Each limit is checked before memory is used: see docs/decisions/files.md.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from xml.parsers import expat

from item_visibility.errors import FileError, SheetsError
from item_visibility.lists.table import (
    MAX_CELL_CHARACTERS,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    NOTHING_CHANGED,
    Hidden,
    NotText,
    Table,
    TableRow,
    Watch,
    few,
    read_rows,
    too_large,
    too_long,
    too_wide,
    unchanged,
    unwatched,
)

ZIP = b"PK\x03\x04"
MAX_INFLATED_BYTES = 200 * 1024 * 1024
MAX_TAGS = 8_000_000
"""The limit for one part. It is enough for any allowed table, and limits the reading time."""

_MAX_TAG_BYTES = 1024 * 1024
"""The limit for one tag or comment, because expat 2.5 rereads it from its start for every chunk."""
_MAX_PARTS = 10_000
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
_TEXTS = frozenset({"t", "v"})
_TEXT_TYPES = {"s", "str", "inlineStr"}
_TRUE = {"1", "true", "on"}
_CELL = re.compile("([A-Z]{1,3})([0-9]+)")
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
"""A character that XML cannot hold, as workbooks write it."""
_LONGEST_CODE = len("_x0000_")

_Attributes = Mapping[str, str]


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
        raise unchanged(
            "The file cannot be read as XLSX: it has another format, is damaged or has a password.",
            'Save it again as "Excel workbook (.xlsx)", without a password.',
        ) from None


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

    def starts(self, part: str, wanted: str) -> list[_Attributes]:
        """Return the attributes of these elements of a part."""
        found: list[_Attributes] = []

        def start(name: str, given: _Attributes) -> None:
            if name == wanted:
                found.append(given)
                if len(found) > _MAX_PARTS:
                    raise ValueError("too many elements")

        for _ in self.feed(part, start, lambda _: None, lambda _: None):
            pass
        return found

    def feed(
        self,
        part: str,
        on_start: Callable[[str, _Attributes], None],
        on_end: Callable[[str], None],
        on_text: Callable[[str], None],
    ) -> Iterator[None]:
        """Read an XML part, and yield after each chunk. Namespaces of elements are ignored."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_entities
        parser.StartElementHandler = lambda name, given: on_start(_own(name), given)
        parser.EndElementHandler = lambda name: on_end(_own(name))
        parser.CharacterDataHandler = on_text
        tags = size = 0
        with self._parts.open(part) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                tags += chunk.count(b"<")
                if tags > MAX_TAGS:
                    raise unchanged(
                        "The file holds too many cells, most of them empty.",
                        "Copy what is needed into a new file.",
                    )
                parser.Parse(chunk, False)  # noqa: FBT003  (expat's)
                size += len(chunk)
                if size - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                    raise ValueError("a tag without an end")
                self._read += len(chunk)
                self._watch(min(1.0, self._read / self._size))
                yield
        parser.Parse(b"", True)  # noqa: FBT003  (expat's)
        yield


def _find_sheets(package: _Package) -> "list[_Sheet]":
    """Return the sheets with cells, in order. Raise LookupError for none, or for one without its part."""
    sheets = package.starts(_WORKBOOK, "sheet")
    relations = package.starts(_RELATIONS, "Relationship")
    targets = {one["Id"]: (one["Type"], _in_package(one["Target"])) for one in relations}
    texts = [target for kind, target in targets.values() if kind.endswith("/sharedStrings")]
    shared = _shared_texts(package, texts[0]) if texts else []
    found = []
    for one in sheets:
        keys = [value for name, value in one.items() if _own(name) == "id"]
        kind, target = targets[keys[0]]
        if kind.endswith("/worksheet"):
            is_hidden = one.get("state", "visible") != "visible"
            found.append(_Sheet(one.get("name", ""), package, target, shared, is_hidden=is_hidden))
    if not found:
        raise LookupError("sheet")
    return found


def _read_table(sheets: "Sequence[_Sheet]", name: str | None) -> Table:
    filled = [one for one in sheets if one.holds_something()]
    visible = tuple(one.name for one in filled if not one.is_hidden)
    hidden = tuple(one.name for one in filled if one.is_hidden)
    if not filled:
        return read_rows(iter(()))  # raises the error for a file without rows
    if name is None and len(visible) != 1:
        every, only = "Several sheets hold something", "Only hidden sheets hold anything"
        raise SheetsError(
            f"{every if visible else only}: {few(visible or hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose the one that is the list.",
            sheets=visible + hidden,
        )
    chosen = [one for one in filled if (not one.is_hidden if name is None else one.name == name)]
    if len(chosen) != 1:
        raise SheetsError(
            f"The file has no sheet “{name}” that holds anything. There is: {few(visible + hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose one of them.",
            sheets=visible + hidden,
        )
    read = chosen[0]
    rest = sorted((one for one in filled if one is not read), key=lambda one: one.is_hidden)
    others = [f"“{one.name}”{' (hidden)' if one.is_hidden else ''}" for one in rest]
    words = f"Sheet “{read.name}” is read" + (f"; not read: {few(others)}." if others else ".")
    return replace(read.table(), sheet=words)


class _Text:
    """Collects the text of an element, without its phonetic guides."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._is_in_text = False
        self._phonetic = 0

    def start(self, name: str) -> None:
        """Note the start of an element."""
        self._phonetic += name == "rPh"
        self._is_in_text = name in _TEXTS and not self._phonetic

    def end(self, name: str) -> None:
        """Note the end of an element."""
        self._phonetic -= name == "rPh"
        self._is_in_text = False

    def add(self, text: str) -> None:
        """Add a text."""
        if self._is_in_text:
            self._pieces.append(text)
            self._length += len(text)
            if self._length > MAX_CELL_CHARACTERS * _LONGEST_CODE:
                raise too_long()

    def take(self) -> str:
        """Return the text collected since the last call."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = 0
        return text


def _shared_texts(package: _Package, part: str) -> list[str]:
    """Return the texts that the cells of a workbook share, each only once in memory."""
    texts: list[str] = []
    text = _Text()
    characters = 0

    def end(name: str) -> None:
        nonlocal characters
        text.end(name)
        if name == "si":
            texts.append(_decoded(text.take()))
            characters += len(texts[-1])
            if characters > MAX_CHARACTERS:
                raise too_large()

    for _ in package.feed(part, lambda name, _: text.start(name), end, text.add):
        pass
    return texts


class _Sheet:
    """A sheet whose filled rows are read as they are needed. Cells that are not texts become NotText."""

    def __init__(
        self, name: str, package: _Package, part: str, shared: list[str], *, is_hidden: bool
    ) -> None:
        self.name = name
        self.is_hidden = is_hidden
        self._shared = shared
        self._text = _Text()
        self._starts: dict[str, Callable[[_Attributes], None]] = {
            "c": self._start_cell,
            "row": self._start_row,
            "col": self._set_columns,
        }
        self._read: list[TableRow] = []
        self._rows = self._take_rows(package.feed(part, self._start, self._end, self._text.add))
        self._hidden_rows: list[int] = []
        self._hidden_columns: set[int] = set()
        self._number = 0
        self._is_numbered = False
        self._cells: dict[int, str] = {}
        self._column = -1
        self._type = ""
        self._is_formula = False
        self._has_value = False
        self._ranges = 0

    def holds_something(self) -> bool:
        """True when the sheet has a filled row."""
        first = next(self._rows, None)
        if first is not None:
            self._rows = chain([first], self._rows)
        return first is not None

    def table(self) -> Table:
        """Return the table on this sheet, with the filled rows and columns that are hidden."""
        table = read_rows(self._rows, is_padded=True)
        rows = table.every_row
        numbers = {row.number for row in rows}
        columns = sorted(column for column in self._hidden_columns if column < len(table.header))
        hidden = Hidden(
            rows=tuple(number for number in self._hidden_rows if number in numbers),
            columns=tuple(column for column in columns if any(row.cells[column] for row in rows)),
        )
        return replace(table, hidden=hidden)

    def _take_rows(self, chunks: Iterator[None]) -> Iterator[TableRow]:
        """Yield the rows that hold something."""
        for _ in chunks:
            yield from self._read
            self._read.clear()

    def _start(self, name: str, given: _Attributes) -> None:
        if (start := self._starts.get(name)) is not None:
            start(given)
        else:
            self._has_value |= name == "v"
            self._is_formula |= name == "f"
            self._text.start(name)

    def _end(self, name: str) -> None:
        if name == "c":
            self._end_cell()
        elif name != "row":
            self._text.end(name)
        elif self._cells:
            cells = tuple(self._cells.get(column, "") for column in range(max(self._cells) + 1))
            self._read.append(TableRow(self._number, cells))
            self._cells.clear()

    def _set_columns(self, given: _Attributes) -> None:
        if given.get("hidden") in _TRUE:
            self._ranges += 1
            if self._ranges > MAX_COLUMNS:
                raise ValueError("too many ranges of columns")
            self._hidden_columns.update(range(int(given["min"]) - 1, min(int(given["max"]), MAX_COLUMNS)))

    def _start_row(self, given: _Attributes) -> None:
        self._is_numbered = "r" in given
        number = int(given.get("r", self._number + 1))
        if number <= self._number:
            raise ValueError("a row is given twice, or out of its order")
        self._number = number
        self._column = -1
        if given.get("hidden") in _TRUE:
            self._hidden_rows.append(number)

    def _start_cell(self, given: _Attributes) -> None:
        column = self._column + 1
        if "r" in given:
            column, number = _column_and_row(given["r"])
            if self._is_numbered and number != self._number:
                raise ValueError("a cell of another row")
        if column <= self._column:
            raise ValueError("a cell is given twice, or out of its order")
        self._column = column
        self._type = given.get("t", "n")
        self._is_formula = False
        self._has_value = False
        self._text.take()

    def _end_cell(self) -> None:
        if cell := self._cell(self._text.take()):
            if self._column >= MAX_COLUMNS:
                raise too_wide(self._number)
            self._cells[self._column] = cell

    def _cell(self, text: str) -> str:
        """Return the content of the cell. A formula needs a stored result, which may be an empty text."""
        if self._is_formula and not text and not (self._has_value and self._type == "str"):
            return NotText("a formula without a stored result")
        if not text:
            return ""
        if self._type == "s":
            if not (text.isascii() and text.isdigit()):
                raise ValueError(text)
            return self._shared[int(text)]
        return _decoded(text) if self._type in _TEXT_TYPES else NotText(text)


@lru_cache(maxsize=256)
def _own(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _in_package(target: str) -> str:
    """Return the full name of a part from the workbook's reference, which may be relative or absolute."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def _column_and_row(cell: str) -> tuple[int, int]:
    """Return the column of a cell such as `B3`, from 0, and its row. Raise ValueError for other texts."""
    match = _CELL.fullmatch(cell)
    if match is None:
        raise ValueError(cell)
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1, int(match[2])


def _decoded(text: str) -> str:
    return _CODE.sub(lambda found: chr(int(found[1], 16)), text)


def _refuse_entities(*_: object) -> None:
    raise unchanged(
        "The file declares XML entities, which no workbook needs.",
        "Save it again with a spreadsheet program.",
    )


def _too_much_room() -> FileError:
    return unchanged(
        "The file would take too much room when it is unpacked.", "Divide it into several files."
    )
