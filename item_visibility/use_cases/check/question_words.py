"""The words of questions in English and German: what they say about the id or name beside them."""

import re

from item_visibility.lists.markets import (
    ADJECTIVES,
    OTHER_NAMES,
    codes_by_name,
    market_code,
)
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.check.question import Language


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
AND = _words("and und or oder sowie & +")
ANYONE = _words("anyone anybody everyone everybody someone somebody jemand irgendjemand jeder")
NOT_IDS = _words(
    "order bestellung auftrag po ticket case invoice rechnung lieferschein tel telefon phone fax mobil mobile"
)
"""The number after one of these is no id, unless it is known."""
MARKETS = _words("market markt zielmarkt land country tm")
_ENGLISH = _words(
    """
    a an the this that these those it its them they he she we i you us me our your their my who what when
    which how why whether if is are was be been do does did done has have had can cannot cant could would
    will should may see sees seeing get gets getting receive receives view find show shows let lets of from
    by to for in on at with about as and or not no nor still already now currently yet also too again today
    asked asks ask wants want know knows says say tell tells told check checking please pls thanks thank
    hello hi hey dear team regards best kind cheers quick one right but well re question customer customers
    recipient supplier item items product article market country available visible visibility listed access
    able missing shown displayed here there dont doesnt isnt arent u thx call calls calling reports
    """
)
_GERMAN = _words(
    """
    ein eine einen einem einer der die das den dem des dies diese diesen dieser es sie er ihr ihre ihnen wir
    uns unser unsere unserem unseren mir ich wer was wie warum wieso weshalb wann ob ist sind war sein
    wird werden hat haben kann können koennen darf dürfen konnte soll sollte müsste sieht sehen seht
    bekommt bekommen erhält erhaelt erhalten findet finden zeigt zeigen von vom für fuer in im am an auf bei
    beim mit zu zum zur aus und oder sowie aber nicht kein keine keinen noch schon immer jetzt heute auch
    mal denn eigentlich aktuell gerade wieder sagt sagen fragt fragen meldet wissen will möchte bitte danke
    hallo moin guten tag morgen liebe lieber viele beste grüße gruß grüsse gruss mfg vg zusammen frage
    kunde kunden kundin firma lieferant artikel produkt markt händler sichtbar freigegeben verfügbar gelistet
    prüfen pruefen prüfung fehlt angezeigt dort da hier anruf rückruf ruft meldung vermisst um
    """
)
_OTHERS = _words(
    """
    gln gtin ean id nr number nummer subject betreff target regarding support visibility sichtbarkeit re aw
    fw fwd wg ok
    """
)
_STOP = _ENGLISH | _GERMAN | _OTHERS | AND | NOT_IDS | MARKETS
WEAK = _words(
    """
    two three four five many both some every zwei drei vier viele beide blue white black green golden silver
    blau weiss schwarz new north south west east neue villa whole fresh
    """
)
"""Words that begin many names, and are no name alone."""
_CODES = OTHER_NAMES.keys() - {"IT", "NO", "SE"}
"""Country codes that are read without a word before them; IT and the like are words."""
_BEFORE_MARKET = _words("for für fuer in im auf on ( ()") | MARKETS
_SMALL = _words("de at ch fr nl be pl uk")
"""Country codes that are also read in small letters, after "in" or at the end."""
_PAIRS = dict(zip("([{<\"'`\u00ab\u201e\u201c\u2018", ")]}>\"'`\u00bb\u201c\u201d\u2019", strict=True))
MARKS = "".join({*_PAIRS, *_PAIRS.values(), "?", "!", ".", ":"})


def plain(word: str) -> str:
    """Return the word without case, and without the marks in and around it."""
    return re.sub("[_.'\u2019-]", "", word.strip(MARKS).casefold()) or word


def label_of(word: str) -> Kind | None:
    """Return the part that the word is a name of."""
    label = _LABEL.fullmatch(plain(word))
    return Kind(str(label.lastgroup)) if label else None


def cue_of(word: str) -> Kind | None:
    """Return the part that comes after the word."""
    return label_of(word) or _CUES.get(plain(word))


def is_stop(word: str) -> bool:
    """True when the word is no part of an id or a name."""
    return plain(word) in _STOP or label_of(word) is not None


def market_of_words(words: list[str], before: str, *, is_last: bool) -> tuple[str, int]:
    """Return the market that the first words name, and how many words; an empty text and 0 for none.

    `before` is the word before them, "(" for a bracket and "()" for one around the first word; `is_last` when
    the first word ends its line.
    """
    for count in (3, 2, 1):
        name = " ".join(words[:count]).casefold()
        if len(words) >= count and (code := codes_by_name().get(name, "")):
            return code, count
    first, before = words[0], plain(before)
    if is_stop(first) and first not in _CODES:
        return "", 0
    if len(words) > 1 and plain(words[1]) in {"market", "markt", "markts", "marktes"}:
        for code, some in ADJECTIVES.items():
            if first.casefold().startswith(tuple(some.split("|"))):
                return market_code(code), 2
    is_labelled = before in {*MARKETS, "()"} and len(first) in {2, 3}
    is_small = first in _SMALL and (is_last or before in _BEFORE_MARKET)
    is_code = first in _CODES or is_labelled or is_small or (first.isupper() and before in _BEFORE_MARKET)
    code = market_code(first) if is_code else ""
    return (code, 1) if code else ("", 0)


def language_of(text: str) -> Language:
    """Return the language in which the text asks; English when that is not clear."""
    words = [plain(word) for word in text.split()]
    german = sum(word in _GERMAN - _ENGLISH for word in words)
    english = sum(word in _ENGLISH - _GERMAN for word in words)
    return Language.GERMAN if german > english else Language.ENGLISH
