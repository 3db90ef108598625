"""Reads recipients that a person typed or pasted: ids, names, a column, a sentence or a whole e-mail."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from item_visibility.lists.numbers import (
    doubts,
    fits_check_digit,
    has_digit,
    is_location_number,
    is_number,
    look_without_zeros,
)

_GROUP = re.compile(
    r"""
    "(?P<quoted>(?:[^"]|"")+)"(?=[\s,;\ufeff]|$)   # as spreadsheets and CSV files quote; "" is one mark
    | (?P<bare>[^\s,;\ufeff]+(?:
        [^\S\r\n\t\v\f\x1c-\x1e\x85\u2028\u2029]+   # spaces of any width
        (?!"(?:[^"]|"")+"(?:[\s,;\ufeff]|$))
        [^\s,;\ufeff]+)*)
    """,
    re.VERBOSE,
)
"""A text between line ends, tabs, commas, semicolons and byte order marks. It may contain spaces."""
_AROUND_WORDS = ".:!?()[]<>'\"*"
_MOST_JOINED = 6
"""The limit of words in a name, and of parts in a number that is written with spaces."""
_MOST_PHRASES = 50_000
_MOST_SEARCHES = 30
_SENTENCE = 6
"""A text of so many words is a sentence."""
_LONGEST_NAME = 4
"""The limit of words in a name that is not known."""
_SHORTEST_NUMBER = 5
"""In a sentence, shorter numbers are amounts, days and hours."""
_SHORTEST_WORD = 4
_GREETINGS = frozenset(("dear", "hello", "hi", "hallo", "liebe", "lieber", "geehrte", "geehrter"))
_CLOSINGS = frozenset(("regards", "sincerely", "cheers", "grüsse", "grüssen", "gruss"))
_THANKS = frozenset(("thanks", "thank", "you", "many", "best", "wishes", "danke", "vielen", "dank"))
_MAIL_WORDS = (
    _GREETINGS | _CLOSINGS | {"please", "bitte", "thanks", "thank", "danke", "colleagues", "kollegen"}
)
_HEADINGS = frozenset(("from:", "to:", "cc:", "sent:", "subject:", "von:", "an:", "gesendet:", "betreff:"))
_BETWEEN = frozenset(("and", "und", "or", "oder", ""))
_Named = Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class DoubtfulText:
    """A text that may be an id or a name, with the ids and names of known recipients that it may mean.

    `is_shared` when all of them have exactly this name. `why_not` says why it cannot be an id.
    """

    text: str
    alike: tuple[tuple[str, str], ...] = ()
    is_shared: bool = False
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class EnteredIds:
    """The entered ids, including repeats, the texts to decide about, and the prose around them."""

    ids: tuple[str, ...] = ()
    doubtful: tuple[DoubtfulText, ...] = ()
    ignored: tuple[str, ...] = ()


class KnownRecipients(Protocol):
    """A look-up of the ids and names that are known here."""

    def known_recipients(self, recipient_ids: Collection[str]) -> frozenset[str]:
        """Return those of them that are known."""

    def recipients_called(self, names: Collection[str]) -> _Named:
        """Return the recipients with exactly these names, ignoring case and accents."""

    def is_known_supplier(self, supplier: str) -> bool:
        """True when it is the id of a supplier."""


def read_entered(  # noqa: PLR0913  (each is named where it is called)
    text: str,
    known: KnownRecipients,
    *,
    there: frozenset[str] = frozenset(),
    as_numbers: frozenset[str] = frozenset(),
    is_id: Callable[[str], bool] = has_digit,
    is_like_name: Callable[[str], bool] = lambda _: False,
) -> EnteredIds:
    """Return the entered ids, the texts to decide about, and the prose to ignore.

    An id is known here or `there`, was declared an id (`as_numbers`), or looks like one (`is_id`). The full
    name of exactly one recipient means that recipient. Spaces separate ids only if every part is an id; a
    number may be written with spaces. In a sentence, only known ids and names count: what may be another id
    or name is doubtful (`is_like_name` finds part of a known one), and the rest is ignored.
    """
    groups = tuple(_grouped(text))
    phrases = frozenset(islice((phrase for group in groups for phrase in _phrases(group)), _MOST_PHRASES))
    ids = there | as_numbers | known.known_recipients(phrases - there - as_numbers)
    names = known.recipients_called(frozenset(one for one in phrases - ids if _has_letter(one)))
    reader = _Reader(ids=ids, names=names, known=known, is_id=is_id, is_like_name=is_like_name)
    reader.is_message = any(_is_prose(group) for group in groups)
    for group in groups:
        reader.read(group)
    return EnteredIds(tuple(reader.found), tuple(reader.doubtful.values()), tuple(reader.ignored))


def remarks_on(new: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return what to check about new ids: doubtful ones, and those that look like another one."""
    looks: dict[str, str] = {}
    for one in (*sorted(listed), *new):
        looks.setdefault(look_without_zeros(one), one)
    remarks = {}
    for one in new:
        twin = looks[look_without_zeros(one)]
        where = "in the list" if twin in listed else "entered too"
        alike = () if twin == one else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(one), *alike):
            remarks[one] = "; ".join(reasons)
    return remarks


