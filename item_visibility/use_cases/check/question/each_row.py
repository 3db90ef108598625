"""Reads the questions of a text by number and by name: one from each row, or one from the whole text."""

import re
from dataclasses import replace
from functools import cache

from item_visibility.lists.numbers import has_digit
from item_visibility.lists.rows import split_ids
from item_visibility.use_cases.check.question.by_name import fill_by_name
from item_visibility.use_cases.check.question.by_number import read_numbers
from item_visibility.use_cases.check.question.cue_words import (
    HEADINGS,
    cue_of,
    label_of,
    plain,
    says_something,
)
from item_visibility.use_cases.check.question.named_market import read_markets
from item_visibility.use_cases.check.question.parts import IN_ORDER, Question, QuestionRole
from item_visibility.use_cases.check.question.pieces import LONG_ENOUGH, read_link, read_tokens
from item_visibility.use_cases.find_by_name import Finder
from item_visibility.use_cases.known_names import KnownNames

_MOST_BY_NAME = 50
"""The limit of rows in which names are looked up."""
_HEADER = re.compile(
    r"^(?:from|von|to|an|cc)\s*:.*@.*$|^(?:subject|betreff)\s*:", re.IGNORECASE | re.MULTILINE
)
"""The head of a mail: who wrote to whom."""
_LIST_SIGN = re.compile(r"^[ ]*(?:(?:>|[-*\u2022]|[0-9]{1,2}[.)])[ ]+)+", re.MULTILINE)
"""The sign before a line of a list, or of a mail that is quoted."""


def read_questions(text: str, *, known: KnownNames, finder: Finder) -> tuple[Question, ...]:
    """Read one question from each row, or a single question if the text has no rows.

    If it names several items or recipients that are known here, there is one question for each.
    """
    read_row = _RowReader(known, finder).read
    text = _LIST_SIGN.sub("", text)
    for rows in (_lines(text), _run_together(text), _threes(text), _sentences(text)):
        if len(rows) < 2:  # noqa: PLR2004  (one row is the whole text)
            continue
        read = [(row, read_row(row, is_by_name=at < _MOST_BY_NAME)) for at, row in enumerate(rows)]
        asked = [several for row, several in read if _is_asked(row, several[0], known)]
        sure = [several for several in asked if _is_for_someone_known(several[0], known)]
        if len(sure) > 1 or (len(asked) > 1 and 2 * len(asked) >= len(read)):
            return tuple(one for _, several in read for one in several if _is_about_anything(one, known))
    return read_row(text)


class _RowReader:
    """Reads the questions of one row."""

    def __init__(self, known: KnownNames, finder: Finder) -> None:
        self._known = known
        self._finder = finder
        self._is_known = cache(lambda one: known.is_known_supplier(one) or known.is_known_recipient(one))

    def read(self, text: str, *, is_by_name: bool = True) -> tuple[Question, ...]:
        """Return one question, or one for each recipient or item that it names."""
        linked, rest = read_link(text)
        markets, rest = read_markets(_HEADER.sub(" ", rest), is_known=self._is_known)
        tokens = read_tokens(rest, is_known=self._is_known)
        question = read_numbers(tokens, self._known, linked=linked, markets=markets, is_known=self._is_known)
        others = [] if question.missing else [*filter(self._known.is_known_recipient, question.left_over)]
        left = tuple(one for one in question.left_over if one not in others)
        question = replace(question, left_over=left)
        named: tuple[Question, ...] = (question,)
        if is_by_name:
            named = fill_by_name(question, tokens, linked=linked, known=self._known, finder=self._finder)
        recipients = (named[0].recipient_id, *others) if others else ()
        return tuple(replace(named[0], recipient_id=one) for one in recipients) or named


def _is_asked(row: str, question: Question, known: KnownNames) -> bool:
    """True when each part was read or is asked about, and two at least are no chance words.

    A row that ends with a question mark is asked when it names anything.
    """
    asked = {one.role for one in question.doubts if one.choices}
    by_item = {QuestionRole.SUPPLIER} if QuestionRole.ITEM in asked else set[QuestionRole]()
    is_whole = not set(question.missing) - asked - by_item
    are_enough = _count_sure(question, known) + len(asked | by_item) > 1
    return (is_whole and are_enough) or (row.strip().endswith("?") and _is_about_anything(question, known))


def _is_for_someone_known(question: Question, known: KnownNames) -> bool:
    """True when the recipient is known here, or the person is asked about one."""
    recipient_id = question.recipient_id
    return recipient_id is None or known.is_known_recipient(recipient_id)


def _is_about_anything(question: Question, known: KnownNames) -> bool:
    """True when a row holds more than a greeting or a signature."""
    return bool(_count_sure(question, known)) or any(one.choices for one in question.doubts)


def _count_sure(question: Question, known: KnownNames) -> int:
    """Count the parts that are known here or look like ids. Short ones alone may be a telephone number."""
    parts = [part for part in map(question.part, IN_ORDER) if part]
    looks = [part for part in parts if has_digit(part)]
    names = [part for part in parts if known.is_known_supplier(part) or known.is_known_recipient(part)]
    is_chance = not names and all(len(part) < LONG_ENOUGH for part in looks)
    return 0 if is_chance else len({*looks, *names})


def _lines(text: str) -> list[str]:
    """Return the lines of the text, without headings and empty lines."""
    return [line for line in text.splitlines() if not all(map(_is_heading, split_ids(line)))]


def _is_heading(word: str) -> bool:
    return label_of(word) is not None or cue_of(word) is not None or plain(word) in HEADINGS


def _run_together(text: str) -> list[str]:
    """Split table rows whose line breaks became spaces when they were pasted into a single line."""
    cells = text.strip().split("\t")
    for columns in (len(IN_ORDER), len(IN_ORDER) + 1):
        ends = [cell.split() for cell in cells[columns - 1 : -1 : columns - 1]]
        if ends and (len(cells) - 1) % (columns - 1) == 0 and all(len(end) == 2 for end in ends):  # noqa: PLR2004  (last and first)
            for row, (last, first) in enumerate(ends, start=1):
                cells[row * (columns - 1)] = f"{last}\n{first}"
            return "\t".join(cells).split("\n")
    return []


def _threes(text: str) -> list[str]:
    """Split a sequence of bare ids into rows of three."""
    words = split_ids(text)
    is_bare = all(has_digit(word) and not says_something(word) for word in words)
    if len(words) % len(IN_ORDER) or not is_bare:
        return []
    return [" ".join(words[at : at + len(IN_ORDER)]) for at in range(0, len(words), len(IN_ORDER))]


def _sentences(text: str) -> list[str]:
    """Return the questions of a text in which several end with a question mark."""
    sentences = [one for one in re.split(r"(?<=\?)\s+", text) if one.endswith("?")]
    return sentences if len(sentences) <= _MOST_BY_NAME else []
