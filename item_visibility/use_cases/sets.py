"""Recipient sets, such as "Retailers DE": kept under a name.

They are ours and the service does not know them. So they can be changed in a read-only environment, too.
The effect of a file is shown before it is applied.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import FileError, IdentifierError, SetError
from item_visibility.lists.numbers import has_digit
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NOTHING_CHANGED, pick
from item_visibility.lists.writer import FileKind
from item_visibility.storage.directory import Kind, StoredSet, no_such_set
from item_visibility.storage.service_records import ServiceRecords

__all__ = ["SetDesk", "SetPreview", "SetsPreview", "StoredSet"]

MAX_NAME_CHARACTERS = 200
_SET, _RECIPIENT = "Set", "Recipient"


class _Stamp(TypedDict):
    updated_at: datetime
    updated_by: str


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


class SetDesk:
    """The recipient sets of one environment.

    Methods that change them raise SetError, RecordsError, SignInError and RoleError, those that read a file
    FileError.
    """

    def __init__(self, records: ServiceRecords, *, access: Access, clock: Callable[[], datetime]) -> None:
        self._sets = records.sets
        self._recipients = records.directory[Kind.RECIPIENT]
        self._access = access
        self._clock = clock

    def open(self, name: str) -> StoredSet:
        """Return the set of this name, as it is now. SetError when it is gone, RecordsError."""
        stored = self._sets.named(name)
        if stored is None:
            raise no_such_set()
        return stored

    def make(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Create a new set."""
        made = StoredSet(_usable(name), _sendable(recipients), **self._stamp())
        self._sets.make(made)
        return made

    def put_in(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Add recipients to the set, and return it."""
        return self._sets.change(name, add=_sendable(recipients), **self._stamp())

    def take_out(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Remove recipients from the set, and return it. Those that are not in it are ignored."""
        return self._sets.change(name, remove=frozenset(recipients), **self._stamp())

    def rename(self, name: str, new_name: str) -> StoredSet:
        """Rename the set, and return it."""
        return self._sets.rename(name, _usable(new_name), **self._stamp())

    def delete(self, name: str) -> StoredSet:
        """Delete the set, and return its last content, so that it can be created again."""
        self._access.require(Role.EDITOR)
        return self._sets.delete(name)

    def preview_sets(self, content: bytes) -> SetsPreview:
        """Return what a file of sets and recipients would do."""
        wanted: dict[str, set[str]] = {}
        for row in pick(read_table(content), (_SET, _RECIPIENT), ids=(_SET, _RECIPIENT)):
            name, recipient_id = row.cells
            if reason := refusal(recipient_id, name="recipient"):
                raise FileError(f"Row {row.number}: {reason}", advice=f"{NOTHING_CHANGED} Delete the row.")
            wanted.setdefault(name.strip(), set()).add(recipient_id)
        sets = tuple(self._set_preview(name, wanted[name]) for name in sorted(wanted))
        words = sorted({one for some in sets for one in some.added if not has_digit(one)})
        known = self._recipients.known((one,) for one in words)
        return SetsPreview(sets, tuple(one for one in words if (one,) not in known))

    def apply_sets(self, preview: SetsPreview) -> None:
        """Add the recipients in the preview. Changes by others in the meantime stay."""
        self._access.require(Role.ADMIN)
        for one in preview.sets:
            if one.is_new:
                self.make(one.name, one.added)
            elif one.added:
                self.put_in(one.name, one.added)

    def write_sets(self, file_kind: FileKind) -> bytes:
        """Return all sets with their recipients as a file that can be read in again."""
        self._access.require(Role.VIEWER)
        rows = (
            (one.name, recipient_id) for one in self._sets.all() for recipient_id in sorted(one.recipients)
        )
        return file_kind.write((_SET, _RECIPIENT), rows)

    def _set_preview(self, name: str, wanted: set[str]) -> SetPreview:
        stored = self._sets.named(name)
        inside = stored.recipients & wanted if stored else frozenset()
        return SetPreview(name, stored is None, frozenset(wanted - inside), len(inside))

    def _stamp(self) -> _Stamp:
        """Return who changes a set, and when, if this person may."""
        return {"updated_at": self._clock(), "updated_by": self._access.require(Role.EDITOR).name}


def _sendable(recipients: Iterable[str]) -> frozenset[str]:
    """Return the recipients; IdentifierError when no request can carry one of them. Note N1."""
    distinct = frozenset(recipients)
    for recipient_id in sorted(distinct):
        if reason := refusal(recipient_id, name="recipient"):
            raise IdentifierError(reason, advice="The set was not changed. Leave this recipient out.")
    return distinct


def _usable(name: str) -> str:
    """Return the name without spaces around it; SetError when nobody could read it."""
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS:
        raise SetError(
            f"A set needs a name of at most {MAX_NAME_CHARACTERS} characters.",
            advice="Nothing was changed. Enter a name.",
        )
    if any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in name):
        raise SetError(
            "The name holds a character that cannot be shown, such as a line break.",
            advice="Nothing was changed. Enter the name again.",
        )
    return name
