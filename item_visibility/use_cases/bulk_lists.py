"""Reads a list from a file or a paste, and checks it. Keeps and sends nothing."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from functools import partial

from item_visibility.errors import FileError
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.damage import find_damage
from item_visibility.lists.layout import holds_headings, with_header_found
from item_visibility.lists.reader import Encoding, read_paste, read_table
from item_visibility.lists.table import (
    NOTHING_CHANGED,
    Hidden,
    Table,
    TableRow,
    Watch,
    unwatched,
    without_hidden,
)
from item_visibility.lists.writer import write_xlsx
from item_visibility.storage.directory import Kind
from item_visibility.storage.names import Names

AT_ONCE = 2
"""The limit of lists read at the same time; the others wait for their turn."""

TEMPLATE_HEADER = ("Supplier", "Item", "Recipient", "Action")


class HiddenCells(StrEnum):
    """A person's choice for rows and columns that a spreadsheet hides."""

    USE = "use"
    SKIP = "skip"


def write_template() -> bytes:
    """Return a workbook with the headings of a list. Its cells are text, so no typed number is shortened."""
    return write_xlsx(TEMPLATE_HEADER, ())


class ListReader:
    """Reads lists. What is `known` of a kind helps to find those that a spreadsheet may have changed."""

    def __init__(self, known: Callable[[Kind], Names]) -> None:
        self._known = known
        self._slots = threading.BoundedSemaphore(AT_ONCE)

    def read_file(  # noqa: PLR0913  (each is named where it is called)
        self,
        content: bytes,
        *,
        encoding: Encoding = Encoding.UTF_8,
        sheet: str | None = None,
        hidden: HiddenCells | None = None,
        has_heading: bool | None = None,
        watch: Watch = unwatched,
    ) -> BulkList:
        """Read the list in a file; the encoding is that of a CSV file. FileError when it cannot be read.

        The heading is looked for, unless a person says that the first row is one, or is none.

        Raises SheetsError when a workbook has several sheets and none is named. Hidden rows and columns stay
        marked as hidden until somebody says to use or to skip them.
        """
        with self._slots:
            table = read_table(content, encoding=encoding, sheet=sheet, watch=watch)
        if hidden is HiddenCells.USE:
            table = replace(table, hidden=Hidden())
        elif hidden is HiddenCells.SKIP:
            table = without_hidden(table)
            if heading := next((one.row for one in table.aside if holds_headings(one.row)), None):
                raise FileError(
                    f"Row {heading.number} holds headings and is hidden, so it cannot be skipped.",
                    advice=f"{NOTHING_CHANGED} Show it in the file, or use what is hidden.",
                )
        return BulkList.of(with_header_found(table, said=has_heading))

    def read_paste(self, text: str, *, has_heading: bool | None = None, watch: Watch = unwatched) -> BulkList:
        """Read the list in pasted text, as `read_file` does. FileError when it cannot be read."""
        with self._slots:
            table = read_paste(text, watch=watch)
        return BulkList.of(with_header_found(table, said=has_heading))

    def list_items(self, supplier_item_ids: Iterable[str]) -> BulkList:
        """Return a list of these items alone; their supplier is to be said for all rows."""
        rows = tuple(TableRow(number, (one,)) for number, one in enumerate(supplier_item_ids, start=1))
        return BulkList.of(Table(TEMPLATE_HEADER[1:2], rows, header_number=0))

    def check_list(self, bulk_list: BulkList, *, watch: Watch = unwatched) -> BulkList:
        """Look for unclear columns, and for ids that a spreadsheet may have changed. Raises RecordsError."""
        with self._slots:
            return bulk_list.checked(partial(find_damage, known=self._known), watch=watch)
