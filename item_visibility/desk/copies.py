"""Copies another item's recipients: read now, staged on the open item, never sent directly."""

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin
from item_visibility.desk.finder.entered_one import EnteredOne, read_one
from item_visibility.desk.finder.find_by_name import Finder
from item_visibility.desk.known_names import KnownId, KnownNames
from item_visibility.intake.numbers.trade_numbers import split_item_id
from item_visibility.jobs.preview import ReadItem
from item_visibility.records.directory.named_rows import Kind

_LOOKED_THROUGH = 50


def suggest_sources(names: KnownNames, item: ItemKey, *, limit: int = 4) -> tuple[KnownId, ...]:
    """Suggest known items to copy from: the same number in other markets, then others of the supplier.

    Number and market are a hint, and only order the suggestions. Note N2.
    """
    parts = split_item_id(item.supplier_item_id)
    same = _find(names, item, parts.number) if parts else ()
    others = _find(names, item, "")
    found = {known.id: known for known in (*same, *others)}
    return tuple(found.values())[:limit]


def item_meant(names: KnownNames, text: str, *, supplier: str) -> ItemKey:
    """Return the item that was typed: an item of this supplier, or a known supplier and its item.

    A text that is an item's whole id is always taken as that id. Note N1.
    """
    first, _, rest = text.partition("\t") if "\t" in text else text.partition(" ")
    as_typed = ItemKey(supplier, text)
    is_pair = bool(first) and bool(rest.strip()) and names.is_known_supplier(first)
    if not is_pair or names.is_known_item(as_typed):
        return as_typed
    return ItemKey(first, rest.strip())


def read_source(finder: Finder, names: KnownNames, text: str, *, supplier: str) -> tuple[str, EnteredOne]:
    """Return the supplier of the item that was typed, and what the text stands for among its items."""
    typed = item_meant(names, text, supplier=supplier)
    return typed.supplier, read_one(finder, Kind.ITEM, typed.supplier_item_id, supplier=typed.supplier)


def with_copied(draft: Draft, source: ReadItem) -> Draft:
    """Return the draft with the other item's recipients staged to be added. Nothing is sent."""
    return _staged(draft, dict.fromkeys(source.recipients or (), True), source)


def with_exactly_copied(draft: Draft, source: ReadItem) -> Draft:
    """Return the draft staged so that exactly the other item's recipients can see this one. Sends nothing."""
    nobody_else = dict.fromkeys(draft.recipients, False)
    return _staged(draft.discarded(), nobody_else | dict.fromkeys(source.recipients or (), True), source)


def _staged(draft: Draft, wanted: dict[str, bool], source: ReadItem) -> Draft:
    """Return the draft with the copy on top; it is a copy when nothing else was staged before."""
    other = source.item
    is_same_supplier = other.supplier == draft.item.supplier
    name = other.supplier_item_id if is_same_supplier else f"{other.supplier} {other.supplier_item_id}"
    origin = Origin(kind=ChangeKind.COPY, set_name=name, set_recipients=source.recipients or frozenset())
    is_a_copy = draft.is_empty or draft.origin == origin
    return draft.with_staged(wanted, origin=origin if is_a_copy else BY_HAND)


def _find(names: KnownNames, item: ItemKey, text: str) -> tuple[KnownId, ...]:
    found = names.find_items(item.supplier, text, limit=_LOOKED_THROUGH)
    return tuple(known for known in found if known.id != item.supplier_item_id)
