"""Reads the recipients that a person entered."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from item_visibility.intake.numbers.hints import doubts
from item_visibility.intake.numbers.lookalikes import look_without_zeros
from item_visibility.intake.numbers.number_forms import has_digit

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


@dataclass(frozen=True, slots=True)
class DoubtfulText:
    """A text that may not be an id, with the ids and names of known recipients that it may mean."""

    text: str
    alike: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EnteredIds:
    """The entered ids, including repeats, and the texts that may not be ids."""

    ids: tuple[str, ...]
    doubtful: tuple[DoubtfulText, ...]


class KnownRecipients(Protocol):
    """A look-up of the recipients that are known here."""

    def known_recipients(self, recipient_ids: Collection[str]) -> frozenset[str]:
        """Return those of them that are known."""

    def recipients_called(self, names: Collection[str]) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Return the recipients with exactly these names, ignoring case and accents."""

    def recipients_like(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return a few recipients whose names contain the text."""


def read_entered(
    text: str,
    known: KnownRecipients,
    *,
    there: frozenset[str] = frozenset(),
    as_numbers: frozenset[str] = frozenset(),
) -> EnteredIds:
    """Return the entered ids, and the texts that may not be ids: words and known names.

    An id contains a digit, or is known here or `there`, or was declared an id (`as_numbers`). Spaces
    separate ids only if every part is an id, so the words of a name stay together.
    """
    groups = tuple(_grouped(text))
    parts = frozenset(chain.from_iterable((group.text, *group.parts) for group in groups))
    ids = there | as_numbers | known.known_recipients(parts - there - as_numbers)
    names = known.recipients_called(frozenset(part for part in parts - ids if _has_letter(part)))
    entered: list[str] = []
    doubtful: dict[str, DoubtfulText] = {}
    for group in groups:
        taken = _taken(group, ids=ids, names=names)
        entered += taken
        if not taken:
            alike = names.get(group.text) or known.recipients_like(group.text)
            doubtful[group.text] = DoubtfulText(group.text, alike)
    return EnteredIds(tuple(entered), tuple(doubtful.values()))


@dataclass(frozen=True, slots=True)
class _Group:
    """A text between two separators, and its parts if it contains spaces."""

    text: str
    parts: tuple[str, ...]


def _grouped(text: str) -> Iterator[_Group]:
    for match in _GROUP.finditer(text):
        if match["quoted"] is not None:
            whole = match["quoted"].replace('""', '"')
            yield _Group(whole, (whole,))
        else:
            yield _Group(match["bare"], tuple(match["bare"].split()))


def _taken(
    group: _Group, *, ids: frozenset[str], names: Mapping[str, tuple[tuple[str, str], ...]]
) -> tuple[str, ...]:
    """Return the ids of the group; none when it is doubtful."""
    if group.text in ids:
        return (group.text,)
    if group.text in names:
        return ()
    are_ids = all(part in ids or (has_digit(part) and part not in names) for part in group.parts)
    return group.parts if are_ids else ()


def _has_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)


def doubts_about(ids: Collection[str], *, listed: frozenset[str]) -> dict[str, str]:
    """Return why entered ids look damaged or mistyped. They may be right all the same."""
    looks: dict[str, str] = {}
    for one in (*sorted(listed), *ids):
        looks.setdefault(look_without_zeros(one), one)
    found = {}
    for one in ids:
        twin = looks[look_without_zeros(one)]
        where = "in the list" if twin in listed else "entered too"
        alike = () if twin == one else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(one), *alike):
            found[one] = "; ".join(reasons)
    return found
