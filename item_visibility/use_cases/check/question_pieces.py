"""Splits a line into pieces: numbers, markets, and runs of words between marks and stop words."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import fits_check_digit, split_item_id
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.question import market_number

_LONG_NUMBER = 8
"""Shorter numbers are parts of names."""
_LONGEST = 200
"""A longer token holds no label."""
_JOINED = frozenset({12, 13, 14})
"""The lengths of numbers that are read with spaces inside, when their check digit fits."""
_TOKEN = re.compile(r"[\t;|]|(?:[^\s,;|]|(?<=\d),(?=\d\d?(?!\d)))+|,")
_LABELLED = re.compile(r"([^\W\d_][\w.-]*)[:=](\S+)")
_SPACED = re.compile(
    r"(?<![\w.:+-])\d{1,10}(?:([ \u00a0.'\u2019-])\d{1,10})(?:\1\d{1,10}){0,12}(?![\w.-]{0,12}\d)"
)
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)|(?<=[^\W\d_]{3})(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that belong together, a number or a market, with what the words before it say.

    `is_labelled` when a name of the part is before it, such as "supplier", and not only "from".
    """

    words: tuple[str, ...]
    label: Kind | None = None
    is_labelled: bool = False
    is_after_and: bool = False
    is_no_id: bool = False
    is_number: bool = False
    market: str = ""

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


class Scan:
    """Reads a line token by token. `is_bare` is False when other words are between its numbers."""

    def __init__(self, text: str, *, is_id: Callable[[str], bool]) -> None:
        self.pieces: list[Piece] = []
        self.is_bare = True
        self._is_id = is_id
        self._has_heard = False
        self._words: list[str] = []
        self._next = Piece(())
        self._tokens: list[str] = _TOKEN.findall(_joined_numbers(_LINK.sub(_link_words, text)))
        self._before = ""
        while self._tokens:
            self._take(self._tokens.pop(0))
        self._close()

    def _take(self, token: str) -> None:
        labelled = _LABELLED.fullmatch(token.lstrip("([")) if len(token) < _LONGEST else None
        word = token if self._is_id(token) else token.strip(say.MARKS)
        if labelled and say.is_stop(labelled[1]):
            self._tokens[:0] = labelled.groups()
            return
        if "/" in word[1:-1] and not self._is_id(word):
            self._tokens[:0] = token.replace("/", " / ").split()
            return
        if token[0] in say.MARKS or not word:
            self._close()
            is_closed = token.rstrip("?!.:").endswith(")")
            self._before = ("()" if is_closed else "(") if token[0] == "(" else self._before
        if word:
            self._take_word(word)
        if token[-1] in say.MARKS:
            self._close()

    def _take_word(self, word: str) -> None:
        words = [word, *(one.strip(say.MARKS) for one in self._tokens[:2])]
        if self._is_id(word) or split_item_id(word) or (word.isdecimal() and len(word) >= _LONG_NUMBER):
            self._add((word,), is_number=True)
            self._before = "" if market_number(word) else "number"
        elif self._before == "number" and re.fullmatch("[0-9]{3}", word) and market_code(word):
            self._add((word,), market=market_code(word))
        elif count := (market := say.market_of_words(words, self._before, is_last=not self._tokens))[1]:
            self._add(tuple(words[:count]), market=market[0])
            del self._tokens[: count - 1]
            self._before = ""
        elif word == "&" and self._words:
            self._words.append(word)
        elif word in say.AND or not any(map(str.isalnum, word)):
            self._close()
            self._next = replace(self._next, is_after_and=word in {*say.AND, ","})
        elif say.is_stop(word):
            self._hear(word)
            self._before = word
        elif "@" not in word:
            self._words += _UNIT.sub(" ", word).split()
            self._before = word

    def _hear(self, word: str) -> None:
        """Keep what a stop word says about the next piece; "customer" also about the words before it."""
        label, is_label = say.cue_of(word), say.label_of(word) is not None
        if is_label and label is Kind.RECIPIENT and self._words:
            self._next = replace(self._next, label=label, is_labelled=True)
        self._close()
        self._has_heard = True
        is_no_id = self._next.is_no_id or say.plain(word) in say.NOT_IDS
        self._next = replace(self._next, is_no_id=is_no_id)
        if label:
            self._next = replace(self._next, label=label, is_labelled=is_label)

    def _add(self, words: tuple[str, ...], *, is_number: bool = False, market: str = "") -> None:
        self._close()
        self.is_bare = self.is_bare and not (self._has_heard and self.pieces)
        self._has_heard = False
        self.pieces.append(replace(self._next, words=words, is_number=is_number, market=market))
        self._next = Piece(())

    def _close(self) -> None:
        if self._words:
            self.pieces.append(replace(self._next, words=tuple(self._words)))
            self._words, self._next = [], Piece(())


_LINK = re.compile(r"(?<!\S)[^\s?]*\?\S*=\S*")


def _link_words(match: re.Match[str]) -> str:
    """Return "supplier X item Y recipient Z" for a link of the dashboard."""
    try:
        pairs = dict(parse_qsl(urlsplit(match[0]).query))
    except ValueError:
        return ""
    return " ".join(f"{kind.value} {pairs[kind.value]}" for kind in Kind if kind.value in pairs)


def _joined_numbers(text: str) -> str:
    """Return the text without the spaces and dots inside numbers."""

    def join(match: re.Match[str]) -> str:
        digits = "".join(filter(str.isdigit, match[0]))
        is_other = any(say.plain(word) in say.NOT_IDS for word in text[: match.start()].split()[-1:])
        return digits if len(digits) in _JOINED and fits_check_digit(digits) and not is_other else match[0]

    return _SPACED.sub(join, text)
