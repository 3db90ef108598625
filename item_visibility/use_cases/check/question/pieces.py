"""The pieces of a question that may be ids or names, with the roles that labels and grammar give them."""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import parse_qsl, urlsplit

from item_visibility.lists.numbers import split_item_id
from item_visibility.use_cases.check.question.cue_words import (
    AND,
    ARTICLES,
    GIVERS,
    VERBS,
    WHO,
    cue_of,
    label_of,
    plain,
    prefixed,
    says_something,
    unwrapped,
)
from item_visibility.use_cases.check.question.parts import IN_ORDER, QuestionRole

LONG_ENOUGH = 8
"""Shorter numbers in a sentence are ticket numbers, times and counts rather than ids."""
_WORD = re.compile(
    r"""
    "(?P<quoted>(?:[^"]|"")+)"(?=[\s,;\ufeff]|$)         # as spreadsheets quote; "" is one mark
    | (?P<bare>(?:[^\s,;\ufeff] | (?<=\d),(?=\d\d?(?!\d)))+)  # a comma within a number such as 1,5 stays
    | (?P<end>[\t\r\n,;])
    """,
    re.VERBOSE,
)
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)", re.IGNORECASE)
_SIGNS = re.compile(r"[-\u2013\u2014/|+]")
_ENDS = ("?", "!", ".", ":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word of the text, or one cell of a row, that may be an id or a part of a name.

    `role` is what labels and grammar make of it; `is_labelled` when the text names the role. The words of one
    `phrase` belong together, and the first one has the role. `is_further` is true after "and", where the
    phrase before has the same role.
    """

    position: int
    phrase: int
    value: str
    is_like_an_id: bool
    role: QuestionRole | None = None
    is_labelled: bool = False
    is_further: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that may be names, and the role that the words around them give; None if none does."""

    words: tuple[str, ...]
    role: QuestionRole | None = None
    is_further: bool = False

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


def is_long_number(word: str) -> bool:
    """True for digits that can only be an id, with or without a market."""
    return split_item_id(word) is not None or (word.isdecimal() and len(word) >= LONG_ENOUGH)


def read_link(text: str) -> tuple[dict[QuestionRole, str], str]:
    """Return the ids in the first dashboard link of the text, and the text without that link."""
    for match in re.finditer(r"\S+", text):
        pairs = dict(parse_qsl(_query(match[0])))
        found = {role: pairs[role] for role in QuestionRole if role in pairs}
        if found:
            return found, f"{text[: match.start()]} {text[match.end() :]}"
    return {}, text


def read_tokens(text: str, *, is_known: Callable[[str], bool]) -> tuple[Token, ...]:
    """Return the words of the text that may be ids or names."""
    cells = [cell.strip() for cell in text.strip("\r\n").split("\t")]
    if len(cells) == len(IN_ORDER) and all(cells):
        return tuple(
            Token(position=column, phrase=column, value=cell, is_like_an_id=True)
            for column, cell in enumerate(cells)
        )
    words = ["".join(filter(None, match.groups())) for match in _WORD.finditer(text)]
    names = [word for word in words if word.strip(",;\r\n\t")]
    walk = _Walk(is_known, is_bare=len(names) == len(IN_ORDER) and not any(map(says_something, names)))
    for word in words:
        walk.take(word.replace('""', '"'))
    return tuple(walk.tokens)


def phrases_of(tokens: Iterable[Token], *, without: Collection[str]) -> tuple[Phrase, ...]:
    """Return the phrases that the words make; ids that were read already stand `without` them."""
    found = []
    for _, group in groupby(tokens, key=lambda token: token.phrase):
        first, *rest = group
        some = [one for one in (first, *rest) if one.value not in without and not is_long_number(one.value)]
        words = [word for one in some for word in _UNIT.sub(" ", one.value).split()]
        if words:
            found.append(Phrase(tuple(map(unwrapped, words)), first.role, first.is_further))
    return tuple(found)


class _Walk:
    """Walks through the words, and keeps what the last ones say about the next id or name."""

    def __init__(self, is_known: Callable[[str], bool], *, is_bare: bool) -> None:
        self.tokens: list[Token] = []
        self._is_known = is_known
        self._is_bare = is_bare
        self._phrase = 0
        self._is_open = self._is_who = False
        self._expect(None)

    def take(self, word: str) -> None:
        """Read the next word."""
        labelled = prefixed(word)
        if not word.strip(",;\r\n\t") or _SIGNS.fullmatch(word):
            self._end_part()
        elif self._is_known(word):
            self._add(word)
        elif labelled:
            self._hear(labelled[0])
            self._is_firm = True
            if labelled[1]:
                self._add(labelled[1])
        elif says_something(word):
            self._hear(word)
        else:
            self._add(word)
        if word.endswith(_ENDS) and not labelled:
            self._end_part()

    def _expect(self, role: QuestionRole | None, *, is_label: bool = False, is_further: bool = False) -> None:
        """End the phrase. The next one has this role, if any."""
        self._phrase += 1
        self._role, self._is_label, self._is_further = role, is_label, is_further
        self._is_named = is_label
        self._is_open = self._is_firm = False

    def _end_part(self) -> None:
        """End the phrase at a mark of punctuation. A label counts for the next part, too."""
        is_firm, self._is_who = self._is_firm, False
        self._expect(self._role if self._is_label else None, is_label=self._is_label)
        self._is_firm = is_firm

    def _hear(self, word: str) -> None:
        """Keep what a word, which is no id itself, says about the next one."""
        known, label, cue = plain(word), label_of(word), cue_of(word)
        if label:
            self._expect(label, is_label=True)
        elif cue:
            self._expect(cue)
        elif known in VERBS and self._is_open and self._role_before() in {None, QuestionRole.RECIPIENT}:
            self._give_before(QuestionRole.RECIPIENT)
            self._expect(QuestionRole.ITEM)
        elif known in VERBS:
            self._expect(QuestionRole.ITEM if self._is_who else QuestionRole.RECIPIENT)
        elif known in GIVERS:
            self._give_before(QuestionRole.SUPPLIER)
            self._expect(None)
        elif known in AND:
            self._expect(self._role_before(), is_further=True)
        elif known in ARTICLES and self._is_open:
            self._expect(None)
        self._is_who = self._is_who or known in WHO

    def _first_of_last(self) -> Token | None:
        """Return the first word of the phrase before."""
        last = self.tokens[-1].phrase if self.tokens else None
        return next((one for one in self.tokens if one.phrase == last), None)

    def _role_before(self) -> QuestionRole | None:
        first = self._first_of_last()
        return first.role if first else None

    def _give_before(self, role: QuestionRole) -> None:
        """Give the phrase that stands directly before its role."""
        first = self._first_of_last()
        if first and self._is_open:
            self.tokens[first.position] = replace(first, role=role)

    def _add(self, word: str) -> None:
        """Add an id or a word of a name. Words about a name count for the number after it, too."""
        value = self._value_of(word)
        if not value or "@" in value:
            return
        is_number = is_long_number(value) or (self._is_firm and value.isdecimal())
        self._phrase += is_number
        is_first = not self.tokens or self.tokens[-1].phrase != self._phrase
        is_like_an_id = self._is_known(value) or any(char.isdigit() for char in value)
        is_after_and = is_number and self._is_further
        is_labelled = self._is_label and (self._is_firm or is_like_an_id)
        self.tokens.append(
            Token(
                position=len(self.tokens),
                phrase=self._phrase,
                value=value,
                is_like_an_id=is_like_an_id,
                role=self._role if is_first and not is_after_and else None,
                is_labelled=is_labelled or (is_number and self._is_named),
                is_further=self._is_further,
            )
        )
        self._is_label = self._is_firm = False
        if is_number:
            self._expect(None)
        self._is_open = True

    def _value_of(self, word: str) -> str:
        """Return the word without punctuation around it. A bare line keeps it, except around a number."""
        if self._is_known(word):
            return word
        value = unwrapped(word)
        return word if self._is_bare and not value.isdecimal() else value


def _query(link: str) -> str:
    try:
        return urlsplit(link).query
    except ValueError:
        return ""
