"""The history as a file for a spreadsheet: one row a recipient that was to be changed, or was changed.

XLSX is exact: every cell is text, so that no id loses a digit and nothing is taken for a formula. In
CSV a spreadsheet decides by itself: a text that it could run as a formula begins with an apostrophe.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO

from xlsxwriter import Workbook  # type: ignore[import-untyped]  # it has no types
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]  # the same

from item_visibility.changes.journal import HistoryEntry
from item_visibility.changes.outcome import StepResult

COLUMNS = (
    "Entry",
    "Environment",
    "Kind",
    "By",
    "Begun (UTC)",
    "Ended (UTC)",
    "Not seen before (UTC)",
    "Outcome",
    "Settled later",
    "Supplier",
    "Item",
    "Recipient",
    "Change",
    "Outcome of the recipient",
    "Calls",
    "Words of the recipient",
    "Why",
    "Undo of",
    "Set",
    "Could see before",
    "Could see after",
    "Words",
)
ROWS_OF_A_SHEET = 1_000_000
"""A sheet of XLSX ends at 1,048,576 rows."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_CELL = 32_767


def write_csv(entries: Iterable[HistoryEntry], target: BinaryIO) -> None:
    """Write the entries as CSV in UTF-8, with the mark by which a spreadsheet knows that."""
    file = io.TextIOWrapper(target, encoding="utf-8-sig", errors="backslashreplace", newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for row in _rows(entries):
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row])
    file.detach()


def write_xlsx(entries: Iterable[HistoryEntry], target: BinaryIO) -> None:
    """Write the entries as XLSX; what is too long for a cell is cut, and says so."""
    with Workbook(target, {"constant_memory": True, "strings_to_urls": False}) as book:
        rows = _rows(entries)
        while _write_sheet(book.add_worksheet(), islice(rows, ROWS_OF_A_SHEET)) == ROWS_OF_A_SHEET:
            pass  # the next sheet takes the rest


def _write_sheet(sheet: Worksheet, rows: Iterable[tuple[str, ...]]) -> int:
    """Write the titles and the rows; how many rows there were."""
    number = 0
    for number, row in enumerate(chain([COLUMNS], rows)):
        for column, cell in enumerate(row):
            sheet.write_string(number, column, _fitting(cell))
    return number


def as_csv(entries: Iterable[HistoryEntry]) -> bytes:
    """The entries as the bytes of a CSV file."""
    target = io.BytesIO()
    write_csv(entries, target)
    return target.getvalue()


def as_xlsx(entries: Iterable[HistoryEntry]) -> bytes:
    """The entries as the bytes of an XLSX file."""
    target = io.BytesIO()
    write_xlsx(entries, target)
    return target.getvalue()


def _rows(entries: Iterable[HistoryEntry]) -> Iterator[tuple[str, ...]]:
    for entry in entries:
        asked = {result.step.recipient_id for result in entry.steps}
        for result in entry.steps:
            yield _row(entry, result.step.recipient_id, result)
        for recipient_id in sorted((entry.others.added | entry.others.removed) - asked):
            yield _row(entry, recipient_id, None)


def _row(entry: HistoryEntry, recipient_id: str, result: StepResult | None) -> tuple[str, ...]:
    of_recipient = ("by somebody else", "", "", "")
    if result is not None:
        of_recipient = (result.step.goal, result.outcome, str(result.attempts), result.message)
    return (
        entry.key,
        entry.environment,
        entry.kind,
        entry.person,
        entry.started_at.isoformat(),
        entry.ended_at.isoformat() if entry.ended_at else "",
        entry.seen_before_at.isoformat() if entry.seen_before_at else "",
        entry.verdict or "open",
        "yes" if entry.was_settled_later else "",
        entry.item.supplier,
        entry.item.supplier_item_id,
        recipient_id,
        *of_recipient,
        entry.reason,
        entry.undo_of or "",
        entry.set_name or "",
        _whether(recipient_id, entry.before),
        _whether(recipient_id, entry.after),
        entry.message,
    )


def _whether(recipient_id: str, recipients: frozenset[str] | None) -> str:
    """Whether the recipient could see the item; empty where it is not known."""
    if recipients is None:
        return ""
    return "yes" if recipient_id in recipients else "no"


def _fitting(cell: str) -> str:
    shown = cell.encode("utf-8", "backslashreplace").decode()
    return shown if len(shown) <= _CELL else f"{shown[: _CELL - 20]} … (cut here)"
