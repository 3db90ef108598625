"""Recipients that a person types, pastes or chooses in a field, singly or in groups.

A text is accepted as an id only if the id is known here or has the same form as the ids
in use. For any other text, the person has to decide what it means.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.cell_texts import holds_several
from item_visibility.lists.gs1_and_markets import (
    doubts,
    form_of,
    forms_in_use,
    has_digit,
    is_gln,
    is_location_number,
    is_number,
    split_item_id,
    writing,
)
from item_visibility.model.folding import folded
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.model.read_item import SeenItem
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import DoubtfulText, KnownNames, title_of

_Entry = str | DoubtfulText
"""An id, or a text about which the person has to decide."""
_OFFERED = 3
"""The most sets, items or recipients that are offered for a text."""
_SET = "set:"
_ITEM = "item:"
_SAME = "Same recipients as "
_CELL = re.compile(
    # In quotation marks, as in CSV files; "" is one mark.
    r'"((?:[^"]|"")+)"(?=[\s,;\ufeff]|$)'
    r"|([^\s,;\ufeff][^,;\ufeff\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*)"
)
"""A cell is the text between line ends, tabs, commas and semicolons.

It may contain spaces.
"""
_MARKS = ".:!?()[]<>'\"*"
_AND = frozenset({"and", "und", "or", "oder", "&"})
_MOST_WORDS = 8
"""A name has at most this many words, and a spaced number this many parts."""
_SENTENCE = 6
"""A sentence has at least this many words."""
_MOST_EXPLAINED = 20
"""Similar names are looked up for at most this many texts."""


@dataclass(frozen=True, slots=True)
class Group:
    """A recipient set, or the recipients of another item.

    A group that is only suggested has no recipients yet, and its `count` may be
    unknown.
    """

    id: str
    words: str
    count: int | None = None
    recipients: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen recipients, singly (`ids`) and in groups.

    `doubtful` are texts about which the person has to decide. `ignored` is prose that
    was pasted together with ids or names. `note` is a message about the last entry.
    """

    ids: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    doubtful: tuple[DoubtfulText, ...] = ()
    ignored: tuple[str, ...] = ()
    note: str = ""

    @property
    def everyone(self) -> frozenset[str]:
        """All chosen recipients, including those in groups."""
        return frozenset(chain(self.ids, *(group.recipients for group in self.groups)))

    @property
    def undecided(self) -> tuple[str, ...]:
        """The texts about which the person has to decide."""
        return tuple(doubt.text for doubt in self.doubtful)

    def with_ids(
        self, ids: Iterable[str], *, decided: Collection[str] = ()
    ) -> "Selection":
        """Return the selection with `ids`, without the doubtful texts in `decided`."""
        distinct = tuple(dict.fromkeys((*self.ids, *ids)))
        doubtful = tuple(doubt for doubt in self.doubtful if doubt.text not in decided)
        return replace(self, ids=distinct, doubtful=doubtful, note="")

    def with_group(self, group: Group) -> "Selection":
        """Return the selection with a group.

        It replaces an earlier group of the same set or item.
        """
        others = self.without_group(group.id).groups
        return replace(self, groups=(*others, group), note="")

    def without(self, recipient_id: str) -> "Selection":
        """Return the selection without this single recipient."""
        ids = tuple(own_id for own_id in self.ids if own_id != recipient_id)
        return replace(self, ids=ids, note="")

    def without_group(self, group_id: str) -> "Selection":
        """Return the selection without this group."""
        groups = tuple(group for group in self.groups if group.id != group_id)
        return replace(self, groups=groups, note="")


