"""The history as a file for a spreadsheet, with one row for each changed or requested recipient.

XLSX is exact: every cell is text, so that no id loses a digit and nothing is taken for a formula. A
spreadsheet interprets CSV itself, so an apostrophe stands before text that it could run as a formula.
"""

from collections.abc import Iterable, Iterator

from item_visibility.lists.writer import Sheet, write_report, write_safe_csv
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import OthersChanges, StepResult

COLUMNS = (
    "Entry",
    "Service",
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
    "Could see before",
    "Could see after",
    "Words",
)


def as_csv(entries: Iterable[HistoryEntry]) -> bytes:
    """Return the entries as CSV for a spreadsheet."""
    return write_safe_csv(COLUMNS, _rows(entries))


def as_xlsx(entries: Iterable[HistoryEntry]) -> bytes:
    """Return the entries as XLSX. Text too long for a cell is cut, and says so."""
    return write_report([Sheet("History", COLUMNS, _rows(entries))])


def _rows(entries: Iterable[HistoryEntry]) -> Iterator[tuple[str, ...]]:
    for entry in entries:
        asked = {result.step.recipient_id for result in entry.steps}
        for result in entry.steps:
            yield _row(entry, result.step.recipient_id, result)
        others = entry.result.others if entry.result else OthersChanges()
        for recipient_id in sorted((others.added | others.removed) - asked):
            yield _row(entry, recipient_id, None)


def _row(entry: HistoryEntry, recipient_id: str, result: StepResult | None) -> tuple[str, ...]:
    of_recipient = ("not by this save", "", "", "")
    if result is not None:
        of_recipient = (result.step.goal, result.outcome, str(result.attempts), result.message)
    request, origin, end = entry.request, entry.request.origin, entry.result
    return (
        request.key,
        entry.service,
        origin.kind,
        request.person,
        entry.started_at.isoformat(),
        end.ended_at.isoformat() if end else "",
        entry.seen_before_at.isoformat() if entry.seen_before_at else "",
        end.verdict if end else "open",
        "yes" if entry.was_settled_later else "",
        request.item.supplier,
        request.item.supplier_item_id,
        recipient_id,
        *of_recipient,
        request.reason,
        origin.undo_of or "",
        _whether(recipient_id, request.base),
        _whether(recipient_id, end.after if end else None),
        end.message if end else "",
    )


def _whether(recipient_id: str, recipients: frozenset[str] | None) -> str:
    """Return whether the recipient could see the item; empty if it is not known."""
    if recipients is None:
        return ""
    return "yes" if recipient_id in recipients else "no"
