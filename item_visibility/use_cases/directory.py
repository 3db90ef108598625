"""The names of suppliers, items and recipients, as a person keeps them. Note N15.

They are ours and the service does not know them. So they can be changed in a read-only environment, too.
An id that is not known here is as good as any other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import IdentifierError
from item_visibility.storage.directory import DirectoryRows, Ids, Kind, NamedRow, with_text

__all__ = ["DirectoryDesk", "Ids", "Kind", "NamedRow", "NewName"]

_ID_WORDS = {Kind.SUPPLIER: ("supplier",), Kind.ITEM: ("supplier", "item"), Kind.RECIPIENT: ("recipient",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewName:
    """A person's changes to a row; None for a value that stays."""

    name: str | None = None
    market: str | None = None


class DirectoryDesk:
    """The directory of one environment. Every method raises RecordsError when our database cannot be used.

    Those that change it raise SignInError and RoleError.
    """

    def __init__(self, rows: Mapping[Kind, DirectoryRows], access: Access) -> None:
        self._rows = rows
        self._access = access

    def found(self, kind: Kind, text: str, *, limit: int) -> tuple[tuple[NamedRow, ...], int]:
        """Return the first rows that match the text, and the number of all that match."""
        found = with_text(self._rows[kind].all(), text)
        return tuple(found[:limit]), len(found)

    def change(self, kind: Kind, changes: Mapping[Ids, NewName]) -> None:
        """Give rows new names or markets. Changes by others to the rest of a row stay."""
        self._access.require(Role.EDITOR)
        known = self._rows[kind].known(changes)
        changed = [_changed(known.get(ids, NamedRow(ids)), new) for ids, new in changes.items()]
        self._rows[kind].put([row for row in changed if row != known.get(row.ids)])

    def name(self, kind: Kind, row: NamedRow) -> None:
        """Keep a name for an id, known or not. IdentifierError when no request can carry the id. Note N1."""
        self._access.require(Role.EDITOR)
        for word, one in zip(_ID_WORDS[kind], row.ids, strict=True):
            if reason := refusal(one, name=word):
                raise IdentifierError(reason, advice="Nothing was changed. Enter the number again.")
        self._rows[kind].put([row])

    def forget(self, kind: Kind, ids: Iterable[Ids]) -> None:
        """Delete rows, names included. Those that are not there are ignored."""
        self._access.require(Role.EDITOR)
        self._rows[kind].forget(ids)


def _changed(row: NamedRow, new: NewName) -> NamedRow:
    return replace(
        row,
        name=row.name if new.name is None else new.name,
        market=row.market if new.market is None else new.market,
    )
