"""The known items that a recipient can see, alone or compared: differences come first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.desk.known_names import title_of_item
from item_visibility.records.scans.seen_items import SeenItem


class Difference(StrEnum):
    """The difference of an item from what the recipient is compared with."""

    MISSING = "missing"
    EXTRA = "extra"
    NONE = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One known item. `can_see` is None while it is not known.

    `compared` says the same of what the recipient is compared with, in a word.
    """

    seen: SeenItem
    name: str
    can_see: bool | None
    compared: str = ""
    difference: Difference = Difference.NONE

    @property
    def item(self) -> ItemKey:
        """The item."""
        return self.seen.item


class Side(StrEnum):
    """The kind of the other side of a comparison."""

    NONE = ""
    RECIPIENT = "recipient"
    SET = "set"


@dataclass(frozen=True, slots=True)
class OtherSide:
    """The other side: another recipient by its number, or a set by its name and members."""

    side: Side = Side.NONE
    name: str = ""
    members: frozenset[str] = frozenset()


ALONE = OtherSide()


@dataclass(frozen=True, slots=True)
class Compared:
    """The answer of the other side for an item: whether the recipient should see it, and a word for it."""

    expected: bool | None
    words: str


Comparing = Callable[[SeenItem], Compared]
"""Compares one item."""


def alone(_seen: SeenItem) -> Compared:
    """Compare with nothing."""
    return Compared(None, "")


def with_recipient(other: str) -> Comparing:
    """Compare with what another recipient can see."""

    def compare(seen: SeenItem) -> Compared:
        can_see = seen.can_be_seen_by(other)
        return Compared(can_see, said(can_see=can_see))

    return compare


def with_set(members: frozenset[str], *, but: str) -> Comparing:
    """Compare with the other members of a set: an item of all is expected, one of none is not."""
    others = members - {but}

    def compare(seen: SeenItem) -> Compared:
        if not others or seen.recipients is None or others & seen.unsure:
            return Compared(None, said(can_see=None))
        seeing = len(others & seen.recipients)
        expected = {len(others): True, 0: False}.get(seeing)
        return Compared(expected, f"{seeing} of {len(others)}")

    return compare


def rows_of(recipient_id: str, items: Iterable[SeenItem], comparing: Comparing) -> tuple[ItemRow, ...]:
    """Return a row for each item: missing and extra ones first, then those that can be seen, by name."""
    return tuple(sorted((_row(recipient_id, seen, comparing(seen)) for seen in items), key=_in_order))


def additions(recipient_id: str, rows: Iterable[ItemRow]) -> tuple[BulkItem, ...]:
    """Return the changes that let the recipient see those of the items that it cannot see."""
    add = frozenset({recipient_id})
    return tuple(BulkItem(item=row.item, add=add) for row in rows if row.can_see is False)


def removals(recipient_id: str, rows: Iterable[ItemRow]) -> tuple[BulkItem, ...]:
    """Return the changes that take away those of the items that the recipient can see."""
    remove = frozenset({recipient_id})
    return tuple(BulkItem(item=row.item, remove=remove) for row in rows if row.can_see)


def said(*, can_see: bool | None) -> str:
    """Return the answer in a word."""
    return "Not known" if can_see is None else "Yes" if can_see else "No"


def _row(recipient_id: str, seen: SeenItem, compared: Compared) -> ItemRow:
    can_see = seen.can_be_seen_by(recipient_id)
    match (can_see, compared.expected):
        case (False, True):
            difference = Difference.MISSING
        case (True, False):
            difference = Difference.EXTRA
        case _:
            difference = Difference.NONE
    return ItemRow(
        seen=seen,
        name=title_of_item(seen),
        can_see=can_see,
        compared=compared.words,
        difference=difference,
    )


_DIFFERENCES = list(Difference)
_ANSWERS = [True, False, None]


def _in_order(row: ItemRow) -> tuple[int, int, str, tuple[str, str]]:
    first = _DIFFERENCES.index(row.difference)
    ids = (row.item.supplier, row.item.supplier_item_id)
    return first, _ANSWERS.index(row.can_see), row.name.casefold(), ids
