"""A person's request to save changes to an item."""

from dataclasses import dataclass
from enum import StrEnum

from item_visibility.api.identifiers import ItemKey


class ChangeKind(StrEnum):
    """The source of a save, as the history shows it."""

    EDIT = "edit"
    UNDO = "undo"
    OBSERVED = "observed"
    """A change made elsewhere and seen by a read; nothing was saved here."""
    PARK = "park"
    RESTORE = "restore"
    COPY = "copy"
    BULK = "bulk"
    """One item of a bulk job: the key begins with the job's."""


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """One save of one item.

    `key` is the idempotency key: the same key is saved once, however often it is submitted.
    `base` is the list as the person read it (None: nothing recorded). `confirmed_count` is the
    number of removals that the person typed, None when none was required. The other fields say where
    the changes came from, as in an Origin.
    """

    key: str
    item: ItemKey
    base: frozenset[str] | None
    add: frozenset[str]
    remove: frozenset[str]
    person: str
    reason: str = ""
    confirmed_count: int | None = None
    kind: ChangeKind = ChangeKind.EDIT
    undo_of: str | None = None
    restored_from: str | None = None
    set_name: str | None = None
    set_recipients: frozenset[str] | None = None
    owner: str = ""
    """The owner of the draft: a browser, until people sign in; empty when there is none. Not recorded."""

    @property
    def is_empty(self) -> bool:
        """True when no change is requested."""
        return not self.add and not self.remove

    def __post_init__(self) -> None:
        """Raise ValueError when one recipient is to be both added and removed."""
        if self.add & self.remove:
            raise ValueError("a recipient is both to be added and to be removed")
