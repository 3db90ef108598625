"""The meaning of a text in a field for one supplier or item: a number, or a question.

A number is known here or has the form of those in use. Any other text is a name that nobody has, and never
leads to an answer about an item that does not exist.
"""

from dataclasses import dataclass

from item_visibility.client.identifiers import refusal
from item_visibility.lists.numbers.number_forms import (
    form_of,
    forms_in_use,
    is_item_number,
    is_location_number,
)
from item_visibility.storage.directory.named_rows import Kind
from item_visibility.use_cases.finder.find_by_name import Choice, Finder


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
    called = finder.called(kind, wanted, supplier=supplier)
    if len(called) == 1:
        return EnteredOne(called[0].id)
    why_not = refusal(wanted, name=kind.value) or ""
    if not why_not and has_form(finder, kind, wanted, supplier=supplier):
        return EnteredOne(wanted)
    return EnteredOne(asked=wanted, nearest=finder.nearest(kind, wanted, supplier=supplier), why_not=why_not)


def has_form(finder: Finder, kind: Kind, text: str, *, supplier: str | None = None) -> bool:
    """True when the text has the form of a number: a GLN, a GTIN with or without market, or one in use."""
    is_standard = is_item_number if kind is Kind.ITEM else is_location_number
    return is_standard(text) or form_of(text) in forms_in_use(finder.some_ids(kind, supplier=supplier))
