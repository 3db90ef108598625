"""Recipients that a person types, pastes or chooses in a field, alone or in groups.

A text never becomes a number by chance. A number is known here, or has the form of those in use; any other
text is a question to the person.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.gs1 import (
    doubts,
    form_of,
    forms_in_use,
    has_digit,
    is_gln,
    is_location_number,
    is_number,
    look_without_zeros,
    split_item_id,
)
from item_visibility.storage.directory import Kind, StoredSet
from item_visibility.storage.fallback import or_else
from item_visibility.storage.names import NameRow, folded
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice, KnownNames

_OFFERED = 3
"""The limit of sets, of items, and of recipients with one name, that are offered for a text."""
_SET, _ITEM = "set:", "item:"
_LEADING_WORDS = {_SET: ("set",), _ITEM: ("same", "recipients", "as")}
_GROUP = re.compile(
    r'"((?:[^"]|"")+)"(?=[\s,;\ufeff]|$)'  # as spreadsheets and CSV files quote; "" is one mark
    r"|([^\s,;\ufeff][^,;\ufeff\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*)"
)
"""A text between line ends, tabs, commas, semicolons and byte order marks. It may contain spaces."""
_MARKS = ".:!?()[]<>'\"*"
_AND = frozenset({"and", "und", "or", "oder", "&"})
_MOST_WORDS = 8
"""The limit of words in a name, and of parts in a number that is written with spaces."""
_SENTENCE = 6
"""A group of so many words is a sentence."""
_MOST_EXPLAINED = 20
"""The limit of texts for which the nearest names are looked up."""


@dataclass(frozen=True, slots=True)
class DoubtfulText:
    """A text that may be an id or a name, with the ids and names of known recipients that it may mean.

    `is_name` when all of them have exactly this name. `why_not` says why it cannot be an id.
    """

    text: str
    alike: tuple[tuple[str, str], ...] = ()
    is_name: bool = False
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A recipient set, or the recipients of an item, in words. `count` is None when it is not known.

    A group that is only suggested has no recipients yet.
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

    @property
    def undecided(self) -> tuple[str, ...]:
        """The texts that wait for a decision."""
        return tuple(one.text for one in self.doubtful)

    def with_ids(self, ids: Iterable[str], *, settled: Collection[str] = ()) -> "Selection":
        """Return the selection with more single recipients. Settled texts no longer need a decision."""
        doubtful = tuple(one for one in self.doubtful if one.text not in settled)
        return replace(self, ids=tuple(dict.fromkeys((*self.ids, *ids))), doubtful=doubtful, note="")

    def with_group(self, group: Group) -> "Selection":
        """Return the selection with a group, in place of an earlier one of the same item or set."""
        return replace(self, groups=(*self.without_group(group.id).groups, group), note="")

    def without(self, recipient_id: str) -> "Selection":
        """Return the selection without this single recipient."""
        return replace(self, ids=tuple(one for one in self.ids if one != recipient_id), note="")

    def without_group(self, group_id: str) -> "Selection":
        """Return the selection without this group."""
        return replace(self, groups=tuple(one for one in self.groups if one.id != group_id), note="")


def add_entered(
    names: KnownNames, selection: Selection, text: str, *, listed: frozenset[str] = frozenset()
) -> Selection:
    """Return the selection with the recipients of a text: ids, names, a column, a sentence or an e-mail.

    An id is known, `listed` or chosen, or has the form of those in use. The full name of exactly one
    recipient means that recipient. Other words beside them are asked about together with them. In a text
    with sentences they are ignored, and only GLNs are added: other numbers may be amounts, days or phones.
    """
    groups = [quoted.replace('""', '"') or bare.rstrip() for quoted, bare in _GROUP.findall(text)]
    reader = _Reader(names, listed, selection.ids, is_message=any(map(_is_sentence, groups)))
    ids, asked, ignored = list[str](), dict[str, _Found](), list[str]()
    for group in groups:
        found, left = reader.split(group)
        if reader.is_message:
            ignored += [" ".join(left)] if left else []
        elif found and all(one.is_sure for one in found) and all(map(has_digit, left)):
            found += map(_Found, left)
        elif left or len(found) > 1:
            found = [_Found(group)]
        for one in found:
            if one.is_sure:
                ids.append(one.rows[0].ids[0])
            else:
                asked[one.text] = one
    doubtful = {one.text: one for one in selection.doubtful}
    for position, one in enumerate(asked.values()):
        alike = tuple((row.ids[0], row.name) for row in one.rows[:_OFFERED])
        if not alike and position < _MOST_EXPLAINED:
            alike = tuple((like.id, like.name) for like in names.nearest(Kind.RECIPIENT, one.text))
        why_not = refusal(one.text, name="recipient") or ""
        doubtful[one.text] = DoubtfulText(one.text, alike, is_name=one.is_name, why_not=why_not)
    count = len(listed.intersection(ids))
    return replace(
        selection.with_ids(ids),
        doubtful=tuple(doubtful.values()),
        ignored=tuple(ignored),
        note=f"{count:,} already listed" if count else "",
    )


def remarks_on(new: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return what to check about new ids: doubtful ones, and those that look like another one."""
    if not new:
        return {}  # the list may be long, and nothing is usually entered
    looks: dict[str, str] = {}
    for one in (*sorted(listed), *new):
        looks.setdefault(look_without_zeros(one), one)
    remarks = {}
    for one in new:
        twin = looks[look_without_zeros(one)]
        where = "in the list" if twin in listed else "entered too"
        alike = () if twin == one else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(one), *alike):
            remarks[one] = "; ".join(reasons)
    return remarks


