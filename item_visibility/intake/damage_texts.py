"""Damage that hides in a text and takes nothing from it: without it, the id is what it was."""

import html
import re
from urllib.parse import unquote

from item_visibility.intake.damage_finding import DamageKind
from item_visibility.intake.damage_rule import Rule
from item_visibility.intake.looks import (
    has_invisible,
    with_latin_letters,
    with_plain_dashes,
    with_plain_digits,
    without_invisible,
)

_MARKS = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4"
_APOSTROPHES = "'\u2018\u2019`\u00b4"
_BREAK = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_BREAKS_AROUND = re.compile(rf"\A{_BREAK}+|{_BREAK}+\Z")
_ODD_BLANKS = re.compile(r"[^\S \n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SEEN_BLANKS = str.maketrans("\t\x1f", "  ")
_ESCAPES = re.compile(
    r"_x([0-9A-Fa-f]{4})_|&(?:[A-Za-z]{2,8}|#[0-9]{1,6}|#x[0-9A-Fa-f]{1,5});|(?:%[0-9A-Fa-f]{2})+"
)
_FORMULA_OF_TEXT = re.compile(r'="([^"]*)"')
_LOST_CHARACTER = "\ufffd"


def _is_misread(text: str) -> bool:
    return not text.isascii() and _reread(text) != text


def _reread(text: str) -> str | None:
    """The text as UTF-8 when it was read as Windows or Latin letters; None when a character is gone."""
    if _LOST_CHARACTER in text:
        return None
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode()
        except UnicodeError:
            continue
    return text


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        read = html.unescape(match[0]) if match[0][0] == "&" else unquote(match[0])
        return match[0] if _LOST_CHARACTER in read else read

    return _ESCAPES.sub(character, text)


def _of_formula(text: str) -> str | None:
    match = _FORMULA_OF_TEXT.fullmatch(text)
    return match[1] if match else None


def _without_invisible(text: str) -> str:
    return without_invisible(text.translate(_SEEN_BLANKS))


def _without_odd_blanks(text: str) -> str:
    return _ODD_BLANKS.sub(" ", text).strip(" ")


RULES_OF_WRAPPINGS = (
    Rule(
        DamageKind.MISREAD,
        "Letters were read in the wrong character set.",
        _is_misread,
        _reread,
    ),
    Rule(
        DamageKind.FORMULA,
        "This is a formula, not its result.",
        lambda text: len(text) > 1 and text[0] == "=",
        _of_formula,
    ),
    Rule(
        DamageKind.ESCAPED,
        "Characters are written as codes, as in web pages and inside spreadsheet files.",
        lambda text: _unescaped(text) != text,
        _unescaped,
    ),
    Rule(
        DamageKind.LINE_BREAK,
        "A line break stands in front or behind.",
        _BREAKS_AROUND.search,
        lambda text: _BREAKS_AROUND.sub("", text),
    ),
    Rule(
        DamageKind.OUTER_BLANKS,
        "Blanks stand in front or behind.",
        lambda text: text.strip(" ") != text,
        lambda text: text.strip(" "),
    ),
)
RULES_OF_CHARACTERS = (
    Rule(
        DamageKind.INVISIBLE,
        "It holds characters that cannot be seen.",
        lambda text: has_invisible(text.translate(_SEEN_BLANKS)),
        _without_invisible,
    ),
    Rule(
        DamageKind.ODD_BLANKS,
        "It holds blanks that the keyboard does not write.",
        _ODD_BLANKS.search,
        _without_odd_blanks,
    ),
    Rule(
        DamageKind.QUOTES,
        "Quotation marks were left around it.",
        lambda text: len(text) > len("''") and text[0] in _MARKS and text[-1] in _MARKS,
        lambda text: text[1:-1],
    ),
    Rule(
        DamageKind.APOSTROPHE,
        "An apostrophe stands in front, with which spreadsheets mark texts.",
        lambda text: len(text) > 1 and text[0] in _APOSTROPHES,
        lambda text: text[1:],
    ),
    Rule(
        DamageKind.OTHER_DIGITS,
        "Digits or letters are of another script, or of another width.",
        lambda text: with_plain_digits(text) != text,
        with_plain_digits,
    ),
    Rule(
        DamageKind.DASHES,
        "A longer dash stands where the keyboard writes a short one.",
        lambda text: with_plain_dashes(text) != text,
        with_plain_dashes,
    ),
    Rule(
        DamageKind.LOOK_ALIKE_LETTERS,
        "Letters of another alphabet look like Latin ones.",
        lambda text: not text.isascii() and with_latin_letters(text).isascii(),
        with_latin_letters,
    ),
)
