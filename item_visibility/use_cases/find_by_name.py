"""Finds suppliers, items and recipients by name, market and number.

Words are found in any order, in part, without regard to case and accents. Only where that finds nothing,
typing errors are allowed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache, partial
from heapq import nsmallest
from itertools import chain

from iso3166 import countries_by_numeric

from item_visibility.lists.markets import codes_by_name, market_name
from item_visibility.lists.numbers import market_hint
from item_visibility.storage.directory import Ids, Kind, NameRow, Names, folded

SHOWN = 8
"""The number of matches that a list shows."""
_NEAREST = 3
_SHORTEST_WORD = 3
_MOST_WORDS = 8
_MOST_CHARACTERS = 200
_BETWEEN_WORDS = re.compile(r"[\s,;·()]+")
_SHORTEST_WITH_ERRORS, _LONG_WORD = 4, 8
_LIKE = 0.75
"""The least likeness of a word with typing errors: one letter of four may be wrong."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A supplier, item or recipient that can be chosen; name and market may be empty.

    `is_near` when it was found in spite of typing errors.
    """

    ids: Ids
    name: str = ""
    market: str = ""
    is_near: bool = False

    @property
    def id(self) -> str:
        """The last part of the key: the number that a person reads."""
        return self.ids[-1]


@dataclass(frozen=True, slots=True)
class Matches:
    """The best matches of a text, and how many more there are.

    `unique` is the one that the text names without a doubt, if any.
    """

    choices: tuple[Choice, ...] = ()
    more: int = 0
    unique: Choice | None = None


def find(names: Names, kind: Kind, text: str, *, supplier: str | None = None, limit: int = SHOWN) -> Matches:
    """Return the best matches of a text. An empty text has none.

    An id or a name that is or begins with the whole text comes before others.
    """
    words = _words(text, kind)
    if not words or len(text) > _MOST_CHARACTERS:
        return Matches()
    rows = names.of(supplier)
    if found := _with_words(rows, words):
        best = nsmallest(limit, found, key=_rank(text.strip(), words))
        return Matches(tuple(map(choice_of, best)), len(found) - len(best), _unique(found, text.strip()))
    likely = {word: _likely(names, word) for word in words}
    found = _with_likely_words(rows, likely) if any(likely.values()) else ()
    best = nsmallest(limit, found, key=partial(_likeness_rank, tuple(likely.values())))
    return Matches(tuple(replace(choice_of(row), is_near=True) for row in best), len(found) - len(best))


def find_nearest(names: Names, kind: Kind, text: str, *, supplier: str | None = None) -> tuple[Choice, ...]:
    """Return a few that fit the whole text, all its words but one, or one; the most alike first."""
    words = [word for word in text.split() if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
    all_but_one = [" ".join(words[:left] + words[left + 1 :]) for left in range(len(words))]
    for parts in ([text], [" ".join(words)], all_but_one, words):
        found = {one for part in parts for one in find(names, kind, part, supplier=supplier).choices}
        if found:
            likely = {one.id: one for one in sorted(found, key=lambda one: one.ids)}
            return tuple(nsmallest(_NEAREST, likely.values(), key=partial(_unlikeness, folded(text))))
    return ()


def choice_of(row: NameRow) -> Choice:
    """Return the row as a choice."""
    return Choice(row.ids, row.name, market_of(row))


def market_of(row: NameRow) -> str:
    """Return the name of an item's market: as a person entered it, or else as its number says."""
    return market_name(row.market) or row.market or market_hint(row.ids[-1])


