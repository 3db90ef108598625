"""Read questions from a text: known ids, names and markets; ask about the rest.

The full name of a known company or item is read as its id, even with one typing error
per word. If a text has only a part of a name, or has other words next to a name, the
person is asked which id is meant, because a guess could answer a different question. A
line with several items or recipients becomes one question for each pair of an item and
a recipient.
"""

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice, pairwise, product
from urllib.parse import unquote

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import (
    fits_check_digit,
    market_code,
    split_item_id,
    with_one_slip,
)
from item_visibility.model.folding import name_words, words_and_marks
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import DoubtfulText, KnownNames

MOST_QUESTIONS = 200
_MOST_CHARACTERS, _MOST_WORDS, _NAME_WORDS, _OFFERED = 40_000, 2_000, 8, 12
"""Limits: characters of a text, words of a line, words of a name, offered choices."""
_LONG_NUMBER, _LONG_WORD, _DISTINCTIVE = 8, 5, 4
"""The least length of an unknown id, a mistyped word and a distinctive word."""
_JOINED = frozenset({12, 13, 14})
"""Numbers of this length may contain spaces, if their check digit is right."""
_SPACED = re.compile(
    r"(?<![\w.:+-])\d{1,10}(?:([ \u00a0.'\u2019-])\d{1,10})"
    r"(?:\1\d{1,10}){0,12}(?![\w.-]{0,12}\d)"
)
_PAIR = frozenset({Kind.ITEM, Kind.RECIPIENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question whether a recipient can see an item.

    `ids` has the supplier, item and recipient, if they are clear. `doubts` are unclear
    parts: the person has to decide about them. `not_understood` are the ignored words.
    """

    ids: dict[Kind, str] = field(default_factory=dict)
    doubts: tuple[DoubtfulText, ...] = ()
    not_understood: tuple[str, ...] = ()
    language: Language = Language.ENGLISH

    @property
    def item(self) -> ItemKey | None:
        """The item, if the question has a supplier and an item id."""
        ids = self.ids
        return (
            ItemKey(ids[Kind.SUPPLIER], ids[Kind.ITEM])
            if {Kind.SUPPLIER, Kind.ITEM} <= ids.keys()
            else None
        )

    @property
    def recipient_id(self) -> str | None:
        """The recipient's id, if the question has one."""
        return self.ids.get(Kind.RECIPIENT)

    @property
    def kinds(self) -> set[Kind]:
        """The parts that the question has, clear or in doubt."""
        return {*self.ids, *(one.kind for one in self.doubts)}

    @property
    def address(self) -> dict[str, str]:
        """The query parameters of a link to the question.

        A part in doubt is given as it was typed.
        """
        texts = {one.kind: one.text for one in self.doubts} | self.ids
        return {kind.value: texts[kind] for kind in Kind if kind in texts}

    def with_choice(self, kind: Kind, choice: NameRow) -> "Question":
        """Return the question with the chosen id.

        Choosing an item also sets its supplier, if it is known.
        """
        chosen = {kind: choice.id}
        if kind is Kind.ITEM and choice.ids[0]:
            chosen[Kind.SUPPLIER] = choice.ids[0]
        doubts = tuple(one for one in self.doubts if one.kind is not kind)
        return replace(self, ids=self.ids | chosen, doubts=doubts)

    def with_entry(self, kind: Kind, own_id: str, known: KnownNames) -> "Question":
        """Return the question with the entered id.

        Also set the supplier if only one has this item.
        """
        suppliers = (
            [one.ids[0] for one in known.items_with_id(own_id)]
            if kind is Kind.ITEM
            else []
        )
        return self.with_choice(
            kind, NameRow((suppliers[0] if len(suppliers) == 1 else "", own_id))
        )


def read_questions(desk: Desk, text: str) -> tuple[Question, ...]:
    """Return the questions in a text: at least one, and at most `MOST_QUESTIONS` + 1.

    Usually each line is a question of its own. Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    reader, found = _Reader(desk.names), list[Question]()
    texts = [
        one.strip() for one in re.split(r"\n|\r|(?<=[?])\s", text[:_MOST_CHARACTERS])
    ]
    lines = [
        (one, reader.read(one))
        for one in list(filter(None, texts))[: MOST_QUESTIONS + 1]
    ]
    if sum(questions[0].kinds >= _PAIR for _, questions in lines) <= 1:
        lines = [("", reader.read(" | ".join(texts)))]
    for line, questions in lines:
        if len(lines) == 1 or _PAIR & questions[0].kinds:
            found += questions
        elif found:
            found[-1] = replace(
                found[-1], not_understood=(*found[-1].not_understood, line)
            )
    language = say.language_of(text)
    return tuple(replace(one, language=language) for one in found[: MOST_QUESTIONS + 1])


def read_link(desk: Desk, texts: dict[Kind, str]) -> Question:
    """Return the question of a link.

    Each part of the link is an id, or text whose meaning was in doubt.

    Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    suppliers = {Kind.ITEM: texts.get(Kind.SUPPLIER)}
    read = [
        desk.names.read_one(kind, text, supplier=suppliers.get(kind))
        for kind, text in texts.items()
    ]
    doubts = {
        one.kind: one for one in read if isinstance(one, DoubtfulText) and one.alike
    }
    ids = {kind: text for kind, text in texts.items() if kind not in doubts}
    return Question(ids=ids, doubts=tuple(doubts.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """An id, a name or a market in a line, or other words.

    Attributes:
        before: the usual words and marks between the previous part and this one, such
            as "supplier" or ",".
        choices: the ids that the part may mean, by kind. A number that is not known may
            be of any kind.
        market: the code of the market that is named, or of the market in an item id.
        is_sure: False when the person has to be asked what is meant.
    """

    text: str
    before: tuple[str, ...] = ()
    choices: dict[Kind, tuple[NameRow, ...]] = field(default_factory=dict)
    market: str = ""
    is_number: bool = False
    is_known: bool = True
    is_sure: bool = True
    kind: Kind | None = None

    @property
    def meant(self) -> tuple[NameRow, ...]:
        """The ids that the part may mean, given its kind."""
        return self.choices[self.kind] if self.kind else ()

    @property
    def is_other(self) -> bool:
        """True for words that are neither an id nor a known name nor a market."""
        return not (self.choices or self.market)


class _Reader:
    """Finds the parts of lines.

    It caches look-ups, because lines often repeat ids and names.
    """

    def __init__(self, names: KnownNames) -> None:
        self._names = names.held()
        self._of_kind = {kind: self._names.names_of(kind) for kind in Kind}
        self._with_id = cache(self._find_id)
        self._called = cache(self._find_called)
        self._with_word = cache(self._find_with_word)

    def read(self, text: str) -> list[Question]:
        """Return the questions of a line: one per item and recipient, at least one."""
        words = list(islice(self._words(text), _MOST_WORDS))
        found, before, at, has_unknown = list[_Part](), list[str](), 0, False
        while at < len(words):
            part, count = self._part_at(words, at)
            at += count
            if part is None:
                before.append(words[at - 1])
                continue
            # Such as "anyone", "recipient Foo" or "our Berlin customer".
            if part.is_other:
                around = [part.text, *before, *words[at : at + 1]]
                has_unknown |= say.is_about_recipient(around)
            elif not part.is_known and not say.NOT_IDS.isdisjoint(
                map(say.plain, before)
            ):
                part = _Part(text=part.text)
            found.append(replace(part, before=tuple(before)))
            before = []
        for at, (first, second) in enumerate(pairwise(found)):
            name = second if first.is_other else first
            if first.is_other != second.is_other and not (
                second.before or name.is_number or name.market
            ):
                found[at + first.is_other] = replace(
                    name, text=f"{first.text} {second.text}", is_sure=False
                )
        is_sentence = any(say.is_stop(word) and word not in say.AND for word in words)
        parts = _with_kinds(
            [one for one in found if one.choices], is_sentence=is_sentence
        )
        others = [one.text for one in found if one.is_other] + [
            one.text for one in parts if not one.kind
        ]
        markets = {
            one.market: one.text for one in found if one.market and not one.choices
        }
        questions = _questions(
            _joined(parts), markets, unknown=" ".join(others) if has_unknown else ""
        )
        return [
            replace(one, not_understood=tuple(dict.fromkeys(others)))
            for one in questions
        ]

    def _words(self, text: str) -> Iterator[str]:
        """Yield the words and punctuation marks of a line.

        A known id is never split.
        """
        for chunk in _SPACED.sub(_without_spaces, text.replace("\t", " | ")).split():
            word = chunk if self._with_id(chunk) else chunk.strip(say.MARKS)
            if word and self._with_id(word):
                before, _, after = chunk.partition(word)
                yield from (*before, word, *after)
            else:
                yield from words_and_marks(unquote(chunk))

    def _part_at(self, words: list[str], at: int) -> tuple[_Part | None, int]:
        """Return the part that begins at this word, and how many words it has.

        A usual word is not a part.
        """
        word = words[at]
        known, market = self._with_id(word), number_and_market(word)[1]
        if (
            known
            or split_item_id(word)
            or (word.isdecimal() and len(word) >= _LONG_NUMBER)
        ):
            kinds = [Kind.ITEM] if market else Kind
            choices = known or {kind: (NameRow(("", word)),) for kind in kinds}
            return _Part(
                text=word,
                choices=choices,
                market=market,
                is_number=True,
                is_known=bool(known),
            ), 1
        market, count = say.market_at(words, at)
        if market:
            return _Part(text=" ".join(words[at : at + count]), market=market), count
        is_usual = say.is_stop(word)
        for count in range(min(_NAME_WORDS, len(words) - at), is_usual, -1):
            phrase = words[at : at + count]
            choices, is_sure = self._called(" ".join(phrase))
            is_name = is_sure or (choices and not is_usual)
            if (
                is_name
                and "|" not in phrase
                and not say.is_joint(word)
                and not say.is_joint(phrase[-1])
            ):
                return _Part(
                    text=" ".join(phrase), choices=choices, is_sure=is_sure
                ), count
        return (None if is_usual or say.is_joint(word) else _Part(text=word)), 1

    def _find_id(self, word: str) -> dict[Kind, tuple[NameRow, ...]]:
        """Return the known rows with this id, and the items with this number."""
        names, items = self._names, self._names.items_with_number(word)
        found = {
            kind: (names.chosen(kind, word),)
            for kind in Kind
            if names.is_known(kind, word)
        }
        return found | ({Kind.ITEM: items} if items else {})

    def _find_called(self, text: str) -> tuple[dict[Kind, tuple[NameRow, ...]], bool]:
        """Return the known ids that have this full name, by kind, and True.

        If there are none, return ids whose names contain the words, and False.
        Suppliers are found only by their full name.
        """
        typed = tuple(word for word in name_words(text) if word not in say.AND)
        found: dict[bool, dict[Kind, tuple[NameRow, ...]]] = {True: {}, False: {}}
        for kind in Kind if len(text) > 1 and 0 < len(typed) == len(set(typed)) else ():
            positions, spellings = zip(
                *(self._with_word(kind, word) for word in typed), strict=True
            )
            rows = [
                self._of_kind[kind].rows[at]
                for at in sorted(set.intersection(*positions))
            ]
            whole = [
                row
                for row in rows
                if _is_whole(name_words(row.name), frozenset().union(*spellings))
            ]
            exact = [row for row in whole if name_words(row.name) == typed]
            if whole or (rows and kind is not Kind.SUPPLIER):
                found[bool(whole)][kind] = tuple(exact or whole or rows)
        return found[True] or found[False], bool(found[True])

    def _find_with_word(self, kind: Kind, word: str) -> tuple[set[int], frozenset[str]]:
        """Return the rows whose names contain a word, and its accepted spellings."""
        names, spellings = self._of_kind[kind].by_word, {word}
        if word.isalpha() and len(word) >= _LONG_WORD:
            likely = with_one_slip(word, string.ascii_lowercase)
            spellings.update(
                one for one in likely if len(one) >= _LONG_WORD and names.same(one)
            )
        return set(chain.from_iterable(map(names.same, spellings))), frozenset(
            spellings
        )


def _is_whole(tokens: tuple[str, ...], spellings: frozenset[str]) -> bool:
    """True if all words of a name were typed, or its first and a distinctive word."""
    typed = spellings.intersection(tokens)
    is_distinctive = any(
        len(one) >= _DISTINCTIVE and one not in say.WEAK for one in typed
    )
    return len(typed) == len(set(tokens)) or (is_distinctive and tokens[0] in typed)


def _with_kinds(parts: Sequence[_Part], *, is_sentence: bool) -> list[_Part]:
    """Return the parts with their kinds.

    The kind stays None for a number that may be of any kind.

    A word before the part decides the kind, or else the directory or the form of an id
    does. If none of them does, the order (supplier, item, recipient) or the missing
    kinds decide it.
    """
    kinds: list[Kind | None] = []
    for one in parts:
        cue = next(
            (kind for kind in map(say.cue_of, reversed(one.before)) if kind), None
        )
        only = next(iter(one.choices)) if len(one.choices) == 1 else None
        kinds.append(cue if cue in one.choices else only)
    unknown = [
        one
        for one, kind in zip(parts, kinds, strict=True)
        if not (kind or one.is_known)
    ]
    if kinds == [None, Kind.ITEM, None] and not (unknown and is_sentence):
        kinds = list(Kind)
    given = set(kinds)
    needed = [kind for kind in (Kind.RECIPIENT, Kind.ITEM) if kind not in given]
    if not (needed or any(one.is_known and Kind.ITEM in one.choices for one in parts)):
        needed = [Kind.SUPPLIER]
    for at in [at for at, kind in enumerate(kinds) if kind is None]:
        near = zip(
            parts[max(at - 1, 0) : at + 2], kinds[max(at - 1, 0) : at + 2], strict=True
        )
        named = [
            kind
            for one, kind in near
            if not one.is_number and kind is not Kind.ITEM in given
        ]
        if parts[at].is_known:
            order = (*needed, Kind.SUPPLIER, Kind.RECIPIENT, Kind.ITEM)
            kinds[at] = next(kind for kind in order if kind in parts[at].choices)
        elif named or len(unknown) == len(needed) == 1:
            # The number of a company that is named, or the missing number.
            kinds[at] = (named or needed)[0]
    return [replace(one, kind=kind) for one, kind in zip(parts, kinds, strict=True)]


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """Join the parts that belong to one name, and join a name with its number."""
    joined = [*parts[:1]]
    for second in parts[1:]:
        first = joined[-1]
        same = tuple(one for one in first.meant if one in second.meant)
        has_number, is_pair = (
            first.is_number or second.is_number,
            first.is_number != second.is_number,
        )
        is_one = not (first.is_sure and second.is_sure) or is_pair
        is_one = (is_one and say.AND.isdisjoint(second.before)) or bool(
            same and has_number
        )
        if first.kind is None or second.kind is not first.kind or not is_one:
            joined.append(second)
            continue
        joined[-1] = replace(
            first,
            text=f"{first.text} {second.text}",
            market=first.market or second.market,
            choices={
                first.kind: same or tuple(dict.fromkeys((*first.meant, *second.meant)))
            },
            is_number=has_number,
            is_known=first.is_known or second.is_known,
            is_sure=bool(same and has_number),
        )
    return joined


def _questions(
    parts: Sequence[_Part], markets: dict[str, str], *, unknown: str
) -> list[Question]:
    """Return a question for each pair of item and recipient.

    `unknown`: unknown words about a recipient.
    """
    of = {kind: [one for one in parts if one.kind is kind] for kind in Kind}
    suppliers = list(
        dict.fromkeys(row.id for one in of[Kind.SUPPLIER] for row in one.meant)
    )
    items = [each for one in of[Kind.ITEM] for each in _items(one, suppliers, markets)]
    recipients = [
        one.meant[0] if one.is_sure and len(one.meant) == 1 else _doubt(one, one.meant)
        for one in of[Kind.RECIPIENT]
    ]
    if unknown:
        known = [row for one in of[Kind.RECIPIENT] for row in one.meant]
        recipients = [_doubt(_Part(text=unknown, kind=Kind.RECIPIENT), known)]
    found = []
    pairs = product(dict.fromkeys(items) or [None], dict.fromkeys(recipients) or [None])
    for pair in islice(pairs, MOST_QUESTIONS + 1):
        question = Question(
            ids=dict.fromkeys([Kind.SUPPLIER], suppliers[0])
            if len(suppliers) == 1
            else {}
        )
        for kind, part in zip((Kind.ITEM, Kind.RECIPIENT), pair, strict=True):
            if isinstance(part, NameRow):
                question = question.with_choice(kind, part)
            elif part is not None:
                question = replace(question, doubts=(*question.doubts, part))
        found.append(question)
    return found


def _items(
    part: _Part, suppliers: Sequence[str], markets: dict[str, str]
) -> Iterator[NameRow | DoubtfulText]:
    """Yield the item for each market in the question.

    If no market is named, yield it for each known market. If it is not clear which
    item is meant, yield a doubt.
    """
    if not part.is_known:
        yield from (
            NameRow((suppliers[0] if suppliers else "", one.id)) for one in part.meant
        )
        return
    ours = [one for one in part.meant if not suppliers or one.ids[0] in suppliers]
    codes = {
        one: number_and_market(one.id)[1] or market_code(one.market) for one in ours
    }
    wanted = markets | ({part.market: ""} if part.market else {})
    fitting = [one for one in ours if not wanted or codes[one] in wanted]
    numbers = {
        (one.ids[0], number_and_market(one.id)[0].lstrip("0")) for one in fitting
    }
    if (
        not ours
        or not part.is_sure
        or len(numbers) > 1
        or (part.market and len(wanted) > 1)
    ):
        yield _doubt(part, fitting or ours or part.meant, *markets.values())
        return
    yield from fitting
    for code in wanted.keys() - codes.values():
        yield _doubt(part, ours, wanted[code])


def _doubt(part: _Part, choices: Sequence[NameRow], *markets: str) -> DoubtfulText:
    text = " ".join(filter(None, (part.text, *markets)))
    return DoubtfulText(
        text, tuple(choices[:_OFFERED]), kind=part.kind or Kind.RECIPIENT
    )


def number_and_market(supplier_item_id: str) -> tuple[str, str]:
    """Split an item id into its number and the code of its market.

    The code may be empty.
    """
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    return number, market_code(market)


def _without_spaces(match: re.Match[str]) -> str:
    """Return the number without spaces and dots if it is valid, or else the text."""
    digits = "".join(filter(str.isdigit, match[0]))
    return digits if len(digits) in _JOINED and fits_check_digit(digits) else match[0]
