"""Reads one question from each row of a text, or one from the whole text, by number and by name."""

import re
from dataclasses import replace

from item_visibility.desk.check.question import Question, read_question
from item_visibility.desk.check.question_names import fill_by_name
from item_visibility.desk.check.question_words import IN_ORDER, Role, is_a_word_of_questions
from item_visibility.desk.finder.find_by_name import Finder
from item_visibility.desk.known_names import KnownNames
from item_visibility.intake.paste import has_digit
from item_visibility.intake.split_ids import split_ids

_MOST_BY_NAME = 50
"""The limit of rows in which names are looked up."""


def read_questions(text: str, *, known: KnownNames, finder: Finder) -> tuple[Question, ...]:
    """Read one question from each row, or a single question if the text has no rows.

    If it names several recipients that are known here, there is one question for each.
    """
    for rows in (_lines(text), _run_together(text), _threes(text), _sentences(text)):
        if len(rows) < 2:  # noqa: PLR2004  (one row is the whole text)
            continue
        read = [_read_row(row, known, finder) for row in rows[:_MOST_BY_NAME]]
        read += [(read_question(row, known=known),) for row in rows[_MOST_BY_NAME:]]
        asked = [several for several in read if _is_asked(several[0], known)]
        sure = [several for several in asked if _is_for_someone_known(several[0], known)]
        if len(sure) > 1 or (len(asked) > 1 and 2 * len(asked) >= len(read)):
            return tuple(one for several in read for one in several if _is_about_anything(one, known))
    return _read_row(text, known, finder)


def _read_row(text: str, known: KnownNames, finder: Finder) -> tuple[Question, ...]:
    question = read_question(text, known=known)
    others = [one for one in question.left_over if not question.missing and known.is_known_recipient(one)]
    rest = tuple(one for one in question.left_over if one not in others)
    named = fill_by_name(replace(question, left_over=rest), text, known=known, finder=finder)
    if not others:
        return named
    return tuple(replace(named[0], recipient_id=one) for one in (named[0].recipient_id, *others))


def _is_asked(question: Question, known: KnownNames) -> bool:
    """True when each part was read or is asked about, and two at least are no chance words."""
    asked = {one.role for one in question.doubts if one.choices}
    by_item = {Role.SUPPLIER} if Role.ITEM in asked else set[Role]()
    is_whole = not set(question.missing) - asked - by_item
    return is_whole and _count_sure(question, known) + len(asked | by_item) > 1


def _is_for_someone_known(question: Question, known: KnownNames) -> bool:
    """True when the recipient is known here, or the person is asked about one."""
    recipient_id = question.recipient_id
    return recipient_id is None or known.is_known_recipient(recipient_id)


def _is_about_anything(question: Question, known: KnownNames) -> bool:
    """True when a row holds more than a greeting or a signature."""
    return bool(_count_sure(question, known)) or any(one.choices for one in question.doubts)


def _count_sure(question: Question, known: KnownNames) -> int:
    """Count the parts that are known here or look like ids."""
    supplier, item_id, recipient_id = question.supplier, question.supplier_item_id, question.recipient_id
    are_sure = (
        supplier and (has_digit(supplier) or known.is_known_supplier(supplier)),
        item_id and has_digit(item_id),
        recipient_id and (has_digit(recipient_id) or known.is_known_recipient(recipient_id)),
    )
    return sum(map(bool, are_sure))


def _lines(text: str) -> list[str]:
    """Return the lines of the text, without headings and empty lines."""
    return [line for line in text.splitlines() if not all(map(is_a_word_of_questions, split_ids(line)))]


def _run_together(text: str) -> list[str]:
    """Split table rows whose line breaks became spaces when they were pasted into a single line."""
    cells = text.strip().split("\t")
    for columns in (len(IN_ORDER), len(IN_ORDER) + 1):
        rows, rest = divmod(len(cells) - 1, columns - 1)
        ends = cells[columns - 1 : -1 : columns - 1]
        if rows > 1 and not rest and all(len(end.split()) == 2 for end in ends):  # noqa: PLR2004  (last and first)
            parted = [end.split() for end in ends]
            firsts, lasts = [cells[0], *(new for _, new in parted)], [*(old for old, _ in parted), cells[-1]]
            inner = [cells[1 + row * (columns - 1) : (row + 1) * (columns - 1)] for row in range(rows)]
            return [
                "\t".join([first, *between, last])
                for first, between, last in zip(firsts, inner, lasts, strict=True)
            ]
    return []


def _threes(text: str) -> list[str]:
    """Split a sequence of bare ids into rows of three."""
    words = split_ids(text)
    is_bare = all(re.search("[0-9]", word) and not is_a_word_of_questions(word) for word in words)
    if len(words) % len(IN_ORDER) or not is_bare:
        return []
    return [" ".join(words[at : at + len(IN_ORDER)]) for at in range(0, len(words), len(IN_ORDER))]


def _sentences(text: str) -> list[str]:
    """Return the questions of a text in which several end with a question mark."""
    sentences = [one for one in re.split(r"(?<=\?)\s+", text) if one.endswith("?")]
    return sentences if len(sentences) <= _MOST_BY_NAME else []
