"""Where staged changes came from, when they were not made one by one."""

from dataclasses import dataclass

from item_visibility.changes.request import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What the history is to say of a save beside the changes themselves.

    `undo_of` is the key of the save that is taken back, `restored_from` the key of the parked list
    that is brought back. `set_name` and `set_recipients` say which list was taken, as a whole or in
    part, a recipient set or another item's list, and what it held at that time.
    """

    kind: ChangeKind = ChangeKind.EDIT
    undo_of: str | None = None
    restored_from: str | None = None
    set_name: str | None = None
    set_recipients: frozenset[str] | None = None

    def outlasts(self, staged: frozenset[str]) -> bool:
        """True when changes by hand beside it leave it standing: some of its recipient set is staged."""
        return self.kind is ChangeKind.EDIT and bool(staged & (self.set_recipients or frozenset()))


def is_whole(
    chosen: frozenset[str], *, before: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> bool:
    """True when the whole list was taken: all of it can see the item then, or none of it."""
    return chosen <= (before | add) - remove or not chosen & ((before | add) - remove)


BY_HAND = Origin()
"""The person ticked, unticked and added."""
