"""The recipients on an item's page, and their order: names first, and the staged ones apart."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from item_visibility.changes.draft import Draft

STAGED_IN_SIGHT = 10
"""The number of staged changes that are shown one by one."""


@dataclass(frozen=True, slots=True)
class StagedInSight:
    """The staged changes that are shown one by one, and the number of all others."""

    adding: tuple[str, ...]
    removing: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a long list; pages are counted from 1."""

    rows: tuple[str, ...]
    number: int
    pages: int


def by_name(ids: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return those with a name in its order, then the others in that of their numbers."""
    return tuple(sorted(ids, key=lambda one: (one not in names, names.get(one, "").casefold(), one)))


def staged_in_sight(draft: Draft, *, limit: int = STAGED_IN_SIGHT) -> StagedInSight:
    """Return the first staged changes. Neither kind pushes the other out of sight."""
    removing = nsmallest(max(limit // 2, limit - len(draft.add)), draft.remove)
    adding = nsmallest(limit - len(removing), draft.add)
    more = len(draft.add) + len(draft.remove) - len(adding) - len(removing)
    return StagedInSight(tuple(adding), tuple(removing), more)


def page_of_list(rows: tuple[str, ...], *, number: int, size: int) -> ListPage:
    """Return this page, or the last one when there are fewer pages."""
    pages = max(1, -(-len(rows) // size))
    number = min(max(number, 1), pages)
    return ListPage(rows[(number - 1) * size : number * size], number, pages)
