"""The source of staged changes that were not made one by one."""

from dataclasses import dataclass

from item_visibility.changes.request import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The extra facts that the history shows about a save.

    `undo_of` is the key of the save that is undone, `restored_from` the key of the parked list that is
    restored. `set_name` and `set_recipients` name the list that was taken, whole or in part: a recipient
    set or another item's list. `set_recipients` are its contents at that time.
    """

    kind: ChangeKind = ChangeKind.EDIT
    undo_of: str | None = None
    restored_from: str | None = None
    set_name: str | None = None
    set_recipients: frozenset[str] | None = None

    def outlasts(self, staged: frozenset[str]) -> bool:
        """True when it survives changes by hand: some of its recipient set is still staged."""
        return self.kind is ChangeKind.EDIT and bool(staged & (self.set_recipients or frozenset()))


def is_whole(
    chosen: frozenset[str], *, before: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> bool:
    """True when the whole list was taken: afterwards all of it can see the item, or none of it."""
    return chosen <= (before | add) - remove or not chosen & ((before | add) - remove)


BY_HAND = Origin()
"""The person ticked, unticked and added."""
