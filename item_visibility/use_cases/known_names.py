"""The ids and names that are known here. They help a person, and are no permission check. Note N15.

When our own database cannot be used, nothing is known for the moment, and the work goes on.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.damage.finding import IdRole
from item_visibility.lists.numbers.hints import market_hint
from item_visibility.lists.numbers.market_names import market_name
from item_visibility.lists.numbers.trade_numbers import GTIN_DIGITS, is_number, split_item_id
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.storage.directory.find import Word
from item_visibility.storage.directory.named_rows import Directory, Ids, Kind, NamedRow
from item_visibility.storage.fallback import or_else
from item_visibility.storage.scans.seen_items import SeenItem

_MANY = 100
"""The limit of items found for a text."""

_KINDS = {IdRole.SUPPLIER: Kind.SUPPLIER, IdRole.ITEM: Kind.ITEM, IdRole.RECIPIENT: Kind.RECIPIENT}
_LIKE = 3
"""The limit of recipients offered for a name."""

_NO_NAME = "(no name)"


@dataclass(frozen=True, slots=True)
class KnownId:
    """An id that was used or imported here, its name and a hint on its market; both may be empty."""

    id: str
    name: str
    hint: str


class KnownNames:
    """Looks ids and names up in the directory of one environment."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def find_items(self, supplier: str, text: str, *, limit: int = 20) -> tuple[KnownId, ...]:
        """Return known items of the supplier whose id or name matches; empty text matches all. Note N15."""
        found = or_else((), lambda: self._directory[Kind.ITEM].find(text, limit=limit, supplier=supplier))
        return tuple(KnownId(known.ids[1], known.name, market_hint(known.ids[1])) for known in found)

    def is_known_supplier(self, supplier: str) -> bool:
        """True when the supplier was used or imported here."""
        return self._row(Kind.SUPPLIER, supplier) is not None

    def is_known_item(self, item: ItemKey) -> bool:
        """True when the item was used or imported here."""
        return self._row(Kind.ITEM, item.supplier, item.supplier_item_id) is not None

    def known_items(self, items: Iterable[ItemKey]) -> frozenset[ItemKey]:
        """Return those of the items that were used or imported here."""
        wanted = [(item.supplier, item.supplier_item_id) for item in items]
        found = or_else({}, lambda: self._directory[Kind.ITEM].known(wanted))
        return frozenset(ItemKey(supplier, own_id) for supplier, own_id in found)

    def is_known_recipient(self, recipient_id: str) -> bool:
        """True when the recipient was used or imported here."""
        return self._row(Kind.RECIPIENT, recipient_id) is not None

    def items_with_number(self, number: str, *, supplier: str | None = None) -> tuple[ItemKey, ...]:
        """Return the known items with this trade item number, in any market.

        Without `supplier`, of any supplier. Leading zeros of a number are ignored.
        """
        wanted = _number_of(number)
        if not wanted:
            return ()
        return tuple(
            one for one in self._holding(wanted, supplier) if _number_of(one.supplier_item_id) == wanted
        )

    def items_with_id(self, own_id: str) -> tuple[ItemKey, ...]:
        """Return the known items with exactly this id of their own, of any supplier."""
        return tuple(one for one in self._holding(own_id) if one.supplier_item_id == own_id)

    def known_recipients(self, recipient_ids: Collection[str]) -> frozenset[str]:
        """Return those of the recipients that were used or imported here."""
        return frozenset(self._recipients(recipient_ids))

    def recipients_called(self, names: Collection[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return the known recipients with exactly these names."""
        found = or_else({}, lambda: self._directory[Kind.RECIPIENT].called(names))
        return {name: _pairs(called[:_LIKE]) for name, called in found.items()}

    def supplier_name(self, supplier: str) -> str:
        """Return the supplier's name; empty when none is known."""
        known = self._row(Kind.SUPPLIER, supplier)
        return known.name if known else ""

    def item_name(self, item: ItemKey) -> str:
        """Return the item's name and its market; empty when neither is known."""
        ids = (item.supplier, item.supplier_item_id)
        row = self._row(Kind.ITEM, *ids) or NamedRow(ids)
        market = market_of(row)
        return _words(row.name or _NO_NAME, market) if row.name or market else ""

    def item_title(self, item: ItemKey) -> str:
        """Return the item as people call it: its name and its market. An unknown name is its number."""
        return self.item_titles([item])[item]

    def item_titles(self, items: Iterable[ItemKey]) -> dict[ItemKey, str]:
        """Return the name and the market of each item; of one without a name its number and market."""
        wanted = {(item.supplier, item.supplier_item_id) for item in items}
        known = or_else({}, lambda: self._directory[Kind.ITEM].known(wanted))
        rows = [known.get(ids, NamedRow(ids)) for ids in wanted]
        return {ItemKey(*row.ids): _words(row.name or row.ids[-1], market_of(row)) for row in rows}

    def supplier_names(self, suppliers: Iterable[str]) -> dict[str, str]:
        """Return the names of those suppliers that have one."""
        found = or_else({}, lambda: self._directory[Kind.SUPPLIER].names(suppliers))
        return {one: name for one, name in found.items() if name}

    @property
    def changes_of_recipients(self) -> int:
        """The number of times that this process changed names of recipients."""
        return self._directory[Kind.RECIPIENT].changes

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Return the names of those recipients that have one."""
        return {one: name for one, name in self._recipients(recipient_ids).items() if name}

    def settle(self, request: ChangeRequest, result: SaveResult) -> None:
        """Take a save's last read in: recipients that the service now lists are known, undone ones are not.

        An undone id that has a name stays. One that other items have comes back when one of them is read.
        """
        if result.after is None:
            return
        if confirmed := request.add & result.after:
            or_else(None, lambda: self._directory.remember([request.item], confirmed))
        if request.origin.kind is ChangeKind.UNDO:
            self._forget_nameless(Kind.RECIPIENT, [(one,) for one in request.remove - result.after])
            if not result.after:
                item = request.item
                self._forget_nameless(Kind.ITEM, [(item.supplier, item.supplier_item_id)])

    def _forget_nameless(self, kind: Kind, wanted: Collection[Ids]) -> None:
        rows = self._directory[kind]
        known = or_else({}, lambda: rows.known(wanted))
        or_else(None, lambda: rows.forget(ids for ids, row in known.items() if not row.name))

    def _holding(self, text: str, supplier: str | None = None) -> list[ItemKey]:
        """Return known items with this text in their ids or names, from the index alone; none for no text."""
        rows, words = self._directory[Kind.ITEM], [Word(text)] if text else []
        found = or_else((), lambda: rows.with_words(words, limit=_MANY, supplier=supplier)) if words else ()
        return sorted(ItemKey(*row.ids) for row in found)

    def _row(self, kind: Kind, *ids: str) -> NamedRow | None:
        return or_else({}, lambda: self._directory[kind].known([ids])).get(ids)

    def _recipients(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        return or_else({}, lambda: self._directory[Kind.RECIPIENT].names(recipient_ids))


def market_of(row: NamedRow) -> str:
    """Return the name of an item's market: as a person entered it, or else as its number says."""
    return market_name(row.market) or row.market or market_hint(row.ids[-1])


def market_of_item(item: SeenItem) -> str:
    """Return the name of the item's market; empty when it is not known."""
    return market_of(NamedRow((item.item.supplier, item.item.supplier_item_id), item.name, item.market))


def title_of_item(item: SeenItem) -> str:
    """Return the item's name and market; the number of one without a name."""
    return " · ".join(filter(None, (item.name or item.item.supplier_item_id, market_of_item(item))))


def found_among(ids: Iterable[str], names: Mapping[str, str], text: str) -> list[str]:
    """Return the ids, in order, that hold the text or whose name does in whatever case."""
    folded = text.casefold()
    return sorted(one for one in ids if text in one or folded in names.get(one, "").casefold())


class KnownIdsOfDirectory:
    """All ids of one environment, read when they are asked for, to find those that a spreadsheet damaged."""

    def __init__(self, rows: Directory) -> None:
        self._rows = rows

    def suppliers(self) -> tuple[str, ...]:
        """Return every known supplier."""
        return self._ids(Kind.SUPPLIER)

    def items(self) -> tuple[str, ...]:
        """Return the own ids of every known item, of any supplier."""
        return self._ids(Kind.ITEM)

    def recipients(self) -> tuple[str, ...]:
        """Return every known recipient."""
        return self._ids(Kind.RECIPIENT)

    def called(self, role: IdRole, names: Collection[str]) -> dict[str, str]:
        """Return the id of each name that exactly one has."""
        rows = self._rows[_KINDS[role]]
        found = or_else({}, lambda: rows.called(names))
        return {name: these[0].ids[-1] for name, these in found.items() if len(these) == 1}

    def _ids(self, kind: Kind) -> tuple[str, ...]:
        return or_else((), lambda: tuple(row.ids[-1] for row in self._rows[kind].all()))


def _words(name: str, market: str) -> str:
    return " · ".join(filter(None, (name, market)))


def _number_of(supplier_item_id: str) -> str:
    """Return the trade item number without leading zeros; empty when the id does not look like one."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    return number.lstrip("0") if len(number) in GTIN_DIGITS and is_number(number) else ""


def _pairs(recipients: Iterable[NamedRow]) -> tuple[tuple[str, str], ...]:
    return tuple((one.ids[0], one.name) for one in recipients)
