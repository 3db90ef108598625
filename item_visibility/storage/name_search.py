"""Keeps the known ids and their names in memory, and finds them by name."""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

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


@dataclass(frozen=True, slots=True)
class NameRow:
    """One row of the directory. Unknown fields are empty; only items have a market.

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


@lru_cache(maxsize=4_096)  # the same names are compared at every keystroke
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


@lru_cache(maxsize=100_000)  # a question repeats the same names in many lines
def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in plain letters.

    Müller, Mueller and Muller give the same word.
    """
    return tuple(
        word for word in words_and_marks(plain_letters(text)) if word[0].isalnum()
    )


def plain_letters(text: str) -> str:
    """Return the text in lower case, without accents, and with ä and ae as a."""
    return _UMLAUT.sub(r"\1", folded(text))


class TextIndex:
    """An index of texts.

    It finds the positions of texts that equal, begin with or contain a given text.
    """

    def __init__(self, texts: Iterable[tuple[str, int]]) -> None:
        found = defaultdict[str, list[int]](list)
        for text, position in texts:
            found[text].append(position)
        self._positions = dict(sorted(found.items()))
        self.texts = tuple(self._positions)
        self._lists = tuple(self._positions.values())
        self._lines = "\n".join(text.replace("\n", " ") for text in self.texts)

    def same(self, text: str) -> Sequence[int]:
        """Return the positions of this text."""
        return self._positions.get(text, ())

    def beginning(self, text: str) -> Sequence[int]:
        """Return the positions of texts that begin with this text."""
        first, end = (
            bisect_left(self.texts, one) for one in (text, text + _LAST_LETTER)
        )
        return list(chain.from_iterable(self._lists[first:end]))

    def containing(self, text: str) -> Sequence[int]:
        """Return the positions of texts that contain this text."""
        found, line, start = list[int](), 0, 0
        while (at := self._lines.find(text, start)) >= 0:
            line += self._lines.count("\n", start, at)
            found += self._lists[line]
            start = (
                at + len(self.texts[line]) - (at - self._lines.rfind("\n", 0, at) - 1)
            )
        return found


class Names:
    """One version of the known suppliers, items or recipients.

    Immutable. Indexes are built on first use.
    """

    def __init__(self, by_ids: Mapping[Ids, NameRow], *, version: int = 0) -> None:
        self.by_ids = by_ids
        self.version = version

    @cached_property
    def rows(self) -> tuple[NameRow, ...]:
        """All rows, by id."""
        return tuple(sorted(self.by_ids.values(), key=lambda row: row.ids))

    @cached_property
    def by_name(self) -> TextIndex:
        """Index of folded names, with positions in `rows`."""
        return TextIndex(
            (row.folded_name, at) for at, row in enumerate(self.rows) if row.folded_name
        )

    @cached_property
    def by_word(self) -> TextIndex:
        """Index of the words of names, with positions in `rows`."""
        texts = (
            (text, at)
            for at, row in enumerate(self.rows)
            for text in row.folded_name.split()
        )
        return TextIndex((word, at) for text, at in texts for word in name_words(text))

    @cached_property
    def by_own_id(self) -> TextIndex:
        """Index of ids in plain letters, with positions in `rows`.

        The supplier of an item is left out.
        """
        return TextIndex(
            (plain_letters(row.id), at) for at, row in enumerate(self.rows)
        )

    @cached_property
    def by_market(self) -> TextIndex:
        """Index of imported markets and markets in item ids: positions in `rows`."""
        both = (
            ({row.market, row.id.partition(":")[2]}, at)
            for at, row in enumerate(self.rows)
        )
        return TextIndex((market, at) for markets, at in both for market in markets)

    @cached_property
    def by_number(self) -> Mapping[str, Sequence[NameRow]]:
        """Map the number in each id to the rows with that number."""
        found = defaultdict[str, list[NameRow]](list)
        for row in self.rows:
            found[number_in(row.id)].append(row)
        return found

    def positions(self, supplier: str | None) -> range:
        """Return the positions in `rows` of the items of one or of all suppliers."""
        if supplier is None:
            return range(len(self.rows))
        ends: tuple[Ids, Ids] = ((supplier,), (f"{supplier}\0",))
        return range(
            *(bisect_left(self.rows, end, key=lambda row: row.ids) for end in ends)
        )

    def called(self, name: str) -> tuple[NameRow, ...]:
        """Return the rows with this name. Case and diacritics are ignored."""
        return tuple(self.rows[at] for at in self.by_name.same(folded(name)))


def number_in(own_id: str) -> str:
    """Return the number at the start of the id, without leading zeros.

    If there is none, return the id.
    """
    number = _NUMBER.match(own_id)
    return number[1] if number else own_id
