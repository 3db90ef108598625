"""Find ids and names in the directory. Note N15.

The names help people to enter ids. They are not permissions. While our own database cannot be used, all
names are unknown. A search finds words in any order, also parts of words, and ignores case and accents.
If it finds nothing, it allows typing errors.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import partial
from heapq import nsmallest
from itertools import chain

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.cell_texts import holds_several
from item_visibility.lists.gs1_and_markets import (
    codes_by_name,
    form_of,
    forms_in_use,
    is_item_number,
    is_location_number,
    is_trade_number,
    market_code,
    market_hint,
    market_name,
    split_item_id,
)
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.plan import ChangeKind, ChangeRequest
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Directory, Kind
from item_visibility.storage.name_search import (
    Ids,
    NameRow,
    Names,
    folded,
    name_words,
    number_in,
    plain_letters,
)
from item_visibility.storage.seen_lists import SeenItem

SHOWN = 8
"""The most matches that are shown."""
_NEAREST = 3
_SAMPLE = 200
"""The most ids that are examined for their usual forms, and the most names that are compared with a text."""
_SHORTEST_WORD, _SHORTEST_ID_PART = 3, 4
"""Shorter words, and shorter parts of an id, are not searched for, because they match too often."""
_MOST_WORDS = 8
_MOST_CHARACTERS = 200
_SHORTEST_WITH_ERRORS, _LONG_WORD = 4, 8
_ALIKE = 0.75
"""A mistyped word matches if its similarity is at least this: three of four letters must be right."""
_WHOLE, _BEGINNING, _PART = 1, 2, 3
"""The cost of a typed word that is a whole word of a name, the beginning of a word, or another part of it."""
_BEGINS_ALIKE, _IS_EQUAL = 10_000, 20_000
"""The bonus of a row that begins with the text, and the additional bonus of a row that equals it."""
Costs = dict[int, int]
"""Maps the positions of matching rows to the cost of the match. The best match has the lowest cost."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The best matches of a text, and how many more there are.

    `unique` is the only match, or the only match with exactly this id or name. `are_near` is True when the
    matches were found only by allowing typing errors.
    """

    choices: tuple[NameRow, ...] = ()
    more: int = 0
    unique: NameRow | None = None
    are_near: bool = False


@dataclass(frozen=True, slots=True)
class DoubtfulText:
    """A text about which the person has to decide.

    `alike` are known ids that the text may mean. If `is_name` is True, the text is the full name of each id.
    """

    text: str
    alike: tuple[NameRow, ...] = ()
    is_name: bool = False
    kind: Kind = Kind.RECIPIENT

    @property
    def why_not(self) -> str:
        """The reason why the text cannot be an id. Empty if it can be an id."""
        return refusal(self.text, name=self.kind.value) or ""


class KnownNames:
    """Finds ids and names in the directory of one environment."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._held: dict[Kind, Names] = {}

    def held(self) -> "KnownNames":
        """Return a copy for many look-ups. It does not check the database for newer names."""
        held = KnownNames(self._directory)
        held._held = {kind: self.names_of(kind) for kind in Kind}
        return held

    def find(self, kind: Kind, text: str, *, supplier: str | None = None) -> Matches:
        """Return the best matches of a text. `supplier` limits the search to the items of one supplier.

        Rows that are equal to the text come first, then rows that begin with it.
        """
        typed = text.strip()
        words = name_words(typed)[:_MOST_WORDS]
        if not words or len(text) > _MOST_CHARACTERS:
            return Matches()
        names = self.names_of(kind)
        wanted = names.positions(supplier)
        costs = [_costs(names, word) for word in words]
        found = _with_all_words(costs, wanted)
        if are_near := not found:
            costs = [_costs_with_errors(names, word) | one for word, one in zip(words, costs, strict=True)]
            found = _with_all_words(costs, wanted)
        name, own_id = folded(typed), plain_letters(typed)
        for bonus, better in (
            (_BEGINS_ALIKE, [*names.by_name.beginning(name), *names.by_own_id.beginning(own_id)]),
            (_IS_EQUAL, [*names.by_name.same(name), *names.by_own_id.same(own_id)]),
        ):
            found |= {at: found[at] - bonus for at in better if at in found}
        best = [names.rows[at] for _, at in nsmallest(SHOWN, zip(found.values(), found, strict=True))]
        by_id = [row for row in best if row.id == typed]
        meant = by_id or [row for row in best if row.folded_name == name] or best
        unique = meant[0] if len(meant) == 1 and not are_near else None
        return Matches(tuple(best), len(found) - len(best), unique, are_near)

    def nearest(self, kind: Kind, text: str, *, supplier: str | None = None) -> tuple[NameRow, ...]:
        """Return the most similar names among the names that match the most words."""
        names = self.names_of(kind)
        wanted = names.positions(supplier)
        words = [word for word in name_words(text) if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
        counts = Counter[int]()
        for word in words:
            found = _costs(names, word) or _costs_with_errors(names, word)
            counts.update(at for at in found if at in wanted)
        most = max(counts.values(), default=0)
        rows = [names.rows[at] for at in sorted(at for at in counts if counts[at] == most)[:_SAMPLE]]
        typed = folded(text)
        likeness = {row: SequenceMatcher(None, row.folded_name, typed).ratio() for row in rows}
        return tuple(nsmallest(_NEAREST, rows, key=lambda row: (-likeness[row], row.id)))

    def first(self, kind: Kind, *, supplier: str | None = None, limit: int = SHOWN) -> Matches:
        """Return the first rows in the order of their ids, for an empty field."""
        names = self.names_of(kind)
        positions = names.positions(supplier)
        first = tuple(names.rows[at] for at in positions[:limit])
        return Matches(first, len(positions) - len(first))

    def chosen(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> NameRow:
        """Return the id with its name, if it is known."""
        ids = _ids(kind, own_id, supplier)
        return self.names_of(kind).by_ids.get(ids, NameRow(ids))

    def is_known(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> bool:
        """True when the id was used or imported here."""
        return _ids(kind, own_id, supplier) in self.names_of(kind).by_ids

    def some_ids(self, kind: Kind, *, supplier: str | None = None) -> tuple[str, ...]:
        """Return a sample of the known ids."""
        return tuple(row.id for row in self.first(kind, supplier=supplier, limit=_SAMPLE).choices)

    def has_form(self, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
        """True when the text looks like a GLN, like a GTIN (with or without market) or like an id in use."""
        is_standard = is_item_number if kind is Kind.ITEM else is_location_number
        if holds_several(text, partial(self.is_known, kind, supplier=supplier)):
            return False
        return is_standard(text) or form_of(text) in forms_in_use(self.some_ids(kind, supplier=supplier))

    def read_one(self, kind: Kind, text: str, *, supplier: str | None = None) -> str | DoubtfulText:
        """Return the id that the text means, or the text as doubtful. An empty text is returned unchanged.

        A text means an id if it is a known id or the full name of only one known id, or looks like an id.
        """
        wanted = text.strip()
        for one in (text, wanted):
            if not one or self.is_known(kind, one, supplier=supplier):
                return one
        called = self.names_of(kind).called(wanted)
        ids = [row.id for row in called if supplier in {None, row.ids[0]}]
        if len(ids) == 1:
            return ids[0]
        doubt = DoubtfulText(wanted, self.nearest(kind, wanted, supplier=supplier), kind=kind)
        return wanted if not doubt.why_not and self.has_form(kind, wanted, supplier=supplier) else doubt

    def known_items(self, items: Iterable[ItemKey]) -> frozenset[ItemKey]:
        """Return only the items that were used or imported here."""
        by_ids = self.names_of(Kind.ITEM).by_ids
        return frozenset(one for one in items if (one.supplier, one.supplier_item_id) in by_ids)

    def items_with_number(self, number: str) -> tuple[NameRow, ...]:
        """Return the known items with this trade item number, in any market and of any supplier.

        Leading zeros of the number are ignored. If no item has it, return the items whose id is `number`.
        """
        wanted = _number_of(number)
        rows = self.names_of(Kind.ITEM).by_number.get(wanted, ())
        found = tuple(row for row in rows if _number_of(row.id) == wanted)
        return found or self.items_with_id(number)

    def items_with_id(self, own_id: str) -> tuple[NameRow, ...]:
        """Return the known items with exactly this supplier item id, of any supplier."""
        rows = self.names_of(Kind.ITEM).by_number.get(number_in(own_id), ())
        return tuple(row for row in rows if row.id == own_id)

    def names_of(self, kind: Kind) -> Names:
        """Return all known ids and names of this kind."""
        return self._held[kind] if kind in self._held else or_else(Names({}), self._directory[kind].current)

    def item_name(self, item: ItemKey) -> str:
        """Return the item's name and its market; empty when it has no name."""
        row = self.chosen(Kind.ITEM, item.supplier_item_id, supplier=item.supplier)
        return title_of(row) if row.name else ""

    def item_title(self, item: ItemKey) -> str:
        """Return the item's name and market. Without a name, return its number and market."""
        return title_of(self.chosen(Kind.ITEM, item.supplier_item_id, supplier=item.supplier))

    def supplier_names(self, suppliers: Iterable[str]) -> dict[str, str]:
        """Map suppliers to their names. Suppliers without a name are left out."""
        return self._names_of(Kind.SUPPLIER, suppliers)

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Map recipients to their names. Recipients without a name are left out."""
        return self._names_of(Kind.RECIPIENT, recipient_ids)

    def update_after_save(self, request: ChangeRequest, result: SaveResult) -> None:
        """Update the directory after a save.

        Added recipients become known. If an undo removes recipients that have no name, they become unknown
        again. If another item lists such a recipient, the next read of that item makes the recipient known.
        """
        if result.after is None:
            return
        if confirmed := request.add & result.after:
            or_else(None, lambda: self._directory.remember([request.item], confirmed))
        if request.kind is ChangeKind.UNDO:
            item = (request.item.supplier, request.item.supplier_item_id)
            recipients = [(one,) for one in request.remove - result.after]
            for kind, ids in ((Kind.RECIPIENT, recipients), (Kind.ITEM, [] if result.after else [item])):
                by_ids = self.names_of(kind).by_ids
                nameless = [one for one in ids if one in by_ids and not by_ids[one].name]
                or_else(None, partial(self._directory[kind].forget, nameless))

    def _names_of(self, kind: Kind, ids: Iterable[str]) -> dict[str, str]:
        by_ids = self.names_of(kind).by_ids
        return {one: row.name for one in ids if (row := by_ids.get((one,))) and row.name}


def market_of(row: NameRow) -> str:
    """Return the name of an item's market, from the directory or else from its id."""
    return market_name(row.market) or row.market or market_hint(row.id)


def title_of(row: NameRow) -> str:
    """Return the item's name and market, or its number and market if it has no name."""
    return " · ".join(filter(None, (row.name or row.id, market_of(row))))


def row_of(item: SeenItem) -> NameRow:
    """Return the item as a row of the directory."""
    return NameRow((item.item.supplier, item.item.supplier_item_id), item.name, item.market)


def _ids(kind: Kind, own_id: str, supplier: str | None) -> Ids:
    return (supplier or "", own_id) if kind is Kind.ITEM else (own_id,)


def _number_of(supplier_item_id: str) -> str:
    """Return the trade item number in the id, without leading zeros; empty if it has none."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    return number.lstrip("0") if is_trade_number(number) else ""


def _costs(names: Names, word: str) -> Costs:
    """Return the costs of the rows that match the word by name, by id or, for items, by market."""
    by_word, by_id = names.by_word, names.by_own_id
    in_ids = by_id.containing(word) if len(word) >= _SHORTEST_ID_PART else ()
    by_name = codes_by_name() if len(word) >= _SHORTEST_WORD else {}
    codes = {code for name, code in by_name.items() if f" {word}" in f" {name}"}
    markets = [one for one in names.by_market.texts if market_code(one) in codes] if codes else []
    in_markets = map(names.by_market.same, [word, *markets])
    costs: Costs = dict.fromkeys(chain(by_word.containing(word), in_ids, *in_markets), _PART)
    costs |= dict.fromkeys(chain(by_word.beginning(word), by_id.beginning(word)), _BEGINNING)
    costs |= dict.fromkeys(chain(by_word.same(word), by_id.same(word)), _WHOLE)
    return costs


def _costs_with_errors(names: Names, word: str) -> Costs:
    """Return the costs of the rows that have a word whose beginning is similar to the typed word.

    Typing errors are not allowed in numbers and short words. For speed, the word is cut into two or three
    parts, and only known words that contain one of these parts are compared with the word.
    """
    if not word.isalpha() or len(word) < _SHORTEST_WITH_ERRORS:
        return {}
    count = 2 if len(word) < _LONG_WORD else 3
    parts = [word[len(word) * part // count : len(word) * (part + 1) // count] for part in range(count)]
    likely = {one[: len(word)] for part in parts for one in names.by_word.texts if part in one}
    alike = get_close_matches(word, likely, n=len(likely) + 1, cutoff=_ALIKE)
    costs: Costs = {}
    for rank, begun in enumerate(alike, start=_PART):
        costs = dict.fromkeys(names.by_word.beginning(begun), rank) | costs
    return costs


def _with_all_words(costs: Sequence[Costs], wanted: range) -> Costs:
    """Return the wanted rows that match all words, with the sum of their costs."""
    fewest, *others = sorted(costs, key=len)
    found = {at: cost for at, cost in fewest.items() if at in wanted}
    for other in others:
        found = {at: cost + other[at] for at, cost in found.items() if at in other}
    return found