@dataclass(frozen=True, slots=True)
class _Found:
    """A text that may be an id or a name, with the known recipients that it may mean.

    `is_sure`: it is added without asking. `is_name`: the recipients have exactly this name.
    """

    text: str
    rows: tuple[NameRow, ...] = ()
    is_sure: bool = False
    is_name: bool = False


class _Reader:
    """Finds ids and names in the groups of a text."""

    def __init__(
        self, names: KnownNames, listed: frozenset[str], chosen: Collection[str], *, is_message: bool
    ) -> None:
        self.is_message = is_message
        self._recipients = names.names_of(Kind.RECIPIENT)
        self._suppliers = names.names_of(Kind.SUPPLIER)
        self._declared = listed.union(chosen)
        self._forms = forms_in_use((*listed, *names.some_ids(Kind.RECIPIENT)))

    def split(self, group: str) -> tuple[list[_Found], list[str]]:
        """Return the longest ids and names in a group, and its other words."""
        if known := self._find(group):
            return [known], []
        words = group.split()
        found, left, start = list[_Found](), list[str](), 0
        while start < len(words):
            for end in range(min(len(words), start + _MOST_WORDS), start, -1):
                phrase = " ".join(words[start:end])
                beside = words[max(start - 1, 0) : start] + words[end : end + 1]
                if one := self._find(phrase.strip(_MARKS) if self.is_message else phrase, beside):
                    found.append(one)
                    start = end
                    break
            else:
                left += [words[start]] if words[start].casefold() not in _AND else []
                start += 1
        return found, left

    def _find(self, text: str, beside: Sequence[str] = ()) -> _Found | None:
        """Return the id, name or number that the text is. Words `beside` it put it in doubt."""
        if self._is_known(text):
            row = self._recipients.by_ids.get((text,), NameRow((text,)))
            return _Found(text, (row,), is_sure=not self.is_message or is_gln(text) or _are_and(beside))
        if rows := self._recipients.called([text]).get(text):
            return _Found(text, rows, is_sure=_are_and(beside) and len(rows) == 1, is_name=True)
        parts = text.split()
        number = "".join(parts)
        if parts[1:]:  # a number that is written with spaces
            is_one = is_number(number) and not any(map(self._is_known, parts))
            is_one = is_one and (self._is_known(number) or is_gln(number))
        else:
            is_one = form_of(text) in self._forms or is_location_number(text)
        if not is_one or (self.is_message and (number,) in self._suppliers.by_ids):
            return None
        return _Found(number, (NameRow((number,)),), is_sure=not self.is_message or is_gln(number))

    def _is_known(self, text: str) -> bool:
        return text in self._declared or (text,) in self._recipients.by_ids


def _are_and(words: Iterable[str]) -> bool:
    return all(word.casefold() in _AND for word in words)


def _is_sentence(group: str) -> bool:
    """True for several words, most of them without a digit."""
    words = group.split()
    return len(words) >= _SENTENCE and sum(map(has_digit, words)) * 2 < len(words)


def _name_in(text: str, group: str) -> str:
    """Return the text without the group's leading words."""
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
