"""Names of suppliers, items and recipients, and sets such as "Retailers DE". Note N15.

Names and sets are stored in our own database only. They can therefore be changed in a
read-only environment.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.access.access import Access
from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import FileError, IdentifierError, NotPossibleError
from item_visibility.lists.gs1_and_markets import has_digit
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NOTHING_CHANGED, pick
from item_visibility.lists.writer import FileKind
from item_visibility.model.folding import comparable
from item_visibility.model.known_ids import Ids, Kind, NameRow
from item_visibility.settings import Environment
from item_visibility.storage.directory import DirectoryRows
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.storage.service_records import ServiceRecords

MAX_NAME_CHARACTERS = 200
_ID_COLUMNS = {
    Kind.SUPPLIER: ("Supplier",),
    Kind.ITEM: ("Supplier", "Item"),
    Kind.RECIPIENT: ("Recipient",),
}
NAME_COLUMNS = {kind: (*ids, "Name") for kind, ids in _ID_COLUMNS.items()}
NAME_COLUMNS[Kind.ITEM] = (*_ID_COLUMNS[Kind.ITEM], "Market", "Name")
"""The columns of a file of names."""
_SET = "Set"
_RECIPIENT = "Recipient"


@dataclass(frozen=True, slots=True)
class NamesPreview:
    """The changes that a file of names would make.

    `changes` has pairs of the old and the new row. The old row of a new id is None. New
    ids come last. `environment` is the one in which the preview was made.
    """

    environment: str
    kind: Kind
    changes: tuple[tuple[NameRow | None, NameRow], ...]
    unchanged_count: int


class DirectoryDesk:
    """The directory of one environment.

    Methods raise RecordsError, SignInError, RoleError and FileError.
    Methods that change something also raise OtherEnvironmentError.
    """

    def __init__(
        self,
        rows: Mapping[Kind, DirectoryRows],
        access: Access,
        environment: Environment,
    ) -> None:
        self._rows = rows
        self._access = access
        self._environment = environment

    def found(
        self, kind: Kind, text: str, *, limit: int
    ) -> tuple[tuple[NameRow, ...], int]:
        """Return the first rows whose id or name contains the text, and how many do.

        In names, case and accents are ignored.
        """
        name = comparable(text)
        rows = [
            row
            for row in self._rows[kind].current().rows
            if text in row.id or name in row.folded_name
        ]
        return tuple(rows[:limit]), len(rows)

    def change(self, kind: Kind, changes: Mapping[Ids, Mapping[str, str]]) -> None:
        """Store the `name` and `market` of ids.

        A field that is not given keeps its stored value. Raises IdentifierError for a
        new id that cannot be sent in a request. Note N1.
        """
        self._access.require(Role.EDITOR)
        stored_rows = self._rows[kind].current().by_ids

        rows = []
        for ids, fields in changes.items():
            if ids not in stored_rows:
                _check_new(kind, ids)
            stored = stored_rows.get(ids, NameRow(ids))
            name = fields.get("name", stored.name)
            market = fields.get("market", stored.market)
            rows.append(replace(stored, name=name, market=market))
        self._rows[kind].put(row for row in rows if row != stored_rows.get(row.ids))

    def forget(self, kind: Kind, ids: Iterable[Ids]) -> None:
        """Delete rows and their names.

        Ids that are not in the directory are ignored.
        """
        self._access.require(Role.EDITOR)
        self._rows[kind].forget(ids)

    def preview_names(self, kind: Kind, content: bytes) -> NamesPreview:
        """Return what the file would change.

        Empty names and markets in the file change nothing. Raises FileError if the file
        gives an id two names or markets.
        """
        # Read the file.
        columns = _ID_COLUMNS[kind]
        in_file: dict[Ids, NameRow] = {}
        for line in pick(read_table(content), NAME_COLUMNS[kind], ids=columns):
            ids = line.cells[: len(columns)]
            market = line.cells[-2].strip() if kind is Kind.ITEM else ""
            row = NameRow(ids, line.cells[-1].strip(), market)
            if in_file.setdefault(ids, row) != row:
                raise FileError(
                    f"Row {line.number} repeats a number with another name or market.",
                    advice=(
                        f"{NOTHING_CHANGED} Correct the row, and import the file again."
                    ),
                )

        # Compare it with the stored rows.
        stored_rows = self._rows[kind].current().by_ids
        changes: list[tuple[NameRow | None, NameRow]] = []
        for row in in_file.values():
            old = stored_rows.get(row.ids)
            new = row
            if old:
                name = row.name or old.name
                market = row.market or old.market
                new = replace(row, name=name, market=market)
            if new != old:
                changes.append((old, new))

        # New ids come last.
        changes.sort(key=lambda change: change[0] is None)
        return NamesPreview(
            environment=self._environment.name,
            kind=kind,
            changes=tuple(changes),
            unchanged_count=len(in_file) - len(changes),
        )

    def apply_names(self, preview: NamesPreview) -> None:
        """Store the previewed names.

        Raises FileError if any of them was changed after the preview.
        """
        self._access.require(Role.ADMIN)
        self._environment.refuse_change_of(preview.environment)
        rows = self._rows[preview.kind]
        stored_rows = rows.current().by_ids
        if any(stored_rows.get(new.ids) != old for old, new in preview.changes):
            raise FileError(
                "Somebody changed names meanwhile.",
                advice="Check again what the file would change.",
            )
        rows.put(new for _, new in preview.changes)

    def write_names(self, kind: Kind, file_kind: FileKind) -> bytes:
        """Return all names of a kind as a file that can be imported again."""
        log_access(Event.EXPORT, self._access.require(Role.VIEWER))
        rows = self._rows[kind].current().rows
        if kind is Kind.ITEM:
            lines = ((*row.ids, row.market, row.name) for row in rows)
        else:
            lines = ((*row.ids, row.name) for row in rows)
        return file_kind.write(NAME_COLUMNS[kind], lines)


def _check_new(kind: Kind, ids: Ids) -> None:
    for column, own_id in zip(_ID_COLUMNS[kind], ids, strict=True):
        if reason := refusal(own_id, name=column.lower()):
            raise IdentifierError(
                reason, advice="Nothing was changed. Enter the number again."
            )


@dataclass(frozen=True, slots=True)
class SetsPreview:
    """The recipients of the sets in a file, and the stored recipients of these sets.

    `doubtful` are new recipients that are perhaps not ids. `environment` is the one in
    which the preview was made.
    """

    environment: str
    in_file: Mapping[str, frozenset[str]]
    stored: Mapping[str, frozenset[str]]
    doubtful: tuple[str, ...] = ()


class SetDesk:
    """The recipient sets of one environment.

    Raises the errors of `DirectoryDesk`, and NotPossibleError.
    """

    def __init__(
        self,
        records: ServiceRecords,
        *,
        access: Access,
        clock: Callable[[], datetime],
        environment: Environment,
    ) -> None:
        self._sets = records.sets
        self._recipients = records.directory[Kind.RECIPIENT]
        self._access = access
        self._clock = clock
        self._environment = environment

    def make(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Create a new set."""
        person = self._access.require(Role.EDITOR)
        made = StoredSet(
            _usable(name), _sendable(recipients), self._clock(), person.name
        )
        self._sets.make(made)
        return made

    def change(
        self,
        name: str,
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        new_name: str | None = None,
    ) -> StoredSet:
        """Add and remove recipients, rename the set, and return the changed set."""
        person = self._access.require(Role.EDITOR)
        return self._sets.change(
            name,
            new_name="" if new_name is None else _usable(new_name),
            add=_sendable(add),
            remove=frozenset(remove),
            updated_at=self._clock(),
            updated_by=person.name,
        )

    def delete(self, name: str) -> StoredSet:
        """Delete the set and return it."""
        self._access.require(Role.EDITOR)
        return self._sets.delete(name)

    def preview_sets(self, content: bytes) -> SetsPreview:
        """Return what the file would add.

        A recipient is doubtful if it has no digit and is not known.
        """
        # Read the file.
        in_file: dict[str, set[str]] = {}
        table = read_table(content)
        for row in pick(table, (_SET, _RECIPIENT), ids=(_SET, _RECIPIENT)):
            name, recipient_id = row.cells
            if reason := refusal(recipient_id, name="recipient"):
                raise FileError(
                    f"Row {row.number}: {reason}",
                    advice=f"{NOTHING_CHANGED} Delete the row.",
                )
            in_file.setdefault(name.strip(), set()).add(recipient_id)

        # Compare it with the stored sets.
        stored = {
            stored_set.name: stored_set.recipients
            for stored_set in self._sets.all()
            if stored_set.name in in_file
        }
        added: set[str] = set()
        for name, recipients in in_file.items():
            added |= recipients - stored.get(name, frozenset())

        stored_rows = self._recipients.current().by_ids
        doubtful = sorted(
            recipient_id
            for recipient_id in added
            if not has_digit(recipient_id) and (recipient_id,) not in stored_rows
        )
        sets = {name: frozenset(in_file[name]) for name in sorted(in_file)}
        return SetsPreview(self._environment.name, sets, stored, tuple(doubtful))

    def apply_sets(self, preview: SetsPreview) -> None:
        """Add the recipients in the preview."""
        self._access.require(Role.ADMIN)
        self._environment.refuse_change_of(preview.environment)
        for name, recipients in preview.in_file.items():
            if name not in preview.stored:
                self.make(name, recipients)
            elif added := recipients - preview.stored[name]:
                self.change(name, add=added)

    def write_sets(self, file_kind: FileKind) -> bytes:
        """Return all sets and their recipients as a file that can be imported again."""
        log_access(Event.EXPORT, self._access.require(Role.VIEWER))
        rows: list[tuple[str, str]] = []
        for stored in self._sets.all():
            rows += [
                (stored.name, recipient) for recipient in sorted(stored.recipients)
            ]
        return file_kind.write((_SET, _RECIPIENT), rows)


def _sendable(recipients: Iterable[str]) -> frozenset[str]:
    distinct = frozenset(recipients)
    for recipient_id in sorted(distinct):
        if reason := refusal(recipient_id, name="recipient"):
            raise IdentifierError(
                reason, advice="The set was not changed. Leave this recipient out."
            )
    return distinct


def _usable(name: str) -> str:
    name = name.strip()
    is_readable = not any(
        unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in name
    )
    if not (name and len(name) <= MAX_NAME_CHARACTERS and is_readable):
        raise NotPossibleError(
            f"A set needs a name of at most {MAX_NAME_CHARACTERS} characters, "
            "on one line.",
            advice="Nothing was changed. Enter another name.",
        )
    return name
