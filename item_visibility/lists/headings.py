"""Finds the header and the columns of a list from its headings, and reads the words for actions.

Headings are English or German. Their case, spaces, punctuation and diacritics are
ignored.
"""  # noqa: E501

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, lru_cache
from itertools import chain

from item_visibility.lists.gs1_and_markets import has_digit
from item_visibility.lists.table import (
    Table,
    TableRow,
    column_letters,
    column_name,
    cut,
    few,
    unchanged,
)
from item_visibility.model.folding import plain_letters
from item_visibility.model.job import BulkAction
from item_visibility.model.known_ids import Kind, Names

_LONG_NUMBER = re.compile("[0-9]{6}")
_DIGITS = 4
"""A cell that begins with this many digits is not a heading."""

_THINGS = {
    "supplier": (
        "supplier|vendor|seller|data source|information "
        "provider|Lieferant|Datenlieferant|Kreditor|"
        "des Lieferanten|Lieferanten|Kreditoren"
    ),
    "item": (
        "item|supplier item|trade item|article|product|gtin|item "
        "gtin|ean|Artikel|Lieferantenartikel|"
        "Handelsartikel|Produkt|Artikel-GTIN|Artikel-EAN|des Artikels"
    ),
    "recipient": (
        "recipient|recipients|data recipient|retailer|customer|buyer|trading "
        "partner|Empfänger|"
        "Datenempfänger|Händler|Kunde|Käufer|Abnehmer|Handelspartner|Debitor|des "
        "Empfängers|"
        "des Händlers|des Kunden|Debitoren"
    ),
}
"""Headings that also occur with `_IDS` or "name": "Supplier GLN", "GLN of supplier", "Supplier name"."""  # noqa: E501
_IDS = "id|ids|gln|glns|no|nr|number|nummer|code|key|schlüssel"
_OTHER_HEADINGS = {
    "item": "gtin 8|gtin 12|gtin 13|gtin 14|ean 8|ean 13|upc|barcode|Strichcode",
    "action": (
        "action|actions|operation|change|command|instruction|to do|task|what to "
        "do|add or remove|Aktion|"
        "Aktionen|Vorgang|Änderung|Maßnahme|Auftrag|Aufgabe|zu tun|was tun|Änderungsart"
    ),
    "market": (
        "market|markets|market code|target market|target market code|target market "
        "country code|"
        "target country|country|country code|sales market|country of "
        "sale|Markt|Marktcode|Zielmarkt|"
        "Zielmarktcode|Absatzmarkt|Land|Zielland|Absatzland|Verkaufsland|Vertriebsland|Ländercode"
    ),
    "": (
        "name|company|company "
        "name|description|brand|status|comment|comments|note|notes|remark|remarks|"
        "date|time|outcome|message|result|reason|row|line|quantity|price|Bezeichnung|Beschreibung|"
        "Artikelbezeichnung|Marke|Menge|Preis|Bemerkung|Kommentar|Datum|Ergebnis|Meldung|Zeile|Grund|"
        "Firma|Firmenname|Kundenname|Hinweis|Anmerkung|Notiz"
    ),
}
_WITH_BRACKETS = re.compile(r"([^()\[\]]+)[(\[]([^()\[\]]*)[)\]]")

_ACTION_WORDS = {
    BulkAction.ADD: "add|+|hinzufügen",
    BulkAction.REMOVE: "remove|delete|-|entfernen|löschen",
    BulkAction.SET: "set|set exactly|setzen|genau setzen",
    BulkAction.WITHDRAW: "withdraw|withdraw all|zurückziehen|alle zurückziehen",
}
_ACTIONS = {
    plain_letters(one): action
    for action, words in _ACTION_WORDS.items()
    for one in words.split("|")
}
_REMOVALS = frozenset(
    plain_letters(
        "remove removed delete deleted withdraw withdrawn delist delisted "
    ).split()
    + plain_letters("entfernen entfernt löschen gelöscht auslisten").split()
)
_PUNCTUATION = " \t\n.,:;!?()-+"

ACTION_WORDS = ", ".join(f"“{action.value}”" for action in BulkAction)
"""The words for actions, to be shown to users."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The index of each column, counted from 0, or None if the table does not have the column."""  # noqa: E501

    supplier: int | None = None
    item: int | None = None
    recipient: int | None = None
    action: int | None = None
    market: int | None = None

    @property
    def columns(self) -> frozenset[int]:
        """The indexes of the columns that are read."""
        return frozenset(column for column in astuple(self) if column is not None)