@dataclass(frozen=True, slots=True)
class _Group:
    """A text between two separators, and its parts if it contains spaces."""

    text: str
    parts: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads the groups of a text one after another. `is_closing` after the closing words of a message."""

    ids: frozenset[str]
    names: _Named
    known: KnownRecipients
    is_id: Callable[[str], bool]
    is_like_name: Callable[[str], bool]
    is_message: bool = False
    is_closing: bool = False
    searches: int = 0
    found: list[str] = field(default_factory=list)
    doubtful: dict[str, DoubtfulText] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    def read(self, group: _Group) -> None:
        if self._take_known(group.text):
            return
        numbers = self._joined(group.parts)
        if not self.is_closing and all(self._is_number(part) for part in numbers):
            for number in numbers:
                self._take_number(number)
        elif self.is_message or self._is_known_but_for_joining_words(group.parts):
            self._read_prose(group.parts)
        else:
            self._doubt(group.text)

    def _take_known(self, text: str) -> bool:
        """Take a known id, or the full name of one; ask about a name that several have."""
        named = self.names.get(text, ())
        if text in self.ids:
            self.found.append(text)
        elif len(named) == 1:
            self.found.append(named[0][0])
        elif named:
            self.doubtful[text] = DoubtfulText(text, named, is_shared=True)
        else:
            return False
        return True

    def _take_number(self, text: str) -> None:
        if text in self.ids or self.is_id(text):
            self.found.append(text)
        else:
            self._doubt(text)

    def _doubt(self, text: str) -> None:
        self.doubtful.setdefault(text, DoubtfulText(text))

    def _is_number(self, part: str) -> bool:
        return part in self.ids or (has_digit(part) and part not in self.names)

    def _joined(self, parts: Sequence[str]) -> list[str]:
        """Return the parts, with those joined that are one number written with spaces."""
        joined, start = list[str](), 0
        while start < len(parts):
            stop = self._end_of_number(parts, start)
            joined.append("".join(parts[start:stop]))
            start = stop
        return joined

    def _end_of_number(self, parts: Sequence[str], start: int) -> int:
        """Return where the number that begins here ends: after this part, unless more make one number."""
        run = start
        while run < min(len(parts), start + _MOST_JOINED) and is_number(parts[run]):
            run += 1
        for stop in range(run, start + 1, -1):
            whole = "".join(parts[start:stop])
            if any(part in self.ids or _is_gln(part) for part in parts[start:stop]):
                continue
            is_odd = is_location_number(whole) and not any(map(self.is_id, parts[start:stop]))
            if whole in self.ids or _is_gln(whole) or is_odd:
                return stop
        return start + 1

    def _is_known_but_for_joining_words(self, parts: Sequence[str]) -> bool:
        """True when nothing is beside known ids and names that could be part of a longer name."""
        known = list(self._pieces(parts))
        rest = {_plain_word(parts[start]) for start, _, is_known in known if not is_known}
        return any(is_known for _, _, is_known in known) and rest <= _BETWEEN

    def _pieces(self, parts: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
        """Yield where the pieces of a sentence begin and end, the longest known ids and names first."""
        start = 0
        while start < len(parts):
            stop = self._end_of_number(parts, start)
            ends = range(min(len(parts), start + _MOST_JOINED), start, -1)
            known = [stop] if stop > start + 1 else [end for end in ends if self._is_known(parts, start, end)]
            stop = max(known, default=start + 1)
            yield start, stop, bool(known)
            start = stop

    def _is_known(self, parts: Sequence[str], start: int, end: int) -> bool:
        """True for a known id, and for a name unless words with capitals beside it make a longer name."""
        known = self._known_in_prose(parts[start:end])
        if not known or known in self.ids:
            return bool(known)
        before = start > 1 and not _ends(parts[start - 1]) and _is_name_word(parts[start - 1])
        after = end < len(parts) and not _ends(parts[end - 1]) and _is_name_word(parts[end])
        return not (before or after)

    def _known_in_prose(self, words: Sequence[str]) -> str:
        """Return the known id or name that the words are; a name of one word has a capital there."""
        for phrase in _spellings(words):
            if phrase in self.ids and (len(words) > 1 or not _is_amount(phrase)):
                return phrase
            if phrase in self.names and (len(words) > 1 or _is_proper(phrase)):
                return phrase
        return ""

    def _read_prose(self, parts: Sequence[str]) -> None:
        """Take the known ids and names. Ask about what may be another one, and ignore the rest."""
        words = frozenset(map(_plain_word, parts))
        is_formula = not words.isdisjoint(_GREETINGS | _CLOSINGS) or parts[0].casefold() in _HEADINGS
        rest: list[str] = []
        for start, stop, is_known in self._pieces(parts):
            piece = parts[start:stop]
            if is_known:
                self._ignore(rest, is_all=is_formula, at_start=start == len(rest))
                rest = []
                if not self._take_known(self._known_in_prose(piece)):
                    self._take_number("".join(piece))
            else:
                rest += piece
        self._ignore(rest, is_all=is_formula, at_start=len(rest) == len(parts))
        self.is_closing |= not words.isdisjoint(_CLOSINGS) or words <= _THANKS

    def _ignore(self, words: Sequence[str], *, is_all: bool, at_start: bool) -> None:
        """Ignore the words, except what may be an id or a name. The first word of a sentence is neither."""
        ignored: list[str] = []
        for position, run in enumerate(_runs(words)):
            text = _bare(" ".join(run))
            is_first = at_start and position == 0 and len(run) < len(words)
            is_formula = is_all or self.is_closing
            if self._may_be_id(run) or (not is_formula and self._may_be_name(run, is_first=is_first)):
                self._doubt(text)
            else:
                ignored += run
        if ignored:
            self.ignored.append(" ".join(ignored))

    def _may_be_id(self, run: Sequence[str]) -> bool:
        text = _bare(run[0])
        if len(run) > 1 or not has_digit(text) or "@" in text:
            return False
        is_like = text in self.ids or (len(text) >= _SHORTEST_NUMBER and self.is_id(text))
        return is_like and not self.known.is_known_supplier(text)

    def _may_be_name(self, run: Sequence[str], *, is_first: bool) -> bool:
        if not _is_proper(run[0]) or len(run) > _LONGEST_NAME:
            return False
        if len(run) > 1 and not is_first:
            return True
        if self.searches >= _MOST_SEARCHES or len(_bare(run[0])) < _SHORTEST_WORD:
            return False
        self.searches += 1
        return self.is_like_name(_bare(" ".join(run)))


def _grouped(text: str) -> Iterator[_Group]:
    for match in _GROUP.finditer(text):
        if match["quoted"] is not None:
            whole = match["quoted"].replace('""', '"')
            yield _Group(whole, (whole,))
        else:
            yield _Group(match["bare"], tuple(match["bare"].split()))


def _phrases(group: _Group) -> Iterator[str]:
    """Yield what could be an id or a name in the group: itself, and words that follow one another."""
    yield group.text
    parts = group.parts
    for start in range(len(parts) if len(parts) > 1 or parts[0] != group.text else 0):
        for stop in range(start + 1, min(len(parts), start + _MOST_JOINED) + 1):
            yield from _spellings(parts[start:stop])
            if all(map(is_number, parts[start:stop])):
                yield "".join(parts[start:stop])


def _spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words as they are, and without the signs of a sentence around them."""
    phrase = " ".join(words)
    return tuple(one for one in dict.fromkeys((phrase, _bare(phrase))) if one)


