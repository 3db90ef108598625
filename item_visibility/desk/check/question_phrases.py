"""The names in a question: its words between numbers, punctuation and the words of grammar."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from item_visibility.desk.check.question_words import (
    IN_ORDER,
    LONG_ENOUGH,
    Role,
    hint_of,
    is_a_word_of_questions,
    unwrapped,
)
from item_visibility.intake.trade_numbers import split_item_id

_ENDS = re.compile(r"[\t\n;?!]|,(?!\d)|[.](?=\s|$)|\s[-\u2013\u2014/|]\s")
_COLON = re.compile(r"(?<=[^\W\d_]):")
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)", re.IGNORECASE)
_ARTICLES = frozenset(["a", "an", "the", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen"])
_AND = frozenset({"and", "und"})
_NO_NAMES = frozenset(
    """
    who wer what about was mit how wie when wann says say sagt sagen that dass they he she er sie hello hi
    hey dear hallo moin liebe lieber guten tag morgen please bitte thanks thank you danke regards
    gruss gruß grüsse grüße best viele beste kind mfg vg why warum wieso not nicht kein keine no now
    jetzt currently aktuell also auch still noch already schon our unser unsere unserem unseren your
    ihr ihre whether ob we wir i ich it es do did tun has have had hat haben be able visible
    sichtbar available product produkt item artikel customer customers kunde kunden kundin company
    firma retailer händler check prüfen pruefen tell me uns us if at bei in im for für market markt
    question frage gln
    """.split()  # noqa: SIM905  (so many words would fill a page as a list)
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that may be names, and the role that the words before or after them give; None if none does.

    `is_further` is true after "and", where the phrase before has the same role.
    """

    words: tuple[str, ...]
    hint: Role | None = None
    is_further: bool = False

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


def read_phrases(text: str, *, without: Collection[str]) -> tuple[Phrase, ...]:
    """Return the phrases of a text; ids that were read already stand `without` them."""
    text = _UNIT.sub(" ", _COLON.sub(" ", text))
    cells = text.strip("\r\n").split("\t")
    if len(cells) == len(IN_ORDER):
        words = (tuple(map(unwrapped, cell.split())) for cell in cells)
        rows = zip(words, IN_ORDER, cells, strict=True)
        return tuple(Phrase(some, role) for some, role, cell in rows if some and cell.strip() not in without)
    found: list[Phrase] = []
    for part in _ENDS.split(text):
        found.extend(_Part(without).read(part.split()))
    return tuple(found)


class _Part:
    """Reads a part of a text between two marks of punctuation."""

    def __init__(self, without: Collection[str]) -> None:
        self._without = without
        self._found: list[Phrase] = []
        self._words: list[str] = []
        self._hint: Role | None = None
        self._is_further = False

    def read(self, words: list[str]) -> Iterator[Phrase]:
        for word in words:
            self._take(unwrapped(word))
        self._end()
        return iter(self._found)

    def _take(self, word: str) -> None:
        plain = word.casefold()
        hint, is_verb = hint_of(word)
        if plain in _AND:
            before = self._hint
            self._end()
            self._hint, self._is_further = before, True
        elif plain in _ARTICLES:
            self._end()
        elif hint is not None:
            self._hear(hint, is_verb=is_verb)
        elif word in self._without or "@" in word or _is_number(word):
            self._end()
            self._hint = None
        elif word and plain not in _NO_NAMES and not is_a_word_of_questions(word):
            self._words.append(word)

    def _hear(self, hint: Role, *, is_verb: bool) -> None:
        """End the phrase at a word of grammar: a verb makes who stands before it the recipient."""
        if is_verb and self._words and self._hint is None:
            self._hint = Role.RECIPIENT
            self._end()
            self._hint = Role.ITEM
        else:
            self._end()
            self._hint = hint

    def _end(self) -> None:
        if self._words:
            self._found.append(Phrase(tuple(self._words), self._hint, self._is_further))
            self._hint = None
        self._words, self._is_further = [], False


def _is_number(word: str) -> bool:
    return split_item_id(word) is not None or (word.isdecimal() and len(word) >= LONG_ENOUGH)
