"""The changes that a person has staged for one item, and not yet saved.

A draft holds intent: recipients to add and to remove. It never holds a whole list to send, so it does not
overwrite what somebody else changes meanwhile. Note N3.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.confirmation import Confirmation, confirmation_of
from item_visibility.changes.request import BY_HAND, Origin, SaveRequest


@dataclass(frozen=True, slots=True)
class Draft:
    """The list as read (`base`, at `read_at`) and the changes staged against it.

    `base` is None when the service had nothing recorded. `version` changes when the rows or ticks of the
    table must change: a tick in the table itself, or an addition, does not redraw it. It counts
    deterministically from 0, so that a browser's pending ticks survive a restart of the server. `add` never
    overlaps the base, and `remove` lies within it. `origin` is the source of all staged changes. Staging
    anything by hand on top makes the draft the person's own; unstaging does not. A recipient set stays named
    as long as any of it is staged.
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
    def confirmation(self) -> Confirmation | None:
        """The confirmation that a save of all this needs; None when it needs none."""
        return confirmation_of(before=len(self.recipients), removed=len(self.remove), added=len(self.add))

    def request(self, *, key: str, person: str = "", owner: str = "", reason: str = "") -> SaveRequest:
        """Return the request to save all that is staged; the person has typed the count, if any."""
        confirmation = self.confirmation
        is_large_removal = confirmation is not None and confirmation.is_removal
        return SaveRequest(
            key=key,
            item=self.item,
            base=self.base,
            add=self.add,
            remove=self.remove,
            person=person,
            reason=reason,
            confirmed_count=len(self.remove) if is_large_removal else None,
            origin=self.origin,
            owner=owner,
        )

    def with_wanted(self, wanted: dict[str, bool]) -> "Draft":
        """Return the draft after recipients were ticked (True) or unticked (False) in the table itself."""
        ticked = frozenset(recipient_id for recipient_id, is_wanted in wanted.items() if is_wanted)
        unticked = frozenset(wanted) - ticked
        add = (self.add - unticked) | (ticked - self.recipients)
        remove = (self.remove - ticked) | (unticked & self.recipients)
        is_part = bool(add or remove) and add <= self.add and remove <= self.remove
        is_kept = is_part or self.origin.outlasts(add | remove)
        return replace(self, add=add, remove=remove, origin=self.origin if is_kept else BY_HAND)

    def with_changed(self, wanted: dict[str, bool]) -> "Draft":
        """Return the draft after recipients were chosen (True) or not (False) by hand, beside the table."""
        return self._beside_table(self.with_wanted(wanted))

    def with_added(self, recipient_ids: Iterable[str]) -> "Draft":
        """Return the draft after recipients were added by hand."""
        return self.with_changed(dict.fromkeys(recipient_ids, True))

    def with_taken_back(self, recipient_id: str) -> "Draft":
        """Return the draft without the staged change of this recipient, if there is one."""
        return self.with_changed({recipient_id: recipient_id in self.recipients})

    def with_staged(self, wanted: dict[str, bool], *, origin: Origin) -> "Draft":
        """Return the draft with changes from elsewhere on top of the staged ones."""
        staged = self._beside_table(self.with_wanted(wanted))
        return replace(staged, origin=BY_HAND if staged.is_empty else origin)

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
        """Return the draft against a newer read, without changes already in place."""
        recipients = base or frozenset()
        add, remove = self.add - recipients, self.remove & recipients
        return self._beside_table(
            replace(
                self,
                base=self.base if base == self.base else base,
                read_at=read_at,
                add=add,
                remove=remove,
                origin=self.origin if add or remove else BY_HAND,
            )
        )

    def _beside_table(self, after: "Draft") -> "Draft":
        """Return `after`, with a new version if the table must show other rows or ticks."""
        is_same = after.base is self.base and after.remove == self.remove
        return after if is_same else replace(after, version=self.version + 1)