def _is_prose(group: _Group) -> bool:
    """True for a sentence, and for what only messages say."""
    words = [_plain_word(part) for part in group.parts]
    return (len(words) >= _SENTENCE and any(map(str.isalpha, words))) or any(
        word in _MAIL_WORDS for word in words
    )


def _runs(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield words with capitals that follow one another together, and every other word alone."""
    run: list[str] = []
    for word in words:
        is_proper = _is_name_word(word)
        if run and not is_proper:
            yield run
            run = []
        if not is_proper:
            yield [word]
            continue
        run.append(word)
        if _ends(word):
            yield run
            run = []
    if run:
        yield run


def _bare(text: str) -> str:
    return text.strip(_AROUND_WORDS)


def _plain_word(word: str) -> str:
    return _bare(word).casefold()


def _is_proper(word: str) -> bool:
    """True when the word begins with a capital letter, as names do."""
    return _bare(word)[:1].isupper()


def _is_name_word(word: str) -> bool:
    return _is_proper(word) and _plain_word(word) not in _MAIL_WORDS


def _ends(word: str) -> bool:
    """True when a sentence ends with the word."""
    return word[-1] in ".:!?"


def _is_amount(text: str) -> bool:
    return text.isdecimal() and len(text) < _SHORTEST_NUMBER


def _is_gln(text: str) -> bool:
    return is_location_number(text) and fits_check_digit(text)


def _has_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)
