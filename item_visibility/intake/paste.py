"""Reads the recipients that a person entered, and works out their effect on the draft."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from item_visibility.api.identifiers import refusal
from item_visibility.changes.draft import Draft
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
class Remark:
    """A remark on a pasted recipient id."""

    recipient_id: str
    why: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedIds:
    """The entered ids, in their order, grouped by their effect on the draft.

    `new` would be added by this paste. It includes the `suspicious` ones: a suspicion never blocks.
    `repeated` were pasted more than once. `refused` cannot be in any request. `doubtful` are taken only when
    the person says so. Note N1.
    """

    new: tuple[str, ...] = ()
    already_there: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    refused: tuple[Remark, ...] = ()
    suspicious: tuple[Remark, ...] = ()
    doubtful: tuple[DoubtfulText, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """True when the person is to look at it before a save."""
        return bool(self.suspicious or self.refused or self.doubtful)


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


def sort_entered(entered: EnteredIds, *, draft: Draft) -> PastedIds:
    """Sort the entered ids by their effect on the draft. An id that is staged for removal counts as new."""
    distinct = tuple(dict.fromkeys(entered.ids))
    reasons = {pasted_id: refusal(pasted_id, name="recipient") for pasted_id in distinct}
    sendable = [pasted_id for pasted_id in distinct if not reasons[pasted_id]]
    refused = [Remark(pasted_id, why) for pasted_id, why in reasons.items() if why]
    refused += [
        Remark(one.text, why) for one in entered.doubtful if (why := refusal(one.text, name="recipient"))
    ]
    impossible = {remark.recipient_id for remark in refused}
    wanted = draft.wanted
    new = tuple(pasted_id for pasted_id in sendable if pasted_id not in wanted)
    return PastedIds(
        new=new,
        already_there=tuple(pasted_id for pasted_id in sendable if pasted_id in wanted),
        repeated=tuple(one for one, times in Counter(entered.ids).items() if times > 1),
        refused=tuple(refused),
        suspicious=_suspicious(new, listed=draft.recipients | draft.add),
        doubtful=tuple(one for one in entered.doubtful if one.text not in impossible),
    )


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


def _suspicious(new: tuple[str, ...], *, listed: frozenset[str]) -> tuple[Remark, ...]:
    looks: dict[str, str] = {}
    for one in (*sorted(listed), *new):
        looks.setdefault(look_without_zeros(one), one)
    remarks = []
    for pasted_id in new:
        twin = looks[look_without_zeros(pasted_id)]
        where = "in the list" if twin in listed else "pasted too"
        alike = () if twin == pasted_id else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(pasted_id), *alike):
            remarks.append(Remark(pasted_id, "; ".join(reasons)))
    return tuple(remarks)
