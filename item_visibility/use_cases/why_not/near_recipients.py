"""The recipients that may have been meant: those of the list first, then the known ones."""

from collections.abc import Collection, Iterator, Mapping

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.damage import find_in_text
from item_visibility.lists.numbers import doubts, fits_check_digit, is_trade_number, split_item_id, writing
from item_visibility.use_cases.known_names import KnownNames
from item_visibility.use_cases.why_not.near_numbers import (
    IN_ORDER,
    Slip,
    lone_number,
    near_ids,
    written_like,
)
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind

_MOST = 3
"""More that differ by a slip are a series of numbers: none of them is near."""


def near_recipients(
    recipient_id: str, listed: Collection[str], *, item: ItemKey, names: KnownNames, is_sure: bool
) -> Iterator[Reason]:
    """Yield the recipients that may have been meant; else what is wrong with the number itself.

    `is_sure` when the recipient is known, or is a location number. A slip in its number is none then; one in
    the list still is.
    """
    if writing(recipient_id) == writing(item.supplier):
        yield Reason(kind=ReasonKind.SUPPLIERS_NUMBER)
        return
    near = near_of(recipient_id)
    on_list = listed_near(recipient_id, listed, near)
    written = {one: slip for one, slip in on_list.items() if slip is Slip.WRITING}
    if written:
        yield from _each(ReasonKind.WRITTEN_OTHERWISE, written, sees=True)
    elif is_sure:
        is_right = not _is_misfit(recipient_id)
        misfits = {one: slip for one, slip in on_list.items() if is_right and _is_misfit(one)}
        yield from _each(ReasonKind.LIST_MISTYPED, _few(misfits), sees=True)
    else:
        known = names.known_recipients([one for one in near if one not in on_list])
        few, perhaps = _few(on_list), _few({one: near[one] for one in known})
        yield from _each(ReasonKind.RECIPIENT_MISTYPED, few, sees=True)
        called = names.recipient_names(set(perhaps))
        yield from _each(ReasonKind.KNOWN_RECIPIENT, perhaps, sees=False, called=called)
        if not few and not perhaps:
            yield _wrong_in_itself(recipient_id, item)


def near_of(identifier: str) -> dict[str, Slip]:
    """Return the texts that may have been meant, also what a spreadsheet or a mail made this one of."""
    damage = find_in_text(identifier)
    near = near_ids(identifier)
    for meant in (lone_number(identifier), damage.rest if damage else None):
        if meant and meant != identifier:
            near |= {meant: Slip.WRITING, **near_ids(meant)}
    return near


def listed_near(identifier: str, listed: Collection[str], near: dict[str, Slip]) -> dict[str, Slip]:
    """Return the ids of the list that are near this one."""
    written = dict.fromkeys(written_like(identifier, listed), Slip.WRITING)
    return {one: slip for one, slip in near.items() if one in listed} | written


def _each(
    kind: ReasonKind, near: Mapping[str, Slip], *, sees: bool, called: Collection[str] = ()
) -> Iterator[Reason]:
    """Yield a reason for each, first those that have a name."""
    for one in sorted(near, key=lambda one: (one not in called, one)):
        yield Reason(kind=kind, recipient_id=one, slip=near[one], sees=sees)


def _few(near: Mapping[str, Slip]) -> dict[str, Slip]:
    """Return those of a few that were found, or of many the few that differ least; else none."""
    smallest = min(map(IN_ORDER.index, near.values()), default=0)
    best = {one: slip for one, slip in near.items() if IN_ORDER.index(slip) == smallest}
    return next((dict(some) for some in (near, best) if len(some) <= _MOST), {})


def _wrong_in_itself(recipient_id: str, item: ItemKey) -> Reason:
    """Return what the number shows by itself."""
    parts = split_item_id(item.supplier_item_id)
    number = parts.number if parts else item.supplier_item_id
    if writing(recipient_id) in {writing(number), writing(item.supplier_item_id)}:
        return Reason(kind=ReasonKind.ITEMS_NUMBER)
    if damage := find_in_text(recipient_id):
        return Reason(kind=ReasonKind.DAMAGED, message=damage.message)
    if found := doubts(recipient_id):
        return Reason(kind=ReasonKind.DAMAGED, message=f"{found[0]}.")
    return Reason(kind=ReasonKind.UNKNOWN_RECIPIENT)


def _is_misfit(recipient_id: str) -> bool:
    """True for the digits of a trade or location number whose check digit does not fit."""
    return is_trade_number(recipient_id) and not fits_check_digit(recipient_id)
