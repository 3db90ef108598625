"""Reads the list of a command. Anything unclear refuses the whole list.

The Bulk page asks about unclear entries; a command cannot. The error names the options
that decide about them instead.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from item_visibility.errors import FileError
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.damaged_ids import (
    NEVER_IDS,
    DamageKind,
    Finding,
    find_damage,
)
from item_visibility.lists.headings import (
    Fixed,
    Layout,
    columns_with_known_ids,
    has_headings,
    has_known_headings,
    unread_words,
)
from item_visibility.lists.reader import Encoding
from item_visibility.lists.table import (
    HiddenCells,
    Table,
    TableRow,
    column_letters,
    cut,
    hidden_words,
    unchanged,
)
from item_visibility.model.job import BulkAction
from item_visibility.model.known_ids import Kind, Names
from item_visibility.model.words import many, one_line

MAX_COMPLAINTS = 50
"""An error lists at most this many complaints."""


def read_list(  # noqa: PLR0913  (one argument an option)
    known: Callable[[Kind], Names],
    content: bytes,
    *,
    encoding: Encoding = Encoding.UTF_8,
    sheet: str | None = None,
    hidden: HiddenCells | None = None,
    columns: tuple[str, ...] = (),
    ignored: tuple[str, ...] = (),
    supplier: str | None = None,
    action: BulkAction | None = None,
    prune: bool = False,
    accept_suggestions: bool = False,
    as_is: bool = False,
) -> tuple[Understood, list[str]]:
    """Return the changes in a list, and notes about how the file was read.

    Raises FileError if any part of the list is unclear. Only hidden rows may be
    skipped.
    """
    # Read the file, and find out what its columns hold.
    brought = BulkList.read(content, encoding=encoding, sheet=sheet, hidden=hidden)
    hidden_parts = hidden_words(brought.table)
    if hidden_parts:
        raise unchanged(
            f"The file hides {hidden_parts}.",
            'Give "--hidden use" or "--hidden skip".',
        )
    if ignored:
        unread = frozenset(_column(brought.table, name) for name in ignored)
        brought = BulkList.of(brought.table.without_columns(unread))
    brought = with_clear_columns(brought, columns, known)
    if prune and brought.layout.action is not None:
        raise unchanged(
            "The file has a column with actions, so --prune cannot be used.",
            "Omit --prune, or that column.",
        )

    # Check the supplier of all rows like one in the list.
    damaged_supplier = _check_supplier(supplier, known)
    if accept_suggestions and damaged_supplier and damaged_supplier.suggestion:
        supplier = damaged_supplier.suggestion
        damaged_supplier = _check_supplier(supplier, known)

    # Check the ids, and replace damaged ones if that was asked for.
    fixed = Fixed(supplier=supplier, action=BulkAction.SET if prune else action)
    brought = replace(brought, fixed=fixed).checked(known)
    if accept_suggestions:
        suggested = brought.suggested(brought.open_findings)
        accepted = Decisions().with_findings(accepted=suggested)
        brought = replace(brought, decisions=accepted).mended().checked(known)

    # Understand the rows with the other damaged ids unchanged. Without --as-is, the
    # complaints about them refuse the list.
    kept = Decisions().with_findings(kept=brought.open_findings)
    understood = replace(brought, decisions=kept).understood()

    complaints = list(_complaints(brought, understood, as_is=as_is))
    findings = list(brought.findings)
    if damaged_supplier is not None:
        findings.append(damaged_supplier)
        if not (as_is and _may_be_used_as_is(damaged_supplier)):
            complaints.insert(0, f"--supplier: {_finding_words(damaged_supplier)}")
    if complaints:
        raise _refusal(complaints, _advice(findings, as_is=as_is))

    notes = [*brought.table.notes, unread_words(brought.table, brought.layout)]
    return understood, [note for note in notes if note]


def with_clear_columns(
    brought: BulkList, columns: tuple[str, ...], known: Callable[[Kind], Names]
) -> BulkList:
    """Return the list with the meaning of its columns.

    `columns` names them in their order; it is empty for a list with headings. Raises
    FileError if the meaning would be a guess.
    """
    table = brought.table
    if not columns:
        brought = brought.in_usual_order(known)
        if brought.layout.columns or has_headings(table):
            return brought
        hint = columns_with_known_ids(table, known)
        raise unchanged(
            "The list has no headings, so it is not clear what each column holds."
            f" {hint}".rstrip(),
            "Name the columns in their order, such as"
            " --columns supplier,item,recipient.",
        )

    if has_known_headings(table):
        raise unchanged(
            "The file has headings, so --columns cannot be used.", "Omit --columns."
        )
    if len(columns) != len(table.header):
        raise unchanged(
            f"--columns names {many(len(columns), 'column')},"
            f" but the list has {len(table.header):,}.",
            "Name all columns in their order, and write - for a column that is not"
            " used.",
        )
    return brought.with_columns(columns)


def _complaints(
    brought: BulkList, understood: Understood, *, as_is: bool
) -> Iterator[str]:
    for column, doubt in brought.doubts.items():
        letters = column_letters(column)
        yield (
            f"{doubt} Give it another heading, delete it, or give"
            f" --ignore-column {letters}."
        )
    for finding in brought.findings:
        if as_is and _may_be_used_as_is(finding):
            continue
        place = f"Row {finding.row}, column {finding.column + 1}"
        yield f"{place}: {_finding_words(finding)}"
    if brought.missing:
        yield brought.missing
    for row in understood.refused:
        yield f"Row {row.number}: {row.reason}"


def _refusal(complaints: Sequence[str], advice: str) -> FileError:
    lines = ["The list cannot be used as it is:"]
    lines += [one_line(complaint) for complaint in complaints[:MAX_COMPLAINTS]]
    if len(complaints) > MAX_COMPLAINTS:
        lines.append(f"… and {len(complaints) - MAX_COMPLAINTS:,} more.")
    return unchanged("\n".join(lines), advice)


def _finding_words(finding: Finding) -> str:
    words = f"“{cut(finding.value)}”: {finding.kind}"
    if finding.suggestion:
        words += f" Perhaps it is {finding.suggestion}."
    return words


def _may_be_used_as_is(finding: Finding) -> bool:
    return finding.kind not in NEVER_IDS and finding.kind is not DamageKind.NOTHING


def _advice(findings: Sequence[Finding], *, as_is: bool) -> str:
    """Name the options that decide about these findings."""
    options = []
    if any(finding.suggestion for finding in findings):
        options.append("--accept-suggestions for the suggested ids")
    if not as_is and any(map(_may_be_used_as_is, findings)):
        options.append("--as-is to use other texts unchanged")
    if not options:
        return "Correct the file."
    return f"Correct the file, or give {' or '.join(options)}."


def _check_supplier(
    supplier: str | None, known: Callable[[Kind], Names]
) -> Finding | None:
    """Return the damage of the supplier that applies to all rows, if any."""
    if supplier is None:
        return None
    table = Table(("Supplier",), (TableRow(1, (supplier,)),))
    findings = find_damage(table, Layout(supplier=0), known=known)
    return findings[0] if findings else None


def _column(table: Table, name: str) -> int:
    """Return the only column with this heading, or else the column with this letter.

    Raises FileError.
    """
    wanted = name.strip().casefold()
    numbers = range(len(table.header))
    columns = [
        number
        for number in numbers
        if table.header[number].strip().casefold() == wanted
    ]
    if not columns:
        columns = [
            number for number in numbers if column_letters(number).casefold() == wanted
        ]
    if len(columns) != 1:
        reason = "Several columns are called" if columns else "There is no column"
        raise unchanged(f"{reason} “{name}”.", "Give --ignore-column its letter.")
    return columns[0]
