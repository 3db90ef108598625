"""Finds what a question names without a number, with words in any order.

A name counts only when its words were typed right, its first among them, and only one known id has them.
About any other the person is asked: half a name would answer another question.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import GLN_DIGITS, is_number, split_item_id
from item_visibility.storage.directory import folded
from item_visibility.use_cases.check.question.by_number import with_known_item
from item_visibility.use_cases.check.question.cue_words import COMMON
from item_visibility.use_cases.check.question.parts import (
    IN_ORDER,
    KINDS,
    Doubt,
    Question,
    QuestionRole,
    choose,
    with_part,
)
from item_visibility.use_cases.check.question.pieces import LONG_ENOUGH, Phrase, Token, phrases_of
from item_visibility.use_cases.find_by_name import Choice, Finder
from item_visibility.use_cases.known_names import KnownNames

OFFERED = 12
"""The limit of known ids that a person is offered for one part."""
_MOST_PHRASES = 12
_MOST_WORDS = 6
_MOST_IN_A_PHRASE = 12
_TELLING = 4
"""Shorter words alone name nobody."""
_UMLAUT = re.compile("([aou])e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Find:
    """The known ids that some words of a phrase name; `is_sure` when they name them in whole and alone."""

    role: QuestionRole
    text: str
    choices: tuple[Choice, ...]
    is_sure: bool
    phrase: Phrase


def fill_by_name(
    question: Question,
    tokens: Iterable[Token],
    *,
    linked: Iterable[QuestionRole],
    known: KnownNames,
    finder: Finder,
) -> tuple[Question, ...]:
    """Return the question with the parts that its words name; several where they name several.

    A part stays as it was read when no name leads further, or when a link says it.
    """
    return _Names(question, frozenset(linked), known, finder).read(tokens)


class _Names:
    """Finds the open parts of one question."""

    def __init__(
        self, question: Question, linked: frozenset[QuestionRole], known: KnownNames, finder: Finder
    ) -> None:
        self._question = question
        self._known = known
        self._finder = finder
        self._read = [role for role in IN_ORDER if role not in linked]
        self._open = [role for role in self._read if self._is_open(role)]
        self._phrases: tuple[Phrase, ...] = ()
        self._finds: list[_Find] = []
        self._looked_up: dict[tuple[QuestionRole, str], tuple[Choice, ...]] = {}

    def read(self, tokens: Iterable[Token]) -> tuple[Question, ...]:
        """Return the questions with what was found."""
        written = {self._question.part(role) or "" for role in IN_ORDER if role not in self._open}
        self._phrases = phrases_of(tokens, without=written)[:_MOST_PHRASES]
        self._finds = [find for phrase in self._phrases for find in self._finds_in(phrase)]
        self._drop_words_of_names()
        for role in self._read:
            if role not in self._open:
                self._compare(role)
        self._fill(QuestionRole.SUPPLIER)
        items, recipients = self._fill(QuestionRole.ITEM), self._fill(QuestionRole.RECIPIENT)
        questions = [with_known_item(self._question, self._known)]
        for role, several in ((QuestionRole.ITEM, items), (QuestionRole.RECIPIENT, recipients)):
            if several:
                questions = [choose(question, role, one) for question in questions for one in several]
        return tuple(questions)

    def _is_open(self, role: QuestionRole) -> bool:
        """True when a part is missing, or holds words that are known as no id."""
        value = self._question.part(role)
        if value is None:
            return True
        is_like_an_id = len(value) >= LONG_ENOUGH and len(value.split()) == 1
        supplier = self._question.supplier if role is QuestionRole.ITEM else None
        is_number = is_like_an_id and any(map(str.isdigit, value))
        return not is_number and not self._finder.is_known(KINDS[role], value, supplier=supplier)

    def _finds_in(self, phrase: Phrase) -> list[_Find]:
        """Return what the words of a phrase name, the longest names first."""
        spans = self._spans(phrase.words[:_MOST_IN_A_PHRASE], phrase.role)
        is_covered = sum(len(span.split()) for _, span in spans) == len(phrase.words)
        is_role_kept = phrase.role is None or phrase.role in {role for role, _ in spans}
        alone = Counter(span for _, span in spans)
        finds = []
        for role, span in spans:
            choices = self._lookup(role, span)
            is_whole = alone[span] == 1 and all(_is_whole(choice, span) for choice in choices)
            is_sure = is_covered and is_role_kept and is_whole
            finds.append(_Find(role, span, choices, is_sure, phrase))
        return finds

    def _spans(self, words: tuple[str, ...], hint: QuestionRole | None) -> list[tuple[QuestionRole, str]]:
        for length in range(min(len(words), _MOST_WORDS), 0, -1):
            for start in range(len(words) - length + 1):
                span = " ".join(words[start : start + length])
                roles = [role for role in self._read if self._lookup(role, span)]
                if roles:
                    here = [hint] if hint in roles else roles
                    before = self._spans(words[:start], hint)
                    after = self._spans(words[start + length :], hint)
                    return [*before, *((role, span) for role in here if role), *after]
        return []

    def _lookup(self, role: QuestionRole, span: str) -> tuple[Choice, ...]:
        """Return the known ids whose names have all the words, or words that begin so."""
        if (role, span) not in self._looked_up:
            words = span.split()
            is_useful = all(self._lookup(role, word) for word in words) if len(words) > 1 else True
            self._looked_up[role, span] = self._names_with(role, span) if is_useful else ()
        return self._looked_up[role, span]

    def _names_with(self, role: QuestionRole, span: str) -> tuple[Choice, ...]:
        spellings = dict.fromkeys((span, _UMLAUT.sub(r"\1", span)))
        found = next(filter(None, (self._finder.having(KINDS[role], one) for one in spellings)), ())
        begun = [one for one in found if _begins(one, span)]
        whole = [one for one in begun if _is_whole(one, span)] or begun
        exact = [one for one in whole if _form(one.name) == _form(span)]
        return tuple(exact or whole)

    def _drop_words_of_names(self) -> None:
        """Take back parts that were read from a word of a name, such as the size of an item."""
        for role in self._open:
            value = self._question.part(role)
            if value and any(set(value.split()) <= set(find.text.split()) for find in self._finds):
                self._question = with_part(self._question, role, None)

    def _compare(self, role: QuestionRole) -> None:
        """Ask which is meant when a number was read, and the name beside it is another's."""
        finds = [find for find in self._finds if find.role is role and find.is_sure]
        found, number = _distinct(finds), self._question.part(role)
        if found and number and not any(_is_same(one, number) for one in found):
            own = (self._question.supplier or "", number) if role is QuestionRole.ITEM else (number,)
            fitting = self._fitting(found) if role is QuestionRole.ITEM else found
            self._ask(role, finds[0].text, [*fitting, Choice(own)])

    def _fill(self, role: QuestionRole) -> list[Choice]:
        """Fill one open part, or ask about it. Return its ids if the text names several, one by one."""
        if role not in self._open:
            return []
        finds = [find for find in self._finds if find.role is role]
        is_sure = bool(finds) and all(find.is_sure for find in finds) and not self._is_missed(role)
        is_list = len(finds) > 1 and any(find.phrase.is_further for find in finds)
        found = self._fitting(_distinct(finds)) if role is QuestionRole.ITEM else _distinct(finds)
        if role is QuestionRole.ITEM and self._question.supplier not in {
            None,
            *(one.ids[0] for one in found),
        }:
            is_sure = False
        if is_sure and is_list:
            each = [[one for one in find.choices if one in found] for find in finds]
            if all(len(choices) == 1 for choices in each):
                return _distinct(finds, among=found)
        number = self._one_number(found) if role is QuestionRole.ITEM else None
        if is_sure and len(found) == 1 and number is None:
            self._question = choose(self._question, role, found[0])
        elif is_sure and number is not None:
            self._question = number
        elif finds:
            unsure = [find.phrase for find in finds if not find.is_sure]
            near = self._nearest(role, unsure[0]) if unsure else []
            sure = [one for find in finds if find.is_sure for one in find.choices if one in found]
            both = {one.ids: one for one in [*near, *sure]}
            self._ask(role, finds[0].phrase.text, list(both.values()) if near else found)
        else:
            self._ask_for_nearest(role)
        if role is QuestionRole.RECIPIENT:
            self._compare_with_gln(_distinct(finds))
        return []

    def _fitting(self, choices: list[Choice]) -> list[Choice]:
        """Return the items that fit best: the supplier's in the markets of the question, else in others."""
        supplier, markets = self._question.supplier, self._question.markets
        ours = [one for one in choices if supplier is None or one.ids[0] == supplier]
        sold = [one for one in choices if not markets or market_code(one.market) in markets]
        return [one for one in ours if one in sold] or ours or sold or choices

    def _one_number(self, choices: list[Choice]) -> Question | None:
        """Return the question with the number that the items have in common, if its market is open.

        It is open when none of the items is for the only market that the question names.
        """
        is_settled = len(choices) == 1 and market_code(choices[0].market) in self._question.markets
        parts = [(one.ids[0], split_item_id(one.id)) for one in choices]
        numbers = {(own, each.number) for own, each in parts if each}
        if is_settled or len(numbers) != 1 or not all(each for _, each in parts):
            return None
        own, number = numbers.pop()
        return replace(self._question, supplier=own, supplier_item_id=number)

    def _is_missed(self, role: QuestionRole) -> bool:
        """True when the text names this part, or an item's supplier, with a word that is known nowhere."""
        roles = ({role, QuestionRole.SUPPLIER} if role is QuestionRole.ITEM else {role}) & set(self._open)
        return any(phrase.role in roles and not self._is_found(phrase) for phrase in self._phrases)

    def _is_found(self, phrase: Phrase) -> bool:
        """True when the words of a phrase name what they stand for; without a hint, anything."""
        return any(find.phrase is phrase and phrase.role in {find.role, None} for find in self._finds)

    def _ask_for_nearest(self, role: QuestionRole) -> None:
        """Ask about the words that may be meant for this part, with names that are spelled alike."""
        if role is QuestionRole.SUPPLIER and self._question.supplier_item_id is None:
            return  # the item tells its supplier
        unread = [one for one in self._phrases if not self._is_found(one) and one.role in {role, None}]
        is_only = len(unread) == 1 and len(self._question.missing) == 1
        for phrase in sorted(unread, key=lambda one: one.role is not role):
            choices = self._nearest(role, phrase)
            if choices or phrase.role is role or is_only:
                self._ask(role, phrase.text, choices)
                return

    def _nearest(self, role: QuestionRole, phrase: Phrase) -> list[Choice]:
        """Return what is spelled like the whole phrase; for a supplier, else who has the item's number."""
        found = list(self._finder.find(KINDS[role], phrase.text).choices)
        if role is QuestionRole.ITEM:
            return self._fitting(found)
        if role is QuestionRole.SUPPLIER and not found:
            items = self._known.items_with_number(self._question.supplier_item_id or "")
            return [
                self._finder.chosen(KINDS[role], one) for one in sorted({item.supplier for item in items})
            ]
        return found

    def _compare_with_gln(self, named: list[Choice]) -> None:
        """Ask which is meant when the recipient was found by name, and an unknown GLN stands beside it."""
        glns = [one for one in self._question.left_over if is_number(one) and len(one) == GLN_DIGITS]
        if self._question.recipient_id and named and glns:
            self._ask(QuestionRole.RECIPIENT, glns[0], [*named, *(Choice((one,)) for one in glns)])

    def _ask(self, role: QuestionRole, text: str, choices: Sequence[Choice]) -> None:
        if choices:
            self._question = with_part(self._question, role, None)
        doubt = Doubt(role=role, text=text, choices=tuple(choices[:OFFERED]))
        self._question = replace(self._question, doubts=(*self._question.doubts, doubt))


