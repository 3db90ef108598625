"""The meaning of a text that a person entered: recipients, or a question.

A text is never taken for a number by chance. A number is known here, or has the form of those in use; about
any other text the person is asked.
"""

from collections.abc import Iterable
from dataclasses import replace

from item_visibility.client.identifiers import refusal
from item_visibility.lists.numbers.number_forms import form_of, forms_in_use
from item_visibility.lists.numbers.trade_numbers import GLN_DIGITS
from item_visibility.lists.paste import DoubtfulText, EnteredIds, read_entered
from item_visibility.storage.directory.named_rows import Kind
from item_visibility.use_cases.finder.find_by_name import Finder
from item_visibility.use_cases.known_names import KnownNames

_MOST_NEAREST = 20
"""The limit of texts for which the nearest names are looked up."""


class EnteredTexts:
    """Reads the recipients that a person typed or pasted."""

    def __init__(self, finder: Finder, names: KnownNames) -> None:
        self._finder = finder
        self._names = names

    def read(
        self, text: str, *, listed: frozenset[str] = frozenset(), as_numbers: frozenset[str] = frozenset()
    ) -> EnteredIds:
        """Return the recipients of a text, the texts to decide about with the nearest names, and the prose.

        A recipient is known here or `listed`, or has the form of a number, or was declared one
        (`as_numbers`). The full name of exactly one recipient stands for it.
        """
        forms = self._forms(listed)
        entered = read_entered(
            text,
            self._names,
            there=listed,
            as_numbers=as_numbers,
            is_id=lambda one: form_of(one) in forms,
            is_like_name=lambda one: bool(self._finder.find(Kind.RECIPIENT, one).choices),
        )
        doubtful = tuple(map(self._explained, range(len(entered.doubtful)), entered.doubtful))
        return replace(entered, doubtful=doubtful)

    def _explained(self, position: int, one: DoubtfulText) -> DoubtfulText:
        """Return the text with the recipients that it may mean; of many texts only the first ones."""
        one = replace(one, why_not=refusal(one.text, name="recipient") or "")
        if one.alike or position >= _MOST_NEAREST:
            return one
        nearest = self._finder.nearest(Kind.RECIPIENT, one.text)
        return replace(one, alike=tuple((choice.id, choice.name) for choice in nearest))

    def _forms(self, listed: Iterable[str]) -> frozenset[str]:
        """Return the forms of the numbers in use: a GLN, those of the list, and some that are known."""
        used = (*listed, *self._finder.some_ids(Kind.RECIPIENT))
        return forms_in_use(used) | {form_of("0" * GLN_DIGITS)}
