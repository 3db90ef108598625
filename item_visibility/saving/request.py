"""A person's request to save changes to an item, and the source of the changes."""

from dataclasses import dataclass
from enum import StrEnum

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey


class Operation(StrEnum):
    """The operation to use at the service."""

    EDIT = "edit"
    """Add and remove single recipients, one call each."""
    SET = "set"
    """Set the list exactly: one setVisibilities."""
    REMOVE_ALL = "remove all"
    """Remove every recipient: one removeVisibilities."""


class ChangeKind(StrEnum):
    """The source of a save, as the history shows it."""

    EDIT = "edit"
    UNDO = "undo"
    OBSERVED = "observed"
    """A change made elsewhere and seen by a read; nothing was saved here."""
    BULK = "bulk"
    """One item of a bulk job: the key begins with the job's."""


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """One save of one item.

    `key` is the idempotency key: the same key is saved once, however often it is submitted.
    `base` is the list as the person read it (None: nothing recorded); `add` and `remove` are the changes
    to it. For SET and REMOVE_ALL it is the list that the person confirmed: if it has changed, nothing is
    sent. `confirmed_count` is the number of removals that the person typed, None when none was required.
    """

    key: str
    item: ItemKey
    base: frozenset[str] | None
    add: frozenset[str]
    remove: frozenset[str]
    person: str
    reason: str = ""
    confirmed_count: int | None = None
    operation: Operation = Operation.EDIT
    kind: ChangeKind = ChangeKind.EDIT
    undo_of: str | None = None
    """The key of the save that is undone."""
    person_key: str = ""
    """The identity of `person`, which stays the same when their name changes."""
    role: Role | None = None
    """The person's role when they pressed Save. Not recorded."""

    @property
    def is_empty(self) -> bool:
        """True when no change is requested."""
        return not self.add and not self.remove

    @property
    def wanted(self) -> frozenset[str]:
        """The list after the changes, if nobody else changes it."""
        return ((self.base or frozenset()) | self.add) - self.remove

    def has_content_of(self, other: "ChangeRequest") -> bool:
        """True when both ask for the same: item, operation, changes and person."""
        mine, theirs = (
            (one.item, one.operation, one.add, one.remove, one.person_key or one.person)
            for one in (self, other)
        )
        return mine == theirs

    def __post_init__(self) -> None:
        """Raise ValueError for a recipient both added and removed, and for a REMOVE_ALL that keeps one."""
        if self.add & self.remove:
            raise ValueError("a recipient cannot be both added and removed")
        if self.operation is Operation.REMOVE_ALL and self.wanted:
            raise ValueError("a removal of all cannot keep a recipient")