COLUMNS = ("supplier", "item", "recipient", "action", "market")
"""The fields of a layout."""
_USUAL_ORDER = ("supplier", "item", "recipient", "action")
"""The usual order of the columns of a list without headings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Values that the user chose for all rows.

    `recipients` are for tables without a recipient column.
    """

    supplier: str | None = None
    action: BulkAction | None = None
    recipients: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def read_heading(text: str) -> str | None:
    """Return the column that the heading names, such as `supplier`.

    Return an empty text if the heading is known but its column is not used, and None if
    it is unknown. "Supplier (GLN)" has the meaning of "Supplier", but the column
    "Supplier (name)" is not used.
    """
    with_brackets = _WITH_BRACKETS.fullmatch(text.strip())
    outside, inside = with_brackets.groups() if with_brackets else (text, "")
    meaning = _headings().get(_letters_of(outside))
    return "" if meaning and _headings().get(_letters_of(inside)) == "" else meaning


@lru_cache(maxsize=4096)
def read_action(cell: str) -> BulkAction | None:
    """Return the action that the cell names, or None for an unknown word."""
    return _ACTIONS.get(plain_letters(" ".join(cell.split())))


def is_action_word(cell: str) -> bool:
    """True for a word such as "add".

    False for "+" and "-", because "-" often means an empty cell.
    """
    return read_action(cell.strip(_PUNCTUATION)) is not None


def asks_to_remove(cell: str) -> bool:
    """True when the text contains a word for a removal, as in "please remove"."""
    return any(
        word.strip(_PUNCTUATION) in _REMOVALS for word in plain_letters(cell).split()
    )


def holds_headings(cells: Sequence[str]) -> bool:
    """True when the cells contain headings of at least two columns of a list."""
    return len(_columns_in(cells)) > 1


def has_known_headings(table: Table) -> bool:
    """True when at least one heading names a column of a list."""
    return bool(_columns_in(table.header))


def has_headings(table: Table) -> bool:
    """True when at least one column has a heading."""
    return any(cell.strip() for cell in table.header)


def with_header_found(table: Table, *, has_heading: bool | None = None) -> Table:
    """Return the table with the row of headings as its header.

    The rows above it are not read, and may contain only one text each, such as a title.
    If no row contains headings and the first row contains a digit, the list has no
    header. `has_heading` says whether the first row is the header, as the user decided.
    Without a decision, it is None.

    Raises FileError if the rows above the headings may belong to the list, or if other
    headings follow.
    """
    if has_heading is None and not _columns_in(table.header):
        index = next(
            (at for at, row in enumerate(table.rows) if holds_headings(row.cells)), None
        )
        if index is not None:
            table = _under_header(table, index)
        elif any(map(has_digit, table.header)):
            has_heading = False
    if has_heading is False:
        return replace(table, header=("",) * len(table.header), rows=table.every_row)
    rows, repeated = list[TableRow](), list[str]()
    own_header = _folded(table.header)
    for row in table.rows:
        if _folded(row.cells) == own_header:
            repeated.append(str(row.number))
        elif holds_headings(row.cells):
            raise unchanged(
                f"Row {row.number} has other headings than row {table.header_number}.",
                "Put each list into a separate file.",
            )
        else:
            rows.append(row)
    note = f"Rows that repeat the headings, not read: {few(repeated)}."
    return replace(
        table, rows=tuple(rows), notes=(*table.notes, note) if repeated else table.notes
    )


def guess_layout(table: Table) -> Layout:
    """Guess the layout from the headings.

    If two columns have the same meaning, neither is used. Without headings, a single
    column is the item, because a list needs one, and the meaning of several columns is
    not guessed.
    """
    if has_headings(table):
        return _layout_of(list(map(read_heading, table.header)))
    return Layout(item=0) if len(table.header) == 1 else Layout()


def layout_in_usual_order(table: Table, known: Callable[[Kind], Names]) -> Layout:
    """Return the layout of a list without headings if ids that are known here prove the usual order.

    One row must hold a known item with its supplier, and a known recipient, each in its
    usual column. No other row may hold a known id of another kind there. Otherwise the
    layout is empty.
    """  # noqa: E501
    layout = _layout_of(_USUAL_ORDER[: len(table.header)])
    if layout.item is None or len(table.header) > len(_USUAL_ORDER):
        return Layout()
    if layout.action is not None:
        actions = [cell for _, cell in table.filled(layout.action)]
        if not all(map(read_action, actions)):
            return Layout()
        layout = layout if actions else replace(layout, action=None)

    names = {kind: known(kind) for kind in Kind}
    kinds_of = _kinds_by_id(names)
    kinds = tuple(Kind)[: len(table.header)]
    is_proven = False
    for row in table.rows:
        for kind, cell in zip(kinds, row.cells, strict=False):
            if cell in kinds_of and kind not in kinds_of[cell]:
                return Layout()
        is_item_known = row.cells[:2] in names[Kind.ITEM].by_ids
        is_recipient_known = layout.recipient is None or Kind.RECIPIENT in kinds_of.get(
            row.cells[2], ()
        )
        is_proven = is_proven or (is_item_known and is_recipient_known)
    return layout if is_proven else Layout()


