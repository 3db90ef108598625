"""The limits of files and tables, and the errors for files and tables that exceed them."""

from item_visibility.errors import FileError

MAX_MEGABYTES = 10
MAX_BYTES = MAX_MEGABYTES * 1024 * 1024
MAX_ROWS = 200_000
MAX_COLUMNS = 1_000
MAX_CELLS = 10_000_000
"""How many cells a table may have, including empty cells."""
MAX_CELL_CHARACTERS = 32_767
MAX_CHARACTERS = 50_000_000
"""How many characters a table may have. A small workbook can use one long text in every row."""

NOTHING_CHANGED = "Nothing was changed."


def unchanged(message: str, advice: str) -> FileError:
    """Return an error whose advice begins with "Nothing was changed."."""
    return FileError(message, advice=f"{NOTHING_CHANGED} {advice}")


def too_wide(row: int) -> FileError:
    """Return the error for a row with too many columns."""
    return unchanged(f"Row {row} has more than {MAX_COLUMNS:,} columns.", "Choose a file with fewer columns.")


def too_large() -> FileError:
    """Return the error for a table that is too large."""
    return unchanged(
        f"The file holds more than {MAX_ROWS:,} rows, or too much text, or too many columns.",
        "Divide it into several files.",
    )


def too_long(row: int | None = None) -> FileError:
    """Return the error for a cell with too much text. `row` is None if it is unknown."""
    where = "A cell" if row is None else f"Row {row}"
    return unchanged(
        f"{where} holds a text of more than {MAX_CELL_CHARACTERS:,} characters.", "Shorten it in the file."
    )
