"""Finds ids in a table that a spreadsheet may have damaged, and names and words in place of ids.

Nothing is repaired silently: only what a person accepts is changed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from item_visibility.lists.damage_rules import MESSAGES, Column, Damage, DamageKind, Id, IdRole, KnownIndex
from item_visibility.lists.layout import Layout, LayoutKind
from item_visibility.lists.numbers import is_shortened, split_item_id
from item_visibility.lists.rows import split_ids
from item_visibility.lists.table import NoResult, NotText, Table, TableRow, Watch, unwatched

_WATCH_EVERY = 100

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
    value: str
    kind: DamageKind
    suggestion: str | None = None
    is_whole: bool = False

    @property
    def message(self) -> str:
        """The damage in one sentence."""
        return MESSAGES[self.kind]


class KnownIds(Protocol):
    """The ids that the directory knows. An unknown id is not wrong. Note N15."""

    def ids(self, role: IdRole) -> Iterable[str]:
        """Return every known id of this role; of items their own ids, of all suppliers."""

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
        for word, known_id in (known.called(role, words) if words else {}).items():
            damages[Id(word)] = Damage(DamageKind.NAME, known_id)
        for one, damage in damages.items():
            findings += (Finding(row, at, one.text, *damage) for row, at in cells[one])
    return tuple(sorted(findings, key=lambda finding: (finding.row, finding.column)))


def accept(table: Table, findings: Iterable[Finding]) -> Table:
    """Return the table with the suggestions of these findings applied.

    A finding changes nothing if it has no suggestion, or if its cell no longer holds the value found.
    """
    accepted: dict[int, list[Finding]] = {}
    for finding in findings:
        accepted.setdefault(finding.row, []).append(finding)
    return table.with_each(lambda row: _mended(row, accepted[row.number]) if row.number in accepted else row)


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
    ids = tuple(known.ids(role))
    if role is IdRole.ITEM and layout.market is not None:
        return KnownIndex((*ids, *(one.number for one in map(split_item_id, ids) if one)))
    return KnownIndex(ids)


def _mended(row: TableRow, findings: Iterable[Finding]) -> TableRow:
    cells = list(row.cells)
    for finding in findings:
        if finding.suggestion is not None:
            cells[finding.column] = _replaced(cells[finding.column], finding.value, finding.suggestion)
    return TableRow(row.number, tuple(cells))


def _replaced(cell: str, value: str, suggestion: str) -> str:
    """Return the cell with the value replaced by the suggestion. The cell may hold several ids."""
    if cell.strip() == value.strip():
        return suggestion
    ids = split_ids(cell)
    if value not in ids:
        return cell
    return " ".join(_quoted(suggestion if one == value else one) for one in ids)


def _quoted(text: str) -> str:
    """Return an id as `split_ids` reads it: in quotation marks if it would be taken apart."""
    return text if split_ids(text) == (text,) else '"{}"'.format(text.replace('"', '""'))
