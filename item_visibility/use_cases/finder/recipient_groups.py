"""Recipients that are chosen together: those of a recipient set, or of another item of the same supplier."""

from collections.abc import Callable
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.preview import ReadItem
from item_visibility.lists.numbers.trade_numbers import split_item_id
from item_visibility.storage.database.folding import folded
from item_visibility.storage.directory.named_rows import Kind
from item_visibility.storage.fallback import or_else
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.finder.find_by_name import Choice, Finder
from item_visibility.use_cases.sets import SetDesk

_OFFERED = 3
"""The limit of sets, and of items, that are offered for a text."""
_SET, _ITEM = "set:", "item:"
_SET_WORDS = ("set",)
_ITEM_WORDS = ("same", "recipients", "as")


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """A group that can be chosen, in words. `count` is the number of its recipients, None when unknown."""

    id: str
    words: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A chosen group with its recipients at that time. `set_name` is empty for an item."""

    choice: GroupChoice
    recipients: frozenset[str]
    set_name: str = ""


class RecipientGroups:
    """Offers groups of recipients for an item, and opens them."""

    def __init__(
        self,
        finder: Finder,
        records: ServiceRecords,
        sets: SetDesk,
        *,
        read: Callable[[ItemKey], ReadItem],
    ) -> None:
        self._finder = finder
        self._records = records
        self._sets = sets
        self._read = read

    def offered(self, item: ItemKey, text: str) -> tuple[GroupChoice, ...]:
        """Return a few groups whose names fit the text, sets first; the first ones for an empty text.

        Without our own database there are none.
        """
        return (*self._sets_like(text), *self._items_like(item, text))

    def open(self, item: ItemKey, choice_id: str) -> Group:
        """Return the group with its recipients now: the stored set, or what a read of the other item shows.

        Raises SetError, RecordsError, IdentifierError, TokenError, CallError, SignInError and RoleError.
        """
        if choice_id.startswith(_SET):
            stored = self._sets.open(choice_id.removeprefix(_SET))
            return Group(_set_choice(stored.name, len(stored.recipients)), stored.recipients, stored.name)
        other = ItemKey(item.supplier, choice_id.removeprefix(_ITEM))
        recipients = self._read(other).recipients or frozenset()
        found = self._finder.chosen(Kind.ITEM, other.supplier_item_id, supplier=other.supplier)
        return Group(_item_choice(found, len(recipients)), recipients)

    def _sets_like(self, text: str) -> tuple[GroupChoice, ...]:
        wanted = folded(_without(text, _SET_WORDS))
        names = or_else((), self._records.sets.names)
        found = [name for name in names if wanted in folded(name)]
        found.sort(key=lambda name: not folded(name).startswith(wanted))
        stored = or_else([], lambda: [self._records.sets.named(name) for name in found[:_OFFERED]])
        return tuple(_set_choice(one.name, len(one.recipients)) for one in stored if one is not None)

    def _items_like(self, item: ItemKey, text: str) -> tuple[GroupChoice, ...]:
        """Return items that fit the text, those with the same number in other markets first. Note N2."""
        wanted = _without(text, _ITEM_WORDS)
        parts = split_item_id(item.supplier_item_id)
        first = self._finder.first(Kind.ITEM, supplier=item.supplier).choices
        found = [
            *(self._find(item, f"{parts.number} {wanted}") if parts else ()),
            *(self._find(item, wanted) if wanted else first),
        ]
        others = {one.ids: one for one in found if one.ids != (item.supplier, item.supplier_item_id)}
        offered = list(others.values())[:_OFFERED]
        items = [ItemKey(item.supplier, one.id) for one in offered]
        sizes = or_else({}, lambda: self._records.seen.sizes(items))
        choices = (_item_choice(one, sizes.get(key)) for one, key in zip(offered, items, strict=True))
        return tuple(one for one in choices if one.count != 0)

    def _find(self, item: ItemKey, text: str) -> tuple[Choice, ...]:
        found = self._finder.find(Kind.ITEM, text, supplier=item.supplier).choices
        return tuple(one for one in found if not one.is_near)


def _without(text: str, leading: tuple[str, ...]) -> str:
    """Return the text without the words that begin what is offered."""
    words = text.split()
    while words and words[0].casefold() in leading:
        words = words[1:]
    return " ".join(words)


def _set_choice(name: str, count: int) -> GroupChoice:
    return GroupChoice(f"{_SET}{name}", f"Set {name}", count)


def _item_choice(item: Choice, count: int | None) -> GroupChoice:
    called = " · ".join(filter(None, (item.name or item.id, item.market)))
    return GroupChoice(f"{_ITEM}{item.id}", f"Same recipients as {called}", count)
