"""Recipient sets, such as "Retailers DE": kept under a name.

They are ours and the service does not know them. So they can be changed in a read-only environment, too.
"""

import unicodedata
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypedDict

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import IdentifierError, SetError
from item_visibility.storage.directory import RecipientSets, StoredSet, no_such_set

__all__ = ["SetDesk", "StoredSet"]

MAX_NAME_CHARACTERS = 200


class _Stamp(TypedDict):
    updated_at: datetime
    updated_by: str


class SetDesk:
    """The recipient sets of one environment.

    Methods that change them raise SetError, RecordsError, SignInError and RoleError.
    """

    def __init__(self, sets: RecipientSets, *, access: Access, clock: Callable[[], datetime]) -> None:
        self._sets = sets
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
