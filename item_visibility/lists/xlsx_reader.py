"""Reads XLSX as a stream.

A workbook is a ZIP file of XML files, which are called parts: one with the names of the
sheets, one with the texts that cells share, and one for each sheet. Limits keep the
memory small: see docs/decisions/lists.md.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from xml.parsers import expat

from item_visibility.errors import FileError, SheetsError
from item_visibility.lists.table import (
    MAX_CELL_CHARACTERS,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    NOTHING_CHANGED,
    NotText,
    Table,
    TableRow,
    few,
    read_rows,
    too_large,
    unchanged,
)

ZIP = b"PK\x03\x04"
MAX_INFLATED_BYTES = 200 * 1024 * 1024
MAX_TAGS = 8_000_000
"""The largest number of tags in a part.

A table within the other limits never has this many.
"""

_MAX_TAG_BYTES = 1024 * 1024
"""The longest tag or comment. expat 2.5 parses an unfinished tag again with every chunk."""  # noqa: E501
_MAX_PARTS = 10_000
_CHUNK_BYTES = 64 * 1024
_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_ENTRY = b"PK\x01\x02"
_PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The compression methods that spreadsheet programs use.

Others can need much memory, so they are refused.
"""
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    LookupError,  # a missing part or shared text
    ValueError,  # an invalid number
    RuntimeError,  # zipfile's error for a password or an unknown compression method
    EOFError,
)
_TEXT_TYPES = {"s", "str", "inlineStr"}
_OF_SHEETS = frozenset({"col", "row", "c", "f", "v"})
_TRUE = {"1", "true", "on"}
_CELL = re.compile("([A-Z]{1,3})([0-9]+)")
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
"""How a workbook writes a character that is not allowed in XML."""
_LONGEST_CODE = len("_x0000_")

_Attributes = Mapping[str, str]
_Element = tuple[str, _Attributes | None, str]
"""The start of an element is (name, attributes, ""), and its end is (name, None, text)."""  # noqa: E501


def read_xlsx(content: bytes, sheet: str | None = None) -> Table:
    """Read the sheet with this name, or the only visible sheet with data.

    Raises FileError if the file cannot be read or is too large. Raises SheetsError if
    no sheet has this name, or if the user has to choose a sheet.
    """
    if content.count(_ENTRY) > _MAX_PARTS:
        raise _too_much_room()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            return _Workbook(parts).read(sheet)
    except _NOT_READABLE:
        raise unchanged(
            "The file cannot be read as XLSX: it has another format, is damaged or "
            "has a password.",
            'Save it again as "Excel workbook (.xlsx)", without a password.',
        ) from None


class _Sheet(NamedTuple):
    name: str
    part: str
    is_hidden: bool

    @property
    def words(self) -> str:
        """The name, and whether the sheet is hidden."""
        return f"“{self.name}”{' (hidden)' if self.is_hidden else ''}"


