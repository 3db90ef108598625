"""Finds suppliers, items and recipients by name and market, with words in any order and typing errors."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache, partial

from item_visibility.storage.database.folding import folded
from item_visibility.storage.directory.find import Word
from item_visibility.storage.directory.named_rows import DirectoryRows, Ids, Kind, NamedRow
from item_visibility.storage.fallback import or_else
from item_visibility.use_cases.check.question.named_market import markets_called
from item_visibility.use_cases.known_names import market_of

SHOWN = 8
"""The number of matches that a list shows."""
_NEAREST = 3
_SHORTEST_WORD = 3
_LOOKED_AT = 1_000
"""The limit of rows to count and put in order."""
_LOOKED_AT_FOR_ERRORS = 1_000
_MOST_WORDS = 8
_MOST_CHARACTERS = 200
_SAMPLE = 200
_BETWEEN_WORDS = re.compile(r"[\s,;·()]+")


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
    """The best matches of a text, and how many more there are; `is_counted` unless there are even more.

    `taken` is the one that the text names without a doubt, if any.
    """

    choices: tuple[Choice, ...] = ()
    more: int = 0
    is_counted: bool = True
    taken: Choice | None = None


class Finder:
    """Finds by name in the directory of one environment. Without its database it finds nothing."""

    def __init__(self, rows: Mapping[Kind, DirectoryRows]) -> None:
        self._rows = rows

    def find(self, kind: Kind, text: str, *, supplier: str | None = None) -> Matches:
        """Return the best matches of a text, those typed right first. An empty text has none.

        An id or a name that is or begins with the whole text comes before others.
        """
        words = _words(text, kind)
        if not words or len(text) > _MOST_CHARACTERS:
            return Matches()
        rows, near = self._rows[kind], []
        found = list(or_else((), lambda: rows.with_words(words, limit=_LOOKED_AT, supplier=supplier)))
        is_counted = len(found) < _LOOKED_AT
        if not is_counted:
            same = or_else({}, lambda: rows.called([text])).get(text, ())
            found = [*(row for row in same if row not in found and supplier in {None, row.ids[0]}), *found]
        found.sort(key=lambda row: (_distance_of_whole(row, text), _rank(row, words), row.ids))
        if not found and any(word.errors for word in words):
            perhaps = or_else(
                (), lambda: rows.perhaps_with_words(words, limit=_LOOKED_AT_FOR_ERRORS, supplier=supplier)
            )
            near = _nearly(perhaps, words)
        choices = [_choice(row) for row in found] + [replace(_choice(row), is_near=True) for row in near]
        return _matches(choices, is_counted=is_counted, taken=_taken(choices, text))

    def nearest(self, kind: Kind, text: str, *, supplier: str | None = None) -> tuple[Choice, ...]:
        """Return a few that fit the whole text, all its words but one, or one; the most alike first."""
        words = [word for word in text.split() if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
        all_but_one = frozenset(" ".join(words[:left] + words[left + 1 :]) for left in range(len(words)))
        groups = (frozenset({text}), frozenset({" ".join(words)}), all_but_one, frozenset(words))
        for parts in dict.fromkeys(groups):  # of a short text, some are the same
            likely = {
                choice.id: choice
                for part in parts
                for choice in self.find(kind, part, supplier=supplier).choices
            }
            if likely:
                return tuple(sorted(likely.values(), key=partial(_unlikeness, text))[:_NEAREST])
        return ()

    def first(self, kind: Kind, *, supplier: str | None = None) -> Matches:
        """Return the first ones by number, for a field in which nothing is typed yet."""
        rows = or_else((), lambda: self._rows[kind].find("", limit=_SAMPLE, supplier=supplier))
        return _matches(list(map(_choice, rows)), is_counted=len(rows) < _SAMPLE)

    def called(self, kind: Kind, name: str, *, supplier: str | None = None) -> tuple[Choice, ...]:
        """Return all with exactly this name, without regard to case and accents."""
        rows = or_else({}, lambda: self._rows[kind].called([name])).get(name, ())
        return tuple(_choice(row) for row in rows if supplier in {None, row.ids[0]})

    def chosen(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> Choice:
        """Return this one as a choice, with its name if it is known."""
        ids = _ids(kind, own_id, supplier)
        return _choice(self._known(kind, ids).get(ids, NamedRow(ids)))

    def is_known(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> bool:
        """True when this number is known here."""
        return bool(self._known(kind, _ids(kind, own_id, supplier)))

    def having(self, kind: Kind, text: str) -> tuple[Choice, ...]:
        """Return those whose id, name or market holds all the words as they were typed."""
        words = _words(text, kind)
        rows = self._rows[kind]
        found = or_else((), lambda: rows.with_words(words, limit=_LOOKED_AT)) if words else ()
        return tuple(
            map(_choice, sorted(found, key=lambda row: (_rank(row, words), folded(row.name), row.ids)))
        )

    def some_ids(self, kind: Kind, *, supplier: str | None = None) -> tuple[str, ...]:
        """Return a sample of the known ids."""
        some = or_else((), lambda: self._rows[kind].find("", limit=_SAMPLE, supplier=supplier))
        return tuple(row.ids[-1] for row in some)

    def _known(self, kind: Kind, ids: Ids) -> dict[Ids, NamedRow]:
        return or_else({}, lambda: self._rows[kind].known([ids]))


def _unlikeness(text: str, choice: Choice) -> tuple[float, str]:
    """Return how far the name is from the text, from 0 to 1; then its number."""
    return 1 - SequenceMatcher(None, folded(choice.name), folded(text)).ratio(), choice.id


def _ids(kind: Kind, own_id: str, supplier: str | None) -> Ids:
    return (supplier or "", own_id) if kind is Kind.ITEM else (own_id,)


def _words(text: str, kind: Kind) -> tuple[Word, ...]:
    words = [word for word in _BETWEEN_WORDS.split(text) if folded(word)][:_MOST_WORDS]
    return tuple(Word(word, markets_called(word) if kind is Kind.ITEM else frozenset()) for word in words)


def _choice(row: NamedRow) -> Choice:
    return Choice(row.ids, row.name, market_of(row))


def _matches(choices: list[Choice], *, is_counted: bool, taken: Choice | None = None) -> Matches:
    more = max(len(choices) - SHOWN, 0)
    return Matches(tuple(choices[:SHOWN]), more, is_counted=is_counted, taken=taken)


def _rank(row: NamedRow, words: tuple[Word, ...]) -> int:
    """Return the order of a match by its words: whole words first, then beginnings, then parts."""
    tokens = folded(row.name).split()
    return sum(_distance(row.ids[-1], tokens, word) for word in words)


def _distance_of_whole(row: NamedRow, text: str) -> int:
    """Return the order of a match by the whole text: the same, its first words, its beginning, another."""
    name, typed, own_id, wanted = folded(row.name), folded(text), row.ids[-1], text.strip()
    if wanted == own_id or name == typed:
        return 0
    if typed and name.startswith(f"{typed} "):
        return 1
    return 2 if (typed and name.startswith(typed)) or own_id.startswith(wanted) else 3


def _distance(own_id: str, tokens: list[str], word: Word) -> int:
    typed = folded(word.text)
    if own_id == word.text:
        return 0
    if typed in tokens:
        return 1
    if any(token.startswith(typed) for token in tokens) or own_id.startswith(word.text):
        return 2
    return 3


def _taken(choices: list[Choice], text: str) -> Choice | None:
    """Return what the text names: its number, its full name that no other has, or the only match."""
    wanted = text.strip()
    name = folded(wanted)
    by_id = [one for one in choices if one.id == wanted]
    by_name = [one for one in choices if folded(one.name) == name]
    right = [one for one in choices if not one.is_near]
    for found in (by_id, by_name, right):
        if len(found) == 1:
            return found[0]
    return None


def _nearly(rows: Iterable[NamedRow], words: tuple[Word, ...]) -> list[NamedRow]:
    """Return the rows that have all the words with a few typing errors, the fewest first."""
    found = []
    for row in rows:
        errors = [_errors_in(row, word) for word in words]
        if all(count <= word.errors for count, word in zip(errors, words, strict=True)):
            found.append((sum(errors), folded(row.name), row.ids, row))
    return [row for *_, row in sorted(found)]


def _errors_in(row: NamedRow, word: Word) -> int:
    """Return the fewest typing errors between the word and the beginning of a word of the name."""
    typed = folded(word.text)
    if word.text in row.ids[-1] or typed in folded(row.name) or market_of(row) in word.markets:
        return 0
    tokens = folded(row.name).split()
    return min((_errors(typed, token) for token in tokens), default=len(typed))


@lru_cache(maxsize=8_192)
def _errors(typed: str, token: str) -> int:
    """Return the letters that are wrong, missing, too many or swapped, up to where the typed word ends."""
    before, last = list[int](), list(range(len(token) + 1))
    for row, letter in enumerate(typed, start=1):
        now = [row]
        for column, other in enumerate(token, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (letter != other))
            is_swapped = row > 1 < column and (letter, typed[row - 2]) == (token[column - 2], other)
            now.append(min(cost, before[column - 2] + 1) if is_swapped else cost)
        before, last = last, now
    return min(last)
