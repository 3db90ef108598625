"""Finds ids that a spreadsheet may have damaged, and replaces them by accepted suggestions.

Nothing is repaired silently. A finding says what happened and what the id may have been. Only what a
person accepts is changed.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from item_visibility.files.table import NoResult, NotText, Table, TableRow, Watch, unwatched
from item_visibility.lists.damage.column_damage import Column, Id
from item_visibility.lists.damage.finding import DamageKind, Finding, IdRole, KnownIds
from item_visibility.lists.damage.known_index import KnownIndex
from item_visibility.lists.damage.words_for_ids import MESSAGE, WordsForIds
from item_visibility.lists.damage.written_numbers import is_shortened
from item_visibility.lists.layout import Layout, LayoutKind
from item_visibility.lists.numbers.trade_numbers import split_item_id
from item_visibility.lists.split_ids import split_ids

_TOLD_EVERY = 100

_Cells = list[tuple[int, int]]
_Found = dict[Id, _Cells]
"""Ids with the row and column of each of their cells. The header's row is `Table.header_number`."""


def find_damage(
    table: Table, layout: Layout, *, known: KnownIds, watch: Watch = unwatched
) -> tuple[Finding, ...]:
    """Return the ids of the table that may be damaged, by row and column.

    An id that is known exactly is not damaged, unless the file holds it as a number. Headings that
    are ids are checked too.
    """
    findings: list[Finding] = []
    for role, found in _ids_by_role(table, layout).items():
        judge = Column(found, role=role, known=_index(known, role, layout))
        for count, (one, cells) in enumerate(found.items()):
            if not count % _TOLD_EVERY:
                watch(count / len(found))
            if damage := judge.judge(one):
                told = (damage.kind, one.text, damage.message, damage.rest, damage.is_whole)
                findings.extend(Finding(row, column, *told) for row, column in cells)
    return tuple(sorted(findings, key=lambda finding: (finding.row, finding.column)))


def find_damage_and_words(
    table: Table, layout: Layout, *, known: KnownIds, watch: Watch = unwatched
) -> tuple[Finding, ...]:
    """Return the damaged ids, and the texts that are neither known nor have the form of an id.

    For a text that is the full name of exactly one, its id is suggested.
    """
    findings = list(find_damage(table, layout, known=known, watch=watch))
    damaged = {(one.row, one.column, one.value) for one in findings}
    for role, found in _ids_by_role(table, layout).items():
        if role is IdRole.MARKET:
            continue
        judge = WordsForIds([one.text for one in found], role=role, known=_index(known, role, layout))
        words = {one.text: found[one] for one in found if judge.is_word(one.text)}
        called = known.called(role, words) if words else {}
        findings.extend(
            Finding(row, column, DamageKind.NO_NUMBER, text, MESSAGE, called.get(text))
            for text, cells in words.items()
            for row, column in cells
            if (row, column, text) not in damaged
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
    header = _mended(table.header, accepted.get(table.header_number, ()))
    rows = tuple(
        TableRow(row.number, _mended(row.cells, accepted[row.number])) if row.number in accepted else row
        for row in table.rows
    )
    return replace(table, header=header, rows=rows)


def _ids_by_role(table: Table, layout: Layout) -> dict[IdRole, _Found]:
    """Return every id of the table once, with the cells that hold it."""
    columns = {IdRole.SUPPLIER: layout.supplier, IdRole.ITEM: layout.item, IdRole.MARKET: layout.market}
    by_role = {role: _ids(table.rows, (column,)) for role, column in columns.items() if column is not None}
    is_matrix = layout.kind is LayoutKind.MATRIX
    rows = (TableRow(table.header_number, table.header),) if is_matrix else table.rows
    return by_role | {IdRole.RECIPIENT: _ids(rows, layout.recipients, kind=layout.kind)}


def _ids(rows: Iterable[TableRow], columns: Collection[int], *, kind: LayoutKind = LayoutKind.ROWS) -> _Found:
    """Return the ids of these columns, one per cell. CELL can hold several. WIDE skips cells of spaces."""
    texts: dict[str, _Cells] = {}
    others: dict[str, _Cells] = {}
    for row in rows:
        for column in columns:
            cell = row.cells[column]
            if isinstance(cell, NoResult):
                continue
            (others if isinstance(cell, NotText) else texts).setdefault(cell, []).append((row.number, column))
    if kind is LayoutKind.CELL:
        texts = _divided(texts)
    is_id = str.strip if kind is LayoutKind.WIDE else str
    found = {Id(text): cells for text, cells in texts.items() if is_id(text)}
    return found | {Id(str(cell), is_text=False): cells for cell, cells in others.items() if is_id(cell)}


def _divided(texts: dict[str, _Cells]) -> dict[str, _Cells]:
    """Return the ids in these texts. The comma of a shortened number is not a separator."""
    found: dict[str, _Cells] = {}
    for text, cells in texts.items():
        alone = text.strip()
        for one in (alone,) if is_shortened(alone) else dict.fromkeys(split_ids(text)):
            found.setdefault(one, []).extend(cells)
    return found


def _index(known: KnownIds, role: IdRole, layout: Layout) -> KnownIndex:
    """Index the known ids of a role; of items also the bare numbers if the market has a column. Note N18."""
    every = {IdRole.SUPPLIER: known.suppliers, IdRole.ITEM: known.items, IdRole.RECIPIENT: known.recipients}
    ids = tuple(every[role]()) if role in every else ()
    has_numbers = role is IdRole.ITEM and layout.market is not None
    parts = map(split_item_id, ids) if has_numbers else ()
    return KnownIndex((*ids, *(one.number for one in parts if one)))


def _mended(cells: tuple[str, ...], findings: Iterable[Finding]) -> tuple[str, ...]:
    mended = list(cells)
    for finding in findings:
        mended[finding.column] = _replaced(mended[finding.column], finding.value, finding.suggestion or "")
    return tuple(mended)


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
