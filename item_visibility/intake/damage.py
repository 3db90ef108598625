"""Finds ids that a spreadsheet may have damaged, and puts accepted suggestions in their place.

Nothing is ever repaired in silence: a finding says what happened and what the id may have been, and
only what a person accepts is changed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from item_visibility.files.table import NoResult, NotText, Table, TableRow, Watch, unwatched
from item_visibility.intake.damage_column import Column, Id
from item_visibility.intake.damage_finding import DamageKind, Finding, IdRole, KnownIds
from item_visibility.intake.damage_known import KnownIndex
from item_visibility.intake.damage_numbers import is_shortened
from item_visibility.intake.layout import Layout, LayoutKind
from item_visibility.intake.split import split_ids
from item_visibility.intake.trade_numbers import split_item_id

__all__ = ["DamageKind", "Finding", "IdRole", "KnownIds", "accept", "find_damage"]

_TOLD_EVERY = 100

_Cell = tuple[int, int]
"""A row and a column; the header stands in the row that `Table.header_number` says."""

_Found = dict[Id, list[_Cell]]


def find_damage(
    table: Table, layout: Layout, *, known: KnownIds, watch: Watch = unwatched
) -> tuple[Finding, ...]:
    """What may be damaged among the ids of the table, by row and column.

    An id that is known exactly is not damaged, unless the file holds it as a number. Headings that
    are ids are looked at, too.
    """
    findings: list[Finding] = []
    for role, found in _ids_by_role(table, layout).items():
        column = Column(found, role=role, known=_index(known, role, layout))
        for count, (one, cells) in enumerate(found.items()):
            if not count % _TOLD_EVERY:
                watch(count / len(found))
            if verdict := column.judge(one):
                what = (verdict.kind, one.text, verdict.message, verdict.suggestion)
                findings.extend(Finding(row, place, *what) for row, place in cells)
    return tuple(sorted(findings, key=lambda finding: (finding.row, finding.place)))


def accept(table: Table, findings: Iterable[Finding]) -> Table:
    """The table with the suggestions of these findings in place; without a suggestion nothing changes.

    A cell that no longer holds what was found is left as it is.
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
    """Every id of the table, once, with the cells that hold it."""
    places = {IdRole.SUPPLIER: layout.supplier, IdRole.ITEM: layout.item, IdRole.MARKET: layout.market}
    by_role = {role: _of_columns(table.rows, (place,)) for role, place in places.items() if place is not None}
    if layout.kind is LayoutKind.MATRIX:
        header = TableRow(table.header_number, table.header)
        return by_role | {IdRole.RECIPIENT: _of_columns((header,), layout.recipients)}
    if layout.kind is LayoutKind.CELL:
        return by_role | {IdRole.RECIPIENT: _of_lists(table.rows, layout.recipients)}
    may_be_blank = layout.kind is LayoutKind.WIDE
    recipients = _of_columns(table.rows, layout.recipients, or_blank=may_be_blank)
    return by_role | {IdRole.RECIPIENT: recipients}


def _of_columns(rows: Iterable[TableRow], places: Iterable[int], *, or_blank: bool = False) -> _Found:
    """The ids of cells that hold one each; in columns of recipients, blanks may stand for nobody."""
    texts: dict[str, list[_Cell]] = {}
    others: dict[str, list[_Cell]] = {}
    columns = tuple(places)
    for row in rows:
        for place in columns:
            cell = row.cells[place]
            if cell and not (or_blank and cell.isspace()) and not isinstance(cell, NoResult):
                found = others if isinstance(cell, NotText) else texts
                found.setdefault(cell, []).append((row.number, place))
    return {Id(text): cells for text, cells in texts.items()} | _no_texts(others)


def _of_lists(rows: Iterable[TableRow], places: Iterable[int]) -> _Found:
    """The ids of cells that hold several each."""
    found: dict[str, list[_Cell]] = {}
    others: dict[str, list[_Cell]] = {}
    columns = tuple(places)
    for row in rows:
        for place in columns:
            cell = row.cells[place]
            if isinstance(cell, NoResult):
                continue
            if isinstance(cell, NotText):
                others.setdefault(cell, []).append((row.number, place))
            else:
                for one in dict.fromkeys(_apart(cell)):
                    found.setdefault(one, []).append((row.number, place))
    return {Id(text): cells for text, cells in found.items()} | _no_texts(others)


def _no_texts(found: dict[str, list[_Cell]]) -> _Found:
    return {Id(str(cell), is_text=False): cells for cell, cells in found.items()}


def _apart(cell: str) -> tuple[str, ...]:
    """The ids of a cell; the comma of a shortened number parts nothing."""
    alone = cell.strip()
    return (alone,) if is_shortened(alone) else split_ids(cell)


def _index(known: KnownIds, role: IdRole, layout: Layout) -> KnownIndex:
    if role is IdRole.SUPPLIER:
        return KnownIndex(known.suppliers())
    if role is IdRole.RECIPIENT:
        return KnownIndex(known.recipients())
    if role is IdRole.ITEM:
        return KnownIndex(_items(known.items(), has_market=layout.market is not None))
    return KnownIndex(())


def _items(known: Iterable[str], *, has_market: bool) -> Iterator[str]:
    """The known items; where the market has a column of its own, also their numbers alone. Note N18."""
    for item in known:
        yield item
        if has_market and (parts := split_item_id(item)):
            yield parts.number


def _mended(cells: tuple[str, ...], findings: Iterable[Finding]) -> tuple[str, ...]:
    mended = list(cells)
    for finding in findings:
        mended[finding.place] = _in_place(mended[finding.place], finding.value, finding.suggestion or "")
    return tuple(mended)


def _in_place(cell: str, value: str, suggestion: str) -> str:
    """The cell with the suggestion in place of the value, which may be one of several ids in it."""
    if cell == value:
        return suggestion
    inside = re.compile(
        rf"(?<![^\s,;\ufeff])(?:{re.escape(value)}|{re.escape(_quoted(value))})(?![^\s,;\ufeff])"
    )
    alone = split_ids(suggestion) == (suggestion,)
    return inside.sub(lambda _: suggestion if alone else _quoted(suggestion), cell)


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))
