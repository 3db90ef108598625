"""The words of questions, in English and German: what each says about the ids and names beside it."""

import re

from item_visibility.use_cases.check.question.parts import QuestionRole


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LABEL = re.compile(
    r"(?:(?P<item>(?:supplier)?items?|artikels?|gtin|ean)|(?P<supplier>suppliers?|lieferant(?:en)?)"
    r"|(?P<recipient>recipients?|empfänger|empfaenger)"
    r")(?:id|gln|gtin|no|nr|number|nummer)?"
)
"""Names of the parts, such as "Lieferanten-GLN"."""
_CUES = {
    **dict.fromkeys(_words("of from by von vom"), QuestionRole.SUPPLIER),
    **dict.fromkeys(_words("see sehen get receive bekommen erhalten"), QuestionRole.ITEM),
    **dict.fromkeys(_words("to for für"), QuestionRole.RECIPIENT),
}
VERBS = _words(
    """
    can cannot cant does doesnt sees kann darf sieht could können koennen dürfen
    gets receives bekommt erhält erhaelt
    """
)
"""The verbs of a recipient, who stands before them, or after them in a question."""
GIVERS = _words("let lets show shows zeigt")
"""The verbs of a supplier, who stands before them."""
WHO = _words("who wer")
AND = _words("and und or oder sowie")
ARTICLES = _words("a an the der die das den dem des ein eine einen")
IGNORED = _words(
    """
    asked asks wants know knows what about was mit with how wie when wann says say sagt sagen that dass
    they he she er sie hello hi hey dear hallo moin liebe lieber guten tag morgen please bitte thanks thank
    you danke regards
    gruss gruß grüsse grüße best viele beste kind mfg vg why warum wieso not nicht kein keine no now
    jetzt currently aktuell also auch still noch already schon our unser unsere unserem unseren your
    ihr ihre whether ob we wir i ich it es is ist do did tun has have had hat haben be able visible
    sichtbar available access product produkt customer customers kunde kunden kundin company
    firma retailer händler check prüfen pruefen tell me uns us if at bei beim in im on for für zum zur
    market markt zielmarkt zielland them
    zusammen quick one right but aber as well re question frage fehlt missing
    tel telefon phone fax mobil gln id nr number nummer -
    """
)
"""Words that are no part of a name and say nothing about the words beside them."""
HEADINGS = _words(
    """
    id gln nr no number nummer market markt target zielmarkt land country name bezeichnung product
    produkt description beschreibung
    """
)
COMMON = _words(
    """
    two three four five many both some every zwei drei vier viele beide blue white black green golden silver
    blau weiss schwarz new north south west east neue villa whole fresh
    """
)
"""Words that begin many names, and name nobody alone."""

_PREFIXED = re.compile(r"(?P<label>[^\W\d][\w.-]*)[:=](?P<value>.*)", re.DOTALL)
_PAIRS = dict(zip("([{<\"'`\u00ab\u201e\u201c\u2018", ")]}>\"'`\u00bb\u201c\u201d\u2019", strict=True))
_FULL_STOPS = "?!.,:"


def unwrapped(word: str) -> str:
    """Return the word without the sentence punctuation around it. Brackets that belong to it stay."""
    while word:
        inner = word[1:-1]
        closer = _PAIRS.get(word[0])
        if word[-1] in _FULL_STOPS:
            word = word[:-1]
        elif closer == word[-1] and word[0] not in inner and closer not in inner:
            word = inner
        elif closer and closer not in word[1:]:
            word = word[1:]
        elif word[-1] in _PAIRS.values() and not any(_PAIRS.get(char) == word[-1] for char in word[:-1]):
            word = word[:-1]
        else:
            break
    return word


def plain(word: str) -> str:
    """Return the word without case, and without the marks in and around it."""
    return re.sub("[_.'\u2019-]", "", unwrapped(word).casefold()) or word


def label_of(word: str) -> QuestionRole | None:
    """Return the part that the word is a name of."""
    label = _LABEL.fullmatch(plain(word))
    return QuestionRole(str(label.lastgroup)) if label else None


def cue_of(word: str) -> QuestionRole | None:
    """Return the part that comes after the word."""
    return _CUES.get(plain(word))


def prefixed(word: str) -> tuple[str, str] | None:
    """Return a label and what follows its colon, such as `supplier:4000001000005`."""
    match = _PREFIXED.fullmatch(word.lstrip("".join(_PAIRS)))
    return (match["label"], match["value"]) if match and says_something(match["label"]) else None


def says_something(word: str) -> bool:
    """True when the word says something about an id or a name beside it, and is none itself."""
    is_word = plain(word) in _SAYING or label_of(word) is not None
    return is_word or cue_of(word) is not None or prefixed(word) is not None


_SAYING = VERBS | GIVERS | WHO | AND | ARTICLES | IGNORED
