"""What a person has staged for one item, and not yet saved.

A draft is intent: add these, take those away. It never holds a whole list to send, so that what
somebody else changes meanwhile is not overwritten. Note N3.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.origin import BY_HAND, Origin
from item_visibility.changes.plan import is_large_removal


@dataclass(frozen=True, slots=True)
class Draft:
    """The list as read (`base`, at `read_at`) and what is staged against it.

    `base` is None when the service had nothing recorded. `version` moves when the rows of the
    editor must change; deterministic from 0, so that a browser's pending edits survive a restart
    of the server. `add` never overlaps the base, `remove` lies within it. `origin` says where all
    that is staged came from; anything staged by hand on top of it makes it the person's own, and
    taking some of it back does not. A recipient set stays named as long as any of it is staged.
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
        """The base as a set; empty when nothing was recorded."""
        return self.base or frozenset()

    @property
    def wanted(self) -> frozenset[str]:
        """Who could see the item if the draft were saved and nobody else changed it."""
        return (self.recipients | self.add) - self.remove

    @property
    def is_empty(self) -> bool:
        """True when nothing is staged."""
        return not self.add and not self.remove

    @property
    def confirm_count(self) -> int | None:
        """How many removals must be confirmed by typing their count; None when none must."""
        is_large = is_large_removal(
            before=len(self.recipients), removed=len(self.remove), added=len(self.add)
        )
        return len(self.remove) if is_large else None

    def with_wanted(self, wanted: dict[str, bool]) -> "Draft":
        """The draft after recipients were ticked (True) or unticked (False); the rows stay as they are."""
        ticked = frozenset(recipient_id for recipient_id, is_wanted in wanted.items() if is_wanted)
        unticked = frozenset(wanted) - ticked
        add = (self.add - unticked) | (ticked - self.recipients)
        remove = (self.remove - ticked) | (unticked & self.recipients)
        is_part = bool(add or remove) and add <= self.add and remove <= self.remove
        is_kept = is_part or self.origin.outlasts(add | remove)
        return replace(self, add=add, remove=remove, origin=self.origin if is_kept else BY_HAND)

    def with_added(self, recipient_ids: Iterable[str]) -> "Draft":
        """The draft after recipients were added by hand; the rows change."""
        return replace(self.with_wanted(dict.fromkeys(recipient_ids, True)), version=self.version + 1)

    def with_staged(self, wanted: dict[str, bool], *, origin: Origin) -> "Draft":
        """The draft with changes from elsewhere on top of what is staged; the rows change."""
        staged = self.with_wanted(wanted)
        return replace(staged, version=self.version + 1, origin=BY_HAND if staged.is_empty else origin)

    def part_shown(self, shown: "Draft", *, entered: frozenset[str]) -> "Draft":
        """The part of it that stood in `shown`, or was entered to be added with the press of Save itself.

        What was staged after the person saw the changes is no part of what they asked to be saved.
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
        """How many of the staged changes are not among these."""
        return len(self.add - add) + len(self.remove - remove)

    def discarded(self) -> "Draft":
        """The draft with nothing staged; the rows change."""
        return Draft(self.item, self.base, self.read_at, version=self.version + 1)

    def rebased(self, base: frozenset[str] | None, *, read_at: datetime) -> "Draft":
        """The draft against a newer read: what is so already is no longer staged; the rows change."""
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