@lru_cache(maxsize=1_024)
def markets_called(word: str) -> frozenset[str]:
    """Return codes and names of the markets that a word of a name may begin: "Schw" for "Schweiz"."""
    wanted = folded(word)
    if len(wanted) < _SHORTEST_WORD or not wanted.isalpha():
        return frozenset()
    begun = {code for name, code in codes_by_name().items() if f" {wanted}" in f" {folded(name)}"}
    found = (countries_by_numeric[code] for code in begun)
    texts = ((one.numeric, one.alpha2, one.alpha3, one.name, one.apolitical_name) for one in found)
    return frozenset(chain.from_iterable(texts))


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of what was typed, its form in names, and the codes and names of the markets it may mean."""

    text: str
    folded: str
    markets: frozenset[str] = frozenset()

    def is_market_of(self, row: NameRow) -> bool:
        """True when the item is sold in one of the markets: by the end of its id, or as imported."""
        _, colon, market = row.ids[-1].rpartition(":")
        return bool(colon and market in self.markets) or row.market in self.markets


def _words(text: str, kind: Kind) -> tuple[_Word, ...]:
    words = [word for word in _BETWEEN_WORDS.split(text) if folded(word)][:_MOST_WORDS]
    is_item = kind is Kind.ITEM
    return tuple(_Word(one, folded(one), markets_called(one) if is_item else frozenset()) for one in words)


def _with_words(rows: Sequence[NameRow], words: Iterable[_Word]) -> Sequence[NameRow]:
    """Return the rows that have all the words in their id, name or market. The longest word first."""
    for word in sorted(words, key=lambda word: -len(word.text)):
        name, text, markets = word.folded, word.text, word.markets
        rows = [
            row
            for row in rows
            if name in row.folded_name or text in row.ids[-1] or (markets and word.is_market_of(row))
        ]
    return rows


def _with_likely_words(
    rows: Sequence[NameRow], likely: Mapping[_Word, Mapping[str, float]]
) -> Sequence[NameRow]:
    """Return the rows that have each word, or one that it may mean."""
    rows = _with_words(rows, [word for word, meant in likely.items() if not meant])
    for word, meant in likely.items():
        if meant:
            as_typed, may_mean = {row.ids for row in _with_words(rows, [word])}, meant.keys()
            rows = [
                row for row in rows if not may_mean.isdisjoint(row.folded_name.split()) or row.ids in as_typed
            ]
    return rows


def _likely(names: Names, word: _Word) -> dict[str, float]:
    """Return the words of names that may be meant by one with typing errors, each with its likeness.

    Numbers and short words have none. Of a word cut in two or three, one part at least was typed right.
    """
    typed = word.folded
    if not typed.isalpha() or len(typed) < _SHORTEST_WITH_ERRORS:
        return {}
    count = 2 if len(typed) < _LONG_WORD else 3
    parts = [typed[len(typed) * part // count : len(typed) * (part + 1) // count] for part in range(count)]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(typed)
    likely = {}
    for one in names.words:
        if any(part in one for part in parts):
            matcher.set_seq1(one[: len(typed)])
            if matcher.quick_ratio() >= _LIKE and matcher.ratio() >= _LIKE:
                likely[one] = matcher.ratio()
    return likely


def _rank(text: str, words: Iterable[_Word]) -> Callable[[NameRow], tuple[bool, bool, bool, int]]:
    """Return the order of matches: the whole text first, then its first words, its beginning, and others.

    Those that are alike in this come by their words: whole ones, beginnings, then parts.
    """
    typed = folded(text)
    patterns = [(word.text, f" {word.folded} ", f" {word.folded}") for word in words]

    def rank(row: NameRow) -> tuple[bool, bool, bool, int]:
        name, own_id, by_words = f" {row.folded_name} ", row.ids[-1], 0
        for word, whole, beginning in patterns:
            if word != own_id:
                by_words += 1 if whole in name else 2 if beginning in name or own_id.startswith(word) else 3
        return (
            not (row.folded_name == typed or own_id == text),
            not row.folded_name.startswith(f"{typed} "),
            not (row.folded_name.startswith(typed) or own_id.startswith(text)),
            by_words,
        )

    return rank


def _likeness_rank(likely: Iterable[Mapping[str, float]], row: NameRow) -> tuple[float, str, Ids]:
    """Return the order of a match with typing errors: the most alike first."""
    name = row.folded_name
    tokens = name.split()
    alike = sum(max((meant.get(token, 0.0) for token in tokens), default=0.0) for meant in likely)
    return -alike, name, row.ids


def _unlikeness(typed: str, choice: Choice) -> tuple[float, str]:
    """Return how far the name is from the text, from 0 to 1; then its number."""
    return 1 - SequenceMatcher(None, folded(choice.name), typed).ratio(), choice.id


def _unique(found: Sequence[NameRow], wanted: str) -> Choice | None:
    """Return what the text names: its number, its full name that no other has, or the only match."""
    name = folded(wanted)
    by_id = [row for row in found if row.ids[-1] == wanted]
    by_name = [row for row in found if row.folded_name == name]
    return next((choice_of(rows[0]) for rows in (by_id, by_name, found) if len(rows) == 1), None)
