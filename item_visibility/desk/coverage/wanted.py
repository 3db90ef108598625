"""The wanted items of a supplier, and the recipients or sets to compare them with."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from item_visibility.desk.check.question.named_market import markets_called
from item_visibility.desk.coverage.matrix import MOST_COLUMNS, Coverage, MatrixColumn
from item_visibility.desk.known_names import KnownNames, market_of_item
from item_visibility.errors import SetError
from item_visibility.records.database.folding import folded
from item_visibility.records.scans.seen_items import SeenItem
from item_visibility.records.service_records import ServiceRecords


class Against(StrEnum):
    """The recipients or sets that the items are compared with."""

    FREQUENT = "frequent"
    """The recipients that can see the most items, MOST_COLUMNS of them at most."""
    SET = "set"
    """The recipients of one set."""
    CHOSEN = "chosen"
    """Recipients chosen one by one."""
    SETS = "sets"
    """All sets, each as one column."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The choice of a coverage. `text` is words that an item has in its name, market or id."""

    supplier: str
    against: Against = Against.FREQUENT
    set_name: str = ""
    recipients: tuple[str, ...] = ()
    text: str = ""


def read_coverage(records: ServiceRecords, wanted: Wanted) -> Coverage:
    """Return the coverage as last seen; nothing is sent. SetError when the set is gone, RecordsError."""
    is_frequent = wanted.against is Against.FREQUENT
    counts = records.seen.count(wanted.supplier) if is_frequent else Counter[str]()
    columns = _columns(records, wanted, counts)
    asked = frozenset[str]().union(*(one.members for one in columns))
    known = records.seen.all(wanted.supplier, among=asked)
    return Coverage(
        items=tuple(sorted(_having(known, wanted.text), key=_in_order)),
        columns=columns,
        known_items=len(known),
        seen_recipients=len(counts),
    )


def _columns(records: ServiceRecords, wanted: Wanted, counts: Counter[str]) -> tuple[MatrixColumn, ...]:
    names = KnownNames(records.directory)
    match wanted.against:
        case Against.SETS:
            return tuple(
                MatrixColumn(one.name, one.name, one.recipients, is_set=True) for one in records.sets.all()
            )
        case Against.SET:
            return tuple(sorted(_recipients(names, _members(records, wanted.set_name)), key=_by_name))
        case Against.CHOSEN:
            return _recipients(names, wanted.recipients)
        case _:
            least = min((count for _, count in counts.most_common(MOST_COLUMNS)), default=0)
            often = _recipients(names, [one for one, count in counts.items() if count >= least])
            return tuple(sorted(often, key=lambda one: (-counts[one.id], *_by_name(one))))[:MOST_COLUMNS]


def _recipients(names: KnownNames, ids: Collection[str]) -> tuple[MatrixColumn, ...]:
    called = names.recipient_names(ids)
    return tuple(MatrixColumn(one, called.get(one, ""), frozenset({one})) for one in ids)


def _members(records: ServiceRecords, set_name: str) -> frozenset[str]:
    found = records.sets.named(set_name)
    if found is None:
        raise SetError("There is no recipient set of this name any more.", advice="Choose another set.")
    return found.recipients


def _having(items: Iterable[SeenItem], text: str) -> Iterable[SeenItem]:
    """Return the items that have all the words in their name, market or id."""
    words = [(word, folded(word), markets_called(word)) for word in text.split()]
    return filter(partial(_has_words, words), items) if words else items


def _has_words(words: Iterable[tuple[str, str, Collection[str]]], item: SeenItem) -> bool:
    market, own_id = market_of_item(item), item.item.supplier_item_id
    named = folded(f"{item.name} {market}")
    return all(typed in named or word in own_id or market in markets for word, typed, markets in words)


def _in_order(item: SeenItem) -> tuple[bool, str, str, str]:
    """Return the place of an item: by name and market, those without a name last."""
    return not item.name, folded(item.name), market_of_item(item), item.item.supplier_item_id


def _by_name(column: MatrixColumn) -> tuple[bool, str, str]:
    return not column.name, folded(column.name), column.id
