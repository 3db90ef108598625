"""The words of lists, in English and German: headings, actions and ticks.

Case, spaces, punctuation and diacritics are ignored in headings only. Ids stay as they are.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from item_visibility.saving.bulk import BulkAction


class HeadingMeaning(StrEnum):
    """The meanings that a column of a list can have."""

    SUPPLIER = "supplier"
    ITEM = "item"
    MARKET = "market"
    RECIPIENT = "recipient"
    ACTION = "action"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading as understood. `meaning` is None when it is unknown.

    `is_exact`: it names an id, and not only a thing. `is_trade_number`: that id is a trade item number,
    which needs its market beside it. `is_location`: a location number of an unknown role.
    `is_plural`: "Recipients". `is_numbered`: "Recipient 2".
    """

    meaning: HeadingMeaning | None = None
    is_exact: bool = False
    is_trade_number: bool = False
    is_location: bool = False
    is_plural: bool = False
    is_numbered: bool = False


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
        "recipient|data recipient|retailer|customer|buyer|trading partner|Empfänger|Datenempfänger|Händler|"
        "Kunde|Käufer|Abnehmer|Handelspartner|Debitor|des Empfängers|des Händlers|des Kunden|Debitoren"
    ),
}
_PLURALS = "recipients|data recipients|retailers|customers|buyers|trading partners|Kunden|Debitoren"
_IDS = "id|ids|gln|glns|no|nr|number|nummer|code|key|schlüssel"
_TRADE_NUMBERS = (
    "gtin|gtin 8|gtin 12|gtin 13|gtin 14|gtin number|GTIN-Nummer|GTIN-Nr|item gtin|article gtin|product gtin|"
    "Artikel-GTIN|ean|ean 8|ean 13|ean code|ean number|EAN-Nummer|EAN-Nr|Artikel-EAN|upc|upc code|barcode|"
    "Strichcode|trade item number|global trade item number"
)
_LOCATIONS = "gln|gln number|GLN-Nummer|GLN-Nr|global location number|iln"
_MARKETS = (
    "market|markets|market code|target|target market|target markets|target market code|"
    "target market country|target market country code|tm|tmc|target country|destination country|"
    "country|countries|country code|"
    "iso country|country of sale|sales country|sales market|market of sale|country of destination|Markt|"
    "Märkte|Marktcode|Zielmarkt|Zielmärkte|Zielmarktcode|Absatzmarkt|Land|Länder|Zielland|"
    "Zielländer|Absatzland|"
    "Bestimmungsland|Verkaufsland|Vertriebsland|Empfangsland|Ländercode|Landescode|Länderkennzeichen|"
    "Länderkürzel|Landkennzeichen|pays|marché|país|paese|doelmarkt"
)
_ACTIONS = (
    "action|actions|operation|operations|change|changes|command|commands|instruction|instructions|to do|"
    "to dos|task|tasks|what to do|add remove|add or remove|Aktion|Aktionen|Vorgang|Vorgänge|"
    "Änderung|Änderungen|"
    "Maßnahme|Maßnahmen|Auftrag|Aufträge|Aufgabe|Aufgaben|zu tun|was tun|Änderungsart"
)
_NO_IDS = (
    "name|supplier name|item name|recipient name|description|brand|quantity|amount|price|status|state|"
    "comment|comments|note|notes|remark|remarks|date|time|outcome|message|result|active|selected|"
    "checked|done|"
    "ok|total|sum|row|line|position|row number|line number|reason|category|brand name|region|city|unit|size|"
    "contact|email|company|company name|product name|article name|customer name|retailer name|vendor name|"
    "buyer name|item description|product description|article description|created|updated|"
    "Bezeichnung|Beschreibung|Artikelname|Marke|Menge|Anzahl|Preis|Bemerkung|Bemerkungen|Kommentar|"
    "Datum|Ergebnis|Meldung|aktiv|erledigt|Summe|Zeile|"
    "Zeilennummer|Grund|Kategorie|Stadt|Ort|Einheit|Größe|Ansprechpartner|Firma|Firmenname|Produktname|"
    "Lieferantenname|Empfängername|Händlername|Kundenname|Artikelbezeichnung|Artikelbeschreibung|"
    "Produktbezeichnung|Hinweis|Hinweise|Anmerkung|Anmerkungen|Notiz|Notizen"
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})

