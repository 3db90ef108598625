"""The words around the ids of a pasted question: links, labels, grammar, punctuation."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import parse_qsl, urlsplit

from item_visibility.intake.split_ids import split_ids


class Role(StrEnum):
    """The role of an id in a question; the value is its query parameter in a link."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"


LONG_ENOUGH = 8
"""Shorter numbers in a sentence are ticket numbers, times and counts rather than ids."""

IN_ORDER = (Role.SUPPLIER, Role.ITEM, Role.RECIPIENT)
"""The order of a bare line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One piece of the text that may be an id.

    `label` is the role that the text names for it, `cue` the role that grammar suggests.
    `position` tells two of the same value apart.
    """

    position: int
    value: str
    is_like_an_id: bool
    label: Role | None = None
    cue: Role | None = None


_WORD = re.compile(r"\S+")
_LABEL = re.compile(
    r"(?:(?P<item>(?:supplier)?items?|artikels?|gtin|ean)|(?P<supplier>suppliers?|lieferant(?:en)?)"
    r"|(?P<recipient>recipients?|empfänger|empfaenger)"
    r")(?:id|gln|gtin|no|nr|number|nummer)?"
)
_FILLER = re.compile(r"id|gln|no|nr|number|nummer|with|mit|is|ist|the|a|der|die|das|den|dem|-")
_CUES = {
    **dict.fromkeys(("of", "from", "by", "von", "vom"), Role.SUPPLIER),
    **dict.fromkeys(("see", "sehen"), Role.ITEM),
    **dict.fromkeys(("to", "for", "für"), Role.RECIPIENT),
}
_VERBS = frozenset(
    {
        "can",
        "cannot",
        "cant",
        "does",
        "doesnt",
        "sees",
        "kann",
        "darf",
        "sieht",
        "could",
        "können",
        "koennen",
        "dürfen",
    }
)
"""What a recipient does: it stands before the verb, or after it in a question."""
_PREFIXED = re.compile(r"(?P<label>[^\W\d][\w.-]*)[:=](?P<value>.*)", re.DOTALL)
_PAIRS = dict(zip("([{<\"'`\u00ab\u201e\u201c\u2018", ")]}>\"'`\u00bb\u201c\u201d\u2019", strict=True))
_BRACKETS = "".join(_PAIRS)
_FULL_STOPS = "?!.,:"


def hint_of(word: str) -> tuple[Role | None, bool]:
    """Return the role that a word gives to its neighbours, and whether it is a verb of the recipient."""
    plain = _plain(word)
    if label := _LABEL.fullmatch(plain):
        return Role(str(label.lastgroup)), False
    return (Role.RECIPIENT, True) if plain in _VERBS else (_CUES.get(plain), False)


def read_link(text: str) -> tuple[dict[Role, str], str]:
    """Return the ids in the first dashboard link of the text, and the text without that link."""
    for match in _WORD.finditer(text):
        pairs = dict(parse_qsl(_query(match[0])))
        found = {role: pairs[role] for role in Role if role in pairs}
        if found:
            return found, f"{text[: match.start()]} {text[match.end() :]}"
    return {}, text


def read_tokens(text: str, *, is_known: Callable[[str], bool]) -> tuple[Token, ...]:
    """Return the pieces of the text that may be ids, with the hints of the words before them."""
    cells = [cell.strip() for cell in text.strip("\r\n").split("\t")]
    if len(cells) == len(IN_ORDER) and all(cells):
        return tuple(
            Token(position=position, value=cell, is_like_an_id=True) for position, cell in enumerate(cells)
        )
    words = split_ids(text)
    walk = _Walk(
        is_known, is_bare=len(words) == len(IN_ORDER) and not any(map(is_a_word_of_questions, words))
    )
    for word in words:
        walk.take(word)
    return tuple(walk.tokens)


class _Walk:
    """Walks through the words, and keeps the hints of the last ones for the next id."""

    def __init__(self, is_known: Callable[[str], bool], *, is_bare: bool) -> None:
        self.tokens: list[Token] = []
        self._is_known = is_known
        self._is_bare = is_bare
        self._label: Role | None = None
        self._is_firm = False
        self._cue: Role | None = None
        self._is_after_id = False

    def take(self, word: str) -> None:
        """Read the next word."""
        prefixed = _prefixed(word)
        if prefixed:
            self._hear(prefixed["label"], is_firm=True)
            if prefixed["value"]:
                self._take_value(prefixed["value"])
        elif is_a_word_of_questions(word):
            self._hear(word, is_firm=False)
        else:
            self._take_value(word)
            self._is_after_id = self.tokens[-1:] != [] and word.endswith(self.tokens[-1].value)

    def _hear(self, word: str, *, is_firm: bool) -> None:
        """Keep the hint that a word, which is no id itself, gives about the next one."""
        plain = _plain(word)
        if label := _LABEL.fullmatch(plain):
            self._label, self._is_firm = Role(str(label.lastgroup)), is_firm
        elif plain in _CUES:
            self._forget()
            self._cue = _CUES[plain]
        elif plain in _VERBS:
            self._forget()
            self._hear_verb()
        else:
            self._is_firm = self._is_firm or is_firm
        self._is_after_id = False

    def _hear_verb(self) -> None:
        if self._is_after_id:
            self.tokens[-1] = replace(self.tokens[-1], cue=self.tokens[-1].cue or Role.RECIPIENT)
        else:
            self._cue = Role.RECIPIENT

    def _take_value(self, word: str) -> None:
        value = self._value_of(word)
        is_like_an_id = self._is_known(value) or any(char.isdigit() for char in value)
        if value:
            label = self._label if self._is_firm or is_like_an_id else None
            token = Token(
                position=len(self.tokens),
                value=value,
                is_like_an_id=is_like_an_id,
                label=label,
                cue=self._cue,
            )
            self.tokens.append(token)
        self._forget()

    def _value_of(self, word: str) -> str:
        """Return the word without punctuation around it. A bare line keeps it, except around a number."""
        if self._is_known(word):
            return word
        value = unwrapped(word)
        return word if self._is_bare and not value.isdecimal() else value

    def _forget(self) -> None:
        self._label, self._is_firm, self._cue = None, False, None


def _query(link: str) -> str:
    try:
        return urlsplit(link).query
    except ValueError:
        return ""


def _prefixed(word: str) -> re.Match[str] | None:
    """Match a label and what follows its colon, such as `supplier:4000001000005`."""
    match = _PREFIXED.fullmatch(word.lstrip(_BRACKETS))
    return match if match and is_a_word_of_questions(match["label"]) else None


def is_a_word_of_questions(word: str) -> bool:
    """True when the word is a hint about an id beside it, and no id itself."""
    plain = _plain(word)
    is_word = _LABEL.fullmatch(plain) or _FILLER.fullmatch(plain) or plain in _CUES or plain in _VERBS
    return bool(is_word or _prefixed(word))


def _plain(word: str) -> str:
    return re.sub("[_.'\u2019-]", "", word.casefold().lstrip(_BRACKETS)) or word


def unwrapped(word: str) -> str:
    """Return the word without the sentence punctuation around it. Brackets that belong to it stay."""
    while word:
        inner = word[1:-1]
        closer = _PAIRS.get(word[0])
        if word[-1] in _FULL_STOPS:
            word = word[:-1]
        elif closer == word[-1] and word[0] not in inner and closer not in inner:
            word = inner
        elif closer and closer not in word[1:]:
            word = word[1:]
        elif word[-1] in _PAIRS.values() and not any(_PAIRS.get(char) == word[-1] for char in word[:-1]):
            word = word[:-1]
        else:
            break
    return word
