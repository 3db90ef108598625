"""Find ids and names in the directory. Note N15.

The names help people to enter ids. They are not permissions. While our own database
cannot be used, all names are unknown. A search finds words in any order, also parts of
words, and ignores case and accents. If it finds nothing, it allows typing errors.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import partial
from heapq import nsmallest
from itertools import pairwise

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
from item_visibility.model.change import ChangeKind, ChangeRequest
from item_visibility.model.folding import folded, name_words, plain_letters
from item_visibility.model.known_ids import Ids, Kind, NameRow, Names, number_in
from item_visibility.model.outcome import SaveResult
from item_visibility.model.read_item import SeenItem
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.directory import Directory

SHOWN = 8
"""The most matches that are shown."""
_NEAREST = 3
_SAMPLE = 200
"""The most ids examined for their usual forms, and the most names compared."""
_SHORTEST_WORD = 3
"""Shorter words are not searched for: they match too often."""
_SHORTEST_ID_PART = 4
"""Shorter parts of an id are not searched for either."""
_MOST_WORDS = 8
_MOST_CHARACTERS = 200
_SHORTEST_WITH_ERRORS = 4
_LONG_WORD = 8
_ALIKE = 0.75
"""A mistyped word matches from this similarity: three of four letters are right."""
_WHOLE = 1
_BEGINNING = 2
_PART = 3
"""The cost of a typed word that is a whole word, a beginning, or another part."""
_BEGINS_ALIKE = 10_000
"""The bonus of a row that begins with the text."""
_IS_EQUAL = 20_000
"""The additional bonus of a row that equals the text."""
Costs = dict[int, int]
"""Maps the positions of matching rows to the cost of the match.

