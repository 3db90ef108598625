"""Finds the header and the columns of a list from its headings, and reads the words for actions.

Headings are English or German. Their case, spaces, punctuation and diacritics are ignored.
"""

import re
import unicodedata
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache

from item_visibility.lists.gs1_and_markets import has_digit
from item_visibility.lists.limits import unchanged
from item_visibility.lists.table import Aside, Table, TableRow, column_name, cut, few
from item_visibility.saving.job import BulkAction

_HEADINGS_OF_A_HEADER = 2
_LONG_NUMBER = re.compile("[0-9]{6}")
_DIGITS_OF_NO_WORD = 4
_REPEATED = "The row repeats the headings."


class HeadingMeaning(StrEnum):
    """The meaning of a column of a list."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"
    ACTION = "action"
    MARKET = "market"


_OF_LISTS = (
    HeadingMeaning.SUPPLIER,
    HeadingMeaning.ITEM,
    HeadingMeaning.RECIPIENT,
    HeadingMeaning.ACTION,
)
"""The columns of a list without headings, in their order."""
_THINGS = {
    HeadingMeaning.SUPPLIER: (
        "supplier|vendor|seller|data source|information provider|Lieferant|Datenlieferant|Kreditor|"
        "des Lieferanten|Lieferanten|Kreditoren"
    ),
    HeadingMeaning.ITEM: (
        "item|supplier item|trade item|article|product|Artikel|Lieferantenartikel|Handelsartikel|Produkt|"
        "des Artikels"
    ),
    HeadingMeaning.RECIPIENT: (
        "recipient|recipients|data recipient|retailer|customer|buyer|trading partner|Empfänger|"
        "Datenempfänger|Händler|Kunde|Käufer|Abnehmer|Handelspartner|Debitor|des Empfängers|"
        "des Händlers|des Kunden|Debitoren"
    ),
}
_IDS = "id|ids|gln|glns|no|nr|number|nummer|code|key|schlüssel"
_OTHER_WORDS = {
    HeadingMeaning.ITEM: (
        "gtin|gtin 8|gtin 12|gtin 13|gtin 14|gtin number|GTIN-Nummer|GTIN-Nr|item gtin|Artikel-GTIN|"
        "ean|ean 8|ean 13|ean code|ean number|EAN-Nummer|EAN-Nr|Artikel-EAN|upc|barcode|Strichcode"
    ),
    HeadingMeaning.ACTION: (
        "action|actions|operation|change|command|instruction|to do|task|what to do|add or remove|Aktion|"
        "Aktionen|Vorgang|Änderung|Maßnahme|Auftrag|Aufgabe|zu tun|was tun|Änderungsart"
    ),
    HeadingMeaning.MARKET: (
        "market|markets|market code|target market|target market code|target market country code|"
        "target country|country|country code|sales market|country of sale|Markt|Marktcode|Zielmarkt|"
        "Zielmarktcode|Absatzmarkt|Land|Zielland|Absatzland|Verkaufsland|Vertriebsland|Ländercode"
    ),
}
_NOT_NEEDED = (
    "name|supplier name|item name|recipient name|company|company name|product name|article name|"
    "customer name|retailer name|description|brand|status|comment|comments|note|notes|remark|remarks|date|"
    "time|outcome|message|result|reason|row|line|quantity|price|"
    "Bezeichnung|Beschreibung|Artikelname|Artikelbezeichnung|Marke|Menge|Preis|Bemerkung|Kommentar|"
    "Datum|Ergebnis|Meldung|Zeile|Grund|Firma|Firmenname|Produktname|Lieferantenname|Empfängername|"
    "Händlername|Kundenname|Hinweis|Anmerkung|Notiz"
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_WITH_BRACKETS = re.compile(r"([^()\[\]]+)[(\[]([^()\[\]]*)[)\]]")

_ACTION_WORDS = {
    BulkAction.ADD: "add|+|hinzufügen|hinzufuegen",
    BulkAction.REMOVE: "remove|delete|-|entfernen|löschen|loeschen",
    BulkAction.SET: "set|set exactly|setzen|genau setzen",
    BulkAction.WITHDRAW: (
        "withdraw|withdraw all|zurückziehen|zurueckziehen|alle zurückziehen|alle zurueckziehen"
    ),
}
_ACTION_OF = {word: action for action, words in _ACTION_WORDS.items() for word in words.split("|")}
_REMOVALS = frozenset({"remove", "removed", "delete", "deleted", "withdraw", "withdrawn"}) | frozenset(
    {"delist", "delisted", "entfernen", "entfernt", "löschen", "gelöscht", "loeschen", "auslisten"}
)
_PUNCTUATION = " \t\n.,:;!?()-+"

ACTION_WORDS = ", ".join(f"“{action.value}”" for action in BulkAction)
"""The words for actions, to be shown to users."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The index of each column, counted from 0, or None if the table does not have the column."""

    supplier: int | None = None
    item: int | None = None
    recipient: int | None = None
    action: int | None = None
    market: int | None = None

    @property
    def columns(self) -> frozenset[int]:
        """The indexes of the columns that are read."""
        return frozenset(column for column in astuple(self) if column is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Values that the user chose for all rows. `recipients` are for tables without a recipient column."""

    supplier: str | None = None
    action: BulkAction | None = None
    recipients: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ColumnDoubt:
    """A column that is not read although it may matter. The user has to decide about it."""

    column: int
    message: str


@lru_cache(maxsize=4096)
def read_heading(text: str) -> HeadingMeaning | None:
    """Return the meaning of the heading, or None if the column is not used.

    "Supplier (GLN)" has the meaning of "Supplier", but "Supplier (name)" is not used.
    """
    if (parts := _WITH_BRACKETS.fullmatch(text.strip())) is None:
        return _meaning(text)
    outside, inside = parts.groups()
    return None if is_known(inside) and _meaning(inside) is None else _meaning(outside)


def is_known(text: str) -> bool:
    """True when the text is a known heading, even if its column is not used."""
    return any(form in _known() for form in _forms(text))


def read_action(cell: str) -> BulkAction | None:
    """Return the action that the cell names, or None for an unknown word."""
    return _ACTION_OF.get(_folded(cell))


def is_action_word(cell: str) -> bool:
    """True for a word such as "add". False for "+" and "-", because "-" often means an empty cell."""
    return read_action(cell.strip(_PUNCTUATION)) is not None


def asks_to_remove(cell: str) -> bool:
    """True when the text contains a word for a removal, as in "please remove"."""
    return any(word.strip(_PUNCTUATION) in _REMOVALS for word in _folded(cell).split())


def holds_headings(row: TableRow) -> bool:
    """True when the row contains headings of at least two columns of a list."""
    return _headings_in(row.cells) >= _HEADINGS_OF_A_HEADER


def has_headings(table: Table) -> bool:
    """True when at least one column has a heading."""
    return any(cell.strip() for cell in table.header)


def with_header_found(table: Table, *, said: bool | None = None) -> Table:
    """Return the table with the row of headings as its header.

    The rows above it are not read, and may contain only one text each, such as a title. If no row contains
    headings and the first row contains a digit, the list has no header. `said` is the user's decision whether
    the first row is the header, or None without a decision.

    Raises FileError if the rows above the headings may belong to the list, or if other headings follow.
    """
    if said is None and not _headings_in(table.header):
        index = next((at for at, row in enumerate(table.rows) if holds_headings(row)), None)
        if index is not None:
            table = _under_header(table, index)
        elif any(map(has_digit, table.header)):
            said = False
    if said is False:
        return replace(table, header=("",) * len(table.header), rows=table.every_row)
    return _without_repeated_header(table)


def guess_layout(table: Table) -> Layout:
    """Guess the layout from the headings.

    If two columns have the same meaning, neither is used. Without headings, the columns are supplier, item,
    recipient and action, in this order; a single column is the item.
    """
    width = len(table.header)
    meanings: list[HeadingMeaning | None] = list(map(read_heading, table.header))
    if not has_headings(table):
        meanings = list(_OF_LISTS[:width]) if width <= len(_OF_LISTS) else []
        meanings = [HeadingMeaning.ITEM] if width == 1 else meanings
    return Layout(**{one.value: meanings.index(one) for one in HeadingMeaning if meanings.count(one) == 1})


def doubtful_columns(table: Table, layout: Layout) -> tuple[ColumnDoubt, ...]:
    """Return the filled columns that are not read although they may matter."""
    doubts: list[ColumnDoubt] = []
    for column in range(len(table.header)):
        first = next(table.filled(column), None)
        if column in layout.columns or first is None:
            continue
        why = _why_unclear(table, layout, column)
        if not why and layout.action is None:
            first = next((cell for cell in table.filled(column) if asks_to_remove(cell[1])), None)
            why = "seems to say what to do" if first else ""
        if why and first:
            cell = f"“{cut(first[1])}” in row {first[0]}"
            message = f"Column {column_name(table, column)} {why}, and is not read: {cell}."
            doubts.append(ColumnDoubt(column, message))
    return tuple(doubts)


def unread_words(table: Table, layout: Layout) -> str:
    """Return a sentence about the columns that are not read, except empty ones without a heading."""
    names = [
        column_name(table, column)
        for column, heading in enumerate(table.header)
        if column not in layout.columns and (heading.strip() or next(table.filled(column), None))
    ]
    return f"Not read: {'columns' if len(names) > 1 else 'column'} {few(names)}." if names else ""


def _under_header(table: Table, index: int) -> Table:
    header, above = table.rows[index], table.every_row[: index + 1]
    for row in above:
        filled = [cell for cell in row.cells if cell.strip()]
        if len(filled) > 1 or any(map(_LONG_NUMBER.search, filled)):
            raise unchanged(
                f"Row {row.number} is above the headings in row {header.number}, but may belong to the list.",
                "Put the headings into the first row of the file.",
            )
    rows = table.rows[index + 1 :]
    return replace(table, header=header.cells, rows=rows, header_number=header.number, titles=above)


def _without_repeated_header(table: Table) -> Table:
    """Skip rows that repeat the headings. Raises FileError for a row with other headings."""
    own_header = tuple(map(_plain, table.header))
    rows: list[TableRow] = []
    aside: list[Aside] = []
    for row in table.rows:
        if tuple(map(_plain, row.cells)) == own_header:
            aside.append(Aside(row, _REPEATED))
        elif holds_headings(row):
            raise unchanged(
                f"Row {row.number} has other headings than row {table.header_number}.",
                "Put each list into a separate file.",
            )
        else:
            rows.append(row)
    return replace(table, rows=tuple(rows), aside=(*table.aside, *aside)) if aside else table


def _plain(cell: str) -> str:
    return cell.strip().casefold()


def _headings_in(cells: tuple[str, ...]) -> int:
    words = (cell for cell in cells if cell and not cell[:_DIGITS_OF_NO_WORD].isdigit())
    return len({meaning for word in words if (meaning := read_heading(word)) is not None})


def _why_unclear(table: Table, layout: Layout, column: int) -> str:
    """Return why the user must decide about this filled column, or an empty text."""
    heading = table.header[column]
    meaning = read_heading(heading)
    if not heading.strip():
        return "has no heading"
    if meaning is None:
        return "" if is_known(heading) or is_known(heading.partition("(")[0]) else "is not understood"
    return f"may say the {meaning}" if getattr(layout, meaning.value) is None else ""


def _folded(cell: str) -> str:
    return " ".join(cell.casefold().split())


def _meaning(text: str) -> HeadingMeaning | None:
    return next((_known()[form] for form in _forms(text) if form in _known()), None)


@cache
def _known() -> dict[str, HeadingMeaning | None]:
    """Map each known heading to its meaning, with forms such as "Supplier GLN" and "GLN of supplier"."""
    known: dict[str, HeadingMeaning | None] = dict.fromkeys(_forms_of(_NOT_NEEDED))
    for meaning, words in _THINGS.items():
        for thing in _forms_of(words):
            known[thing] = meaning
            for one in _forms_of(_IDS):
                known |= dict.fromkeys((thing + one, one + thing, f"{one}of{thing}"), meaning)
    for meaning, words in _OTHER_WORDS.items():
        known |= dict.fromkeys(_forms_of(words), meaning)
    return known


def _forms(text: str) -> tuple[str, ...]:
    """Return the forms in which a heading is compared: both "empfanger" and "empfaenger" for "Empfänger"."""
    folded = unicodedata.normalize("NFC", text).casefold()
    spellings = (unicodedata.normalize("NFKD", one) for one in (folded, folded.translate(_SPELLED_OUT)))
    return tuple(dict.fromkeys("".join(filter(str.isalnum, one)) for one in spellings))


def _forms_of(words: str) -> set[str]:
    return {form for word in words.split("|") for form in _forms(word)}
