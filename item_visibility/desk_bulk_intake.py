"""What a list asks for: from a file or a paste to what is asked of each item. Nothing is kept or sent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from item_visibility.changes.bulk import BulkItem, BulkRow, Contradiction, group_rows
from item_visibility.files.encoding import Encoding
from item_visibility.files.reading import read_paste, read_table
from item_visibility.files.table import Table
from item_visibility.intake.damage_finding import Finding
from item_visibility.intake.headers import with_header_found
from item_visibility.intake.layout import Fixed, Layout
from item_visibility.intake.rows import RowProblem, read_bulk_rows


@dataclass(frozen=True, slots=True)
class Understood:
    """What a table asks for: rows, the rows that are left out and why, and what is asked of each item."""

    rows: tuple[BulkRow, ...]
    problems: tuple[RowProblem, ...]
    items: tuple[BulkItem, ...]
    contradictions: tuple[Contradiction, ...]


class BulkIntake:
    """Reads lists. `find_damage` looks for what a spreadsheet may have done to them."""

    def __init__(self, find_damage: Callable[[Table, Layout], Iterable[Finding]]) -> None:
        self._find_damage = find_damage

    def read_file(self, content: bytes, *, encoding: Encoding = Encoding.UTF_8) -> Table:
        """The table in a file; the encoding is that of a CSV file. FileError when it cannot be read."""
        return with_header_found(read_table(content, encoding=encoding))

    def read_paste(self, text: str) -> Table:
        """The table in what was pasted. FileError when it cannot be read."""
        return with_header_found(read_paste(text))

    def find_damage(self, table: Table, layout: Layout) -> tuple[Finding, ...]:
        """What a spreadsheet may have done to the ids."""
        return tuple(self._find_damage(table, layout))

    def understand(self, table: Table, layout: Layout, fixed: Fixed) -> Understood:
        """What the table asks for. Keeps and sends nothing. FileError when it asks for too much."""
        read = read_bulk_rows(table, layout, fixed)
        grouped = group_rows(read.rows)
        return Understood(read.rows, read.problems, grouped.items, grouped.contradictions)
