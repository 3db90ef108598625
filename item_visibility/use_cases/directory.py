"""The names of suppliers, items and recipients, as a person keeps them. Note N15.

They are ours and the service does not know them. So they can be changed in a read-only environment, too.
An id that is not known here is as good as any other. The effect of a file is shown before it is applied.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import IdentifierError
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import pick
from item_visibility.lists.writer import FileKind
from item_visibility.storage.directory import DirectoryRows, Ids, Kind, NameRow, with_text

__all__ = ["DirectoryDesk", "Ids", "Kind", "NameConflict", "NameRow", "NamesPreview"]

_ID_COLUMNS = {Kind.SUPPLIER: ("Supplier",), Kind.ITEM: ("Supplier", "Item"), Kind.RECIPIENT: ("Recipient",)}


@dataclass(frozen=True, slots=True)
class NameConflict:
    """An id that has different names in several rows of a file. None of them is taken."""

    ids: Ids
    rows: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamesPreview:
    """The changes that a file of names would make. `changed` are pairs: the known name and the new one.

    An empty name or market changes nothing. `same` counts the names already in place.
    """

    kind: Kind
    read: tuple[NameRow, ...]
    added: tuple[NameRow, ...]
    changed: tuple[tuple[NameRow, NameRow], ...]
    same: int
    conflicts: tuple[NameConflict, ...]

    @property
    def is_empty(self) -> bool:
        """True when there is no name to keep."""
        return not self.added and not self.changed


class DirectoryDesk:
    """The directory of one environment. Every method raises RecordsError when our database cannot be used.

    Those that change it or write a file raise SignInError and RoleError, those that read a file FileError.
    """

    def __init__(self, rows: Mapping[Kind, DirectoryRows], access: Access) -> None:
        self._rows = rows
        self._access = access

    def found(self, kind: Kind, text: str, *, limit: int) -> tuple[tuple[NameRow, ...], int]:
        """Return the first rows that match the text, and the number of all that match."""
        found = with_text(self._rows[kind].all(), text)
        return tuple(found[:limit]), len(found)

    def change(self, kind: Kind, changes: Mapping[Ids, Mapping[str, str]]) -> None:
        """Give rows the new `name` and `market`. What is left out stays, also if somebody else changed it."""
        self._access.require(Role.EDITOR)
        known = self._rows[kind].known(changes)
        rows = []
        for ids, new in changes.items():
            row = known.get(ids, NameRow(ids))
            rows.append(replace(row, name=new.get("name", row.name), market=new.get("market", row.market)))
        self._rows[kind].put([row for row in rows if row != known.get(row.ids)])

    def name(self, kind: Kind, row: NameRow) -> None:
        """Keep a name for an id, known or not. IdentifierError when no request can carry the id. Note N1."""
        self._access.require(Role.EDITOR)
        for word, one in zip(_ID_COLUMNS[kind], row.ids, strict=True):
            if reason := refusal(one, name=word.lower()):
                raise IdentifierError(reason, advice="Nothing was changed. Enter the number again.")
        self._rows[kind].put([row])

    def forget(self, kind: Kind, ids: Iterable[Ids]) -> None:
        """Delete rows, names included. Those that are not there are ignored."""
        self._access.require(Role.EDITOR)
        self._rows[kind].forget(ids)

    def preview_names(self, kind: Kind, content: bytes) -> NamesPreview:
        """Return what the file would add and change, and where it contradicts itself. Changes nothing."""
        columns = columns_of(kind)
        ids = _ID_COLUMNS[kind]
        groups: dict[Ids, dict[NameRow, int]] = {}
        for row in pick(read_table(content), columns, ids=ids):
            market = row.cells[-2].strip() if kind is Kind.ITEM else ""
            named = NameRow(row.cells[: len(ids)], row.cells[-1].strip(), market)
            groups.setdefault(named.ids, {}).setdefault(named, row.number)
        conflicts = [
            NameConflict(one, tuple(rows.values()), tuple(dict.fromkeys(row.words for row in rows)))
            for one, rows in groups.items()
            if len(rows) > 1
        ]
        read = tuple(next(iter(rows)) for rows in groups.values() if len(rows) == 1)
        return self._compare(kind, read, tuple(conflicts))

    def apply_names(self, preview: NamesPreview) -> bool:
        """Apply the preview. Return False and change nothing if it is out of date."""
        self._access.require(Role.ADMIN)
        if self._compare(preview.kind, preview.read, preview.conflicts) != preview:
            return False
        self._rows[preview.kind].put([*preview.added, *(new for _, new in preview.changed)])
        return True

    def write_names(self, kind: Kind, file_kind: FileKind) -> bytes:
        """Return all names of a kind as a file that can be read in again."""
        self._access.require(Role.VIEWER)
        rows = (
            (*row.ids, *([row.market] if kind is Kind.ITEM else []), row.name)
            for row in self._rows[kind].all()
        )
        return file_kind.write(columns_of(kind), rows)

    def _compare(
        self, kind: Kind, read: tuple[NameRow, ...], conflicts: tuple[NameConflict, ...]
    ) -> NamesPreview:
        known = self._rows[kind].known(row.ids for row in read)
        added = tuple(row for row in read if row.ids not in known)
        pairs = [(known[row.ids], _filled(row, known[row.ids])) for row in read if row.ids in known]
        changed = tuple(pair for pair in pairs if pair[0] != pair[1])
        return NamesPreview(kind, read, added, changed, len(pairs) - len(changed), conflicts)


def columns_of(kind: Kind) -> tuple[str, ...]:
    """Return the columns of a file of names."""
    return (*_ID_COLUMNS[kind], *(["Market"] if kind is Kind.ITEM else []), "Name")


def _filled(row: NameRow, known: NameRow) -> NameRow:
    return replace(row, name=row.name or known.name, market=row.market or known.market)
