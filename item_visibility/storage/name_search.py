"""Keeps the known ids and their names in memory, and finds them by name."""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter

Ids = tuple[str, ...]
"""The key of a row: the id of a supplier or recipient, or the two ids of an item."""
_LAST_LETTER = "\U0010ffff"
_NUMBER = re.compile(r"0*([0-9]+)")
_UMLAUT = re.compile("([aou])e")
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)|(?<=[^\W\d_]{3})(?=\d)", re.IGNORECASE)
_WORD = re.compile(
    r"\d{8,}[:-]\w{2,3}\b|\S+@\S+|\w+(?:[.'\u2019-]\w+|(?<=\d),\d\d?(?!\d))*|[^\w\s]"
)
_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "\u0131": "i", "æ": "ae", "œ": "oe"}
)
_ids_of = attrgetter("ids")


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


def comparable(text: str) -> str:
    """Return the folded text, or the text itself if it consists of accents only."""
    return folded(text) or text


# The same names are compared at every keystroke.
@lru_cache(maxsize=4_096)
def folded(name: str) -> str:
    """Return the name in lower case, without accents: "Łódź" becomes "lodz"."""
    if name.isascii():
        return name.lower()
    letters = unicodedata.normalize("NFKD", name.casefold())
    base_letters = "".join(
        letter for letter in letters if not unicodedata.combining(letter)
    )
    return base_letters.translate(_NO_DECOMPOSITION)


def words_and_marks(text: str) -> list[str]:
    """Return the words and punctuation marks. A number and its unit are two words."""
    return _WORD.findall(_UNIT.sub(" ", text))


# A question repeats the same names in many lines.
@lru_cache(maxsize=100_000)
def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in plain letters.

    Müller, Mueller and Muller give the same word.
    """
    words = words_and_marks(plain_letters(text))
    return tuple(word for word in words if word[0].isalnum())


def plain_letters(text: str) -> str:
    """Return the text in lower case, without accents, and with ä and ae as a."""
    return _UMLAUT.sub(r"\1", folded(text))


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