class _Workbook:
    """The parts of a workbook.

    Checks their declared sizes first: zipfile reads no more than declared.
    """

    def __init__(self, parts: zipfile.ZipFile) -> None:
        self._parts = parts
        self._shared: list[str] = []
        if sum(part.file_size for part in parts.infolist()) > MAX_INFLATED_BYTES:
            raise _too_much_room()
        if any(part.compress_type not in _PACKINGS for part in parts.infolist()):
            raise zipfile.BadZipFile(
                "a compression method that no spreadsheet program uses"
            )

    def read(self, name: str | None) -> Table:
        """Read the sheet with this name, or the only visible sheet with data."""
        filled = [
            one for one in self._sheets() if next(self._rows(one, set(), []), None)
        ]
        if not filled:
            return read_rows(iter(()))  # raises the error for a file without rows
        filled.sort(key=lambda one: one.is_hidden)
        chosen = [
            one
            for one in filled
            if (not one.is_hidden if name is None else one.name == name)
        ]
        if len(chosen) != 1:
            raise SheetsError(
                f"These sheets contain data: {few([one.words for one in filled])}.",
                advice=f"{NOTHING_CHANGED} Choose the sheet with the list. In a "
                "command, give --sheet.",
                sheets=tuple(one.name for one in filled),
            )
        hidden_rows, hidden_columns = set[int](), list[range]()
        table = read_rows(
            self._rows(chosen[0], hidden_rows, hidden_columns), is_padded=True
        )
        rows = table.every_row
        columns = [
            at
            for at in range(len(table.header))
            if any(at in one for one in hidden_columns)
        ]
        others = [one.words for one in filled if one is not chosen[0]]
        note = f"Sheet {chosen[0].words} is read" + (
            f"; not read: {few(others)}." if others else "."
        )
        return replace(
            table,
            hidden_rows=tuple(row.number for row in rows if row.number in hidden_rows),
            hidden_columns=tuple(
                at for at in columns if any(row.cells[at] for row in rows)
            ),
            notes=(note,),
        )

    def _sheets(self) -> list[_Sheet]:
        """Return the sheets in their order, except chart sheets, and read the texts that cells share."""  # noqa: E501
        sheets = self._attributes(_WORKBOOK, "sheet")
        # a target is relative to the folder xl, or begins with a slash
        targets = {
            one["Id"]: (
                one["Type"],
                posixpath.normpath(posixpath.join("/xl", one["Target"])).lstrip("/"),
            )
            for one in self._attributes(_RELATIONS, "Relationship")
        }
        for part in [
            target
            for kind, target in targets.values()
            if kind.endswith("/sharedStrings")
        ][:1]:
            characters = 0
            for text in (
                text for _, given, text in self._elements(part, {"si"}) if given is None
            ):
                self._shared.append(_decoded(text))
                characters += len(text)
                if characters > MAX_CHARACTERS:
                    raise too_large()
        found = []
        for one in sheets:
            keys = [value for name, value in one.items() if _own(name) == "id"]
            kind, part = targets[keys[0]]
            if kind.endswith("/worksheet"):
                found.append(
                    _Sheet(
                        one.get("name", ""),
                        part,
                        one.get("state", "visible") != "visible",
                    )
                )
        if not found:
            raise LookupError("sheet")
        return found

    def _rows(
        self, sheet: _Sheet, hidden_rows: set[int], hidden_columns: list[range]
    ) -> Iterator[TableRow]:
        """Yield the filled rows. Cells that are not texts become NotText.

        Hidden rows and columns are added to `hidden_rows` and `hidden_columns`.
        """
        number, column, kind = 0, -1, ""
        is_numbered = False
        cells: list[str] = []
        within: set[str] = set()
        for name, given, text in self._elements(sheet.part, _OF_SHEETS):
            if name == "c":
                if given is not None:
                    column = _column_of(
                        given, after=column, row=number if is_numbered else None
                    )
                    kind = given.get("t", "n")
                    within.clear()
                elif cell := _content(text, kind, within, self._shared):
                    if column >= MAX_COLUMNS:
                        raise too_large(f"Row {number}")
                    cells += [""] * (column - len(cells)) + [cell]
            elif given is None:
                if name == "row" and cells:
                    yield TableRow(number, tuple(cells))
                    cells.clear()
            elif name == "row":
                number, column, is_numbered = (
                    _row_number(given, after=number),
                    -1,
                    "r" in given,
                )
                hidden_rows.update({number} if given.get("hidden") in _TRUE else ())
            elif name == "col":
                _hide_columns(given, hidden_columns)
            else:
                within.add(name)

    def _attributes(self, part: str, wanted: str) -> list[_Attributes]:
        """Return the attributes of all elements with this name in a part."""
        starts = (
            given for _, given, _ in self._elements(part, {wanted}) if given is not None
        )
        found = list(islice(starts, _MAX_PARTS + 1))
        if len(found) > _MAX_PARTS:
            raise ValueError("too many elements")
        return found

    def _elements(self, part: str, wanted: Collection[str]) -> Iterator[_Element]:
        """Yield the start and the end of each element with one of these names.

        Namespaces are ignored.

        The text of a cell (`c`) or of a shared text (`si`) does not contain its
        phonetic guides. A cell can hold both an inline text (`is`) and a value; its
        type says which of them is valid.
        """
        found: list[_Element] = []
        pieces: list[tuple[str, str]] = []
        phonetic = length = 0
        kind = source = ""

        def start(name: str, given: _Attributes) -> None:
            nonlocal phonetic, length, kind, source
            name = _own(name)
            phonetic += name == "rPh"
            if name in {"c", "si"}:
                pieces.clear()
                length = 0
                kind = "inlineStr" if name == "si" else given.get("t", "")
            source = name if name in {"t", "v"} and not phonetic else ""
            if name in wanted:
                found.append((name, given, ""))

        def end(name: str) -> None:
            nonlocal phonetic, source
            name = _own(name)
            phonetic -= name == "rPh"
            source = ""
            if name in wanted:
                found.append(
                    (
                        name,
                        None,
                        _valid_text(pieces, kind) if name in {"c", "si"} else "",
                    )
                )

        def add_text(text: str) -> None:
            nonlocal length
            if source:
                pieces.append((source, text))
                length += len(text)
                if length > MAX_CELL_CHARACTERS * _LONGEST_CODE:
                    raise too_large("A cell")

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_entities
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = add_text
        for _ in self._parse(part, parser):
            yield from found
            found.clear()

    def _parse(self, part: str, parser: expat.XMLParserType) -> Iterator[None]:
        tags = size = 0
        with self._parts.open(part) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                tags += chunk.count(b"<")
                if tags > MAX_TAGS:
                    raise too_large()
                parser.Parse(chunk, False)  # noqa: FBT003
                size += len(chunk)
                if size - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                    raise ValueError("a tag without an end")
                yield
        parser.Parse(b"", True)  # noqa: FBT003


