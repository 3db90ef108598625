"""Recipients that a person types, pastes or chooses in a field, singly or in groups.

A text is accepted as an id only if the id is known here or has the same form as the ids in use. For any
other text, the person has to decide what it means.
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
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Kind, StoredSet
from item_visibility.storage.name_search import NameRow, folded
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import DoubtfulText, KnownNames, title_of

_OFFERED = 3
"""The most sets, items or recipients that are offered for a text."""
_SET, _ITEM = "set:", "item:"
_SAME = "Same recipients as "
_CELL = re.compile(
    r'"((?:[^"]|"")+)"(?=[\s,;\ufeff]|$)'  # in quotation marks, as in CSV files; "" is one mark
    r"|([^\s,;\ufeff][^,;\ufeff\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*)"
)
"""A cell is the text between line ends, tabs, commas and semicolons. It may contain spaces."""
_MARKS = ".:!?()[]<>'\"*"
_AND = frozenset({"and", "und", "or", "oder", "&"})
_MOST_WORDS = 8
"""A name has at most this many words, and a number written with spaces at most this many parts."""
_SENTENCE = 6
"""A sentence has at least this many words."""
_MOST_EXPLAINED = 20
"""Similar names are looked up for at most this many texts."""


@dataclass(frozen=True, slots=True)
class Group:
    """A recipient set, or the recipients of another item.

    A group that is only suggested has no recipients yet, and its `count` may be unknown.
    """

    id: str
    words: str
    count: int | None = None
    recipients: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen recipients, singly (`ids`) and in groups.

    `doubtful` are texts about which the person has to decide. `ignored` is prose that was pasted together
    with ids or names. `note` is a message about the last entry.
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
        return tuple(one.text for one in self.doubtful)

    def with_ids(self, ids: Iterable[str], *, decided: Collection[str] = ()) -> "Selection":
        """Return the selection with `ids` added, and without the doubtful texts in `decided`."""
        doubtful = tuple(one for one in self.doubtful if one.text not in decided)
        return replace(self, ids=tuple(dict.fromkeys((*self.ids, *ids))), doubtful=doubtful, note="")

    def with_group(self, group: Group) -> "Selection":
        """Return the selection with a group. It replaces an earlier group of the same set or item."""
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
    """Return the selection with the recipients that were found in a text.

    The text may be ids, names, a column of a spreadsheet, a sentence or an e-mail. An id is accepted if it is
    known, `listed`, already chosen, or of the same form as the ids in use. A name is accepted if exactly one
    recipient has it. If a cell contains words beside ids and names, the whole cell becomes doubtful.

    If the text contains a sentence, such words are ignored, but only names and GLNs are accepted, because
    other numbers may be amounts, dates or phone numbers.
    """
    cells = [quoted.replace('""', '"') or bare.rstrip() for quoted, bare in _CELL.findall(text)]
    reader = _Reader(names, listed, selection.ids, is_message=any(map(_is_sentence, cells)))
    found, ignored = list[str | DoubtfulText](), list[str]()
    for cell in cells:
        some, left = reader.split(cell)
        if reader.is_message:
            ignored += [" ".join(left)] if left else []
        elif some and all(isinstance(one, str) for one in some) and all(map(has_digit, left)):
            some += map(DoubtfulText, left)
        elif left or len(some) > 1:
            some = [DoubtfulText(cell)]
        found += some
    ids = [one for one in found if isinstance(one, str)]
    asked = [one for one in found if isinstance(one, DoubtfulText)]
    doubtful = {one.text: one for one in (*selection.doubtful, *asked)}
    for one in [one for one in doubtful.values() if not one.alike][:_MOST_EXPLAINED]:
        doubtful[one.text] = replace(one, alike=names.nearest(Kind.RECIPIENT, one.text))
    count = len(listed.intersection(ids))
    return replace(
        selection.with_ids(ids),
        doubtful=tuple(doubtful.values()),
        ignored=tuple(ignored),
        note=f"{count:,} already listed" if count else "",
    )


def remarks_on(new: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return a warning for each new id that is unusual or looks like another id."""
    if not new:
        return {}  # for speed: usually nothing was entered, and the list may be long
    looks: dict[str, str] = {}
    for one in (*sorted(listed), *new):
        looks.setdefault(writing(one), one)
    remarks = {}
    for one in new:
        twin = looks[writing(one)]
        where = "in the list" if twin in listed else "entered too"
        alike = () if twin == one else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(one), *alike):
            remarks[one] = "; ".join(reasons)
    return remarks