The best match has the lowest cost.
"""


@dataclass(frozen=True, slots=True)
class Matches:
    """The best matches of a text, and how many more there are.

    `unique` is the only match, or the only match with exactly this id or name.
    `are_near` is True when the matches were found only by allowing typing errors.
    """

    choices: tuple[NameRow, ...] = ()
    more: int = 0
    unique: NameRow | None = None
    are_near: bool = False


@dataclass(frozen=True, slots=True)
class DoubtfulText:
    """A text about which the person has to decide.

    `alike` are known ids that the text may mean. If `is_name` is True, the text is the
    full name of each id.
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
        """Return a copy for many look-ups.

        It does not check the database for newer names.
        """
        held = KnownNames(self._directory)
        held._held = {kind: self.names_of(kind) for kind in Kind}
        return held

    def find(self, kind: Kind, text: str, *, supplier: str | None = None) -> Matches:
        """Return the best matches of a text.

        `supplier` limits the search to the items of one supplier. Rows that are equal
        to the text come first, then rows that begin with it.
        """
        typed = text.strip()
        words = name_words(typed)[:_MOST_WORDS]
        if not words or len(text) > _MOST_CHARACTERS:
            return Matches()

        # Find the rows that match all words. If there are none, allow typing errors.
        names = self.names_of(kind)
        wanted = names.positions(supplier)
        costs = [_costs(names, word) for word in words]
        total_costs = _with_all_words(costs, wanted)
        are_near = not total_costs
        if are_near:
            costs = [
                _costs_with_errors(names, word) | exact
                for word, exact in zip(words, costs, strict=True)
            ]
            total_costs = _with_all_words(costs, wanted)

        # Prefer rows that begin with the whole text, or equal it.
        name = folded(typed)
        own_id = plain_letters(typed)
        begins = [*names.by_name.beginning(name), *names.by_own_id.beginning(own_id)]
        equals = [*names.by_name.same(name), *names.by_own_id.same(own_id)]
        for bonus, positions in ((_BEGINS_ALIKE, begins), (_IS_EQUAL, equals)):
            total_costs |= {
                position: total_costs[position] - bonus
                for position in positions
                if position in total_costs
            }

        ranked = zip(total_costs.values(), total_costs, strict=True)
        best = [names.rows[position] for _, position in nsmallest(SHOWN, ranked)]
        more = len(total_costs) - len(best)

        # The text may be the id or the full name of one of them.
        by_id = [row for row in best if row.id == typed]
        meant = by_id or [row for row in best if row.folded_name == name] or best
        unique = meant[0] if len(meant) == 1 and not are_near else None
        return Matches(tuple(best), more, unique, are_near)

    def nearest(
        self, kind: Kind, text: str, *, supplier: str | None = None
    ) -> tuple[NameRow, ...]:
        """Return the most similar names among the names that match the most words."""
        names = self.names_of(kind)
        wanted = names.positions(supplier)

        # Count the matching words of each row.
        words = [word for word in name_words(text) if len(word) >= _SHORTEST_WORD]
        counts = Counter[int]()
        for word in words[:_MOST_WORDS]:
            matching = _costs(names, word) or _costs_with_errors(names, word)
            counts.update(position for position in matching if position in wanted)

        most = max(counts.values(), default=0)
        positions = sorted(position for position in counts if counts[position] == most)
        rows = [names.rows[position] for position in positions[:_SAMPLE]]

        # Of the rows with the most matching words, take the most similar names.
        typed = folded(text)
        likeness = {
            row: SequenceMatcher(None, row.folded_name, typed).ratio() for row in rows
        }
        return tuple(
            nsmallest(_NEAREST, rows, key=lambda row: (-likeness[row], row.id))
        )

    def first(
        self, kind: Kind, *, supplier: str | None = None, limit: int = SHOWN
    ) -> Matches:
        """Return the first rows in the order of their ids, for an empty field."""
        names = self.names_of(kind)
        positions = names.positions(supplier)
        rows = tuple(names.rows[position] for position in positions[:limit])
        return Matches(rows, len(positions) - len(rows))

    def chosen(
        self, kind: Kind, own_id: str, *, supplier: str | None = None
    ) -> NameRow:
        """Return the id with its name, if it is known."""
        ids = _ids(kind, own_id, supplier)
        return self.names_of(kind).by_ids.get(ids, NameRow(ids))

    def is_known(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> bool:
        """True when the id was used or imported here."""
        return _ids(kind, own_id, supplier) in self.names_of(kind).by_ids

    def some_ids(self, kind: Kind, *, supplier: str | None = None) -> tuple[str, ...]:
        """Return a sample of the known ids."""
        sample = self.first(kind, supplier=supplier, limit=_SAMPLE)
        return tuple(row.id for row in sample.choices)

    def has_form(self, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
        """True when the text looks like a GLN, a GTIN or an id in use.

        The GTIN may have a market.
        """
        if holds_several(text, partial(self.is_known, kind, supplier=supplier)):
            return False

        is_standard = is_item_number if kind is Kind.ITEM else is_location_number
        if is_standard(text):
            return True
        return form_of(text) in forms_in_use(self.some_ids(kind, supplier=supplier))

    def read_one(
        self, kind: Kind, text: str, *, supplier: str | None = None
    ) -> str | DoubtfulText:
        """Return the id that the text means, or the text as doubtful.

        An empty text is returned unchanged. A text means an id if it is a known id or
        the full name of only one known id, or looks like an id.
        """
        # A known id may begin or end with a space, so try the text as typed first.
        stripped = text.strip()
        for own_id in (text, stripped):
            if not own_id or self.is_known(kind, own_id, supplier=supplier):
                return own_id

        rows = self.names_of(kind).called(stripped)
        ids = [row.id for row in rows if supplier in {None, row.ids[0]}]
        if len(ids) == 1:
            return ids[0]

        nearest = self.nearest(kind, stripped, supplier=supplier)
        doubt = DoubtfulText(stripped, nearest, kind=kind)
        if not doubt.why_not and self.has_form(kind, stripped, supplier=supplier):
            return stripped
        return doubt

    def known_items(self, items: Iterable[ItemKey]) -> frozenset[ItemKey]:
        """Return only the items that were used or imported here."""
        by_ids = self.names_of(Kind.ITEM).by_ids
        return frozenset(
            item for item in items if (item.supplier, item.supplier_item_id) in by_ids
        )

    def items_with_number(self, number: str) -> tuple[NameRow, ...]:
        """Return the known items with this number, of any market and supplier.

        Leading zeros of the number are ignored. If no item has it, return the items
        whose id is `number`.
        """
        wanted = _number_of(number)
        candidates = self.names_of(Kind.ITEM).by_number.get(wanted, ())
        rows = tuple(row for row in candidates if _number_of(row.id) == wanted)
        return rows or self.items_with_id(number)

    def items_with_id(self, own_id: str) -> tuple[NameRow, ...]:
        """Return the known items with exactly this id, of any supplier."""
        rows = self.names_of(Kind.ITEM).by_number.get(number_in(own_id), ())
        return tuple(row for row in rows if row.id == own_id)

    def names_of(self, kind: Kind) -> Names:
        """Return all known ids and names of this kind."""
        if kind in self._held:
            return self._held[kind]
        return or_else(Names({}), self._directory[kind].current)

    def item_name(self, item: ItemKey) -> str:
        """Return the item's name and its market; empty when it has no name."""
        row = self.chosen(Kind.ITEM, item.supplier_item_id, supplier=item.supplier)
        return title_of(row) if row.name else ""

    def item_title(self, item: ItemKey) -> str:
        """Return the item's name and market.

        Without a name, return its number and market.
        """
        row = self.chosen(Kind.ITEM, item.supplier_item_id, supplier=item.supplier)
        return title_of(row)

    def supplier_names(self, suppliers: Iterable[str]) -> dict[str, str]:
        """Map suppliers to their names. Suppliers without a name are left out."""
        return self._names_of(Kind.SUPPLIER, suppliers)

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Map recipients to their names. Recipients without a name are left out."""
        return self._names_of(Kind.RECIPIENT, recipient_ids)

    def update_after_save(self, request: ChangeRequest, result: SaveResult) -> None:
        """Update the directory after a save.

        Added recipients become known. If an undo removes recipients that have no name,
        they become unknown again. If another item lists such a recipient, the next read
        of that item makes the recipient known.
        """
        if result.after is None:
            return

        if confirmed := request.add & result.after:
            or_else(None, lambda: self._directory.remember([request.item], confirmed))

        if request.kind is ChangeKind.UNDO:
            removed = [(recipient,) for recipient in request.remove - result.after]
            self._forget_nameless(Kind.RECIPIENT, removed)

            item = (request.item.supplier, request.item.supplier_item_id)
            self._forget_nameless(Kind.ITEM, [] if result.after else [item])

    def _forget_nameless(self, kind: Kind, ids: Iterable[Ids]) -> None:
        by_ids = self.names_of(kind).by_ids
        nameless = [key for key in ids if key in by_ids and not by_ids[key].name]
        or_else(None, lambda: self._directory[kind].forget(nameless))

    def _names_of(self, kind: Kind, ids: Iterable[str]) -> dict[str, str]:
        by_ids = self.names_of(kind).by_ids
        names = {}
        for own_id in ids:
            row = by_ids.get((own_id,))
            if row and row.name:
                names[own_id] = row.name
        return names


def market_of(row: NameRow) -> str:
    """Return the name of an item's market, from the directory or else from its id."""
    return market_name(row.market) or row.market or market_hint(row.id)


def title_of(row: NameRow) -> str:
    """Return the item's name and market, or its number and market if it has no name."""
    return " · ".join(filter(None, (row.name or row.id, market_of(row))))


def row_of(item: SeenItem) -> NameRow:
    """Return the item as a row of the directory."""
    return NameRow(
        (item.item.supplier, item.item.supplier_item_id), item.name, item.market
    )


def _ids(kind: Kind, own_id: str, supplier: str | None) -> Ids:
    return (supplier or "", own_id) if kind is Kind.ITEM else (own_id,)


def _number_of(supplier_item_id: str) -> str:
    """Return the number in the id without leading zeros; empty if it has none."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    return number.lstrip("0") if is_trade_number(number) else ""


def _costs(names: Names, word: str) -> Costs:
    """Return the costs of the rows whose name, id or market matches the word."""
    # The word may also be a part of an id, or of the name of a market.
    parts = [*names.by_word.containing(word), *names.by_market.same(word)]
    if len(word) >= _SHORTEST_ID_PART:
        parts += names.by_own_id.containing(word)
    if len(word) >= _SHORTEST_WORD:
        parts += _in_markets_named(names, word)

    # A better match of the same row replaces a worse one.
    costs: Costs = dict.fromkeys(parts, _PART)
    for index in (names.by_word, names.by_own_id):
        costs |= dict.fromkeys(index.beginning(word), _BEGINNING)
    for index in (names.by_word, names.by_own_id):
        costs |= dict.fromkeys(index.same(word), _WHOLE)
    return costs


def _in_markets_named(names: Names, word: str) -> list[int]:
    """Return the rows of the markets whose names have a word that begins like this."""
    codes = {code for name, code in codes_by_name().items() if f" {word}" in f" {name}"}
    if not codes:
        return []

    positions: list[int] = []
    for market in names.by_market.texts:
        if market_code(market) in codes:
            positions += names.by_market.same(market)
    return positions


def _costs_with_errors(names: Names, word: str) -> Costs:
    """Return the costs of the rows with a word that begins like the typed word.

    Typing errors are not allowed in numbers and short words. For speed, the word is cut
    into two or three parts, and only known words that contain one of these parts are
    compared with the word.
    """
    if not word.isalpha() or len(word) < _SHORTEST_WITH_ERRORS:
        return {}

    # Find the known words that contain a part of the word.
    length = len(word)
    count = 2 if length < _LONG_WORD else 3
    cuts = [length * part // count for part in range(count + 1)]
    likely: set[str] = set()
    for start, end in pairwise(cuts):
        part = word[start:end]
        likely.update(text[:length] for text in names.by_word.texts if part in text)

    # The most similar words come first. A row keeps its lowest cost.
    alike = get_close_matches(word, likely, n=len(likely) + 1, cutoff=_ALIKE)
    costs: Costs = {}
    for rank, beginning in enumerate(alike, start=_PART):
        costs = dict.fromkeys(names.by_word.beginning(beginning), rank) | costs
    return costs


def _with_all_words(costs: Sequence[Costs], wanted: range) -> Costs:
    """Return the wanted rows that match all words, with the sum of their costs."""
    # Begin with the word that has the fewest rows.
    fewest, *others = sorted(costs, key=len)
    sums = {position: cost for position, cost in fewest.items() if position in wanted}
    for other in others:
        sums = {
            position: cost + other[position]
            for position, cost in sums.items()
            if position in other
        }
    return sums