def _distinct(finds: Iterable[_Find], *, among: list[Choice] | None = None) -> list[Choice]:
    found = {choice.ids: choice for find in finds for choice in find.choices}
    return [one for one in found.values() if among is None or one in among]


def _is_same(choice: Choice, number: str) -> bool:
    """True when the number is that of the id, with or without its market and leading zeros."""
    return number.lstrip("0") in choice.id


def _form(text: str) -> str:
    """Return the text without case and accents, however an umlaut is written: Müller, Mueller, Muller."""
    return _UMLAUT.sub(r"\1", folded(text))


def _begins(choice: Choice, span: str) -> bool:
    """True when each word of the span begins a word of the name."""
    tokens = _form(choice.name).split()
    return all(any(token.startswith(word) for token in tokens) for word in _form(span).split())


def _is_whole(choice: Choice, span: str) -> bool:
    """True when the span holds whole words of the name, its first and a telling one, or the whole name.

    "Supermarkets" and "three" alone name nobody.
    """
    typed, tokens = set(_form(span).split()), _form(choice.name).split()
    is_telling = any(len(word) >= _TELLING and word not in _NOT_TELLING for word in typed)
    is_begun = is_telling and set(tokens[:1]) <= typed
    return typed <= set(tokens) and (is_begun or typed == set(tokens))


_NOT_TELLING = frozenset(map(_form, COMMON))
