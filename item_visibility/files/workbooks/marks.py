"""Collects what a sheet joins and calculates: its reader does neither."""

from item_visibility.files.table import Marks

_MOST = 20


class SeenMarks:
    """The joined cells and the rows with formulas that a reader has met; the first ones of many."""

    def __init__(self) -> None:
        self._merged: list[str] = []
        self._formulas: dict[int, None] = {}

    def add_merged(self, cells: str) -> None:
        """Note joined cells, as in `A2:A5`."""
        if len(self._merged) < _MOST:
            self._merged.append(cells)

    def add_formula(self, row: int) -> None:
        """Note the row of a formula."""
        if len(self._formulas) < _MOST:
            self._formulas[row] = None

    def found(self) -> Marks:
        """Return what was met so far."""
        return Marks(tuple(self._merged), tuple(self._formulas))
