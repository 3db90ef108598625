"""The changes that a person has staged for one item, and not yet saved.

A draft holds intent: recipients to add and to remove. It never holds a whole list to send, so it does not
overwrite what somebody else changes meanwhile. Note N3.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.confirmation import is_large_removal
from item_visibility.changes.request import BY_HAND, Origin, SaveRequest


@dataclass(frozen=True, slots=True)
class Draft:
    """The list as read (`base`, at `read_at`) and the changes staged against it.

    `base` is None when the service had nothing recorded. `version` changes when the rows of the
    editor must change. It counts deterministically from 0, so that a browser's pending edits survive a
    restart of the server. `add` never overlaps the base, and `remove` lies within it. `origin` is the source
    of all staged changes. Staging anything by hand on top makes the draft the person's own; unstaging does
    not. A recipient set stays named as long as any of it is staged.
    """

    item: ItemKey
    base: frozenset[str] | None
    read_at: datetime
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    version: int = 0
    origin: Origin = BY_HAND

    @property
    def recipients(self) -> frozenset[str]:
        """The base as a set, empty when nothing was recorded."""
        return self.base or frozenset()

    @property
    def wanted(self) -> frozenset[str]:
        """The recipients that could see the item after a save, if nobody else changed it."""
        return (self.recipients | self.add) - self.remove

    @property
    def is_empty(self) -> bool:
        """True when nothing is staged."""
        return not self.add and not self.remove

    @property
    def confirm_count(self) -> int | None:
        """The number of removals to confirm by typing it; None when no confirmation is needed."""
        is_large = is_large_removal(
            before=len(self.recipients), removed=len(self.remove), added=len(self.add)
        )
        return len(self.remove) if is_large else None

    def request(self, *, key: str, person: str, owner: str = "", reason: str = "") -> SaveRequest:
        """Return the request to save all that is staged; the person has typed the count, if any."""
        return SaveRequest(
            key=key,
            item=self.item,
            base=self.base,
            add=self.add,
            remove=self.remove,
            person=person,
            reason=reason,
            confirmed_count=self.confirm_count,
            origin=self.origin,
            owner=owner,
        )

    def with_wanted(self, wanted: dict[str, bool]) -> "Draft":
        """Return the draft after recipients were ticked (True) or unticked (False); the rows stay as is."""
        ticked = frozenset(recipient_id for recipient_id, is_wanted in wanted.items() if is_wanted)
        unticked = frozenset(wanted) - ticked
        add = (self.add - unticked) | (ticked - self.recipients)
        remove = (self.remove - ticked) | (unticked & self.recipients)
        is_part = bool(add or remove) and add <= self.add and remove <= self.remove
        is_kept = is_part or self.origin.outlasts(add | remove)
        return replace(self, add=add, remove=remove, origin=self.origin if is_kept else BY_HAND)

    def with_added(self, recipient_ids: Iterable[str]) -> "Draft":
        """Return the draft after recipients were added by hand; the rows change."""
        return replace(self.with_wanted(dict.fromkeys(recipient_ids, True)), version=self.version + 1)

    def with_staged(self, wanted: dict[str, bool], *, origin: Origin) -> "Draft":
        """Return the draft with changes from elsewhere on top of the staged ones; the rows change."""
        staged = self.with_wanted(wanted)
        return replace(staged, version=self.version + 1, origin=BY_HAND if staged.is_empty else origin)

    def part_shown(self, shown: "Draft", *, entered: frozenset[str]) -> "Draft":
        """Return the part that was in `shown`, or was entered for adding when Save itself was pressed.

        The person did not ask to save what was staged after they saw the changes.
        """
        add, remove = self.add & (shown.add | entered), self.remove & shown.remove
        is_from_shown = add <= shown.add
        origin = self.origin if (add, remove) == (self.add, self.remove) else BY_HAND
        return replace(
            self,
            add=add,
            remove=remove,
            origin=shown.origin if is_from_shown and origin == BY_HAND else origin,
        )

    def count_beside(self, *, add: frozenset[str], remove: frozenset[str]) -> int:
        """Return the number of staged changes that are not among these."""
        return len(self.add - add) + len(self.remove - remove)

    def discarded(self) -> "Draft":
        """Return the draft with nothing staged; the rows change."""
        return Draft(self.item, self.base, self.read_at, version=self.version + 1)

    def rebased(self, base: frozenset[str] | None, *, read_at: datetime) -> "Draft":
        """Return the draft against a newer read, without changes already in place; the rows change."""
        recipients = base or frozenset()
        add, remove = self.add - recipients, self.remove & recipients
        return Draft(
            self.item,
            base,
            read_at,
            add=add,
            remove=remove,
            version=self.version + 1,
            origin=self.origin if add or remove else BY_HAND,
        )
