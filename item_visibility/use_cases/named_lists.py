"""The lists that were read last, with their recipients' names: 50,000 are looked up once, not each time."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from item_visibility.storage.directory.named_rows import DirectoryRows
from item_visibility.storage.fallback import or_else
from item_visibility.timeouts import NAMES_FRESH

HELD = 8
"""The limit of lists that are held: the largest takes some 10 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedList:
    """A list and the names of those that have one. It is the same object until the list or a name changes."""

    recipients: frozenset[str]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Held:
    listed: NamedList
    changes: int
    looked_up_at: datetime


class NamedLists:
    """The lists of one desk, for all its windows.

    Names are as of the last read of the list. Those that another program changed come with a read after
    NAMES_FRESH, those that were changed here at once.
    """

    def __init__(self, rows: DirectoryRows) -> None:
        self._rows = rows
        self._lock = Lock()
        self._held: OrderedDict[frozenset[str], _Held] = OrderedDict()

    def remember(self, recipients: frozenset[str], *, read_at: datetime) -> None:
        """Make the recipients of a list just read known, and hold their names. Raises RecordsError."""
        held, changes = self._of(recipients), self._rows.changes
        if held is not None and held.changes == changes and read_at - held.looked_up_at < NAMES_FRESH:
            return
        known = self._rows.names(recipients)
        self._rows.remember((one,) for one in recipients if one not in known)
        names = {one: name for one, name in known.items() if name}
        listed = (
            held.listed if held is not None and held.listed.names == names else NamedList(recipients, names)
        )
        with self._lock:
            self._held[recipients] = _Held(listed, changes, read_at)
            if len(self._held) > HELD:
                self._held.popitem(last=False)

    def named(self, recipients: frozenset[str]) -> NamedList:
        """Return the list with its names; none while our own database cannot be used."""
        held = self._of(recipients)
        if held is not None and held.changes == self._rows.changes:
            return held.listed
        known = or_else({}, lambda: self._rows.names(recipients))
        return NamedList(recipients, {one: name for one, name in known.items() if name})

    def _of(self, recipients: frozenset[str]) -> _Held | None:
        with self._lock:
            held = self._held.get(recipients)
            if held is not None:
                self._held.move_to_end(recipients)
        return held
