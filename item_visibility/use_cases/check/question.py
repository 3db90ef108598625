"""Read questions from a text, by finding known ids, names and markets in it.

The full name of a known company or item is read as its id, even with one typing error per word. If a text
has only a part of a name, or has other words next to a name, the person is asked which id is meant, because a
guess could answer a different question. Usually each line is a question of its own. A line with several items
or recipients becomes one question for each pair of an item and a recipient.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice, pairwise, product
from typing import Any
from urllib.parse import unquote

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import fits_check_digit, market_code, split_item_id, with_one_slip
from item_visibility.storage.directory import Kind
from item_visibility.storage.name_index import NameRow, name_words, words_and_marks
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import KnownNames

MOST_QUESTIONS = 200
_MOST_CHARACTERS, _MOST_PARTS, _MOST_WORDS, _NAME_WORDS, _OFFERED = 40_000, 40, 16, 8, 12
"""The most characters in a text, parts in a line, words in a part, words in a name, and offered choices."""
_LONG_NUMBER, _ID_LENGTH = 8, 11
"""Numbers shorter than `_LONG_NUMBER` are parts of names. Ids shorter than `_ID_LENGTH` need a label."""
_LONG_WORD, _TELLING = 5, 4
_JOINED = frozenset({12, 13, 14})
"""Numbers with this many digits may be written with spaces, if their check digit is right."""

_FIELDS = dict(zip(Kind, ("supplier", "supplier_item_id", "recipient_id"), strict=True))
_PAIR = frozenset({Kind.ITEM, Kind.RECIPIENT})
_SEVERAL = 2
_SPACED = re.compile(
    r"(?<![\w.:+-])\d{1,10}(?:([ \u00a0.'\u2019-])\d{1,10})(?:\1\d{1,10}){0,12}(?![\w.-]{0,12}\d)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A part of a question that may mean several known ids, or none. The person has to choose one."""

    kind: Kind
    text: str
    choices: tuple[NameRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question whether a recipient can see an item.

    The ids are None when they are missing or in doubt. `not_understood` are the words that are ignored.
    """

    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None
    doubts: tuple[Doubt, ...] = ()
    not_understood: tuple[str, ...] = ()
    language: Language = Language.ENGLISH

    @property
    def item(self) -> ItemKey | None:
        """The item, if the question has a supplier and an item id."""
        if self.supplier is None or self.supplier_item_id is None:
            return None
        return ItemKey(self.supplier, self.supplier_item_id)

    @property
    def missing(self) -> tuple[Kind, ...]:
        """The missing parts. A missing supplier is not listed if the item is missing too."""
        missing = tuple(kind for kind in Kind if self.part(kind) is None)
        return tuple(kind for kind in missing if kind is not Kind.SUPPLIER or Kind.ITEM not in missing)

    def part(self, kind: Kind) -> str | None:
        """Return the id of this kind, or None."""
        own_id: str | None = getattr(self, _FIELDS[kind])
        return own_id

    @property
    def address(self) -> dict[str, str]:
        """The query parameters of a link to the question. A part in doubt is given as it was typed."""
        in_doubt = {one.kind: one.text for one in self.doubts}
        parts = {kind.value: self.part(kind) or in_doubt.get(kind) for kind in Kind}
        return {name: part for name, part in parts.items() if part}

    def with_part(self, kind: Kind, own_id: str) -> "Question":
        """Return the question with this id. A doubt about this part is removed."""
        changed: dict[str, Any] = {_FIELDS[kind]: own_id}
        return replace(self, doubts=tuple(one for one in self.doubts if one.kind is not kind), **changed)

    def with_choice(self, kind: Kind, choice: NameRow) -> "Question":
        """Return the question with the chosen id. Choosing an item also sets its supplier, if it is known."""
        changed = self.with_part(kind, choice.id)
        is_with_supplier = kind is Kind.ITEM and choice.ids[0]
        return changed.with_part(Kind.SUPPLIER, choice.ids[0]) if is_with_supplier else changed

    def with_entry(self, kind: Kind, own_id: str, known: KnownNames) -> "Question":
        """Return the question with the entered id. If only one supplier has this item, also set it."""
        changed = self.with_part(kind, own_id)
        suppliers = {one.supplier for one in known.items_with_id(own_id)} if kind is Kind.ITEM else ()
        return changed.with_part(Kind.SUPPLIER, *suppliers) if len(suppliers) == 1 else changed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A number, a market, a name or other words of a line.

    Attributes:
        label: the kind of the part according to the words before it, such as "supplier" or "from".
        is_labelled: True after a word such as "supplier", False after one such as "from".
        is_no_id: True after a word such as "order" or "phone".
        choices: the known ids that the part may mean, by kind.
        is_sure: False when the person has to be asked what is meant.
    """

    text: str = ""
    label: Kind | None = None
    is_labelled: bool = False
    is_after_and: bool = False
    is_no_id: bool = False
    is_number: bool = False
    market: str = ""
    choices: dict[Kind, tuple[NameRow, ...]] = field(default_factory=dict)
    is_sure: bool = True
    kind: Kind | None = None

    @property
    def meant(self) -> tuple[NameRow, ...]:
        """The known ids of the part's kind. If there are none, the text itself as an id."""
        unknown = ("", self.text) if self.kind is Kind.ITEM else (self.text,)
        return self.choices.get(self.kind or Kind.ITEM, (NameRow(unknown),))

    @property
    def is_open(self) -> bool:
        """True for an unknown number that may be a supplier, an item or a recipient."""
        is_unknown = self.is_number and not (self.choices or self.kind or self.is_no_id)
        return is_unknown and len(self.text) >= _ID_LENGTH


def read_questions(desk: Desk, text: str) -> tuple[Question, ...]:
    """Return the questions in a text: at least one, and at most `MOST_QUESTIONS` + 1.

    Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    reader, text = _Reader(desk.names), text[:_MOST_CHARACTERS]
    parts = [one for one in text.splitlines() if one.strip()]
    lines = [(one, reader.parts(one)) for one in parts[: MOST_QUESTIONS + 1]] if parts[1:] else []
    if sum({part.kind for part in line} >= _PAIR for _, line in lines) < _SEVERAL:
        lines = [(text, line) for line in _split_repetition(reader.parts("\n".join(parts)))]
    found: list[Question] = []
    for asked, line in lines:
        if _PAIR & {part.kind for part in line} or len(lines) == 1:
            found += _questions(line)
        elif found:
            found[-1] = replace(found[-1], not_understood=(*found[-1].not_understood, asked.strip()))
    language = say.language_of(text)
    return tuple(replace(one, language=language) for one in found[: MOST_QUESTIONS + 1])


def read_link(desk: Desk, parts: dict[Kind, str]) -> Question:
    """Return the question of a link. Each part of the link is an id, or text whose meaning was in doubt.

    Raises SignInError and RoleError.
    """
    desk.access.require(Role.VIEWER)
    question, reader, names = Question(), _Reader(desk.names), desk.names
    for kind, text in parts.items():
        is_known = names.is_known(kind, text, supplier=parts.get(Kind.SUPPLIER))
        is_id = is_known or not re.search(r"[^\W\d_]{4}", text)
        read = [] if is_id else _questions(reader.parts(text))
        doubts = [one for each in read for one in each.doubts if one.kind is kind and one.choices]
        if doubts:
            question = replace(question, doubts=(*question.doubts, replace(doubts[0], text=text)))
        else:
            question = question.with_part(kind, text)
    return question


class _Reader:
    """Finds the parts of lines. It caches look-ups, because lines often repeat ids and names."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names.held()
        self._of_kind = {kind: self._names.names_of(kind) for kind in Kind}
        self._letters = {kind: set[str]().union(*of.by_word.texts) for kind, of in self._of_kind.items()}
        self._with_id = cache(self._find_id)
        self._called = cache(self._find_called)
        self._with_word = cache(self._find_with_word)

    def parts(self, text: str) -> list[_Part]:
        """Return the parts of a line. Parts without an id, name or market come first and have no kind."""
        words = list(self._words(text))
        parts: list[_Part] = []
        for part in islice(self._runs(words), _MOST_PARTS):
            parts += [part] if part.is_number or part.market else self._names_in(part)
        named = [one for one in parts if one.is_number or one.market or one.choices]
        found = [one for one in parts if one not in named]
        for one in _with_kinds(named, words):
            both = self._as_one(found[-1], one) if found else None
            found[-1:] = [both] if both else [*found[-1:], one]
        return found

    def _words(self, text: str) -> Iterator[str]:
        """Yield the words and punctuation marks of a line. A known id is never split."""
        for chunk in re.findall(r"\t|\S+", _SPACED.sub(_joined, text)):
            word = chunk if self._with_id(chunk) else chunk.strip(say.MARKS)
            if word and self._with_id(word):
                before, _, after = chunk.partition(word)
                yield from (*before, word, *after)
            else:
                yield from ["\t"] if chunk == "\t" else words_and_marks(unquote(chunk))

    def _runs(self, words: list[str]) -> Iterator[_Part]:
        """Yield numbers, markets and runs of other words, each labelled by the words before it."""
        part, at = _Part(), 0
        while at < len(words):
            word, known = words[at], self._with_id(words[at])
            is_number = bool(known or split_item_id(word) or (word.isdecimal() and len(word) >= _LONG_NUMBER))
            market, count = ("", 1) if is_number else say.market_at(words, at)
            if word[0].isalnum() and not (say.is_stop(word) or is_number or market):
                part = replace(part, text=f"{part.text} {word}".strip())
            else:
                if part.text:
                    is_customer = not market and say.label_of(word) is Kind.RECIPIENT
                    yield replace(part, label=Kind.RECIPIENT, is_labelled=True) if is_customer else part
                    part = _Part()
                if is_number or market:
                    text = " ".join(words[at : at + count])
                    yield replace(part, text=text, is_number=is_number, market=market, choices=known)
                    part = _Part()
                else:
                    label = say.cue_of(word)
                    part = replace(
                        part,
                        label=label or part.label,
                        is_labelled=say.label_of(word) is not None if label else part.is_labelled,
                        is_after_and=word in say.AND or part.is_after_and,
                        is_no_id=part.is_no_id or say.plain(word) in say.NOT_IDS,
                    )
            at += count
        if part.text:
            yield part

    def _find_id(self, word: str) -> dict[Kind, tuple[NameRow, ...]]:
        """Return the known suppliers, items and recipients with this id, and the items with this number."""
        items = self._names.items_with_number(word) or self._names.items_with_id(word)
        find = self._names.chosen
        of_items = tuple(find(Kind.ITEM, one.supplier_item_id, supplier=one.supplier) for one in items)
        found = {kind: (find(kind, word),) for kind in Kind if self._names.is_known(kind, word)}
        return found | ({Kind.ITEM: of_items} if of_items else {})

    def _names_in(self, part: _Part, *, with_slips: bool = True) -> list[_Part]:
        """Return the longest names in a run of words, and one part with the other words.

        If there are other words, the person usually has to be asked about the names.
        """
        words = part.text.split()[:_MOST_WORDS]
        found, left, start = list[_Part](), list[str](), 0
        while start < len(words):
            for end in range(min(start + _NAME_WORDS, len(words)), start, -1):
                text = " ".join(words[start:end])
                choices, is_sure = self._called(text, with_slips=with_slips)
                if choices:
                    found.append(replace(part, text=text, choices=choices, is_sure=is_sure))
                    start = end
                    break
            else:
                left.append(words[start])
                start += 1
        if not left:
            return found
        if with_slips:
            return self._names_in(part, with_slips=False)
        rest = " ".join(left)
        is_idle = rest.islower() and not part.text.islower()
        if not (is_idle and any(Kind.RECIPIENT in one.choices for one in found)):
            found = [replace(one, is_sure=False, text=part.text) for one in found]
        return [*found, replace(part, text=rest)]

    def _find_called(self, text: str, *, with_slips: bool) -> tuple[dict[Kind, tuple[NameRow, ...]], bool]:
        """Map each kind to the known ids with this name, and return True as the second value.

        If no id has it, map to the ids whose names have words that begin with these words, and return False.
        Suppliers are found only by their full name.
        """
        typed = name_words(text)
        whole: dict[Kind, tuple[NameRow, ...]] = {}
        half: dict[Kind, tuple[NameRow, ...]] = {}
        for kind in Kind if typed and len(text) > 1 else ():
            begun_at, same_at, same_words = zip(*(self._with_word(kind, word) for word in typed), strict=True)
            begun, same = set.intersection(*begun_at), set.intersection(*same_at)
            positions = sorted(begun or (same if with_slips else ()))
            rows = [self._of_kind[kind].rows[position] for position in positions]
            full = [row for row in rows if _is_whole(name_words(row.name), same_words)]
            exact = [row for row in full if name_words(row.name) == typed]
            if full:
                whole[kind] = tuple(exact or full)
            elif begun and kind is not Kind.SUPPLIER:
                half[kind] = tuple(rows)
        return whole or half, bool(whole)

    def _find_with_word(self, kind: Kind, word: str) -> tuple[set[int], set[int], frozenset[str]]:
        """Find the names that contain a word. A long word may have one typing error.

        Return the positions of the names that have a word with this beginning, the positions of the names
        that have the whole word, and the spellings that are accepted as this word.
        """
        names = self._of_kind[kind].by_word
        is_long = len(word) >= _LONG_WORD and not any(map(str.isdigit, word))
        likely = with_one_slip(word, self._letters[kind]) if is_long else ()
        same = frozenset((word, *(one for one in likely if len(one) >= _LONG_WORD and names.same(one))))
        return set(names.beginning(word)), set(chain.from_iterable(map(names.same, same))), same

    def _as_one(self, first: _Part, second: _Part) -> _Part | None:
        """Join two parts of one name, or a name and its number. Return None if they are separate."""
        if first.kind is None or second.kind is not first.kind:
            return None
        meant = frozenset(second.meant)
        same = tuple(one for one in first.meant if one in meant)
        numbers = [one for one in (first, second) if one.is_number]
        is_piece = len(numbers) == 1 or not (first.is_sure and second.is_sure)
        is_other = not is_piece or (second.is_after_and and second.is_sure)
        if is_other and not (same and numbers):
            return None
        text = f"{first.text} {second.text}"
        _, is_whole = self._called(text, with_slips=True)
        if same:
            text = next((one.text for one in numbers if number_and_market(one.text)[1]), text)
        return replace(
            first,
            text=text,
            choices={first.kind: same or tuple(dict.fromkeys((*first.meant, *second.meant)))},
            is_sure=bool(same) and (bool(numbers) or is_whole),
            is_number=bool(numbers),
        )


def _is_whole(tokens: tuple[str, ...], typed: Sequence[frozenset[str]]) -> bool:
    """True when the typed words identify the name.

    All words of the name must be typed, or its first word and a distinctive word.
    """
    meant = [next((token for token in tokens if token in same), "") for same in typed]
    is_telling = any(len(one) >= _TELLING and one not in say.WEAK for one in meant)
    return "" not in meant and (set(meant) == set(tokens) or (is_telling and tokens[0] in meant))


def _with_kinds(parts: Sequence[_Part], words: Sequence[str]) -> list[_Part]:
    """Return the parts with their kinds. The kind stays None for a number that may be of any kind."""
    found = [replace(one, kind=_only_kind(one)) for one in parts]
    both = [at for at, one in enumerate(found) if one.choices and one.kind is None]
    for at in both:  # a company that is known as supplier and as recipient
        taken = {one.kind for one in found}
        is_supplier = Kind.SUPPLIER not in taken and (Kind.RECIPIENT in taken or at != both[-1])
        order = (Kind.SUPPLIER, Kind.RECIPIENT) if is_supplier else (Kind.RECIPIENT, Kind.SUPPLIER)
        kind = next(one for one in (*order, Kind.ITEM) if one in found[at].choices)
        found[at] = replace(found[at], kind=kind)
    for at, one in enumerate(found):
        names = [other for other in found[max(at - 1, 0) : at + 2] if other.kind and not other.is_number]
        is_named = names and names[0].kind is not Kind.ITEM
        if one.is_open and is_named and any(other.kind is Kind.ITEM for other in found):
            found[at] = replace(one, kind=names[0].kind)
    unknown = [at for at, one in enumerate(found) if one.is_open]
    missing = [kind for kind in Kind if kind not in {one.kind for one in found}]
    is_supplied = any(Kind.ITEM in one.choices for one in found) or len(unknown) < len(missing)
    missing = [kind for kind in missing if not (is_supplied and kind is Kind.SUPPLIER)]
    if not unknown or len(unknown) != len(missing):
        return found
    filled = list(found)
    for at, kind in zip(unknown, missing, strict=True):
        filled[at] = replace(filled[at], kind=kind)
    first, last = (words.index(filled[at].text) for at in (unknown[0], unknown[-1]))
    is_bare = not any(say.is_stop(word) and word not in say.AND for word in words[first:last])
    is_in_order = is_bare and [one.kind for one in filled if one.kind] == list(Kind)
    return filled if len(unknown) == 1 or is_in_order else found


def _only_kind(part: _Part) -> Kind | None:
    """Return the kind, if the label, the directory or the form of the number decides it."""
    if part.label in part.choices or (part.label and part.is_number and not part.choices):
        return part.label
    if part.choices:
        return next(iter(part.choices)) if len(part.choices) == 1 else None
    return Kind.ITEM if number_and_market(part.text)[1] and not part.is_no_id else None


def _split_repetition(parts: list[_Part]) -> list[list[_Part]]:
    """Split a line when its kinds repeat, as they do when several rows were pasted into one line."""
    of_ids = [at for at, one in enumerate(parts) if one.kind]
    kinds = [parts[at].kind for at in of_ids]
    for length in (2, 3):
        first, count = kinds[:length], len(kinds) // length
        if count > 1 and set(first) >= _PAIR and len(set(first)) == length and kinds == first * count:
            return [parts[start:end] for start, end in pairwise([0, *of_ids[length::length], len(parts)])]
    return [parts]


def _questions(parts: Sequence[_Part]) -> list[Question]:
    """Return the questions of one line, one for each pair of an item and a recipient."""
    suppliers = [one.id for each in parts if each.kind is Kind.SUPPLIER for one in each.meant]
    markets = {one.market: one.text for one in parts if one.market}
    items = [part for one in parts if one.kind is Kind.ITEM for part in _items(one, suppliers, markets)]
    recipients = [
        one.meant[0]
        if one.is_sure and len(one.meant) == 1
        else Doubt(kind=Kind.RECIPIENT, text=one.text, choices=one.meant[:_OFFERED])
        for one in parts
        if one.kind is Kind.RECIPIENT
    ]
    left = [one for one in parts if one.kind is None and not one.market]
    for one in left:
        is_unknown = one.label is Kind.RECIPIENT and (one.is_labelled or not recipients)
        if (is_unknown and any(map(str.isalpha, one.text))) or one.text.casefold() in say.ANYONE:
            sure = tuple(each for each in recipients if isinstance(each, NameRow))
            if len(sure) == len(recipients):
                recipients = [Doubt(kind=Kind.RECIPIENT, text=one.text, choices=sure)]
    base = Question(
        supplier=suppliers[0] if len(set(suppliers)) == 1 else None,
        not_understood=tuple(dict.fromkeys(one.text for one in left)),
    )
    found = []
    for pair in product(dict.fromkeys(items) or (None,), dict.fromkeys(recipients) or (None,)):
        question = base
        for kind, part in zip((Kind.ITEM, Kind.RECIPIENT), pair, strict=True):
            if isinstance(part, Doubt):
                question = replace(question, doubts=(*question.doubts, part))
            elif part is not None:
                question = question.with_choice(kind, part)
        found.append(question)
    return found


def _items(part: _Part, suppliers: Sequence[str], markets: dict[str, str]) -> Iterator[NameRow | Doubt]:
    """Yield the item once for each market in the question. Without a market, once for each known market.

    If it is not clear which item is meant, yield a doubt.
    """
    own = number_and_market(part.text)[1]
    if not part.choices:
        yield NameRow((suppliers[0] if suppliers else "", part.text))
        return
    ours = [one for one in part.meant if not suppliers or one.ids[0] in suppliers]
    codes = {one: number_and_market(one.id)[1] or market_code(one.market) for one in ours}
    wanted = {own: ""} if own else markets
    fitting = [one for one in ours if not wanted or codes[one] in wanted]
    several = len({(one.ids[0], number_and_market(one.id)[0].lstrip("0")) for one in fitting}) > 1
    others = [name for code, name in markets.items() if code != own]
    if not ours or not part.is_sure or several or (own and others):
        text = " ".join([part.text, *(others if ours else suppliers)])
        near = part.meant if own else fitting or ours or part.meant
        yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(near[:_OFFERED]))
        return
    yield from fitting
    for code in wanted.keys() - codes.values():
        text = f"{part.text} {wanted[code]}".strip()
        yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(ours[:_OFFERED]))


def number_and_market(supplier_item_id: str) -> tuple[str, str]:
    """Split an item id into its number and the code of its market. The code may be empty."""
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    return number, market_code(market)


def _joined(match: re.Match[str]) -> str:
    """Return the number without spaces and dots if it is valid, or else the unchanged text."""
    digits = "".join(filter(str.isdigit, match[0]))
    return digits if len(digits) in _JOINED and fits_check_digit(digits) else match[0]
