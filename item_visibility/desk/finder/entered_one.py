"""What a text stands for in a field that holds one supplier or item: a number, or a question.

A number is known here or has the form of those in use. Any other text is a name that nobody has, and never
leads to an answer about an item that does not exist.
"""

from dataclasses import dataclass

from item_visibility.api.identifiers import refusal
from item_visibility.desk.finder.find_by_name import Choice, Finder
from item_visibility.desk.finder.number_forms import form_of
from item_visibility.intake.paste import has_digit
from item_visibility.intake.trade_numbers import GLN_DIGITS, is_number, is_trade_number, split_item_id
from item_visibility.records.database.folding import folded
from item_visibility.records.directory.named_rows import Kind

_NEAREST = 3
_SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class EnteredOne:
    """The number that a text stands for; or the text that the person is asked about, with the nearest.

    `why_not` says why the text can be no number at all.
    """

    number: str = ""
    asked: str = ""
    nearest: tuple[Choice, ...] = ()
    why_not: str = ""


def read_one(finder: Finder, kind: Kind, text: str, *, supplier: str | None = None) -> EnteredOne:
    """Return what the text stands for: a known number, the full name of exactly one, or a number by form."""
    wanted = text.strip()
    if not wanted:
        return EnteredOne()
    for one in (text, wanted):
        if finder.is_known(kind, one, supplier=supplier):
            return EnteredOne(one)
    found = finder.find(kind, wanted, supplier=supplier)
    called = [one.id for one in found.choices if folded(one.name) == folded(wanted)]
    if len(called) == 1:
        return EnteredOne(called[0])
    why_not = refusal(wanted, name=kind.value) or ""
    if not why_not and has_form(finder, kind, wanted, supplier=supplier):
        return EnteredOne(wanted)
    return EnteredOne(
        asked=wanted, nearest=_nearest(finder, kind, wanted, supplier=supplier), why_not=why_not
    )


def has_form(finder: Finder, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
    """True when the text has the form of a number: a GLN, a GTIN with or without market, or one in use.

    Where none is known yet, one word with a digit has it.
    """
    if not has_digit(text):
        return False
    if kind is Kind.ITEM:
        is_standard = is_trade_number(text) or split_item_id(text) is not None
    else:
        is_standard = is_number(text) and len(text) == GLN_DIGITS
    if is_standard:
        return True
    used = finder.some_ids(kind, supplier=supplier)
    if not used:
        return len(text.split()) == 1
    return form_of(text) in {form_of(one) for one in used if has_digit(one)}


def _nearest(finder: Finder, kind: Kind, text: str, *, supplier: str | None) -> tuple[Choice, ...]:
    """Return those that fit the whole text; else those that fit one of its words, the longest first."""
    words = sorted((word for word in text.split() if len(word) >= _SHORTEST_WORD), key=len, reverse=True)
    for part in (text, *words):
        if found := finder.find(kind, part, supplier=supplier).choices:
            return found[:_NEAREST]
    return ()
