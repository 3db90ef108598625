"""A list that a person brought: how it is read, what was decided about it, and what it asks for."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from item_visibility.lists.damage import Finding, accept
from item_visibility.lists.grouping import group_rows
from item_visibility.lists.layout import (
    ColumnDoubt,
    Fixed,
    Layout,
    doubtful_columns,
    guess_layout,
    unread_words,
)
from item_visibility.lists.rows import read_bulk_rows, skipped_rows, unusable
from item_visibility.lists.table import NotText, Table, TableRow, Watch, cut, unwatched, without_columns
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import SkippedRow

_UNDECIDED = "“{text}” may be damaged or no id, and you have not decided about it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """A person's decisions about a list in one layout. Findings are named by their index.

    `takes_columns`: the columns are read as they are, in spite of the doubts. `has_looked`: the findings were
    decided about, so that rows of the others are skipped.
    """

    takes_columns: bool = False
    accepted: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    has_looked: bool = False

    def with_findings(
        self, *, accepted: Collection[int] = frozenset(), kept: Collection[int] = frozenset()
    ) -> "Decisions":
        """Accept the suggestions of some findings, and keep the ids of others as they are."""
        return replace(
            self, accepted=self.accepted.union(accepted), kept=self.kept.union(kept), has_looked=True
        )


@dataclass(frozen=True, slots=True)
class Understood:
    """The changes that a list asks for, item by item, and the rows that are skipped, with the reasons.

    `repeated` counts the rows that ask for the same as another one.
    """

    items: tuple[BulkItem, ...]
    skipped: tuple[SkippedRow, ...]
    repeated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkList:
    """A list and all that was decided about it. Methods return a new list, and keep and send nothing.

    `guess` is the layout that the headings say. The doubts and findings are those of `layout`, once they were
    looked for.
    """

    table: Table
    guess: Layout
    layout: Layout
    fixed: Fixed = field(default_factory=Fixed)
    doubts: tuple[ColumnDoubt, ...] = ()
    findings: tuple[Finding, ...] = ()
    decisions: Decisions = Decisions()

    @classmethod
    def of(cls, table: Table) -> "BulkList":
        """Return the list in a table, in the layout that its headings say."""
        guess = guess_layout(table)
        return cls(table=table, guess=guess, layout=guess)

    def without_columns(self, columns: frozenset[int]) -> "BulkList":
        """Read these columns as if they were empty."""
        return BulkList.of(without_columns(self.table, columns)) if columns else self

    def with_layout(self, layout: Layout) -> "BulkList":
        """Read the columns in another layout. Findings of the earlier one are forgotten."""
        return BulkList(table=self.table, guess=self.guess, layout=layout)

    def with_fixed(self, fixed: Fixed) -> "BulkList":
        """Set values for every row. A row that contradicts them is skipped."""
        return replace(self, fixed=fixed)

    def with_defaults(self, given: Fixed) -> "BulkList":
        """Set values for every row. The list's own suppliers and recipients win over them."""
        supplier = given.supplier if self.layout.supplier is None else None
        recipients = given.recipients if self.layout.recipient is None else frozenset[str]()
        return self.with_fixed(Fixed(supplier=supplier, action=given.action, recipients=recipients))

    def with_decisions(self, decisions: Decisions) -> "BulkList":
        """Take these decisions in place of the earlier ones."""
        return replace(self, decisions=decisions)

    def checked(
        self, find_damage: Callable[..., Iterable[Finding]], *, watch: Watch = unwatched
    ) -> "BulkList":
        """Look for unclear columns and damaged ids. A number cell with all its digits is read as text."""
        doubts = doubtful_columns(self.table, self.layout)
        found = tuple(find_damage(self.table, self.layout, watch=watch))
        whole = [one for one in found if one.is_whole]
        table = accept(self.table, whole) if whole else self.table
        return replace(
            self, table=table, doubts=doubts, findings=tuple(one for one in found if not one.is_whole)
        )

    def mended(self) -> "BulkList":
        """Put the accepted suggestions into the table. The new list is to be checked again."""
        table = accept(self.table, [self.findings[index] for index in sorted(self.decisions.accepted)])
        return BulkList(table=table, guess=self.guess, layout=self.layout, fixed=self.fixed)

    @property
    def missing(self) -> str:
        """The reason why no row at all can be read; empty when rows can be."""
        return unusable(self.layout, self.fixed)

    @property
    def open_doubts(self) -> tuple[ColumnDoubt, ...]:
        """The doubts that are still to be decided. A column that a person chose not to read is decided."""
        chosen = self.guess.columns - self.layout.columns
        doubts = () if self.decisions.takes_columns else self.doubts
        return tuple(one for one in doubts if one.column not in chosen)

    @property
    def unread_words(self) -> str:
        """The columns that are not read but hold something; empty for none."""
        return unread_words(self.table, self.layout)

    @property
    def open_findings(self) -> list[int]:
        """The findings that are neither accepted nor kept as they are."""
        decided = self.decisions.accepted | self.decisions.kept
        return [index for index in range(len(self.findings)) if index not in decided]

    def suggested(self, indexes: Iterable[int]) -> frozenset[int]:
        """Return those of the findings that have a suggestion."""
        return frozenset(index for index in indexes if self.findings[index].suggestion is not None)

    @property
    def is_decided(self) -> bool:
        """True when nothing of the findings is left to decide: no suggestion is open."""
        is_looked_at = not self.findings or self.decisions.has_looked
        return is_looked_at and not self.suggested(self.open_findings)

    @property
    def undecided_rows(self) -> frozenset[int]:
        """The numbers of the rows with an undecided finding."""
        return frozenset(self.findings[index].row for index in self.open_findings)

    def understood(self, *, watch: Watch = unwatched) -> Understood:
        """Work out what the list asks for. FileError when it asks for too much.

        Rows with an undecided finding are skipped: their damaged cells are not read as texts.
        """
        undecided = [self.findings[index] for index in self.open_findings]
        table = _without_texts(self.mended().table, undecided) if self.findings else self.table
        read = read_bulk_rows(table, self.layout, self.fixed, watch=watch)
        grouped = group_rows(read.rows)
        reasons = {**grouped.problems, **read.problems}
        reasons |= {one.row: _UNDECIDED.format(text=cut(one.value)) for one in undecided}
        skipped = skipped_rows(table, self.layout, self.fixed, reasons)
        return Understood(grouped.items, skipped, grouped.repeated)


def _without_texts(table: Table, findings: Iterable[Finding]) -> Table:
    """Mark the cells of these findings as no texts."""
    places = {(finding.row, finding.column) for finding in findings}
    numbers = {row for row, _ in places}

    def marked(row: TableRow) -> TableRow:
        if row.number not in numbers:
            return row
        cells = enumerate(row.cells)
        return TableRow(
            row.number, tuple(NotText(cell) if (row.number, at) in places else cell for at, cell in cells)
        )

    return table.with_each(marked)