def _valid_text(pieces: Sequence[tuple[str, str]], kind: str) -> str:
    """Return the text of a cell. `pieces` are inline texts (`t`) and values (`v`).

    If a cell of the kind `inlineStr` has both, the value is stale. For any other kind,
    the value is valid.
    """
    has_inline_text = any(source == "t" for source, _ in pieces)
    valid = "t" if kind == "inlineStr" and has_inline_text else "v"
    return "".join(text for source, text in pieces if source == valid)


def _row_number(row: _Attributes, *, after: int) -> int:
    number = int(row.get("r", after + 1))
    if number <= after:
        raise ValueError("rows out of order")
    return number


def _hide_columns(col: _Attributes, hidden: list[range]) -> None:
    if col.get("hidden") in _TRUE:
        hidden.append(range(int(col["min"]) - 1, int(col["max"])))
        if len(hidden) > MAX_COLUMNS:
            raise ValueError("too many ranges of columns")


def _column_of(cell: _Attributes, *, after: int, row: int | None) -> int:
    """Return the column index of a cell.

    A cell without a reference such as `B3` is in the next column.
    """
    column = after + 1
    if "r" in cell:
        match = _CELL.fullmatch(cell["r"])
        if match is None or row not in {None, int(match[2])}:
            raise ValueError("the reference of a cell is invalid or names another row")
        column = -1
        for letter in match[1]:
            column = (column + 1) * 26 + ord(letter) - ord("A")
    if column <= after:
        raise ValueError("cells out of order")
    return column


def _content(
    text: str, kind: str, within: Collection[str], shared: Sequence[str]
) -> str:
    """Return the content of a cell.

    `within` contains `f` for a formula, and `v` for a stored value.

    A formula without a stored result is NotText. A stored result may be an empty text.
    """
    if "f" in within and not text and not ("v" in within and kind == "str"):
        return NotText("a formula without a stored result")
    if not text:
        return ""
    if kind == "s":
        if not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        return shared[int(text)]
    return _decoded(text) if kind in _TEXT_TYPES else NotText(text)


@lru_cache(maxsize=256)
def _own(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _decoded(text: str) -> str:
    return _CODE.sub(lambda found: chr(int(found[1], 16)), text)


def _refuse_entities(*_: object) -> None:
    raise unchanged(
        "The file declares XML entities, which no workbook needs.",
        "Save it again with a spreadsheet program.",
    )


def _too_much_room() -> FileError:
    return unchanged(
        "The file would be too large when it is unpacked.",
        "Divide it into several files.",
    )
