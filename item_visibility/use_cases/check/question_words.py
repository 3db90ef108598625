"""English and German words in questions, and what they say about the words beside."""

import re
from collections.abc import Iterable
from enum import StrEnum

from item_visibility.lists.gs1_and_markets import (
    codes_by_name,
    is_trade_number,
    market_code,
)
from item_visibility.model.folding import name_words
from item_visibility.model.known_ids import Kind


class Language(StrEnum):
    """The language of a question and of the text for the customer."""

    ENGLISH = "English"
    GERMAN = "Deutsch"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LABEL = re.compile(
    r"(?:(?P<item>(?:supplier)?items?|artikels?|gtins?|eans?)|(?P<supplier>suppliers?|lieferant(?:en|in)?)"
    r"|(?P<recipient>recipients?|empfänger|empfaenger|customers?|kunden?|kundin|retailers?|händler))"
    r"(?:id|gln|gtin|no|nr|number|nummer)?"
)
_CUES = {
    **dict.fromkeys(_words("of from by von vom"), Kind.SUPPLIER),
    **dict.fromkeys(_words("to for für fuer beim"), Kind.RECIPIENT),
}
AND = _words("and und or oder sowie & + ,")
ANYONE = _words(
    "anyone anybody everyone everybody someone somebody jemand irgendjemand jeder"
)
NOT_IDS = _words(
    "order bestellung auftrag po ticket case invoice rechnung lieferschein tel "
    "telefon phone fax mobil mobile"
)
"""A number after one of these words is not an id, unless it is a known id."""
_MARKETS = _words("market markt markts marktes zielmarkt land country tm")
_ENGLISH = _words(
    """
    a an the this that these those it its them they he she we i you us me our your their
    my who what when which how why whether if is are was be been do does did done has
    have had can cannot cant could would will should may see sees seeing get gets
    getting receive receives view find show shows let lets of from by to for in on at
    with about as and or not no nor still already now currently yet also too again today
    asked asks ask wants want know knows says say tell tells told check checking please
    pls thanks thank hello hi hey dear team regards best kind cheers quick one right but
    well re question customer customers recipient supplier item items product article
    market country available visible visibility listed access able missing shown
    displayed here there dont doesnt isnt arent u thx call calls calling reports
    """
)
_GERMAN = _words(
    """
    ein eine einen einem einer der die das den dem des dies diese diesen dieser es sie
    er ihr ihre ihnen wir uns unser unsere unserem unseren mir ich wer was wie warum
    wieso weshalb wann ob ist sind war sein wird werden hat haben kann können koennen
    darf dürfen konnte soll sollte müsste sieht sehen seht bekommt bekommen erhält
    erhaelt erhalten findet finden zeigt zeigen von vom für fuer in im am an auf bei
    beim mit zu zum zur aus und oder sowie aber nicht kein keine keinen noch schon immer
    jetzt heute auch mal denn eigentlich aktuell gerade wieder sagt sagen fragt fragen
    meldet wissen will möchte bitte danke hallo moin guten tag morgen liebe lieber viele
    beste grüße gruß grüsse gruss mfg vg zusammen frage kunde kunden kundin firma
    lieferant artikel produkt markt händler sichtbar freigegeben verfügbar gelistet
    prüfen pruefen prüfung fehlt angezeigt dort da hier anruf rückruf ruft meldung
    vermisst um
    """
)
_OTHERS = _words(
    """
    gln gtin ean id nr number nummer subject betreff target regarding support visibility
    sichtbarkeit re aw fw fwd wg ok http https env
    """
)
_STOP = _ENGLISH | _GERMAN | _OTHERS | AND | NOT_IDS | _MARKETS
WEAK = _words(
    """
    two three four five many both some every zwei drei vier viele beide blue white black
    green golden silver blau weiss schwarz new north south west east neue villa whole
    fresh
    """
)
"""Words that many names contain. They are not enough to recognise a name."""
MARKS = "([{<>}])\"'`\u00ab\u00bb\u201e\u201c\u201d\u2018\u2019?!.:,;|"
_CODES = _words(
    "DE AT BE BG CH CZ DK ES FI FR GB GR HR HU IE LT LU LV NL PL RO SI SK TR US"
)
"""Country codes that mean a market at any place in a text.

Codes that are also words (IT) are left out.
"""
_CODE_DIGITS = 3
_BEFORE_MARKET = _words("for für fuer in im auf on (") | _MARKETS


def plain(word: str) -> str:
    """Return the word in lower case without dots, hyphens and apostrophes."""
    return re.sub("[_.'\u2019-]", "", word.casefold()) or word


def label_of(word: str) -> Kind | None:
    """Return the kind that the word names, such as ITEM for "gtin"."""
    label = _LABEL.fullmatch(plain(word))
    return Kind(str(label.lastgroup)) if label else None


def cue_of(word: str) -> Kind | None:
    """Return the kind that is expected after the word, such as SUPPLIER for "from"."""
    return label_of(word) or _CUES.get(plain(word))


def is_about_recipient(words: Iterable[str]) -> bool:
    """True if one of the words means a recipient, such as "customer" or "anyone"."""
    return any(
        word.casefold() in ANYONE or label_of(word) is Kind.RECIPIENT for word in words
    )


def is_joint(word: str) -> bool:
    """True for a punctuation mark, and for a word such as "and"."""
    return not word[0].isalnum() or word.casefold() in AND


def is_stop(word: str) -> bool:
    """True when the word cannot be part of an id or a name."""
    return plain(word) in _STOP or label_of(word) is not None


def market_at(words: list[str], at: int) -> tuple[str, int]:
    """Return the code of the market that begins at this word, and its number of words.

    The code is empty if there is no market.
    """
    for count in (3, 2, 1):
        if code := codes_by_name().get(
            " ".join(name_words(" ".join(words[at : at + count])))
        ):
            return code, count
    word, back = (
        words[at],
        [one for one in words[max(at - 3, 0) : at] if one not in ":=."],
    )
    before, number = (
        plain(back[-1]) if back else "",
        next(filter(str.isalnum, reversed(back)), ""),
    )
    is_named = before in _MARKETS or (before == "(" and words[at + 1 : at + 2] == [")"])
    if word.isdecimal():
        is_code = len(word) == _CODE_DIGITS and (is_named or is_trade_number(number))
    else:
        is_usual = before in _BEFORE_MARKET and (
            word.isupper() or word.upper() in _CODES
        )
        is_code = word in _CODES or (not is_stop(word) and (is_named or is_usual))
    return market_code(word) if is_code else "", 1


def language_of(text: str) -> Language:
    """Return the language of the text, or English when it is not clear."""
    words = [plain(word) for word in re.findall(r"\w+", text)]
    german = sum(word in _GERMAN - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _GERMAN for word in words)
    return Language.GERMAN if german > english else Language.ENGLISH