def add_entered(
    names: KnownNames,
    selection: Selection,
    text: str,
    *,
    listed: frozenset[str] = frozenset(),
) -> Selection:
    """Return the selection with the recipients that were found in a text.

    The text may be ids, names, a column of a spreadsheet, a sentence or an e-mail. An
    id is accepted if it is known, `listed`, already chosen, or of the same form as the
    ids in use. A name is accepted if exactly one recipient has it. If a cell contains
    words beside ids and names, the whole cell becomes doubtful.

    If the text contains a sentence, such words are ignored, but only names and GLNs are
    accepted, because other numbers may be amounts, dates or phone numbers.
    """
    # Read the text cell by cell.
    cells = [
        quoted.replace('""', '"') or bare.rstrip()
        for quoted, bare in _CELL.findall(text)
    ]
    is_message = any(map(_is_sentence, cells))
    reader = _Reader(names, listed, selection.ids, is_message=is_message)
    entries: list[_Entry] = []
    ignored: list[str] = []
    for cell in cells:
        in_cell, other_words = reader.split(cell)
        if not is_message:
            entries += _whole_or_parts(cell, in_cell, other_words)
            continue
        entries += in_cell
        if other_words:
            ignored.append(" ".join(other_words))

    # Offer similar names for the first doubtful texts that have no choices yet.
    ids = [entry for entry in entries if isinstance(entry, str)]
    new_doubts = [entry for entry in entries if isinstance(entry, DoubtfulText)]
    doubtful = {doubt.text: doubt for doubt in (*selection.doubtful, *new_doubts)}
    unexplained = [doubt for doubt in doubtful.values() if not doubt.alike]
    for doubt in unexplained[:_MOST_EXPLAINED]:
        nearest = names.nearest(Kind.RECIPIENT, doubt.text)
        doubtful[doubt.text] = replace(doubt, alike=nearest)

    count = len(listed.intersection(ids))
    return replace(
        selection.with_ids(ids),
        doubtful=tuple(doubtful.values()),
        ignored=tuple(ignored),
        note=f"{count:,} already listed" if count else "",
    )


def _whole_or_parts(
    cell: str, entries: list[_Entry], other_words: list[str]
) -> list[_Entry]:
    """Return what a cell means, in a text without sentences."""
    if not other_words and len(entries) <= 1:
        return entries

    # Ids and numbers are several entries. The numbers that are no ids are doubtful.
    are_ids = all(isinstance(entry, str) for entry in entries)
    if entries and are_ids and all(map(has_digit, other_words)):
        return [*entries, *map(DoubtfulText, other_words)]
    return [DoubtfulText(cell)]


