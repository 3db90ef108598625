"""Find ids and names in the directory. Note N15.

The names help people to enter ids. They are not permissions. While our own database cannot be used, all
names are unknown. A search finds words in any order, also parts of words, and ignores case and accents.
If it finds nothing, it allows typing errors.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nsmallest
from itertools import chain

from iso3166 import countries_by_numeric

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.gs1_and_markets import (
    GTIN_DIGITS,
    codes_by_name,
    form_of,
    forms_in_use,
    is_item_number,
    is_location_number,
    is_number,
    market_hint,
    market_name,
    split_item_id,
)
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Directory, Kind
from item_visibility.storage.name_index import (
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
"""How many matches are shown."""
_NEAREST = 3
_SAMPLE = 200
_NO_NAME = "(no name)"
_SHORTEST_WORD, _SHORTEST_ID_PART = 3, 4
"""Shorter words, and shorter parts of an id, are not searched for, because they match too often."""
_MOST_WORDS = 8
_MOST_CHARACTERS = 200
_SHORTEST_WITH_ERRORS, _LONG_WORD = 4, 8
_ALIKE = 0.75
"""The similarity that a word with typing errors needs: three of four letters must be right."""
_WHOLE, _BEGINNING, _PART = 1, 2, 3
"""What a match costs: a whole word of a name, the beginning of a word, or another part of a word."""
Costs = dict[int, float]
"""Maps the positions of matching rows to the cost of the match. The best match has the lowest cost."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A supplier, item or recipient that can be chosen. Its name and market may be empty.

    `is_near` is True when it was found only by allowing typing errors.
    """

    ids: Ids
    name: str = ""
    market: str = ""
    is_near: bool = False

    @property
    def id(self) -> str:
        """The id on screen. For an item, the id without its supplier."""
        return self.ids[-1]


@dataclass(frozen=True, slots=True)
class Matches:
    """The best matches of a text, and how many more there are.

    `unique` is the only match, or the only match with exactly this id or name.
    """

    choices: tuple[Choice, ...] = ()
    more: int = 0
    unique: Choice | None = None


@dataclass(frozen=True, slots=True)
class SingleChoice:
    """The id (`number`) that a text means, or the text itself as a `question` if its meaning is not clear.

    `nearest` are the most similar known choices. `why_not` says why the text cannot be an id.
    """

    number: str = ""
    question: str = ""
    nearest: tuple[Choice, ...] = ()
    why_not: str = ""


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

        Ids and names that are equal to the text or begin with it come first.
        """
        typed = text.strip()
        words = name_words(typed)[:_MOST_WORDS]
        if not words or len(text) > _MOST_CHARACTERS:
            return Matches()
        names = self.names_of(kind)
        wanted = names.positions(supplier)
        costs = [_costs(names, word, is_item=kind is Kind.ITEM) for word in words]
        found = _with_all_words(costs, wanted)
        if is_near := not found:
            costs = [_costs_with_errors(names, *one) for one in zip(words, costs, strict=True)]
            found = _with_all_words(costs, wanted)
        best = [names.rows[at] for at in _best(names, found, typed)]
        by_id = [row for row in best if row.ids[-1] == typed]
        meant = by_id or [row for row in best if row.folded_name == folded(typed)] or best
        return Matches(
            tuple(replace(choice_of(row), is_near=is_near) for row in best),
            len(found) - len(best),
            choice_of(*meant) if len(meant) == 1 and not is_near else None,
        )

    def nearest(self, kind: Kind, text: str, *, supplier: str | None = None) -> tuple[Choice, ...]:
        """Return the most similar choices. They match the whole text, all words except one, or one word."""
        words = [word for word in text.split() if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
        all_but_one = [" ".join(words[:left] + words[left + 1 :]) for left in range(len(words))]
        found = set[Choice]()
        for parts in ([text], [" ".join(words)], all_but_one, words):
            found = {one for part in parts for one in self.find(kind, part, supplier=supplier).choices}
            if found:
                break
        typed = folded(text)
        likeness = {one: SequenceMatcher(None, folded(one.name), typed).ratio() for one in found}
        by_id = {one.id: one for one in sorted(found, key=lambda one: one.ids)}
        return tuple(nsmallest(_NEAREST, by_id.values(), key=lambda one: (-likeness[one], one.id)))

    def first(self, kind: Kind, *, supplier: str | None = None, limit: int = SHOWN) -> Matches:
        """Return the first choices in the order of their ids, for an empty field."""
        names = self.names_of(kind)
        positions = names.positions(supplier)
        first = tuple(choice_of(names.rows[at]) for at in positions[:limit])
        return Matches(first, len(positions) - len(first))

    def chosen(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> Choice:
        """Return the id as a choice, with its name if it is known."""
        ids = _ids(kind, own_id, supplier)
        return choice_of(self.names_of(kind).by_ids.get(ids, NameRow(ids)))

    def is_known(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> bool:
        """True when the id was used or imported here."""
        return _ids(kind, own_id, supplier) in self.names_of(kind).by_ids

    def some_ids(self, kind: Kind, *, supplier: str | None = None) -> tuple[str, ...]:
        """Return a sample of the known ids."""
        names = self.names_of(kind)
        return tuple(names.rows[at].ids[-1] for at in names.positions(supplier)[:_SAMPLE])

    def has_form(self, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
        """True when the text looks like a GLN, like a GTIN (with or without market) or like an id in use."""
        is_standard = is_item_number if kind is Kind.ITEM else is_location_number
        return is_standard(text) or form_of(text) in forms_in_use(self.some_ids(kind, supplier=supplier))

    def read_one(self, kind: Kind, text: str, *, supplier: str | None = None) -> SingleChoice:
        """Return the id that the text means, or a question.

        A text is clear if it is a known id, the full name of exactly one known id, or has the form of an id.
        """
        wanted = text.strip()
        if not wanted:
            return SingleChoice()
        for one in (text, wanted):
            if self.is_known(kind, one, supplier=supplier):
                return SingleChoice(one)
        same = self.names_of(kind).called([wanted]).get(wanted, ())
        ids = [row.ids[-1] for row in same if supplier in {None, row.ids[0]}]
        if len(ids) == 1:
            return SingleChoice(ids[0])
        why_not = refusal(wanted, name=kind.value) or ""
        if not why_not and self.has_form(kind, wanted, supplier=supplier):
            return SingleChoice(wanted)
        return SingleChoice(
            question=wanted, nearest=self.nearest(kind, wanted, supplier=supplier), why_not=why_not
        )

    def known_items(self, items: Iterable[ItemKey]) -> frozenset[ItemKey]:
        """Return only the items that were used or imported here."""
        by_ids = self.names_of(Kind.ITEM).by_ids
        return frozenset(one for one in items if (one.supplier, one.supplier_item_id) in by_ids)

    def known_recipients(self, recipient_ids: Iterable[str]) -> frozenset[str]:
        """Return only the recipients that were used or imported here."""
        by_ids = self.names_of(Kind.RECIPIENT).by_ids
        return frozenset(one for one in recipient_ids if (one,) in by_ids)

    def items_with_number(self, number: str) -> tuple[ItemKey, ...]:
        """Return the known items with this trade item number, in any market and of any supplier.

        Leading zeros of a number are ignored.
        """
        wanted = _number_of(number)
        rows = self.names_of(Kind.ITEM).by_number.get(wanted, ())
        return tuple(ItemKey(*row.ids) for row in rows if _number_of(row.ids[1]) == wanted)

    def items_with_id(self, own_id: str) -> tuple[ItemKey, ...]:
        """Return the known items with exactly this supplier item id, of any supplier."""
        rows = self.names_of(Kind.ITEM).by_number.get(number_in(own_id), ())
        return tuple(ItemKey(*row.ids) for row in rows if row.ids[1] == own_id)

    def names_of(self, kind: Kind) -> Names:
        """Return all known ids and names of this kind."""
        return self._held[kind] if kind in self._held else or_else(Names({}), self._directory[kind].current)

    def supplier_name(self, supplier: str) -> str:
        """Return the supplier's name; empty when none is known."""
        return self.supplier_names([supplier]).get(supplier, "")

    def item_name(self, item: ItemKey) -> str:
        """Return the item's name and its market; empty when neither is known."""
        ids = (item.supplier, item.supplier_item_id)
        row = self.names_of(Kind.ITEM).by_ids.get(ids, NameRow(ids))
        market = market_of(row)
        return _joined(row.name or _NO_NAME, market) if row.name or market else ""

    def item_title(self, item: ItemKey) -> str:
        """Return the item's name and market. Without a name, return its number and market."""
        return self.item_titles([item])[item]

    def item_titles(self, items: Iterable[ItemKey]) -> dict[ItemKey, str]:
        """Map each item to its name and market, or to its number and market if it has no name."""
        by_ids = self.names_of(Kind.ITEM).by_ids
        keys = {item: (item.supplier, item.supplier_item_id) for item in items}
        rows = {item: by_ids.get(ids, NameRow(ids)) for item, ids in keys.items()}
        return {item: _joined(row.name or row.ids[-1], market_of(row)) for item, row in rows.items()}

    def supplier_names(self, suppliers: Iterable[str]) -> dict[str, str]:
        """Map suppliers to their names. Suppliers without a name are left out."""
        return self._names_of(Kind.SUPPLIER, suppliers)

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Map recipients to their names. Recipients without a name are left out."""
        return self._names_of(Kind.RECIPIENT, recipient_ids)

    def settle(self, request: ChangeRequest, result: SaveResult) -> None:
        """Update the directory after a save.

        Added recipients become known. If an undo removes recipients that have no name, they become unknown
        again. If another item lists such a recipient, the next read of that item makes it known.
        """
        if result.after is None:
            return
        if confirmed := request.add & result.after:
            or_else(None, lambda: self._directory.remember([request.item], confirmed))
        if request.kind is ChangeKind.UNDO:
            self._forget_nameless(Kind.RECIPIENT, [(one,) for one in request.remove - result.after])
            if not result.after:
                item = request.item
                self._forget_nameless(Kind.ITEM, [(item.supplier, item.supplier_item_id)])

    def _forget_nameless(self, kind: Kind, ids: Collection[Ids]) -> None:
        rows, by_ids = self._directory[kind], self.names_of(kind).by_ids
        nameless = [one for one in ids if one in by_ids and not by_ids[one].name]
        if nameless:
            or_else(None, lambda: rows.forget(nameless))

    def _names_of(self, kind: Kind, ids: Iterable[str]) -> dict[str, str]:
        by_ids = self.names_of(kind).by_ids
        return {one: row.name for one in ids if (row := by_ids.get((one,))) and row.name}


def choice_of(row: NameRow) -> Choice:
    """Return a row of the directory as a choice."""
    return Choice(row.ids, row.name, market_of(row))


def market_of(row: NameRow) -> str:
    """Return the name of an item's market, from the directory or else from its id."""
    return market_name(row.market) or row.market or market_hint(row.ids[-1])


def market_of_item(item: SeenItem) -> str:
    """Return the name of the item's market; empty when it is not known."""
    return market_of(NameRow((item.item.supplier, item.item.supplier_item_id), item.name, item.market))


def title_of_item(item: SeenItem) -> str:
    """Return the item's name and market, or its number and market if it has no name."""
    return _joined(item.name or item.item.supplier_item_id, market_of_item(item))


def _ids(kind: Kind, own_id: str, supplier: str | None) -> Ids:
    return (supplier or "", own_id) if kind is Kind.ITEM else (own_id,)


def _joined(name: str, market: str) -> str:
    return " · ".join(filter(None, (name, market)))


def _number_of(supplier_item_id: str) -> str:
    """Return the trade item number in the id, without leading zeros; empty if it has none."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    return number.lstrip("0") if len(number) in GTIN_DIGITS and is_number(number) else ""


@lru_cache(maxsize=1_024)
def markets_called(word: str) -> frozenset[str]:
    """Return the codes and names of the markets whose names contain a word that begins with `word`."""
    wanted = " ".join(name_words(word))
    if len(wanted) < _SHORTEST_WORD or not wanted.isalpha():
        return frozenset()
    begun = {code for name, code in codes_by_name().items() if f" {wanted}" in f" {name}"}
    found = (countries_by_numeric[code] for code in begun)
    texts = ((one.numeric, one.alpha2, one.alpha3, one.name, one.apolitical_name) for one in found)
    return frozenset(chain.from_iterable(texts))


def _costs(names: Names, word: str, *, is_item: bool) -> Costs:
    """Return the costs of the rows that match the word by name, by id or, for items, by market."""
    by_word, by_id = names.by_word, names.by_own_id
    in_ids = by_id.containing(word) if len(word) >= _SHORTEST_ID_PART else ()
    of_markets = map(names.by_market.same, {word, *markets_called(word)} if is_item else ())
    costs: Costs = dict.fromkeys(chain(by_word.containing(word), in_ids, *of_markets), _PART)
    costs |= dict.fromkeys(chain(by_word.beginning(word), by_id.beginning(word)), _BEGINNING)
    costs |= dict.fromkeys(chain(by_word.same(word), by_id.same(word)), _WHOLE)
    return costs


def _costs_with_errors(names: Names, word: str, costs: Costs) -> Costs:
    """Return the costs, together with those of the rows that match the word with typing errors.

    Typing errors are not allowed in numbers and short words. For speed, the word is cut into two or three
    parts, and only known words that contain one of these parts are compared with the word.
    """
    if not word.isalpha() or len(word) < _SHORTEST_WITH_ERRORS:
        return costs
    count = 2 if len(word) < _LONG_WORD else 3
    parts = [word[len(word) * part // count : len(word) * (part + 1) // count] for part in range(count)]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(word)
    likely: Costs = {}
    for one in {one for part in parts for one in names.by_word.texts if part in one}:
        matcher.set_seq1(one[: len(word)])
        ratios = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)  # the fastest first
        if all(ratio() >= _ALIKE for ratio in ratios):
            cost = _PART + 1 - matcher.ratio()
            likely |= {at: min(cost, likely.get(at, cost)) for at in names.by_word.same(one)}
    return likely | costs


def _with_all_words(costs: Sequence[Costs], wanted: range) -> Costs:
    """Return the wanted rows that match all words, with the sum of their costs."""
    fewest, *others = sorted(costs, key=len)
    found = {at: cost for at, cost in fewest.items() if at in wanted}
    for other in others:
        found = {at: cost + other[at] for at, cost in found.items() if at in other}
    return found


def _best(names: Names, found: Costs, typed: str) -> list[int]:
    """Return the positions of the best rows.

    First come rows that are equal to the text, then rows that begin with its words, then rows that begin with
    its letters, then all others. Within each of these groups, the lowest costs come first.
    """
    name, own_id = folded(typed), plain_letters(typed)
    by_name, by_id = names.by_name, names.by_own_id
    best: list[int] = []
    for fitting in (
        (*by_name.same(name), *by_id.same(own_id)),
        by_name.beginning(f"{name} "),
        (*by_name.beginning(name), *by_id.beginning(own_id)),
        found,
    ):
        those = found.keys() & fitting if len(best) < SHOWN else set[int]()
        ranked = ((found[at], at) for at in those.difference(best))
        best += [at for _, at in nsmallest(SHOWN - len(best), ranked)]
    return best
