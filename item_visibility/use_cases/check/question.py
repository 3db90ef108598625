"""Read questions from a text: find known ids, names and markets in it, and ask about the rest.

The full name of a known company or item is read as its id, even with one typing error per word. If a text
has only a part of a name, or has other words next to a name, the person is asked which id is meant, because a
guess could answer a different question. A line with several items or recipients becomes one question for each
pair of an item and a recipient.
"""

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice, product
from urllib.parse import unquote

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import fits_check_digit, market_code, split_item_id, with_one_slip
from item_visibility.storage.directory import Kind
from item_visibility.storage.names import NameRow, name_words, words_and_marks
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames

MOST_QUESTIONS = 200
_MOST_CHARACTERS, _MOST_WORDS, _NAME_WORDS, _OFFERED = 40_000, 2_000, 8, 12
"""The most characters in a text, words in a line, words in a name, and offered choices."""
_LONG_NUMBER, _ID_LENGTH = 8, 11
"""A number shorter than `_LONG_NUMBER` is part of a name. A shorter id than `_ID_LENGTH` needs a label."""
_LONG_WORD, _DISTINCTIVE = 5, 4
_JOINED = frozenset({12, 13, 14})
"""Numbers with this many digits may be written with spaces, if their check digit is right."""
_SPACED = re.compile(
    r"(?<![\w.:+-])\d{1,10}(?:([ \u00a0.'\u2019-])\d{1,10})(?:\1\d{1,10}){0,12}(?![\w.-]{0,12}\d)"
)
_PAIR = frozenset({Kind.ITEM, Kind.RECIPIENT})


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of a question that may mean several known ids, or none. The person has to choose one."""

    kind: Kind
    text: str
    choices: tuple[NameRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question whether a recipient can see an item.

    `ids` has the supplier, item and recipient, if they are clear. `not_understood` are the ignored words.
    """

    ids: dict[Kind, str] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    not_understood: tuple[str, ...] = ()
    language: Language = Language.ENGLISH

    @property
    def item(self) -> ItemKey | None:
        """The item, if the question has a supplier and an item id."""
        ids = self.ids
        return (
            ItemKey(ids[Kind.SUPPLIER], ids[Kind.ITEM]) if {Kind.SUPPLIER, Kind.ITEM} <= ids.keys() else None
        )

    @property
    def recipient_id(self) -> str | None:
        """The recipient's id, if the question has one."""
        return self.ids.get(Kind.RECIPIENT)

    @property
    def address(self) -> dict[str, str]:
        """The query parameters of a link to the question. A part in doubt is given as it was typed."""
        texts = {one.kind: one.text for one in self.doubts} | self.ids
        return {kind.value: texts[kind] for kind in Kind if kind in texts}

    def with_choice(self, kind: Kind, choice: NameRow) -> "Question":
        """Return the question with the chosen id. Choosing an item also sets the supplier, if known."""
        chosen = {kind: choice.id}
        if kind is Kind.ITEM and choice.ids[0]:
            chosen[Kind.SUPPLIER] = choice.ids[0]
        doubts = tuple(one for one in self.doubts if one.kind is not kind)
        return replace(self, ids=self.ids | chosen, doubts=doubts)

    def with_entry(self, kind: Kind, own_id: str, known: KnownNames) -> "Question":
        """Return the question with the entered id. An item of only one supplier also sets the supplier."""
        suppliers = [one.supplier for one in known.items_with_id(own_id)] if kind is Kind.ITEM else []
        return self.with_choice(kind, NameRow((suppliers[0] if len(suppliers) == 1 else "", own_id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A number, a market, a name or other words of a line.

    Attributes:
        before: the words between the previous part and this one, such as "supplier" or "from".
        choices: the known ids that the part may mean, by kind.
        is_sure: False when the person has to be asked what is meant.
        kind: None for a market, and for words that are not understood.
    """

    text: str
    before: tuple[str, ...]
    is_number: bool = False
    market: str = ""
    choices: dict[Kind, tuple[NameRow, ...]] = field(default_factory=dict)
    is_sure: bool = True
    kind: Kind | None = None

    @property
    def label(self) -> Kind | None:
        """The kind according to the words before the part, such as SUPPLIER after "from"."""
        return next(filter(None, map(say.cue_of, reversed(self.before))), None)

    @property
    def meant(self) -> tuple[NameRow, ...]:
        """The known ids of the part's kind. If there are none, the text itself as an id."""
        return self.choices.get(self.kind or Kind.ITEM, (NameRow(("", self.text)),))

    @property
    def is_understood(self) -> bool:
        """True for a market, a number or a known name."""
        return bool(self.is_number or self.market or self.choices)

    @property
    def may_be_id(self) -> bool:
        """True for known names and ids, and for long numbers except those of orders and phones."""
        is_other = any(say.plain(word) in say.NOT_IDS for word in self.before)
        return bool(self.choices) or (self.is_number and len(self.text) >= _ID_LENGTH and not is_other)


def read_questions(desk: Desk, text: str) -> tuple[Question, ...]:
    """Return the questions in a text: at least one, and at most `MOST_QUESTIONS` + 1.

    Usually each line is a question of its own. Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    reader, found = _Reader(desk.names), list[Question]()
    texts = [one.strip() for one in re.split(r"\n|\r|(?<=[?])\s", text[:_MOST_CHARACTERS])]
    lines = [(one, reader.parts(one)) for one in list(filter(None, texts))[: MOST_QUESTIONS + 1]]
    if sum({part.kind for part in line} >= _PAIR for _, line in lines) <= 1:
        lines = [("", reader.parts(" ".join(texts)))]
    for line, parts in lines:
        if len(lines) == 1 or _PAIR & {part.kind for part in parts}:
            found += _questions(parts)
        elif found:
            found[-1] = replace(found[-1], not_understood=(*found[-1].not_understood, line))
    language = say.language_of(text)
    return tuple(replace(one, language=language) for one in found[: MOST_QUESTIONS + 1])


def read_link(desk: Desk, texts: dict[Kind, str]) -> Question:
    """Return the question of a link. Each part of the link is an id, or text whose meaning was in doubt.

    Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    names, supplier = desk.names, texts.get(Kind.SUPPLIER)
    in_words = {
        kind
        for kind, text in texts.items()
        if re.search(r"[^\W\d_]{4}|\d\s", text) and not names.is_known(kind, text, supplier=supplier)
    }
    line = " | ".join(f"{kind}: {text}" for kind, text in texts.items())
    read = _questions(_Reader(names).parts(line)) if in_words else []
    doubts = {one.kind: one for each in read for one in each.doubts if one.kind in in_words and one.choices}
    return Question(
        ids={kind: text for kind, text in texts.items() if kind not in doubts},
        doubts=tuple(replace(one, text=texts[kind]) for kind, one in doubts.items()),
    )


class _Reader:
    """Finds the parts of lines. It caches look-ups, because lines often repeat ids and names."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names.held()
        self._of_kind = {kind: self._names.names_of(kind) for kind in Kind}
        self._with_id = cache(self._find_id)
        self._called = cache(self._find_called)
        self._with_word = cache(self._find_with_word)

    def parts(self, text: str) -> list[_Part]:
        """Return the parts of a line. Words that are not understood come first."""
        words = list(islice(self._words(text), _MOST_WORDS))
        found: list[_Part] = []
        for run in self._runs(words):
            found += [run] if run.is_number or run.market else self._names_in(run)
        is_sentence = any(say.is_stop(word) and word not in say.AND for word in words)
        joined: list[_Part] = []
        for one in sorted(_with_kinds(found, is_sentence=is_sentence), key=lambda one: one.is_understood):
            joined[-1:] = self._joined(joined[-1], one) if joined else [one]
        return joined

    def _words(self, text: str) -> Iterator[str]:
        """Yield the words and punctuation marks of a line. A known id is never split."""
        for chunk in _SPACED.sub(_without_spaces, text.replace("\t", " | ")).split():
            word = chunk if self._with_id(chunk) else chunk.strip(say.MARKS)
            if word and self._with_id(word):
                before, _, after = chunk.partition(word)
                yield from (*before, word, *after)
            else:
                yield from words_and_marks(unquote(chunk))

    def _runs(self, words: list[str]) -> Iterator[_Part]:
        """Yield numbers, markets and runs of words that may be names."""
        before, run, at = list[str](), list[str](), 0
        words = [*words, "."]
        while at < len(words):
            word, known = words[at], self._with_id(words[at])
            is_number = bool(known or split_item_id(word) or (word.isdecimal() and len(word) >= _LONG_NUMBER))
            market, count = ("", 1) if is_number else say.market_at(words, at)
            if word[0].isalnum() and not (is_number or market or say.is_stop(word)):
                run.append(word)
            else:
                if run:
                    is_customer = say.label_of(word) is Kind.RECIPIENT and not market  # "our Berlin customer"
                    yield _Part(text=" ".join(run), before=(*before, *([word] if is_customer else ())))
                    before, run = [], []
                if is_number or market:
                    text = " ".join(words[at : at + count])
                    yield _Part(
                        text=text, before=tuple(before), is_number=is_number, market=market, choices=known
                    )
                    before = []
                else:
                    before.append(word)
            at += count

    def _find_id(self, word: str) -> dict[Kind, tuple[NameRow, ...]]:
        """Return the known suppliers, items and recipients with this id, and the items with this number."""
        items = self._names.items_with_number(word) or self._names.items_with_id(word)
        find = self._names.chosen
        of_items = tuple(find(Kind.ITEM, one.supplier_item_id, supplier=one.supplier) for one in items)
        found = {kind: (find(kind, word),) for kind in Kind if self._names.is_known(kind, word)}
        return found | ({Kind.ITEM: of_items} if of_items else {})

    def _names_in(self, run: _Part, *, with_slips: bool = True) -> list[_Part]:
        """Return the longest names in a run of words, and one part with the other words.

        If there are other words, the person usually has to be asked about the names.
        """
        words, found, other, start = run.text.split(), list[_Part](), list[str](), 0
        while start < len(words):
            ends = range(min(start + _NAME_WORDS, len(words)), start, -1)
            texts = (" ".join(words[start:end]) for end in ends)
            names = ((one, *self._called(one, with_slips=with_slips)) for one in texts)
            text, choices, is_sure = next((one for one in names if one[1]), (words[start], {}, False))
            start += len(text.split())
            if choices:
                found.append(replace(run, text=text, choices=choices, is_sure=is_sure))
            else:
                other.append(text)
        if not other:
            return found
        if with_slips:
            return self._names_in(run, with_slips=False)
        rest = " ".join(other)
        is_verb = rest.islower() and not run.text.islower()  # "Sonnenhof urgently needs"
        if not (is_verb and any(Kind.RECIPIENT in one.choices for one in found)):
            found = [replace(one, is_sure=False, text=run.text) for one in found]
        return [*found, replace(run, text=rest)]

    def _find_called(self, text: str, *, with_slips: bool) -> tuple[dict[Kind, tuple[NameRow, ...]], bool]:
        """Return the known ids with this name, by kind, and True.

        If there are none, return the ids whose names contain these words, and False. Suppliers are found only
        by their full name.
        """
        typed = name_words(text)
        found: dict[bool, dict[Kind, tuple[NameRow, ...]]] = {True: {}, False: {}}
        for kind in Kind if typed and len(text) > 1 else ():
            words = [self._with_word(kind, word, with_slips=with_slips) for word in typed]
            positions, spellings = zip(*words, strict=True)
            rows = [self._of_kind[kind].rows[at] for at in sorted(set.intersection(*positions))]
            whole = [row for row in rows if _is_whole(name_words(row.name), frozenset().union(*spellings))]
            exact = [row for row in whole if name_words(row.name) == typed]
            if whole or (rows and kind is not Kind.SUPPLIER):
                found[bool(whole)][kind] = tuple(exact or whole or rows)
        return found[True] or found[False], bool(found[True])

    def _find_with_word(self, kind: Kind, word: str, *, with_slips: bool) -> tuple[set[int], frozenset[str]]:
        """Return the positions of the names that contain a word, and the accepted spellings of this word."""
        names, spellings = self._of_kind[kind].by_word, {word}
        if with_slips and word.isalpha() and len(word) >= _LONG_WORD:
            likely = with_one_slip(word, string.ascii_lowercase)
            spellings.update(one for one in likely if len(one) >= _LONG_WORD and names.same(one))
        return set(chain.from_iterable(map(names.same, spellings))), frozenset(spellings)

    def _joined(self, first: _Part, second: _Part) -> list[_Part]:
        """Join two parts of one name, or a name and its number. Return other parts unchanged."""
        if first.kind is None or second.kind is not first.kind:
            return [first, second]
        same = tuple(one for one in first.meant if one in second.meant)
        numbers = [one for one in (first, second) if one.is_number]
        is_separate = second.is_sure and not say.AND.isdisjoint(second.before)
        is_separate = is_separate or (len(numbers) != 1 and first.is_sure and second.is_sure)
        if is_separate and not (same and numbers):
            return [first, second]
        text = f"{first.text} {second.text}"
        is_sure = bool(same) and (bool(numbers) or self._called(text, with_slips=True)[1])
        if same:
            text = next((one.text for one in numbers if number_and_market(one.text)[1]), text)
        choices = {first.kind: same or tuple(dict.fromkeys((*first.meant, *second.meant)))}
        return [replace(first, text=text, choices=choices, is_sure=is_sure, is_number=bool(numbers))]


def _is_whole(tokens: tuple[str, ...], spellings: frozenset[str]) -> bool:
    """True if all words of a name are typed, or its first word and a distinctive word."""
    typed = spellings.intersection(tokens)
    is_distinctive = any(len(one) >= _DISTINCTIVE and one not in say.WEAK for one in typed)
    return len(typed) == len(set(tokens)) or (is_distinctive and tokens[0] in typed)


def _with_kinds(parts: Sequence[_Part], *, is_sentence: bool) -> list[_Part]:
    """Return the parts with their kinds. The kind stays None for a number that may be of any kind."""
    found = [replace(one, kind=_only_kind(one)) for one in parts]
    unclear = [at for at, one in enumerate(found) if one.kind is None and one.may_be_id]
    unknown = [at for at in unclear if not found[at].choices]
    kinds = [one.kind for one in found if one.kind or one.may_be_id]
    if kinds == [None, Kind.ITEM, None] and not (unknown and is_sentence):
        for at, kind in zip(unclear, (Kind.SUPPLIER, Kind.RECIPIENT), strict=True):
            found[at] = replace(found[at], kind=kind)
        return found
    needed = [kind for kind in (Kind.ITEM, Kind.RECIPIENT) if kind not in kinds]
    if not needed and not any(Kind.ITEM in one.choices for one in found):
        needed = [Kind.SUPPLIER]
    for at in unclear:
        one, near = found[at], found[max(at - 1, 0) : at + 2]
        named = [other.kind for other in near if other.choices and not other.is_number]
        if one.choices:
            order = [kind for kind in (Kind.RECIPIENT, Kind.SUPPLIER, Kind.ITEM) if kind in one.choices]
            found[at] = replace(one, kind=next((kind for kind in order if kind not in kinds), order[0]))
        elif Kind.ITEM in kinds and named and named[0] is not Kind.ITEM:
            found[at] = replace(one, kind=named[0])  # the number of a company that is named
        elif len(unknown) == len(needed) == 1:
            found[at] = replace(one, kind=needed[0])
    return found


def _only_kind(part: _Part) -> Kind | None:
    """Return the kind, if it follows from the words before the part, the directory or the number's form."""
    if part.label in part.choices or (part.label and part.is_number and not part.choices):
        return part.label
    if part.choices:
        return next(iter(part.choices)) if len(part.choices) == 1 else None
    return Kind.ITEM if number_and_market(part.text)[1] and part.may_be_id else None


def _questions(parts: Sequence[_Part]) -> list[Question]:
    """Return the questions of one line, one for each pair of an item and a recipient."""
    suppliers = [choice.id for one in parts if one.kind is Kind.SUPPLIER for choice in one.meant]
    markets = {one.market: one.text for one in parts if one.market}
    items = [each for one in parts if one.kind is Kind.ITEM for each in _items(one, suppliers, markets)]
    recipients = [
        one.meant[0] if one.is_sure and len(one.meant) == 1 else _doubt(Kind.RECIPIENT, one.text, one.meant)
        for one in parts
        if one.kind is Kind.RECIPIENT
    ]
    ignored = [one for one in parts if one.kind is None and not one.market]
    for one in ignored:
        is_named = Kind.RECIPIENT in map(say.label_of, one.before) and any(map(str.isalpha, one.text))
        if is_named or one.text.casefold() in say.ANYONE:
            known = [each for one in parts if one.kind is Kind.RECIPIENT for each in one.meant]
            recipients = [_doubt(Kind.RECIPIENT, one.text, known)]
    base = Question(
        ids={Kind.SUPPLIER: suppliers[0]} if len(set(suppliers)) == 1 else {},
        not_understood=tuple(dict.fromkeys(one.text for one in ignored)),
    )
    found = []
    pairs = product(dict.fromkeys(items) or [None], dict.fromkeys(recipients) or [None])
    for pair in islice(pairs, MOST_QUESTIONS + 1):
        question = base
        for kind, part in zip((Kind.ITEM, Kind.RECIPIENT), pair, strict=True):
            if isinstance(part, NameRow):
                question = question.with_choice(kind, part)
            elif part is not None:
                question = replace(question, doubts=(*question.doubts, part))
        found.append(question)
    return found


def _items(part: _Part, suppliers: Sequence[str], markets: dict[str, str]) -> Iterator[NameRow | Doubt]:
    """Yield the item for each market in the question, or for each known market if no market is named.

    If it is not clear which item is meant, yield a doubt.
    """
    if not part.choices:
        yield NameRow((suppliers[0] if suppliers else "", part.text))
        return
    own = number_and_market(part.text)[1]
    ours = [one for one in part.meant if not suppliers or one.ids[0] in suppliers]
    codes = {one: number_and_market(one.id)[1] or market_code(one.market) for one in ours}
    wanted = markets | ({own: ""} if own else {})
    fitting = [one for one in ours if not wanted or codes[one] in wanted]
    numbers = {(one.ids[0], number_and_market(one.id)[0].lstrip("0")) for one in fitting}
    if not ours or not part.is_sure or len(numbers) > 1 or (own and len(wanted) > 1):
        text = " ".join([part.text, *markets.values()])
        yield _doubt(Kind.ITEM, text, fitting or ours or part.meant)
        return
    yield from fitting
    for code in wanted.keys() - codes.values():
        yield _doubt(Kind.ITEM, f"{part.text} {wanted[code]}".strip(), ours)


def _doubt(kind: Kind, text: str, choices: Sequence[NameRow]) -> Doubt:
    return Doubt(kind, text, tuple(choices[:_OFFERED]))


def number_and_market(supplier_item_id: str) -> tuple[str, str]:
    """Split an item id into its number and the code of its market. The code may be empty."""
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    return number, market_code(market)


def _without_spaces(match: re.Match[str]) -> str:
    """Return the number without spaces and dots if it is valid, or else the unchanged text."""
    digits = "".join(filter(str.isdigit, match[0]))
    return digits if len(digits) in _JOINED and fits_check_digit(digits) else match[0]
