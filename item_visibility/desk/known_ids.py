"""The ids that the directory knows, for finding what a spreadsheet did to those of a list. Note N15."""

from collections.abc import Mapping

from item_visibility.desk.names import or_else
from item_visibility.records.directory.named_rows import DirectoryRows, Kind


class KnownIdsOfDirectory:
    """All ids of one environment, read when they are asked for; none when our database cannot be used."""

    def __init__(self, rows: Mapping[Kind, DirectoryRows]) -> None:
        self._rows = rows

    def suppliers(self) -> tuple[str, ...]:
        """Every known supplier."""
        return self._ids(Kind.SUPPLIER)

    def items(self) -> tuple[str, ...]:
        """The own ids of every known item, whoever its supplier is."""
        return self._ids(Kind.ITEM)

    def recipients(self) -> tuple[str, ...]:
        """Every known recipient."""
        return self._ids(Kind.RECIPIENT)

    def _ids(self, kind: Kind) -> tuple[str, ...]:
        return or_else((), lambda: tuple(row.ids[-1] for row in self._rows[kind].all()))