def columns_with_known_ids(table: Table, known: Callable[[Kind], Names]) -> str:
    """Return a sentence about the columns that hold known ids, such as "Column B holds a known supplier"."""  # noqa: E501
    kinds_of = _kinds_by_id({kind: known(kind) for kind in Kind})
    sentences = []
    for column in range(len(table.header)):
        kinds = set(
            chain.from_iterable(
                kinds_of.get(cell, ()) for _, cell in table.filled(column)
            )
        )
        words = " and ".join(f"a known {kind}" for kind in Kind if kind in kinds)
        if words:
            sentences.append(f"Column {column_letters(column)} holds {words}.")
    return " ".join(sentences)


def doubtful_columns(table: Table, layout: Layout) -> dict[int, str]:
    """Return the filled columns that are not read although they may matter, each with a sentence about it."""  # noqa: E501
    doubts: dict[int, str] = {}
    for column, heading in enumerate(table.header):
        cell = next(table.filled(column), None)
        if column in layout.columns:
            continue
        meaning, why = read_heading(heading), ""
        if not heading.strip():
            why = "has no heading"
        elif meaning is None:
            why = "is not understood"
        elif meaning and getattr(layout, meaning) is None:
            why = f"may say the {meaning}"
        elif layout.action is None:
            why = "seems to say what to do"
            cell = next(
                (one for one in table.filled(column) if asks_to_remove(one[1])), None
            )
        if why and cell:
            where = f"“{cut(cell[1])}” in row {cell[0]}"
            doubts[column] = (
                f"Column {column_name(table, column)} {why}, and is not read: {where}."
            )
    return doubts


def unread_words(table: Table, layout: Layout) -> str:
    """Return a sentence about the columns that are not read, except empty ones without a heading."""  # noqa: E501
    names = [
        column_name(table, column)
        for column, heading in enumerate(table.header)
        if column not in layout.columns
        and (heading.strip() or next(table.filled(column), None))
    ]
    return (
        f"Not read: {'columns' if len(names) > 1 else 'column'} {few(names)}."
        if names
        else ""
    )


def _layout_of(meanings: Sequence[str | None]) -> Layout:
    return Layout(
        **{name: meanings.index(name) for name in COLUMNS if meanings.count(name) == 1}
    )


def _kinds_by_id(names: Mapping[Kind, Names]) -> Mapping[str, set[Kind]]:
    kinds = defaultdict[str, set[Kind]](set)
    for kind, known in names.items():
        for row in known.rows:
            kinds[row.id].add(kind)
    return kinds


def _under_header(table: Table, index: int) -> Table:
    header, above = table.rows[index], table.every_row[: index + 1]
    for row in above:
        filled = [cell for cell in row.cells if cell.strip()]
        if len(filled) > 1 or any(map(_LONG_NUMBER.search, filled)):
            raise unchanged(
                f"Row {row.number} is above the headings in row {header.number}, but "
                "may belong to the list.",
                "Put the headings into the first row of the file.",
            )
    titles = [
        f"row {row.number} “{cut(' '.join(filter(None, row.cells)))}”" for row in above
    ]
    return replace(
        table,
        header=header.cells,
        rows=table.rows[index + 1 :],
        header_number=header.number,
        notes=(*table.notes, f"Not read, above the headings: {few(titles)}."),
    )


def _folded(cells: Sequence[str]) -> list[str]:
    return [cell.strip().casefold() for cell in cells]


def _columns_in(cells: Sequence[str]) -> set[str]:
    words = (cell for cell in cells if cell and not cell[:_DIGITS].isdigit())
    return {meaning for word in words if (meaning := read_heading(word))}


@cache
def _headings() -> dict[str, str]:
    """Map the letters of each known heading to the name of its column, or to an empty text."""  # noqa: E501
    known: dict[str, str] = {}
    for column, words in _THINGS.items():
        for thing in words.split("|"):
            known |= {_letters_of(thing): column, _letters_of(f"{thing} name"): ""}
            for one in _IDS.split("|"):
                forms = (thing + one, one + thing, f"{one}of{thing}")
                known |= dict.fromkeys(map(_letters_of, forms), column)
    for column, words in _OTHER_HEADINGS.items():
        known |= dict.fromkeys(map(_letters_of, words.split("|")), column)
    return known


def _letters_of(text: str) -> str:
    return plain_letters("".join(filter(str.isalnum, text)))