def remarks_on(new: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return a warning for each new id that is unusual or looks like another id."""
    # For speed: usually nothing was entered, and the list may be long.
    if not new:
        return {}

    # Of the ids that look the same, remember the first one.
    first_alike: dict[str, str] = {}
    for own_id in (*sorted(listed), *new):
        first_alike.setdefault(writing(own_id), own_id)

    remarks = {}
    for own_id in new:
        reasons = [*doubts(own_id)]
        twin = first_alike[writing(own_id)]
        if twin != own_id:
            where = "in the list" if twin in listed else "entered too"
            reasons.append(f"looks like {twin}, which is {where}")
        if reasons:
            remarks[own_id] = "; ".join(reasons)
    return remarks


class _Reader:
    """Finds ids and names in the cells of a text."""

    def __init__(
        self,
        names: KnownNames,
        listed: frozenset[str],
        chosen: Collection[str],
        *,
        is_message: bool,
    ) -> None:
        self.is_message = is_message
        self._recipients = names.names_of(Kind.RECIPIENT)
        self._suppliers = names.names_of(Kind.SUPPLIER)
        self._declared = listed.union(chosen)
        self._forms = forms_in_use((*listed, *names.some_ids(Kind.RECIPIENT)))

    def split(self, cell: str) -> tuple[list[_Entry], list[str]]:
        """Find the longest ids and names in a cell.

        Return what they mean, and the remaining words. A text that clearly means one
        recipient becomes its id. Any other id or name becomes a doubtful text.
        """
        if whole := self._find(cell):
            return [whole], []

        words = cell.split()
        entries: list[_Entry] = []
        other_words: list[str] = []
        start = 0
        while start < len(words):
            entry, end = self._find_longest(words, start)
            if entry:
                entries.append(entry)
            elif words[start].casefold() not in _AND:
                other_words.append(words[start])
            start = end
        return entries, other_words

    def _find_longest(self, words: list[str], start: int) -> tuple[_Entry | None, int]:
        """Return the longest id or name that begins at this word, and its end.

        Without one, return None and the end of the word.
        """
        for end in range(min(len(words), start + _MOST_WORDS), start, -1):
            phrase = " ".join(words[start:end])
            if self.is_message:
                phrase = phrase.strip(_MARKS)
            beside = words[max(start - 1, 0) : start] + words[end : end + 1]
            if entry := self._find(phrase, beside):
                return entry, end
        return None, start + 1

    def _find(self, text: str, beside: Sequence[str] = ()) -> _Entry | None:
        """Return the recipient's id or a doubtful text.

        Returns None if the text is neither an id nor a name. `beside` are the words
        next to the text. A name beside words other than "and" and "or" is doubtful.
        """
        number = text
        is_alone = all(word.casefold() in _AND for word in beside)
        if self._is_known(text):
            is_sure = is_alone or not self.is_message
        elif rows := self._recipients.called(text):
            if is_alone and len(rows) == 1:
                return rows[0].id
            return DoubtfulText(text, rows[:_OFFERED], is_name=True)
        else:
            number = "".join(text.split())
            is_sure = not self.is_message
            if not self._has_form(text, number):
                return None

        if is_sure or is_gln(number):
            return number
        row = self._recipients.by_ids.get((number,), NameRow((number,)))
        return DoubtfulText(number, (row,))

    def _has_form(self, text: str, number: str) -> bool:
        """Return True if the text has the form of a recipient's id.

        `number` is the text without spaces.
        """
        # In a message, the number of a supplier does not mean a recipient.
        if self.is_message and (number,) in self._suppliers.by_ids:
            return False
        if holds_several(text, self._is_known):
            return False
        if number == text:
            return form_of(text) in self._forms or is_location_number(text)

        # Digits with spaces are one number, unless the parts are ids themselves.
        is_one = is_number(number) and not any(map(self._is_known, text.split()))
        return is_one and (self._is_known(number) or is_gln(number))

    def _is_known(self, text: str) -> bool:
        return text in self._declared or (text,) in self._recipients.by_ids


def _is_sentence(cell: str) -> bool:
    """True for several words, most of them without a digit."""
    words = cell.split()
    return len(words) >= _SENTENCE and sum(map(has_digit, words)) * 2 < len(words)


def _set_group(stored: StoredSet) -> Group:
    return Group(
        f"{_SET}{stored.name}",
        f"Set {stored.name}",
        len(stored.recipients),
        stored.recipients,
    )


def _item_group(item: NameRow, count: int | None) -> Group:
    return Group(f"{_ITEM}{item.id}", f"{_SAME}{title_of(item)}", count)


def offered_groups(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return a few sets and items whose names match the text, sets first.

    For an empty text, return the first sets and items. If our own database cannot be
    used, return no groups.
    """
    name = folded(text.strip())
    stored_sets = or_else((), desk.records.sets.all)
    sets = [
        group for group in map(_set_group, stored_sets) if name in folded(group.words)
    ]

    # Sets that begin with the text come first.
    beginnings = (name, f"set {name}")
    sets.sort(key=lambda group: not folded(group.words).startswith(beginnings))

    items = _items_like(desk, item, name.removeprefix(_SAME.lower()))
    return (*sets[:_OFFERED], *items)


def open_group(desk: Desk, item: ItemKey, choice_id: str) -> Group:
    """Return the group with its current recipients.

    For an item, its list is read from the service. Raises NotPossibleError,
    RecordsError, IdentifierError, TokenError, CallError, SignInError and RoleError.
    """
    if choice_id.startswith(_SET):
        return _set_group(desk.records.sets.open(choice_id.removeprefix(_SET)))

    other = ItemKey(item.supplier, choice_id.removeprefix(_ITEM))
    recipients = desk.read(other).listed
    row = desk.names.chosen(Kind.ITEM, other.supplier_item_id, supplier=other.supplier)
    return replace(_item_group(row, len(recipients)), recipients=recipients)


def _items_like(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return other items of the supplier that match the text.

    Items with the same number in other markets come first (note N2). Items without
    recipients are left out.
    """
    # Search for the text, first together with the item's number.
    names = desk.names
    supplier = item.supplier
    parts = split_item_id(item.supplier_item_id)
    searches = [f"{parts.number} {text}" if parts else "", text]
    matches = [names.find(Kind.ITEM, search, supplier=supplier) for search in searches]
    if not text:
        matches.append(names.first(Kind.ITEM, supplier=supplier))

    others: dict[ItemKey, NameRow] = {}
    for match in matches:
        if not match.are_near:
            others |= {ItemKey(*row.ids): row for row in match.choices}
    others.pop(item, None)

    # Leave out the items whose last list was empty.
    first = dict(islice(others.items(), _OFFERED))
    seen = or_else(dict[ItemKey, SeenItem](), lambda: desk.records.seen.lists(first))
    groups = []
    for other, row in first.items():
        count = len(seen[other].recipients or ()) if other in seen else None
        if count != 0:
            groups.append(_item_group(row, count))
    return tuple(groups)
