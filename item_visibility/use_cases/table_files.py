"""Import and export of names and recipient sets. The effect of a file is shown before it is applied."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import FileError
from item_visibility.lists.numbers import has_digit
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NOTHING_CHANGED, pick
from item_visibility.lists.writer import FileKind, write_xlsx
from item_visibility.storage.directory import DirectoryRows, Ids, Kind, NamedRow, RecipientSets
from item_visibility.use_cases.sets import SetDesk

__all__ = ["FileDesk", "NameConflict", "NamesPreview", "SetPreview", "SetsPreview"]

_ID_COLUMNS = {Kind.SUPPLIER: ("Supplier",), Kind.ITEM: ("Supplier", "Item"), Kind.RECIPIENT: ("Recipient",)}
_SET, _RECIPIENT = "Set", "Recipient"
_EXAMPLES = {
    Kind.SUPPLIER: ("9521000010000", "Harbour Mill Foods"),
    Kind.ITEM: ("9521000010000", "09521000010017:276", "276", "Oat biscuits 250 g"),
    Kind.RECIPIENT: ("9522000010007", "Marktplatz Supermarkets"),
}


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
    read: tuple[NamedRow, ...]
    added: tuple[NamedRow, ...]
    changed: tuple[tuple[NamedRow, NamedRow], ...]
    same: int
    conflicts: tuple[NameConflict, ...]

    @property
    def is_empty(self) -> bool:
        """True when there is no name to keep."""
        return not self.added and not self.changed


@dataclass(frozen=True, slots=True)
class SetPreview:
    """The changes that a file would make to one set. It only adds recipients."""

    name: str
    is_new: bool
    added: frozenset[str]
    already_in: int


@dataclass(frozen=True, slots=True)
class SetsPreview:
    """The changes that a file would make to recipient sets.

    `doubtful` are recipients to be added that may be no numbers: they hold no digit, and are not known
    here.
    """

    sets: tuple[SetPreview, ...]
    doubtful: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True when no set would be new or grow."""
        return not any(one.is_new or one.added for one in self.sets)


class FileDesk:
    """Files of one environment's directory. Methods raise FileError, and RecordsError.

    To apply one is for an admin, to write one for a viewer; else SignInError and RoleError are raised.
    """

    def __init__(
        self,
        rows: Mapping[Kind, DirectoryRows],
        stored_sets: RecipientSets,
        sets: SetDesk,
        *,
        access: Access,
    ) -> None:
        self._access = access
        self._rows = rows
        self._stored_sets = stored_sets
        self._sets = sets

    def preview_names(self, kind: Kind, content: bytes) -> NamesPreview:
        """Return what the file would add and change, and where it contradicts itself. Changes nothing."""
        columns = columns_of(kind)
        ids = _ID_COLUMNS[kind]
        groups: dict[Ids, dict[NamedRow, int]] = {}
        for row in pick(read_table(content), columns, ids=ids):
            market = row.cells[-2].strip() if kind is Kind.ITEM else ""
            named = NamedRow(row.cells[: len(ids)], row.cells[-1].strip(), market)
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

    def write_example(self, kind: Kind) -> bytes:
        """Return a file of invented names that shows how a file of names is laid out."""
        return write_xlsx(columns_of(kind), [_EXAMPLES[kind]])

    def preview_sets(self, content: bytes, *, set_name: str = "") -> SetsPreview:
        """Return what a file of sets and recipients would do. One of recipients alone is for `set_name`."""
        table = read_table(content)
        is_for_one = _SET.casefold() not in {name.strip().casefold() for name in table.header}
        if is_for_one and not set_name.strip():
            raise FileError(
                "The file names no sets: it has no column 'Set'.",
                advice=f"{NOTHING_CHANGED} Enter the name of the set that its recipients belong to.",
            )
        wanted: dict[str, set[str]] = {}
        for row in pick(table, (_SET, _RECIPIENT), ids=(_RECIPIENT,) if is_for_one else (_SET, _RECIPIENT)):
            name, recipient_id = row.cells
            if reason := refusal(recipient_id, name="recipient"):
                raise FileError(f"Row {row.number}: {reason}", advice=f"{NOTHING_CHANGED} Delete the row.")
            wanted.setdefault((set_name if is_for_one else name).strip(), set()).add(recipient_id)
        sets = tuple(self._set_preview(name, wanted[name]) for name in sorted(wanted))
        return SetsPreview(sets, self._doubtful(frozenset().union(*(one.added for one in sets))))

    def apply_sets(self, preview: SetsPreview) -> None:
        """Add the recipients in the preview. Changes by others in the meantime stay."""
        self._access.require(Role.ADMIN)
        for one in preview.sets:
            if one.is_new:
                self._sets.make(one.name, one.added)
            elif one.added:
                self._sets.put_in(one.name, one.added)

    def write_sets(self, file_kind: FileKind) -> bytes:
        """Return all sets with their recipients as a file that can be read in again."""
        self._access.require(Role.VIEWER)
        rows = (
            (one.name, recipient_id)
            for one in self._stored_sets.all()
            for recipient_id in sorted(one.recipients)
        )
        return file_kind.write((_SET, _RECIPIENT), rows)

    def _compare(
        self, kind: Kind, read: tuple[NamedRow, ...], conflicts: tuple[NameConflict, ...]
    ) -> NamesPreview:
        known = self._rows[kind].known(row.ids for row in read)
        added = tuple(row for row in read if row.ids not in known)
        pairs = [(known[row.ids], _filled(row, known[row.ids])) for row in read if row.ids in known]
        changed = tuple(pair for pair in pairs if pair[0] != pair[1])
        return NamesPreview(kind, read, added, changed, len(pairs) - len(changed), conflicts)

    def _doubtful(self, recipients: frozenset[str]) -> tuple[str, ...]:
        words = [(one,) for one in sorted(recipients) if not has_digit(one)]
        known = self._rows[Kind.RECIPIENT].known(words)
        return tuple(word for (word,) in words if (word,) not in known)

    def _set_preview(self, name: str, recipients: Iterable[str]) -> SetPreview:
        stored = self._stored_sets.named(name)
        wanted = frozenset(recipients)
        inside = stored.recipients & wanted if stored else frozenset()
        return SetPreview(name, stored is None, wanted - inside, len(inside))


def columns_of(kind: Kind) -> tuple[str, ...]:
    """Return the columns of a file of names."""
    return (*_ID_COLUMNS[kind], *(["Market"] if kind is Kind.ITEM else []), "Name")


def _filled(row: NamedRow, known: NamedRow) -> NamedRow:
    return replace(row, name=row.name or known.name, market=row.market or known.market)
