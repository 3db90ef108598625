"""The ids in the directory, to find those of a list that a spreadsheet damaged. Note N15."""

from collections.abc import Mapping

from item_visibility.desk.fallback import or_else
from item_visibility.records.directory.named_rows import DirectoryRows, Kind


class KnownIdsOfDirectory:
    """All ids of one environment, read when they are asked for; none when our database cannot be used."""

    def __init__(self, rows: Mapping[Kind, DirectoryRows]) -> None:
        self._rows = rows

    def suppliers(self) -> tuple[str, ...]:
        """Return every known supplier."""
        return self._ids(Kind.SUPPLIER)

    def items(self) -> tuple[str, ...]:
        """Return the own ids of every known item, of any supplier."""
        return self._ids(Kind.ITEM)

    def recipients(self) -> tuple[str, ...]:
        """Return every known recipient."""
        return self._ids(Kind.RECIPIENT)

    def _ids(self, kind: Kind) -> tuple[str, ...]:
        return or_else((), lambda: tuple(row.ids[-1] for row in self._rows[kind].all()))
