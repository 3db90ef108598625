"""Finds what a question names without a number, with words in any order.

A name counts only when its words were typed right, its first among them, and only one known id has them.
About any other the person is asked: half a name would answer another question.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.check.question import Doubt, Question, is_known_alone, joined_with_market
from item_visibility.desk.check.question_market import market_code, read_markets
from item_visibility.desk.check.question_parts import KINDS, OFFERED, choose, with_part
from item_visibility.desk.check.question_phrases import Phrase, read_phrases
from item_visibility.desk.check.question_words import IN_ORDER, LONG_ENOUGH, Role, read_link
from item_visibility.desk.finder.find_by_name import Choice, Finder
from item_visibility.desk.known_names import KnownNames
from item_visibility.intake.trade_numbers import GLN_DIGITS, is_number, split_item_id
from item_visibility.records.database.folding import folded

_MOST_PHRASES = 12
_MOST_WORDS = 6
_MOST_IN_A_PHRASE = 12
_TELLING = 4
"""Shorter words alone name nobody."""
_COMMON = frozenset(
    """
    two three four five many both some every zwei drei vier viele beide blue white black green golden silver
    blau weiss schwarz new north south west east neue villa whole fresh
    """.split()  # noqa: SIM905  (so many words would fill a page as a list)
)
"""Words that begin many names, and name nobody alone."""
_HEADER = re.compile(
    r"^(?:from|von|to|an|cc)\s*:.*@.*$|^(?:subject|betreff)\s*:", re.IGNORECASE | re.MULTILINE
)
"""The head of a mail: who wrote to whom."""


@dataclass(frozen=True, slots=True)
class _Find:
    """The known ids that some words of a phrase name; `is_sure` when they name them in whole and alone."""

    role: Role
    text: str
    choices: tuple[Choice, ...]
    is_sure: bool
    phrase: Phrase


def fill_by_name(question: Question, text: str, *, known: KnownNames, finder: Finder) -> tuple[Question, ...]:
    """Return the question with the parts that the text names; several where it names several recipients.

    A part stays as it was read when no name leads further.
    """
    link, rest = read_link(text)
    is_known = cache(partial(is_known_alone, known))
    _, rest = read_markets(_HEADER.sub(" ", rest), is_known=is_known)
    return _Names(question, frozenset(link), known, finder).read(rest)


class _Names:
    """Finds the open parts of one question."""

    def __init__(
        self, question: Question, linked: frozenset[Role], known: KnownNames, finder: Finder
    ) -> None:
        self._question = question
        self._known = known
        self._finder = finder
        self._values = {
            Role.SUPPLIER: question.supplier,
            Role.ITEM: question.supplier_item_id,
            Role.RECIPIENT: question.recipient_id,
        }
        self._read = [role for role in IN_ORDER if role not in linked]
        self._open = [role for role in self._read if self._is_open(role)]
        self._phrases: tuple[Phrase, ...] = ()
        self._finds: list[_Find] = []
        self._looked_up: dict[tuple[Role, str], tuple[Choice, ...]] = {}

    def read(self, text: str) -> tuple[Question, ...]:
        """Return the questions with what was found."""
        written = {value for role, value in self._values.items() if value and role not in self._open}
        self._phrases = read_phrases(text, without=written | {self._question.as_written})[:_MOST_PHRASES]
        self._finds = [find for phrase in self._phrases for find in self._finds_in(phrase)]
        for role in self._open:
            self._drop_words_of_others(role)
        for role in (Role.SUPPLIER, Role.ITEM):
            self._fill(role)
        question = self._question
        if question.supplier and question.supplier_item_id and not question.as_written:
            number = question.supplier_item_id
            item_id = joined_with_market(question.supplier, number, question.markets, self._known)
            self._question = replace(
                question, supplier_item_id=item_id, as_written="" if item_id == number else number
            )
        for role in self._read:
            self._compare(role)
        recipients = self._several_recipients() if Role.RECIPIENT in self._open else []
        if not recipients:
            self._fill(Role.RECIPIENT)
            self._compare_with_gln()
        return tuple(choose(self._question, Role.RECIPIENT, one) for one in recipients) or (self._question,)

    def _compare(self, role: Role) -> None:
        """Ask which is meant when a number was read, and the name beside it is another's."""
        finds = [find for find in self._finds if find.role is role and find.is_sure]
        found, number = _distinct(finds), self._values[role]
        if found and number and role not in self._open and not any(_is_same(one, number) for one in found):
            own = (self._question.supplier or "", number) if role is Role.ITEM else (number,)
            self._ask(role, finds[0].text, [*found, Choice(own)])

    def _compare_with_gln(self) -> None:
        """Ask which is meant when the recipient was found by name, and an unknown GLN stands beside it."""
        recipient_id = self._question.recipient_id
        glns = [one for one in self._question.left_over if is_number(one) and len(one) == GLN_DIGITS]
        if recipient_id and glns and Role.RECIPIENT in self._open:
            named = _distinct(find for find in self._finds if find.role is Role.RECIPIENT)
            self._ask(Role.RECIPIENT, glns[0], [*named, *(Choice((one,)) for one in glns)])

    def _is_open(self, role: Role) -> bool:
        """True when a part is missing, or holds words that are known as no id."""
        value = self._values[role]
        if value is None:
            return True
        is_like_an_id = len(value) >= LONG_ENOUGH and len(value.split()) == 1
        return not (is_like_an_id and any(map(str.isdigit, value))) and not self._is_known(role, value)

    def _is_known(self, role: Role, value: str) -> bool:
        if role is Role.SUPPLIER:
            return self._known.is_known_supplier(value)
        if role is Role.RECIPIENT:
            return self._known.is_known_recipient(value)
        return self._known.is_known_item(ItemKey(self._question.supplier or "", value))

    def _finds_in(self, phrase: Phrase) -> list[_Find]:
        """Return what the words of a phrase name, the longest names first."""
        words = phrase.words[:_MOST_IN_A_PHRASE]
        spans = self._spans(words, phrase.hint)
        is_covered = sum(len(span.split()) for _, span in spans) == len(phrase.words)
        roles = {role for role, _ in spans}
        is_hint_kept = phrase.hint is None or phrase.hint in roles
        alone = Counter(span for _, span in spans)
        return [
            _Find(
                role,
                span,
                choices := self._lookup(role, span),
                is_sure=is_covered
                and is_hint_kept
                and alone[span] == 1
                and all(_is_whole(choice, span) for choice in choices),
                phrase=phrase,
            )
            for role, span in spans
        ]

    def _spans(self, words: tuple[str, ...], hint: Role | None) -> list[tuple[Role, str]]:
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

    def _lookup(self, role: Role, span: str) -> tuple[Choice, ...]:
        """Return the known ids whose names have all the words, or words that begin so."""
        if (role, span) not in self._looked_up:
            words = span.split()
            is_useful = all(self._lookup(role, word) for word in words) if len(words) > 1 else True
            self._looked_up[role, span] = self._names_with(role, span) if is_useful else ()
        return self._looked_up[role, span]

    def _names_with(self, role: Role, span: str) -> tuple[Choice, ...]:
        begun = [one for one in self._finder.having(KINDS[role], span) if _begins(one, span)]
        whole = [one for one in begun if _is_whole(one, span)] or begun
        exact = [one for one in whole if folded(one.name) == folded(span)]
        return tuple(exact or whole)

    def _drop_words_of_others(self, role: Role) -> None:
        """Take back a part that was read from a word of a name, such as the size of an item."""
        value = self._values[role]
        if value and any(set(value.split()) <= set(find.text.split()) for find in self._finds):
            self._question = replace(with_part(self._question, role, None), markets=self._question.markets)

    def _several_recipients(self) -> list[Choice]:
        """Return the recipients of "Sonnenhof and Le Panier", if each is sure."""
        finds = [find for find in self._finds if find.role is Role.RECIPIENT]
        found = _distinct(finds)
        is_list = any(find.phrase.is_further for find in finds)
        return found if is_list and 1 < len(found) == len(finds) and all(map(_is_sure, finds)) else []

    def _fill(self, role: Role) -> None:
        """Fill one open part, or ask about it."""
        if role not in self._open:
            return
        finds = [find for find in self._finds if find.role is role]
        found = _distinct(finds)
        fitting = self._fitting(found) if role is Role.ITEM else found
        is_sure = bool(fitting) and all(map(_is_sure, finds)) and not self._is_missed(role)
        number = _one_number(fitting) if role is Role.ITEM else None
        is_market_open = len(fitting) > 1 or not self._question.markets
        if is_sure and number and is_market_open:
            supplier, item_id = number.supplier, number.supplier_item_id
            self._question = replace(self._question, supplier=supplier, supplier_item_id=item_id)
        elif is_sure and len(fitting) == 1:
            self._take(role, fitting[0], finds[0].text)
        elif found:
            self._ask(role, finds[0].phrase.text, fitting or found)
        else:
            self._ask_for_nearest(role)

    def _fitting(self, choices: list[Choice]) -> list[Choice]:
        """Return the items of the supplier and the markets that the question names."""
        supplier, markets = self._question.supplier, self._question.markets
        ours = [one for one in choices if supplier is None or one.ids[0] == supplier]
        return [one for one in ours if not markets or market_code(one.market) in markets]

    def _is_missed(self, role: Role) -> bool:
        """True when the text names this part, or an item's supplier, with a word that is known nowhere."""
        roles = ({role, Role.SUPPLIER} if role is Role.ITEM else {role}) & set(self._open)
        return any(phrase.hint in roles and not self._is_found(phrase) for phrase in self._phrases)

    def _is_found(self, phrase: Phrase) -> bool:
        """True when the words of a phrase name what they stand for; without a hint, anything."""
        return any(find.phrase is phrase and phrase.hint in {find.role, None} for find in self._finds)

    def _take(self, role: Role, choice: Choice, text: str) -> None:
        markets = self._question.markets
        self._question = choose(self._question, role, choice)
        if role is Role.ITEM:
            self._question = replace(self._question, markets=markets, as_written=text)

    def _ask_for_nearest(self, role: Role) -> None:
        """Ask about the words that may be meant for this part, with names that are spelled alike."""
        if role is Role.SUPPLIER and self._values[Role.ITEM] is None:
            return  # the item tells its supplier
        unread = [one for one in self._phrases if not self._is_found(one)]
        for phrase in sorted(unread, key=lambda one: one.hint is not role):
            choices = self._finder.find(KINDS[role], phrase.text).choices
            if phrase.hint in {role, None} and (choices or phrase.hint is role):
                self._ask(role, phrase.text, choices)
                return

    def _ask(self, role: Role, text: str, choices: Sequence[Choice]) -> None:
        if choices:
            self._question = replace(with_part(self._question, role, None), markets=self._question.markets)
        doubt = Doubt(role=role, text=text, choices=tuple(choices[:OFFERED]))
        self._question = replace(self._question, doubts=(*self._question.doubts, doubt))


