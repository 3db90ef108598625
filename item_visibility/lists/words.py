"""The words of lists, in English and German: headings and actions.

Case, spaces, punctuation and diacritics are ignored in headings only. Ids stay as they are.
"""

import re
import unicodedata
from enum import StrEnum
from functools import cache, lru_cache

from item_visibility.saving.bulk import BulkAction


class HeadingMeaning(StrEnum):
    """The meaning of a column. A list needs no column of markets: an item's id contains its market."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"
    ACTION = "action"
    MARKET = "market"


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
"""The words that an action column may hold, for people."""


@lru_cache(maxsize=4096)
def read_heading(text: str) -> HeadingMeaning | None:
    """Return the meaning of the heading, or None when it has none that a list needs.

    A text in brackets may belong to it, as in "Supplier (GLN)": not in "Supplier (name)".
    """
    if (parts := _WITH_BRACKETS.fullmatch(text.strip())) is None:
        return _meaning(text)
    outside, inside = parts.groups()
    return None if is_known(inside) and _meaning(inside) is None else _meaning(outside)


def is_known(text: str) -> bool:
    """True when the text is a known heading, including those of columns that lists do not need."""
    return any(form in _known() for form in _forms(text))


def read_action(cell: str) -> BulkAction | None:
    """Return the action that the cell names, or None for an unknown word."""
    return _ACTION_OF.get(_folded(cell))


def is_action_word(cell: str) -> bool:
    """True for a word that names an action. A sign alone does not count: it may only fill an empty cell."""
    return read_action(cell.strip(_PUNCTUATION)) is not None


def asks_to_remove(cell: str) -> bool:
    """True when one of the words asks to remove something, as in "please remove"."""
    return any(word.strip(_PUNCTUATION) in _REMOVALS for word in _folded(cell).split())


def _folded(cell: str) -> str:
    return " ".join(cell.casefold().split())


def _meaning(text: str) -> HeadingMeaning | None:
    return next((_known()[form] for form in _forms(text) if form in _known()), None)


@cache
def _known() -> dict[str, HeadingMeaning | None]:
    """Return the meaning of each form of a heading: "Supplier GLN", "GLN supplier" and "GLN of supplier"."""
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
    """Return a word without case, spaces, punctuation and diacritics, with umlauts in either spelling."""
    folded = unicodedata.normalize("NFC", text).casefold()
    spellings = (unicodedata.normalize("NFKD", one) for one in (folded, folded.translate(_SPELLED_OUT)))
    return tuple(dict.fromkeys("".join(filter(str.isalnum, one)) for one in spellings))


def _forms_of(words: str) -> set[str]:
    return {form for word in words.split("|") for form in _forms(word)}
