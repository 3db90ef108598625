"""Recipients that a person types, pastes or chooses in a field, alone or in groups.

A text never becomes a number by chance. A number is known here, or has the form of those in use; any other
text is a question to the person.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.numbers import split_item_id
from item_visibility.lists.paste import DoubtfulText, EnteredIds
from item_visibility.storage.directory import Kind, StoredSet, folded
from item_visibility.storage.fallback import or_else
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice

_OFFERED = 3
"""The limit of sets, and of items, that are offered for a text."""
_SET, _ITEM = "set:", "item:"
_LEADING_WORDS = {_SET: ("set",), _ITEM: ("same", "recipients", "as")}


@dataclass(frozen=True, slots=True)
class Group:
    """A recipient set, or the recipients of an item, in words. `count` is None when it is not known.

    One that is only offered has no recipients yet.
    """

    id: str
    words: str
    count: int | None = None
    recipients: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen recipients in their order, each once, alone or in a group.

    `doubtful` are texts that wait for a decision, `ignored` is the prose that was pasted with the rest, and
    `note` says something about the last entry.
    """

    ids: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    doubtful: tuple[DoubtfulText, ...] = ()
    ignored: tuple[str, ...] = ()
    note: str = ""

    @property
    def everyone(self) -> frozenset[str]:
        """All recipients, single ones and those in groups."""
        return frozenset(chain(self.ids, *(group.recipients for group in self.groups)))

    def with_ids(self, ids: Iterable[str], *, settled: Collection[str] = ()) -> "Selection":
        """Return the selection with more single recipients. Settled texts no longer need a decision."""
        doubtful = tuple(one for one in self.doubtful if one.text not in settled)
        return replace(self, ids=tuple(dict.fromkeys((*self.ids, *ids))), doubtful=doubtful, note="")

    def with_entered(self, entered: EnteredIds) -> "Selection":
        """Return the selection with the entered ids. Only the prose of the last text is kept."""
        doubtful = {one.text: one for one in (*self.doubtful, *entered.doubtful)}
        return replace(self.with_ids(entered.ids), doubtful=tuple(doubtful.values()), ignored=entered.ignored)

    def with_group(self, group: Group) -> "Selection":
        """Return the selection with a group, in place of an earlier one of the same item or set."""
        return replace(self, groups=(*self.without_group(group.id).groups, group), note="")

    def without(self, recipient_id: str) -> "Selection":
        """Return the selection without this single recipient."""
        return replace(self, ids=tuple(one for one in self.ids if one != recipient_id), note="")

    def without_group(self, group_id: str) -> "Selection":
        """Return the selection without this group."""
        return replace(self, groups=tuple(one for one in self.groups if one.id != group_id), note="")


def _name_in(text: str, group: str) -> str:
    """Return the text without the words that begin what is offered."""
    words = text.split()
    while words and words[0].casefold() in _LEADING_WORDS[group]:
        words = words[1:]
    return " ".join(words)


def _set_group(stored: StoredSet) -> Group:
    return Group(f"{_SET}{stored.name}", f"Set {stored.name}", len(stored.recipients), stored.recipients)


def _item_group(item: Choice, count: int | None) -> Group:
    called = " · ".join(filter(None, (item.name or item.id, item.market)))
    return Group(f"{_ITEM}{item.id}", f"Same recipients as {called}", count)


def offered_groups(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return a few groups whose names fit the text, sets first; the first ones for an empty text.

    Returns none without our own database.
    """
    name = folded(_name_in(text, _SET))
    sets = [one for one in or_else((), desk.records.sets.all) if name in folded(one.name)]
    sets.sort(key=lambda one: not folded(one.name).startswith(name))
    return (*map(_set_group, sets[:_OFFERED]), *_items_like(desk, item, text))


def open_group(desk: Desk, item: ItemKey, choice_id: str) -> Group:
    """Return the group with its recipients now: the stored set, or what a read of the other item shows.

    Raises SetError, RecordsError, IdentifierError, TokenError, CallError, SignInError and RoleError.
    """
    if choice_id.startswith(_SET):
        stored = desk.sets.open(choice_id.removeprefix(_SET))
        return _set_group(stored)
    other = ItemKey(item.supplier, choice_id.removeprefix(_ITEM))
    recipients = desk.read(other).listed
    found = desk.names.chosen(Kind.ITEM, other.supplier_item_id, supplier=other.supplier)
    return replace(_item_group(found, len(recipients)), recipients=recipients)


def _items_like(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return items that fit the text, those with the same number in other markets first. Note N2."""
    wanted = _name_in(text, _ITEM)
    parts = split_item_id(item.supplier_item_id)
    found = list(_find(desk, item, f"{parts.number} {wanted}")) if parts else []
    first = desk.names.first
    found += _find(desk, item, wanted) if wanted else first(Kind.ITEM, supplier=item.supplier).choices
    others = {one.ids: one for one in found if one.ids != (item.supplier, item.supplier_item_id)}
    items = {ItemKey(item.supplier, one.id): one for one in list(others.values())[:_OFFERED]}
    seen = or_else(dict[ItemKey, SeenItem](), lambda: desk.records.seen.lists(items))
    sizes = {key: len(one.recipients or ()) for key, one in seen.items()}
    return tuple(_item_group(one, sizes.get(key)) for key, one in items.items() if sizes.get(key) != 0)


def _find(desk: Desk, item: ItemKey, text: str) -> tuple[Choice, ...]:
    found = desk.names.find(Kind.ITEM, text, supplier=item.supplier).choices
    return tuple(one for one in found if not one.is_near)