_NUMBERED = re.compile(r"(.*[^0-9])[0-9]{1,3}")
_WITH_BRACKETS = re.compile(r"([^()\[\]]+)[(\[]([^()\[\]]*)[)\]]")

_TICKS = frozenset({"x", "✓", "✔", "☑", "1", "yes", "y", "ja", "j", "true", "wahr"})
_NO_TICKS = frozenset({"", "0", "no", "n", "nein", "false", "falsch", "-"})
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


def read_heading(text: str) -> Heading:
    """Return the meaning of the heading, or an empty Heading when it is unknown.

    A text in brackets after it may say more: "Item number (GTIN)", "Supplier (name)".
    """
    if (parts := _WITH_BRACKETS.fullmatch(text.strip())) is None:
        return _meaning(text) or Heading()
    outside, inside = (_meaning(part) for part in parts.groups())
    if outside is None or inside == Heading():
        return Heading()
    return inside if inside and inside.is_trade_number and outside.meaning is HeadingMeaning.ITEM else outside


def is_known(text: str) -> bool:
    """True when the text is a known heading, including those of columns that lists do not need."""
    return any(form in _known() for form in _forms(text))


def is_tick(cell: str) -> bool:
    """True when the cell of a matrix is ticked."""
    return _folded(cell) in _TICKS


def is_tick_or_empty(cell: str) -> bool:
    """True when the cell of a matrix says yes or no. An empty cell says no."""
    return _folded(cell) in _TICKS | _NO_TICKS


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


def _meaning(text: str) -> Heading | None:
    """Return the meaning of the words: an empty Heading for a known non-id, None for unknown words."""
    for form in _forms(text):
        if form in _known():
            return _known()[form]
        if (numbered := _NUMBERED.fullmatch(form)) is not None:
            heading = _known().get(numbered[1], Heading())
            if heading.meaning is HeadingMeaning.RECIPIENT:
                return replace(heading, is_numbered=True)
    return None


@cache
def _known() -> dict[str, Heading]:
    """Return the meaning of each form of a heading: "Supplier GLN", "GLN supplier" and "GLN of supplier"."""
    known = dict.fromkeys(_forms_of(_NO_IDS), Heading())
    known |= dict.fromkeys(_forms_of(_MARKETS), Heading(meaning=HeadingMeaning.MARKET))
    known |= dict.fromkeys(_forms_of(_ACTIONS), Heading(meaning=HeadingMeaning.ACTION))
    for meaning, words in _THINGS.items():
        for thing in _forms_of(words):
            known[thing] = Heading(meaning=meaning)
            for one in _forms_of(_IDS):
                exact = Heading(meaning=meaning, is_exact=True)
                known |= dict.fromkeys((thing + one, one + thing, f"{one}of{thing}"), exact)
    known |= dict.fromkeys(_forms_of(_PLURALS), Heading(meaning=HeadingMeaning.RECIPIENT, is_plural=True))
    trade_number = Heading(meaning=HeadingMeaning.ITEM, is_exact=True, is_trade_number=True)
    known |= dict.fromkeys(_forms_of(_TRADE_NUMBERS), trade_number)
    return known | dict.fromkeys(_forms_of(_LOCATIONS), Heading(is_location=True))


def _forms(text: str) -> tuple[str, ...]:
    """Return a word without case, spaces, punctuation and diacritics, with umlauts in either spelling."""
    folded = unicodedata.normalize("NFC", text).casefold()
    spellings = (unicodedata.normalize("NFKD", one) for one in (folded, folded.translate(_SPELLED_OUT)))
    return tuple(dict.fromkeys("".join(filter(str.isalnum, one)) for one in spellings))


def _forms_of(words: str) -> set[str]:
    return {form for word in words.split("|") for form in _forms(word)}
