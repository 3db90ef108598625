"""The meaning of a text that a person entered: recipients, or a question.

A text is never taken for a number by chance. A number is known here, or has the form of those in use; about
any other text the person is asked.
"""

from collections.abc import Iterable
from dataclasses import replace

from item_visibility.desk.finder.find_by_name import Finder
from item_visibility.desk.known_names import KnownNames
from item_visibility.intake.numbers.number_forms import form_of, forms_in_use
from item_visibility.intake.numbers.trade_numbers import GLN_DIGITS
from item_visibility.intake.paste import DoubtfulText, EnteredIds, read_entered
from item_visibility.records.directory.named_rows import Kind

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
        """Return the recipients of a text or a pasted column, and the texts that the person is asked about.

        A recipient is known here or `listed`, or has the form of a number, or was declared one
        (`as_numbers`). The full name of exactly one recipient stands for it.
        """
        entered = read_entered(text, self._names, there=listed, as_numbers=as_numbers)
        forms = self._forms(listed)
        sure = listed | as_numbers | self._names.known_recipients(entered.ids)
        odd = frozenset(one for one in entered.ids if one not in sure and form_of(one) not in forms)
        ids = [one for one in entered.ids if one not in odd]
        doubtful = [DoubtfulText(one) for one in dict.fromkeys(entered.ids) if one in odd]
        called = self._names.recipients_called([one.text for one in entered.doubtful])
        for one in entered.doubtful:
            named = called.get(one.text, ())
            if len(named) == 1:
                ids.append(named[0][0])
            else:
                doubtful.append(one)
        return EnteredIds(tuple(ids), tuple(map(self._with_nearest, range(len(doubtful)), doubtful)))

    def _with_nearest(self, position: int, one: DoubtfulText) -> DoubtfulText:
        """Return the text with the recipients that it may mean; of many texts only the first ones."""
        if one.alike or position >= _MOST_NEAREST:
            return one
        nearest = self._finder.nearest(Kind.RECIPIENT, one.text)
        return replace(one, alike=tuple((choice.id, choice.name) for choice in nearest))

    def _forms(self, listed: Iterable[str]) -> frozenset[str]:
        """Return the forms of the numbers in use: a GLN, those of the list, and some that are known."""
        used = (*listed, *self._finder.some_ids(Kind.RECIPIENT))
        return forms_in_use(used) | {form_of("0" * GLN_DIGITS)}
