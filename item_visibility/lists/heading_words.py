"""The known words of headings, in English and German, and their meanings."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum


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
    which needs its market beside it. `is_location`: a location number that does not say whose.
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


def forms(text: str) -> tuple[str, ...]:
    """Return a word without case, spaces, punctuation and diacritics, with umlauts in either spelling."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return tuple(dict.fromkeys(map(_letters, (folded, folded.translate(_SPELLED_OUT)))))


def known_headings() -> dict[str, Heading]:
    """Return the meaning of each form of a heading."""
    known = {form: Heading() for form in _forms_of(_NO_IDS)}
    known |= {form: Heading(meaning=HeadingMeaning.MARKET) for form in _forms_of(_MARKETS)}
    known |= {form: Heading(meaning=HeadingMeaning.ACTION) for form in _forms_of(_ACTIONS)}
    ids = _forms_of(_IDS)
    for meaning, words in _THINGS.items():
        things = _forms_of(words)
        known |= dict.fromkeys(things, Heading(meaning=meaning))
        exact = {f"{one}{other}" for thing in things for name in ids for one, other in _both(thing, name)}
        known |= dict.fromkeys(exact, Heading(meaning=meaning, is_exact=True))
    known |= dict.fromkeys(_forms_of(_PLURALS), Heading(meaning=HeadingMeaning.RECIPIENT, is_plural=True))
    trade_number = Heading(meaning=HeadingMeaning.ITEM, is_exact=True, is_trade_number=True)
    known |= dict.fromkeys(_forms_of(_TRADE_NUMBERS), trade_number)
    known |= dict.fromkeys(_forms_of(_LOCATIONS), Heading(is_location=True))
    return known


def _both(thing: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs for "Supplier GLN", "GLN supplier" and "GLN of supplier"."""
    return (thing, name), (name, thing), (f"{name}of", thing)


def _letters(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if letter.isalnum())


def _forms_of(words: str) -> set[str]:
    return {form for word in words.split("|") for form in forms(word)}
