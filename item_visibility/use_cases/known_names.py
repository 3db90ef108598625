"""The ids and names that are known here. They help a person, and are no permission check. Note N15.

When our own database cannot be used, nothing is known for the moment, and the work continues.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.damage import IdRole
from item_visibility.lists.numbers import (
    GTIN_DIGITS,
    form_of,
    forms_in_use,
    is_item_number,
    is_location_number,
    is_number,
    split_item_id,
)
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.storage.directory import Directory, Ids, Kind, NameRow, Names
from item_visibility.storage.fallback import or_else
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.use_cases.find_by_name import (
    SHOWN,
    Choice,
    Matches,
    choice_of,
    find,
    find_nearest,
    market_of,
)

_KINDS = {IdRole.SUPPLIER: Kind.SUPPLIER, IdRole.ITEM: Kind.ITEM, IdRole.RECIPIENT: Kind.RECIPIENT}
_LIKE = 3
"""The limit of recipients offered for a name."""
_SAMPLE = 200
_NO_NAME = "(no name)"


@dataclass(frozen=True, slots=True)
class SingleChoice:
    """The number that a text means; or the text itself as a `question`, with the nearest known ones.

    `why_not` says why the text cannot be a number.
    """

    number: str = ""
    question: str = ""
    nearest: tuple[Choice, ...] = ()
    why_not: str = ""


class KnownNames:
    """Looks ids and names up in the directory of one environment."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._held: dict[Kind, Names] = {}

    def held(self) -> "KnownNames":
        """Return the names as they are now, for many look-ups: each else asks the database for changes."""
        held = KnownNames(self._directory)
        held._held = {kind: self._names(kind) for kind in Kind}
        return held

    def find(self, kind: Kind, text: str, *, supplier: str | None = None, limit: int = SHOWN) -> Matches:
        """Return the best matches of a text; none for an empty one. `supplier` limits items to its own."""
        return find(self._names(kind), kind, text, supplier=supplier, limit=limit)

    def nearest(self, kind: Kind, text: str, *, supplier: str | None = None) -> tuple[Choice, ...]:
        """Return a few that are most like the text."""
        return find_nearest(self._names(kind), kind, text, supplier=supplier)

    def first(self, kind: Kind, *, supplier: str | None = None, limit: int = SHOWN) -> Matches:
        """Return the first ones by number, for a field in which nothing is typed yet."""
        rows = self._names(kind).of(supplier)
        return Matches(tuple(map(choice_of, rows[:limit])), max(len(rows) - limit, 0))

    def chosen(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> Choice:
        """Return this one as a choice, with its name if it is known."""
        ids = _ids(kind, own_id, supplier)
        return choice_of(self._names(kind).by_ids.get(ids, NameRow(ids)))

    def is_known(self, kind: Kind, own_id: str, *, supplier: str | None = None) -> bool:
        """True when this number was used or imported here."""
        return _ids(kind, own_id, supplier) in self._names(kind).by_ids

    def some_ids(self, kind: Kind, *, supplier: str | None = None) -> tuple[str, ...]:
        """Return a sample of the known ids."""
        return tuple(row.ids[-1] for row in self._names(kind).of(supplier)[:_SAMPLE])

    def has_form(self, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
        """True when the text has the form of a GLN, of a GTIN with or without market, or of an id in use."""
        is_standard = is_item_number if kind is Kind.ITEM else is_location_number
        return is_standard(text) or form_of(text) in forms_in_use(self.some_ids(kind, supplier=supplier))

    def read_one(self, kind: Kind, text: str, *, supplier: str | None = None) -> SingleChoice:
        """Return what the text means: a known number, the full name of exactly one, or a number by its form.

        Any other text is a question: no answer is given about an item that does not exist.
        """
        wanted = text.strip()
        if not wanted:
            return SingleChoice()
        for one in (text, wanted):
            if self.is_known(kind, one, supplier=supplier):
                return SingleChoice(one)
        same = self._names(kind).called([wanted]).get(wanted, ())
        ids = [row.ids[-1] for row in same if supplier in {None, row.ids[0]}]
        if len(ids) == 1:
            return SingleChoice(ids[0])
        why_not = refusal(wanted, name=kind.value) or ""
        if not why_not and self.has_form(kind, wanted, supplier=supplier):
            return SingleChoice(wanted)
        return SingleChoice(
            question=wanted, nearest=self.nearest(kind, wanted, supplier=supplier), why_not=why_not
        )

    def is_known_supplier(self, supplier: str) -> bool:
        """True when the supplier was used or imported here."""
        return self.is_known(Kind.SUPPLIER, supplier)

    def is_known_item(self, item: ItemKey) -> bool:
        """True when the item was used or imported here."""
        return self.is_known(Kind.ITEM, item.supplier_item_id, supplier=item.supplier)

    def known_items(self, items: Iterable[ItemKey]) -> frozenset[ItemKey]:
        """Return those of the items that were used or imported here."""
        by_ids = self._names(Kind.ITEM).by_ids
        return frozenset(one for one in items if (one.supplier, one.supplier_item_id) in by_ids)

    def known_recipients(self, recipient_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the recipients that were used or imported here."""
        by_ids = self._names(Kind.RECIPIENT).by_ids
        return frozenset(one for one in recipient_ids if (one,) in by_ids)

    def items_with_number(self, number: str) -> tuple[ItemKey, ...]:
        """Return the known items with this trade item number, in any market and of any supplier.

        Leading zeros of a number are ignored.
        """
        wanted = _number_of(number)
        rows = self._names(Kind.ITEM).rows if wanted else ()
        return tuple(
            ItemKey(*row.ids) for row in rows if wanted in row.ids[1] and _number_of(row.ids[1]) == wanted
        )

    def items_with_id(self, own_id: str) -> tuple[ItemKey, ...]:
        """Return the known items with exactly this id of their own, of any supplier."""
        return tuple(ItemKey(*row.ids) for row in self._names(Kind.ITEM).rows if row.ids[1] == own_id)

    def recipients_called(self, names: Collection[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return the known recipients with exactly these names."""
        found = self._names(Kind.RECIPIENT).called(names)
        return {name: tuple((row.ids[0], row.name) for row in rows[:_LIKE]) for name, rows in found.items()}

    def ids(self, role: IdRole) -> tuple[str, ...]:
        """Return every known id of this role; of items their own ids, of any supplier."""
        return tuple(row.ids[-1] for row in self._names(_KINDS[role]).rows) if role in _KINDS else ()

    def called(self, role: IdRole, names: Collection[str]) -> dict[str, str]:
        """Return the id of each name that exactly one has."""
        found = self._names(_KINDS[role]).called(names)
        return {name: rows[0].ids[-1] for name, rows in found.items() if len(rows) == 1}

    def supplier_name(self, supplier: str) -> str:
        """Return the supplier's name; empty when none is known."""
        return self.supplier_names([supplier]).get(supplier, "")

    def item_name(self, item: ItemKey) -> str:
        """Return the item's name and its market; empty when neither is known."""
        ids = (item.supplier, item.supplier_item_id)
        row = self._names(Kind.ITEM).by_ids.get(ids, NameRow(ids))
        market = market_of(row)
        return _words(row.name or _NO_NAME, market) if row.name or market else ""

    def item_title(self, item: ItemKey) -> str:
        """Return the item as people call it: its name and its market. An unknown name is its number."""
        return self.item_titles([item])[item]

    def item_titles(self, items: Iterable[ItemKey]) -> dict[ItemKey, str]:
        """Return the name and the market of each item; of one without a name its number and market."""
        by_ids = self._names(Kind.ITEM).by_ids
        keys = {item: (item.supplier, item.supplier_item_id) for item in items}
        rows = {item: by_ids.get(ids, NameRow(ids)) for item, ids in keys.items()}
        return {item: _words(row.name or row.ids[-1], market_of(row)) for item, row in rows.items()}

    def supplier_names(self, suppliers: Iterable[str]) -> dict[str, str]:
        """Return the names of those suppliers that have one."""
        return self._names_of(Kind.SUPPLIER, suppliers)

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Return the names of those recipients that have one."""
        return self._names_of(Kind.RECIPIENT, recipient_ids)

    def settle(self, request: ChangeRequest, result: SaveResult) -> None:
        """Follow a save's last read: recipients that the service now lists become known, undone ones unknown.

        An undone id that has a name stays. One that other items have comes back when one of them is read.
        """
        if result.after is None:
            return
        if confirmed := request.add & result.after:
            or_else(None, lambda: self._directory.remember([request.item], confirmed))
        if request.kind is ChangeKind.UNDO:
            self._forget_nameless(Kind.RECIPIENT, [(one,) for one in request.remove - result.after])
            if not result.after:
                item = request.item
                self._forget_nameless(Kind.ITEM, [(item.supplier, item.supplier_item_id)])

    def _forget_nameless(self, kind: Kind, ids: Collection[Ids]) -> None:
        rows, by_ids = self._directory[kind], self._names(kind).by_ids
        nameless = [one for one in ids if one in by_ids and not by_ids[one].name]
        if nameless:
            or_else(None, lambda: rows.forget(nameless))

    def _names_of(self, kind: Kind, ids: Iterable[str]) -> dict[str, str]:
        by_ids = self._names(kind).by_ids
        return {one: row.name for one in ids if (row := by_ids.get((one,))) and row.name}

    def _names(self, kind: Kind) -> Names:
        return self._held[kind] if kind in self._held else or_else(Names({}), self._directory[kind].current)


def market_of_item(item: SeenItem) -> str:
    """Return the name of the item's market; empty when it is not known."""
    return market_of(NameRow((item.item.supplier, item.item.supplier_item_id), item.name, item.market))


def title_of_item(item: SeenItem) -> str:
    """Return the item's name and market; the number of one without a name."""
    return _words(item.name or item.item.supplier_item_id, market_of_item(item))


def _ids(kind: Kind, own_id: str, supplier: str | None) -> Ids:
    return (supplier or "", own_id) if kind is Kind.ITEM else (own_id,)


def found_among(ids: Iterable[str], names: Mapping[str, str], text: str) -> list[str]:
    """Return the ids, in order, that hold the text or whose name does in whatever case."""
    folded = text.casefold()
    return sorted(one for one in ids if text in one or folded in names.get(one, "").casefold())


def _words(name: str, market: str) -> str:
    return " · ".join(filter(None, (name, market)))


def _number_of(supplier_item_id: str) -> str:
    """Return the trade item number without leading zeros; empty when the id does not look like one."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    return number.lstrip("0") if len(number) in GTIN_DIGITS and is_number(number) else ""
