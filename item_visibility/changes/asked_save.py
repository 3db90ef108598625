"""A save that waits for an answer of the person: a large change, or an undo beside other changes."""

from dataclasses import dataclass

from item_visibility.changes.draft import Draft


@dataclass(frozen=True, slots=True)
class AskedSave:
    """Changes to be saved once they are confirmed, and those staged that are no part of them."""

    changes: Draft
    add_beside: frozenset[str] = frozenset()
    remove_beside: frozenset[str] = frozenset()

    @property
    def is_beside_others(self) -> bool:
        """True when something else is staged, and stays staged."""
        return bool(self.add_beside or self.remove_beside)

    def may_be_saved(self, now: Draft) -> bool:
        """True while the list is the one that was asked about, and the changes are still staged.

        An undo beside other changes is staged only when it is confirmed.
        """
        is_staged = self.changes.add <= now.add and self.changes.remove <= now.remove
        is_same_list = now.recipients == self.changes.recipients
        return is_same_list and (is_staged or self.is_beside_others)
