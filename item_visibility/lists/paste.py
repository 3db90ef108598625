"""Reads recipients that a person typed or pasted: ids, names, a column, a sentence or a whole e-mail."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from item_visibility.lists.numbers import (
    doubts,
    fits_check_digit,
    has_digit,
    is_location_number,
    is_number,
    look_without_zeros,
)
from item_visibility.storage.directory import Kind, Names

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
_SENTENCE = 6
"""A text of so many words is a sentence."""
_SHORTEST_NUMBER = 5
"""In a sentence, shorter numbers are amounts, days and hours."""
_CLOSINGS = frozenset(("regards", "sincerely", "cheers", "grüsse", "grüssen", "gruss"))
_MAIL_WORDS = _CLOSINGS | frozenset(("please", "bitte", "thanks", "thank", "danke", "colleagues", "kollegen"))
_MAIL_WORDS |= frozenset(("dear", "hello", "hi", "hallo", "liebe", "lieber", "geehrte", "geehrter"))
_BETWEEN = frozenset(("and", "und", "or", "oder", ""))
_LIKE = 3
"""The limit of recipients offered for a name."""


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


def read_entered(
    text: str,
    known: Callable[[Kind], Names],
    *,
    declared: frozenset[str] = frozenset(),
    is_id: Callable[[str], bool] = has_digit,
) -> EnteredIds:
    """Return the entered ids, the texts to decide about, and the prose to ignore.

    An id is known here, was `declared` one, or looks like one (`is_id`). The full name of exactly one
    recipient means that recipient. Spaces separate ids only if every part is an id; a number may be written
    with spaces. In a message, only known ids and names count: a number that may be another id is doubtful,
    and the rest is ignored.
    """
    groups = tuple(_groups(text))
    phrases = frozenset(islice((phrase for group in groups for phrase in _phrases(*group)), _MOST_PHRASES))
    recipients = known(Kind.RECIPIENT)
    ids = declared | {one for one in phrases if (one,) in recipients.by_ids}
    found = recipients.called(frozenset(one for one in phrases - ids if any(map(str.isalpha, one))))
    names = {name: tuple((row.ids[0], row.name) for row in rows[:_LIKE]) for name, rows in found.items()}
    reader = _Reader(
        ids=ids,
        names=names,
        suppliers=known(Kind.SUPPLIER),
        is_id=is_id,
        is_message=any(_is_prose(parts) for _, parts in groups),
    )
    for whole, parts in groups:
        reader.read(whole, parts)
    return EnteredIds(tuple(reader.found), tuple(reader.doubtful.values()), tuple(reader.ignored))


def remarks_on(new: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return what to check about new ids: doubtful ones, and those that look like another one."""
    if not new:
        return {}  # the list may be long, and nothing is usually entered
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


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads the groups of a text one after another: the text between two separators, and its parts.

    Below the closing words of a message (`is_closing`), numbers belong to the sender, and are asked about.
    """

    ids: frozenset[str]
    names: Mapping[str, tuple[tuple[str, str], ...]]
    suppliers: Names
    is_id: Callable[[str], bool]
    is_message: bool
    is_closing: bool = False
    found: list[str] = field(default_factory=list)
    doubtful: dict[str, DoubtfulText] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    def read(self, text: str, parts: Sequence[str]) -> None:
        if self._take_known(text):
            return
        numbers = ["".join(parts[start:stop]) for start, stop in self._numbers(parts)]
        if all(part in self.ids or (has_digit(part) and part not in self.names) for part in numbers):
            for number in numbers:
                self._take_number(number)
            return
        pieces = list(self._pieces(parts))
        words_between = {_plain_word(parts[start]) for start, _, known in pieces if not known}
        is_joined_by_words = any(known for _, _, known in pieces) and words_between <= _BETWEEN
        if self.is_message or is_joined_by_words:
            self._read_prose(parts, pieces)
            self.is_closing |= not _CLOSINGS.isdisjoint(map(_plain_word, parts))
        else:
            self._doubt(text)

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
        if not self.is_closing and (text in self.ids or self.is_id(text)):
            self.found.append(text)
        else:
            self._doubt(text)

    def _doubt(self, text: str) -> None:
        self.doubtful.setdefault(text, DoubtfulText(text))

    def _numbers(self, parts: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield where each part begins and ends. A number that is written with spaces is one part."""
        start = 0
        while start < len(parts):
            stop = self._end_of_number(parts, start)
            yield start, stop
            start = stop

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

    def _pieces(self, parts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the pieces of a sentence: begin, end, and the known id or name or the number that it is."""
        start = 0
        while start < len(parts):
            stop = self._end_of_number(parts, start)
            known = "".join(parts[start:stop]) if stop > start + 1 else ""
            for end in range(min(len(parts), start + _MOST_JOINED), start, -1):
                if not known and (known := self._known_at(parts, start, end)):
                    stop = end
            yield start, stop, known
            start = stop

    def _known_at(self, parts: Sequence[str], start: int, end: int) -> str:
        """Return the known id or name; none when words with capitals beside a name make a longer one."""
        words = parts[start:end]
        phrase = " ".join(words)
        for known in dict.fromkeys((phrase, phrase.strip(_AROUND_WORDS))):
            is_amount = len(words) == 1 and known.isdecimal() and len(known) < _SHORTEST_NUMBER
            if known in self.ids and not is_amount:
                return known
            if known in self.names and (len(words) > 1 or _has_capital(words[0])):
                is_longer = start > 1 and _goes_on(parts[start - 1], parts[start - 1])
                is_longer |= end < len(parts) and _goes_on(words[-1], parts[end])
                return "" if is_longer else known
        return ""

    def _read_prose(self, parts: Sequence[str], pieces: Sequence[tuple[int, int, str]]) -> None:
        """Take the known ids and names. Ask about what may be another id, and ignore the rest."""
        for is_prose, run in groupby(pieces, lambda one: not one[2] and not self._may_be_id(parts[one[0]])):
            its_pieces = list(run)
            if is_prose:
                self.ignored.append(" ".join(parts[its_pieces[0][0] : its_pieces[-1][1]]))
                continue
            for start, _, known in its_pieces:
                if not known:
                    self._doubt(parts[start].strip(_AROUND_WORDS))
                elif not self._take_known(known):
                    self._take_number(known)

    def _may_be_id(self, word: str) -> bool:
        text = word.strip(_AROUND_WORDS)
        if not has_digit(text) or "@" in text:
            return False
        is_like = text in self.ids or (len(text) >= _SHORTEST_NUMBER and self.is_id(text))
        return is_like and (text,) not in self.suppliers.by_ids


def _groups(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the texts between separators, each with its parts between spaces; a quoted text is one part."""
    for match in _GROUP.finditer(text):
        if match["quoted"] is not None:
            whole = match["quoted"].replace('""', '"')
            yield whole, (whole,)
        else:
            yield match["bare"], tuple(match["bare"].split())


def _phrases(text: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield the texts that may be a known id or name: the whole, and words that follow one another."""
    yield text
    for start in range(len(parts) if len(parts) > 1 or parts[0] != text else 0):
        for stop in range(start + 1, min(len(parts), start + _MOST_JOINED) + 1):
            phrase = " ".join(parts[start:stop])
            yield from filter(None, (phrase, phrase.strip(_AROUND_WORDS)))
            if all(map(is_number, parts[start:stop])):
                yield "".join(parts[start:stop])


def _is_prose(parts: Sequence[str]) -> bool:
    """True for a sentence, and for words that only messages hold."""
    is_sentence = len(parts) >= _SENTENCE and any(map(str.isalpha, map(_plain_word, parts)))
    return is_sentence or any(_plain_word(word) in _MAIL_WORDS for word in parts)


def _plain_word(word: str) -> str:
    return word.strip(_AROUND_WORDS).casefold()


def _has_capital(word: str) -> bool:
    return word.strip(_AROUND_WORDS)[:1].isupper()


def _goes_on(first: str, beside: str) -> bool:
    """True when a word beside a name may belong to it: no sentence ends with the first of both."""
    return first[-1] not in ".:!?" and _has_capital(beside) and _plain_word(beside) not in _MAIL_WORDS


def _is_gln(text: str) -> bool:
    return is_location_number(text) and fits_check_digit(text)
