"""The limits on the size of a file and of the table in it."""

MAX_MEGABYTES = 10
MAX_BYTES = MAX_MEGABYTES * 1024 * 1024
MAX_ROWS = 200_000
MAX_COLUMNS = 1_000
MAX_CELLS = 10_000_000
"""The limit for the whole rectangle, including empty cells."""
MAX_CELL_CHARACTERS = 32_767
MAX_CHARACTERS = 50_000_000
"""The limit for all cells together. A spreadsheet can store a long text once and use it in every row."""