class _Reader:
    """Finds ids and names in the cells of a text."""

    def __init__(
        self, names: KnownNames, listed: frozenset[str], chosen: Collection[str], *, is_message: bool
    ) -> None:
        self.is_message = is_message
        self._recipients = names.names_of(Kind.RECIPIENT)
        self._suppliers = names.names_of(Kind.SUPPLIER)
        self._declared = listed.union(chosen)
        self._forms = forms_in_use((*listed, *names.some_ids(Kind.RECIPIENT)))

    def split(self, cell: str) -> tuple[list[str | DoubtfulText], list[str]]:
        """Find the longest ids and names in a cell. Return what they mean, and the remaining words.

        A text that clearly means one recipient becomes its id. Any other id or name becomes a doubtful text.
        """
        if known := self._find(cell):
            return [known], []
        words = cell.split()
        found, left, start = list[str | DoubtfulText](), list[str](), 0
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

    def _find(self, text: str, beside: Sequence[str] = ()) -> str | DoubtfulText | None:
        """Return the recipient's id, a doubtful text, or None if the text is neither an id nor a name.

        `beside` are the words next to the text. A name beside words other than "and" and "or" is doubtful.
        """
        number, is_alone = text, all(word.casefold() in _AND for word in beside)
        if self._is_known(text):
            is_sure = is_alone or not self.is_message
        elif rows := self._recipients.called(text):
            is_sure = is_alone and len(rows) == 1
            return rows[0].id if is_sure else DoubtfulText(text, rows[:_OFFERED], is_name=True)
        else:
            number, is_sure = "".join(text.split()), not self.is_message
            if not self._has_form(text, number):
                return None
        if is_sure or is_gln(number):
            return number
        return DoubtfulText(number, (self._recipients.by_ids.get((number,), NameRow((number,))),))

    def _has_form(self, text: str, number: str) -> bool:
        """Return True if the text has the form of a recipient's id. `number` is the text without spaces."""
        if self.is_message and (number,) in self._suppliers.by_ids:
            return False
        if holds_several(text, self._is_known):
            return False
        if number == text:
            return form_of(text) in self._forms or is_location_number(text)
        is_one = is_number(number) and not any(map(self._is_known, text.split()))
        return is_one and (self._is_known(number) or is_gln(number))

    def _is_known(self, text: str) -> bool:
        return text in self._declared or (text,) in self._recipients.by_ids


def _is_sentence(cell: str) -> bool:
    """True for several words, most of them without a digit."""
    words = cell.split()
    return len(words) >= _SENTENCE and sum(map(has_digit, words)) * 2 < len(words)


def _set_group(stored: StoredSet) -> Group:
    return Group(f"{_SET}{stored.name}", f"Set {stored.name}", len(stored.recipients), stored.recipients)


def _item_group(item: NameRow, count: int | None) -> Group:
    return Group(f"{_ITEM}{item.id}", f"{_SAME}{title_of(item)}", count)


def offered_groups(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return a few sets and items whose names match the text, sets first.

    For an empty text, return the first sets and items. If our own database cannot be used, return no groups.
    """
    name = folded(text.strip())
    sets = [one for one in map(_set_group, or_else((), desk.records.sets.all)) if name in folded(one.words)]
    sets.sort(key=lambda one: not folded(one.words).startswith((name, f"set {name}")))
    return (*sets[:_OFFERED], *_items_like(desk, item, name.removeprefix(_SAME.lower())))


def open_group(desk: Desk, item: ItemKey, choice_id: str) -> Group:
    """Return the group with its current recipients. For an item, its list is read from the service.

    Raises NotPossibleError, RecordsError, IdentifierError, TokenError, CallError, SignInError and RoleError.
    """
    if choice_id.startswith(_SET):
        return _set_group(desk.records.sets.open(choice_id.removeprefix(_SET)))
    other = ItemKey(item.supplier, choice_id.removeprefix(_ITEM))
    recipients = desk.read(other).listed
    row = desk.names.chosen(Kind.ITEM, other.supplier_item_id, supplier=other.supplier)
    return replace(_item_group(row, len(recipients)), recipients=recipients)


def _items_like(desk: Desk, item: ItemKey, text: str) -> tuple[Group, ...]:
    """Return other items of the supplier that match the text.

    Items with the same number in other markets come first (note N2). Items that nobody can see are left out.
    """
    names, supplier = desk.names, item.supplier
    parts = split_item_id(item.supplier_item_id)
    texts = (f"{parts.number} {text}" if parts else "", text)
    matches = [names.find(Kind.ITEM, one, supplier=supplier) for one in texts]
    matches += [] if text else [names.first(Kind.ITEM, supplier=supplier)]
    found = {ItemKey(*row.ids): row for one in matches if not one.are_near for row in one.choices}
    found.pop(item, None)
    first = dict(islice(found.items(), _OFFERED))
    seen = or_else(dict[ItemKey, SeenItem](), lambda: desk.records.seen.lists(first))
    counts = {key: len(one.recipients or ()) for key, one in seen.items()}
    return tuple(_item_group(row, counts.get(key)) for key, row in first.items() if counts.get(key) != 0)
