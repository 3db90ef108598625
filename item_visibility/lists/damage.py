"""Finds ids in a table that a spreadsheet may have damaged, and names and words in place of ids.

Nothing is repaired silently: only what a person accepts is changed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Protocol
from unicodedata import name

from item_visibility.lists.damage_rules import MESSAGES, Column, Damage, DamageKind, Id, IdRole, KnownIndex
from item_visibility.lists.layout import Layout, LayoutKind
from item_visibility.lists.numbers import is_shortened, split_item_id
from item_visibility.lists.rows import split_ids
from item_visibility.lists.table import NoResult, NotText, Table, TableRow, Watch, unwatched

_WATCH_EVERY = 100
_MOST_CHANGES, _SHORT = 3, 40

_Cells = list[tuple[int, int]]
"""The row and column of each cell with an id. The header's row is `Table.header_number`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An id that may be damaged: its row number as the person sees it, and its column, counted from 0.

    `value` is the cell, or the part of it that is one id. `suggestion` is the id that it may have been.
    A number cell that `is_whole` is read as text without asking. Its suggestion is its value.
    """

    row: int
    column: int
    kind: DamageKind
    value: str
    message: str
    suggestion: str | None
    is_whole: bool = False

    @property
    def change(self) -> str:
        """The change that is suggested, in words; empty without one."""
        return "" if self.suggestion is None else difference_words(self.value, self.suggestion)


class KnownIds(Protocol):
    """The ids that the directory knows. An unknown id is not wrong. Note N15."""

    def suppliers(self) -> Iterable[str]:
        """Return every known supplier."""

    def items(self) -> Iterable[str]:
        """Return the supplier item id of every known item, for all suppliers."""

    def recipients(self) -> Iterable[str]:
        """Return every known recipient."""

    def called(self, role: IdRole, names: Collection[str]) -> Mapping[str, str]:
        """Return the id of each name that exactly one has."""


def find_damage(
    table: Table, layout: Layout, *, known: KnownIds, watch: Watch = unwatched
) -> tuple[Finding, ...]:
    """Return what may be damaged or no id among the ids of the table, by row and column.

    An id that is known exactly is not damaged, unless the file holds it as a number. Headings that are ids
    are checked too.
    """
    findings: list[Finding] = []
    for role, cells in _ids_by_role(table, layout).items():
        column = Column(cells, role=role, known=_index(known, role, layout))
        damages: dict[Id, Damage] = {}
        for count, one in enumerate(cells):
            if not count % _WATCH_EVERY:
                watch(count / len(cells))
            if damage := column.damage(one):
                damages[one] = damage
        words = [one.text for one, damage in damages.items() if damage.kind is DamageKind.UNKNOWN]
        ids = known.called(role, words) if words else {}
        for one, damage in damages.items():
            kind, message, rest, _, is_whole = damage
            if kind is DamageKind.UNKNOWN and one.text in ids:
                kind, message, rest = DamageKind.NAME, MESSAGES[DamageKind.NAME], ids[one.text]
            findings.extend(
                Finding(row, at, kind, one.text, message, rest, is_whole) for row, at in cells[one]
            )
    return tuple(sorted(findings, key=lambda finding: (finding.row, finding.column)))


def accept(table: Table, findings: Iterable[Finding]) -> Table:
    """Return the table with the suggestions of these findings applied.

    A finding changes nothing if it has no suggestion, or if its cell no longer holds the value found.
    """
    accepted: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.suggestion is not None:
            accepted.setdefault(finding.row, []).append(finding)
    header, *rows = (
        _mended(row, accepted[row.number]) if row.number in accepted else row for row in table.every_row
    )
    return replace(table, header=header.cells, rows=tuple(rows))


def difference_words(value: str, suggestion: str) -> str:
    """Return what is added, removed and replaced, in the order of the text; "another text" for a lot."""
    steps = SequenceMatcher(None, value, suggestion, autojunk=False).get_opcodes()
    changed = [step for step in steps if step[0] != "equal"]
    if len(changed) > _MOST_CHANGES or len(changed) == len(steps):
        is_short = len(value) + len(suggestion) < _SHORT
        return f"“{value}” becomes “{suggestion}”" if is_short else "another text"
    return ", ".join(_step_words(value, suggestion, step) for step in changed)


def _ids_by_role(table: Table, layout: Layout) -> dict[IdRole, dict[Id, _Cells]]:
    """Return every id of the table once, with the cells that hold it."""
    columns = {IdRole.SUPPLIER: layout.supplier, IdRole.ITEM: layout.item, IdRole.MARKET: layout.market}
    found = {
        role: _ids(table.rows, (column,), LayoutKind.ROWS)
        for role, column in columns.items()
        if column is not None
    }
    rows = table.every_row[:1] if layout.kind is LayoutKind.MATRIX else table.rows
    return found | {IdRole.RECIPIENT: _ids(rows, layout.recipients, layout.kind)}


def _ids(rows: Iterable[TableRow], columns: Sequence[int], kind: LayoutKind) -> dict[Id, _Cells]:
    """Return the ids of these columns, one per cell. CELL can hold several. WIDE skips cells of spaces."""
    found: dict[Id, _Cells] = {}
    for row in rows:
        for column in columns:
            cell = row.cells[column]
            if not (cell.strip() if kind is LayoutKind.WIDE else cell) or isinstance(cell, NoResult):
                continue
            for one in _ids_in_cell(cell, kind):
                found.setdefault(one, []).append((row.number, column))
    return found


def _ids_in_cell(cell: str, kind: LayoutKind) -> Iterator[Id]:
    """Yield the ids of a cell. The comma of a shortened number is not a separator."""
    if isinstance(cell, NotText):
        yield Id(str(cell), is_text=False)
    elif kind is LayoutKind.CELL and not is_shortened(cell.strip()):
        yield from map(Id, dict.fromkeys(split_ids(cell)))
    else:
        yield Id(cell.strip() if kind is LayoutKind.CELL else cell)


def _index(known: KnownIds, role: IdRole, layout: Layout) -> KnownIndex:
    """Index the known ids of a role; of items also the bare numbers if the market has a column. Note N18."""
    every = {IdRole.SUPPLIER: known.suppliers, IdRole.ITEM: known.items, IdRole.RECIPIENT: known.recipients}
    ids = tuple(every[role]()) if role in every else ()
    if role is IdRole.ITEM and layout.market is not None:
        return KnownIndex((*ids, *(one.number for one in map(split_item_id, ids) if one)))
    return KnownIndex(ids)


def _mended(row: TableRow, findings: Iterable[Finding]) -> TableRow:
    cells = list(row.cells)
    for finding in findings:
        cells[finding.column] = _replaced(cells[finding.column], finding.value, finding.suggestion or "")
    return TableRow(row.number, tuple(cells))


def _replaced(cell: str, value: str, suggestion: str) -> str:
    """Return the cell with the value replaced by the suggestion. The cell may hold several ids."""
    if cell == value:
        return suggestion
    inside = re.compile(
        rf"(?<![^\s,;\ufeff])(?:{re.escape(value)}|{re.escape(_quoted(value))})(?![^\s,;\ufeff])"
    )
    alone = split_ids(suggestion) == (suggestion,)
    return inside.sub(lambda _: suggestion if alone else _quoted(suggestion), cell)


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))


def _step_words(value: str, suggestion: str, step: tuple[str, int, int, int, int]) -> str:
    what, start, end, new_start, new_end = step
    old, new = value[start:end], suggestion[new_start:new_end]
    if what == "replace":
        return f"{_shown(old)} becomes {_shown(new)}"
    where = "at the start" if not start else "at the end" if end == len(value) else f"after “{value[:start]}”"
    return f"adds {_shown(new)} {where}" if what == "insert" else f"removes {_shown(old)} {where}"


def _shown(part: str) -> str:
    """Return the part in quotes, or the names of its characters when there is nothing to see."""
    if any(not char.isspace() and char.isprintable() for char in part):
        return f"“{part}”"
    return " and ".join(name(char, f"character {ord(char):04X}").lower() for char in part)
