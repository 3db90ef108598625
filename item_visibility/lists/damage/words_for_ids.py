"""Texts in a column of ids that are neither known nor have the form of an id: names, notes, half a number."""

from collections import Counter
from collections.abc import Collection

from item_visibility.lists.action_words import is_action_word
from item_visibility.lists.damage.finding import IdRole
from item_visibility.lists.damage.known_index import KnownIndex
from item_visibility.lists.numbers.number_forms import (
    form_of,
    forms_in_use,
    has_digit,
    is_item_number,
    is_location_number,
)

MESSAGE = "It is not known here, and has not the form of a number. Keep it only if it is one."
_MOST = 0.5
_SEVERAL = 3
"""This many ids of one form, and half of all, make it the column's form, though none of it is known."""


class WordsForIds:
    """Finds them in one column, from the forms of its other ids and of the known ones."""

    def __init__(self, texts: Collection[str], *, role: IdRole, known: KnownIndex) -> None:
        self._role = role
        self._known = known
        forms = Counter(form_of(text) for text in texts if _may_be_id(text))
        usual = {form for form, count in forms.items() if count >= max(_SEVERAL, _MOST * len(texts))}
        self._forms = usual | forms_in_use(known.all)

    def is_word(self, text: str) -> bool:
        """True when the text is not known, has not the form of an id, and is no action."""
        return not (self._known.knows(text) or is_action_word(text) or self._has_form(text))

    def _has_form(self, text: str) -> bool:
        if not _may_be_id(text):
            return False
        return self._is_standard(text) or form_of(text) in self._forms

    def _is_standard(self, text: str) -> bool:
        return is_item_number(text) if self._role is IdRole.ITEM else is_location_number(text)


def _may_be_id(text: str) -> bool:
    """True for one word with a digit."""
    return has_digit(text) and len(text.split()) == 1
