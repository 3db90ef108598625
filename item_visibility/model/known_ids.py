"""The known ids and their names in memory, with indexes that find them.

The directory in storage keeps them.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain
from operator import attrgetter

from item_visibility.model.folding import folded, name_words, plain_letters

Ids = tuple[str, ...]
"""The key of a row: the id of a supplier or recipient, or the two ids of an item."""
_LAST_LETTER = "\U0010ffff"
_NUMBER = re.compile(r"0*([0-9]+)")
_ids_of = attrgetter("ids")


class Kind(StrEnum):
    """The kinds of id for which the directory has names."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"


@dataclass(frozen=True, slots=True)
class NameRow:
    """One row of the directory. Unknown fields are empty. Only items have a market.

    `folded_name` is the form of the name that is used in comparisons.
    """

    ids: Ids
    name: str = ""
    market: str = ""
    folded_name: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded_name", folded(self.name))

    @property
    def id(self) -> str:
        """The id on screen. For an item, the id without its supplier."""
        return self.ids[-1]


class TextIndex:
    """An index of texts.

    It finds the positions of texts that equal, begin with or contain a given text.
    """

    def __init__(self, texts: Iterable[tuple[str, int]]) -> None:
        positions = defaultdict[str, list[int]](list)
        for text, position in texts:
            positions[text].append(position)
        self._positions = dict(sorted(positions.items()))
        self.texts = tuple(self._positions)
        self._lists = tuple(self._positions.values())
        self._lines = "\n".join(text.replace("\n", " ") for text in self.texts)

    def same(self, text: str) -> Sequence[int]:
        """Return the positions of this text."""
        return self._positions.get(text, ())

    def beginning(self, text: str) -> Sequence[int]:
        """Return the positions of texts that begin with this text."""
        start = bisect_left(self.texts, text)
        end = bisect_left(self.texts, text + _LAST_LETTER)
        return list(chain.from_iterable(self._lists[start:end]))

    def containing(self, text: str) -> Sequence[int]:
        """Return the positions of texts that contain this text."""
        positions: list[int] = []
        line = 0
        start = 0
        while (index := self._lines.find(text, start)) >= 0:
            line += self._lines.count("\n", start, index)
            positions += self._lists[line]

            # Continue at the end of this line.
            line_start = self._lines.rfind("\n", 0, index) + 1
            start = line_start + len(self.texts[line])
        return positions


class Names:
    """One immutable version of the known suppliers, items or recipients.

    Indexes are built on first use, and contain positions in `rows`.
    """

    def __init__(self, by_ids: Mapping[Ids, NameRow], *, version: int = 0) -> None:
        self.by_ids = by_ids
        self.version = version

    @cached_property
    def rows(self) -> tuple[NameRow, ...]:
        """All rows, by id."""
        return tuple(sorted(self.by_ids.values(), key=_ids_of))

    @cached_property
    def by_name(self) -> TextIndex:
        """Index of folded names."""
        return TextIndex(
            (row.folded_name, position)
            for position, row in enumerate(self.rows)
            if row.folded_name
        )

    @cached_property
    def by_word(self) -> TextIndex:
        """Index of the words of names."""
        return TextIndex(self._words())

    def _words(self) -> Iterator[tuple[str, int]]:
        for position, row in enumerate(self.rows):
            for text in row.folded_name.split():
                for word in name_words(text):
                    yield word, position

    @cached_property
    def by_own_id(self) -> TextIndex:
        """Index of ids in plain letters. An item's id is without its supplier."""
        return TextIndex(
            (plain_letters(row.id), position) for position, row in enumerate(self.rows)
        )

    @cached_property
    def by_market(self) -> TextIndex:
        """Index of markets, as imported and as part of item ids."""
        return TextIndex(self._markets())

    def _markets(self) -> Iterator[tuple[str, int]]:
        for position, row in enumerate(self.rows):
            for market in {row.market, row.id.partition(":")[2]}:
                yield market, position

    @cached_property
    def by_number(self) -> Mapping[str, Sequence[NameRow]]:
        """Map the number in each id to the rows with that number."""
        rows = defaultdict[str, list[NameRow]](list)
        for row in self.rows:
            rows[number_in(row.id)].append(row)
        return rows

    def positions(self, supplier: str | None) -> range:
        """Return the positions in `rows` of the items of one or of all suppliers."""
        if supplier is None:
            return range(len(self.rows))
        start = bisect_left(self.rows, (supplier,), key=_ids_of)
        end = bisect_left(self.rows, (f"{supplier}\0",), key=_ids_of)
        return range(start, end)

    def called(self, name: str) -> tuple[NameRow, ...]:
        """Return the rows with this name. Case and diacritics are ignored."""
        positions = self.by_name.same(folded(name))
        return tuple(self.rows[position] for position in positions)


def number_in(own_id: str) -> str:
    """Return the number at the start of the id, without leading zeros.

    If the id does not start with a number, return the id.
    """
    match = _NUMBER.match(own_id)
    return match[1] if match else own_id
