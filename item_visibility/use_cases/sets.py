"""Recipient sets, such as "Retailers DE": kept under a name.

They are ours and the service does not know them. So they can be changed in a read-only environment, too.
"""

import unicodedata
from collections.abc import Callable, Iterable
from datetime import datetime

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import refusal
from item_visibility.errors import IdentifierError, SetError
from item_visibility.storage.directory import RecipientSets, StoredSet

__all__ = ["SetDesk", "StoredSet"]

MAX_NAME_CHARACTERS = 200


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
        return _there(self._sets.named(name))

    def make(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Create a new set."""
        editor = self._editor()
        made = StoredSet(_usable(name), _sendable(recipients), self._clock(), editor)
        if not self._sets.make(made):
            raise _taken()
        return made

    def put_in(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Add recipients to the set, and return it."""
        editor = self._editor()
        changed = self._sets.change(
            name, add=_sendable(recipients), updated_at=self._clock(), updated_by=editor
        )
        return _there(changed)

    def take_out(self, name: str, recipients: Iterable[str]) -> StoredSet:
        """Remove recipients from the set, and return it. Those that are not in it are ignored."""
        changed = self._sets.change(
            name, remove=frozenset(recipients), updated_at=self._clock(), updated_by=self._editor()
        )
        return _there(changed)

    def rename(self, name: str, new_name: str) -> StoredSet:
        """Rename the set, and return it."""
        editor, new_name = self._editor(), _usable(new_name)
        _there(self._sets.named(name))
        if not self._sets.rename(name, new_name, updated_at=self._clock(), updated_by=editor):
            raise _taken()
        return self.open(new_name)

    def delete(self, name: str) -> StoredSet:
        """Delete the set, and return its last content, so that it can be created again."""
        self._editor()
        return _there(self._sets.delete(name))

    def _editor(self) -> str:
        """Return the name of the person who asks, if they may change sets."""
        return self._access.require(Role.EDITOR).name


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


def _there(stored: StoredSet | None) -> StoredSet:
    if stored is None:
        raise SetError(
            "This recipient set is no longer there: somebody deleted or renamed it.",
            advice="Nothing was changed. Choose another set.",
        )
    return stored


def _taken() -> SetError:
    return SetError(
        "There is a recipient set of this name already, perhaps in other capitals or with other accents.",
        advice="Nothing was changed. Choose another name.",
    )
