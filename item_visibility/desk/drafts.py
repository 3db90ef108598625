"""Drafts that outlive a window: staged changes are there again after a refresh or a restart.

When our own database cannot be used, a draft lives as long as its window, and the person is told so.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import OthersChanges, SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.judge import others_changes
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.fallback import or_else
from item_visibility.records.stored_drafts import Drafts, StoredDraft

__all__ = ["DraftDesk", "ResumedDraft", "StoredDraft", "taken_in"]


@dataclass(frozen=True, slots=True)
class ResumedDraft:
    """An earlier draft, compared with the list as it is now.

    `left` is the draft as it is stored, `updated_at` the time of its last change, and `draft` the part
    that is still to be done.
    """

    left: Draft
    updated_at: datetime
    draft: Draft

    @property
    def in_place(self) -> tuple[str, ...]:
        """The staged recipients that are already in place without a save of the draft."""
        return tuple(sorted((self.left.add - self.draft.add) | (self.left.remove - self.draft.remove)))

    @property
    def others(self) -> OthersChanges:
        """Changes to the list since the draft was left."""
        return others_changes(self.left.base, self.draft.recipients)


class DraftDesk:
    """The drafts of one environment. Each belongs to an owner: a person, or a browser where nobody signs in.

    A draft is kept for an editor only, and for nobody else's sake. It is kept also when the sign-in has just
    ended: it is there after the next one.
    """

    def __init__(self, drafts: Drafts, *, doorkeeper: Doorkeeper, clock: Callable[[], datetime]) -> None:
        self._drafts = drafts
        self._doorkeeper = doorkeeper
        self._clock = clock

    def keep(self, before: Draft, after: Draft, *, owner: str, taken_over_at: datetime | None = None) -> bool:
        """Store the owner's change from `before`, the last stored draft, to `after`; False if it cannot.

        Writes nothing if nothing staged changed, or if the draft was taken over at another time than the
        owner knows of.
        """
        if _is_kept_alike(before, after):
            return True
        editor = self._doorkeeper.editor_with(owner)
        if editor is None:
            return False
        return or_else(
            False,  # noqa: FBT003  (a value, no switch)
            lambda: self._drafts.apply(
                before,
                after,
                owner=owner,
                updated_at=self._clock(),
                taken_over_at=taken_over_at,
                staged_by=editor.name_to_others,
            ),
        )

    def resume(
        self, item: ItemKey, base: frozenset[str] | None, *, owner: str, read_at: datetime
    ) -> ResumedDraft | None:
        """Return the owner's draft of the item, against the list as just read; None if there is none.

        A draft that is already fully in place is over, and deleted.
        """
        stored = or_else(None, lambda: self._drafts.draft(item, owner=owner))
        if stored is None:
            return None
        draft = replace(stored.draft.rebased(base, read_at=read_at), version=0)
        if draft.is_empty:
            self.keep(stored.draft, draft, owner=owner, taken_over_at=self.taken_over_at(item, owner=owner))
        return ResumedDraft(stored.draft, stored.updated_at, draft)

    def latest(self, owner: str, *, limit: int = 20) -> tuple[StoredDraft, ...]:
        """Return the owner's open drafts, last changed first."""
        return or_else((), lambda: self._drafts.latest(owner, limit=limit))

    def of_others(
        self, owner: str, *, item: ItemKey | None = None, limit: int = 5
    ) -> tuple[StoredDraft, ...]:
        """Return drafts of other owners, on one item or on any, last changed first."""
        return or_else((), lambda: self._drafts.of_others(owner, item=item, limit=limit))

    def take_over(self, wanted: StoredDraft, *, owner: str) -> bool:
        """Make another's draft this owner's. Return False and change nothing if it is gone.

        Raises SignInError and RoleError, and RecordsError: then it is not known whose the draft is.
        """
        person = self._doorkeeper.admit(Role.EDITOR)
        return self._drafts.take_over(
            wanted, owner=owner, taken_over_at=self._clock(), staged_by=person.name_to_others
        )

    def taken_over_at(self, item: ItemKey, *, owner: str) -> datetime | None:
        """Return when the owner's draft of the item was taken over elsewhere; None when it was not."""
        return or_else(None, lambda: self._drafts.taken_over_at(item, owner=owner))

    def settle(self, request: SaveRequest, result: SaveResult) -> None:
        """Remove from the draft what a save made or found in place, even if no window waits for it."""
        if not request.owner:
            return
        asked = Draft(
            request.item,
            request.base,
            result.started_at,
            add=request.add,
            remove=request.remove,
            origin=request.origin,
        )
        after = taken_in(asked, request, result)
        if not _is_kept_alike(asked, after):
            now = self._clock()
            or_else(None, lambda: self._drafts.settle(asked, after, owner=request.owner, updated_at=now))


def taken_in(draft: Draft, request: SaveRequest, result: SaveResult) -> Draft:
    """Return the draft against the save's last read; unchanged if the save could read nothing.

    Changes staged or taken back after Save was pressed are staged against the save's outcome.
    """
    if result.after is not None:
        rebased = draft.rebased(result.after, read_at=result.ended_at)
    elif result.before is not None:
        rebased = draft.rebased(result.before, read_at=result.started_at)
    else:
        return draft
    there = rebased.recipients
    taken_back = dict.fromkeys((request.add - draft.wanted) & there, False)
    taken_back |= dict.fromkeys((request.remove & draft.wanted) - there, True)
    return rebased.with_changed(taken_back) if taken_back else rebased


def _is_kept_alike(before: Draft, after: Draft) -> bool:
    """True when storing either draft has the same effect."""
    if before.is_empty and after.is_empty:
        return True
    kept = (before.base, before.add, before.remove, before.origin)
    return kept == (after.base, after.add, after.remove, after.origin)