def _is_sure(find: _Find) -> bool:
    return find.is_sure


def _distinct(finds: Iterable[_Find]) -> list[Choice]:
    return list({choice.ids: choice for find in finds for choice in find.choices}.values())


def _one_number(choices: Iterable[Choice]) -> ItemKey | None:
    """Return the number that the items have without their markets, if it is one."""
    parted = {(one.ids[0], split_item_id(one.id)) for one in choices}
    numbers = {ItemKey(supplier, parts.number) for supplier, parts in parted if parts}
    return numbers.pop() if len(numbers) == 1 and all(parts for _, parts in parted) else None


def _is_same(choice: Choice, number: str) -> bool:
    """True when the number is that of the id, with or without its market and leading zeros."""
    return number.lstrip("0") in choice.id


def _begins(choice: Choice, span: str) -> bool:
    """True when each word of the span begins a word of the name."""
    tokens = folded(choice.name).split()
    return all(any(token.startswith(folded(word)) for token in tokens) for word in span.split())


def _is_whole(choice: Choice, span: str) -> bool:
    """True when the span holds whole words of the name, its first and a telling one, or the whole name.

    "Supermarkets" and "three" alone name nobody.
    """
    typed, tokens = set(folded(span).split()), folded(choice.name).split()
    is_telling = any(len(word) >= _TELLING and word not in _COMMON for word in typed)
    is_begun = is_telling and set(tokens[:1]) <= typed
    return typed <= set(tokens) and (is_begun or typed == set(tokens))
