"""The items that may have been meant: other writings, markets, packages and suppliers. Each is read."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.numbers import writing
from item_visibility.use_cases.check.question.by_number import market_of
from item_visibility.use_cases.known_names import KnownNames
from item_visibility.use_cases.why_not.near_numbers import Slip, lone_number, near_ids, packages_of
from item_visibility.use_cases.why_not.near_recipients import listed_near, near_of
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind

_SEEN = {
    ReasonKind.KNOWN_MARKET: ReasonKind.OTHER_MARKET,
    ReasonKind.KNOWN_SUPPLIER: ReasonKind.OTHER_SUPPLIER,
    ReasonKind.KNOWN_PACKAGE: ReasonKind.OTHER_PACKAGE,
}
"""The reason in place of these, when the recipient can see the other item."""
_ONLY_SEEN = frozenset(_SEEN)
"""No reasons for an item that has recipients, unless the recipient can see the other one."""


@dataclass(frozen=True, slots=True)
class NearItem:
    """A known item that may have been meant, and why; `slip` says how its number differs."""

    kind: ReasonKind
    item: ItemKey
    slip: Slip | None = None


def near_items(item: ItemKey, *, is_sure: bool, names: KnownNames) -> tuple[NearItem, ...]:
    """Return known items that may have been meant, each once, the most probable first.

    A slip is looked for only when the item itself is not sure.
    """
    found = [*_same_number(item, names)]
    if not is_sure:
        with_slips = _with_slips(item, names)
        written = [one for one in with_slips if one.slip is Slip.WRITING]
        found += written or with_slips
    found += _packages(item, names)
    by_item = {one.item: one for one in reversed(found) if one.item != item}
    return tuple(one for one in found if by_item.get(one.item) is one)


def reason_of(near: NearItem, listed: Collection[str], recipient_id: str, *, is_sure: bool) -> Reason:
    """Return the reason that the other item's list makes; `is_sure` allows for no slip."""
    as_written = _seen_as(recipient_id, listed, is_sure=is_sure)
    kind = _SEEN.get(near.kind, near.kind) if as_written is not None else near.kind
    return Reason(
        kind=kind,
        item=near.item,
        recipient_id=as_written if as_written != recipient_id else None,
        slip=near.slip,
        sees=as_written is not None,
    )


def counts(reason: Reason, *, is_sure: bool) -> bool:
    """True unless the item is sure, and the other one is no better for this recipient."""
    return reason.sees or not (is_sure and reason.kind in _ONLY_SEEN | {ReasonKind.ITEM_WRITTEN_OTHERWISE})


def _seen_as(recipient_id: str, listed: Collection[str], *, is_sure: bool) -> str | None:
    """Return the writing in which the list holds the recipient; None when it does not.

    Unless `is_sure`, also the only one that differs by a slip.
    """
    if recipient_id in listed:
        return recipient_id
    near = listed_near(recipient_id, listed, near_of(recipient_id))
    written = [one for one, slip in near.items() if slip is Slip.WRITING]
    found = written if written or is_sure else list(near)
    return found[0] if len(found) == 1 else None


def _same_number(item: ItemKey, names: KnownNames) -> Iterator[NearItem]:
    """Yield the known items of the same number: other writings, other markets, other suppliers."""
    own_id = item.supplier_item_id
    known = names.items_with_number(own_id)
    if not known and (lone := lone_number(own_id)):
        own_id, known = lone, names.items_with_number(lone)
    market, slips = market_of(own_id), near_ids(item.supplier)
    here, elsewhere = list[NearItem](), list[NearItem]()
    for other in known or names.items_with_id(own_id):
        is_market = market_of(other.supplier_item_id) == market
        if other.supplier == item.supplier:
            kind = ReasonKind.ITEM_WRITTEN_OTHERWISE if is_market else ReasonKind.KNOWN_MARKET
            here.append(NearItem(kind, other, Slip.WRITING if is_market else None))
        elif is_market or not market:
            slip = slips.get(other.supplier)
            if slip is None and writing(other.supplier) == writing(item.supplier):
                slip = Slip.WRITING
            kind = ReasonKind.SUPPLIER_MISTYPED if slip else ReasonKind.KNOWN_SUPPLIER
            elsewhere.append(NearItem(kind, other, slip))
    yield from sorted(here, key=lambda one: one.kind is ReasonKind.KNOWN_MARKET)
    yield from sorted(elsewhere, key=lambda one: one.kind is ReasonKind.KNOWN_SUPPLIER)


def _with_slips(item: ItemKey, names: KnownNames) -> list[NearItem]:
    near = near_of(item.supplier_item_id)
    known = names.known_items(ItemKey(item.supplier, own_id) for own_id in near)
    found = []
    for one in sorted(known, key=_in_order):
        slip = near[one.supplier_item_id]
        is_writing = slip is Slip.WRITING
        kind = ReasonKind.ITEM_WRITTEN_OTHERWISE if is_writing else ReasonKind.ITEM_MISTYPED
        found.append(NearItem(kind, one, slip))
    return found


def _in_order(item: ItemKey) -> tuple[str, str]:
    return item.supplier, item.supplier_item_id


def _packages(item: ItemKey, names: KnownNames) -> list[NearItem]:
    others = (ItemKey(item.supplier, own_id) for own_id in packages_of(item.supplier_item_id))
    return [
        NearItem(ReasonKind.KNOWN_PACKAGE, one) for one in sorted(names.known_items(others), key=_in_order)
    ]
