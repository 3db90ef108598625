"""Reads questions from any text: the ids, known names and markets in it. No grammar.

Words that are the name of a known id in whole are that id, also with one slip in a word. About half a name
the person is asked, because a guess would answer another question. Several items or recipients make one
question for each pair, and several lines one for each line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import fits_check_digit
from item_visibility.storage.directory import Kind, folded
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.near_ids import differ_by_one_slip, trade_number
from item_visibility.use_cases.check.question import Doubt, Question, market_number
from item_visibility.use_cases.check.question_pieces import Piece, Scan
from item_visibility.use_cases.find_by_name import Choice
from item_visibility.use_cases.known_names import KnownNames

MOST_QUESTIONS = 200
_OFFERED = 12
"""The limit of known ids that a person is offered for one part."""
_MOST_CHARACTERS, _MOST_PIECES, _MOST_WORDS = 40_000, 40, 8
_SURE_LENGTH, _ITEM_LENGTH = 11, 14
"""A shorter number is an id only when it is known or labelled. One of 14 digits is an item's."""
_LONG_WORD, _TELLING = 5, 4
_UMLAUT = re.compile("([aou])e")
_LINE_SIGN = re.compile(r"^[ ]*(?:(?:>|[-*\u2022]|[0-9]{1,2}[.)])[ ]+)+", re.MULTILINE)
_MAIL_HEAD = re.compile(r"^(?:from|von|to|an|cc)\s*:.*@.*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Mention:
    """The known ids, by kind, that a piece or a part of it names; none for a number that is not known.

    `has_rest` when other words of the piece name nothing.
    """

    text: str
    piece: Piece
    choices: dict[Kind, tuple[Choice, ...]] = field(default_factory=dict)
    is_sure: bool = True
    has_rest: bool = False
    kind: Kind | None = None

    @property
    def asked(self) -> str:
        return self.piece.text if self.has_rest else self.text

    def of(self, kind: Kind) -> tuple[Choice, ...]:
        return self.choices.get(kind, ())


@dataclass(frozen=True, slots=True)
class _Row:
    """The mentions of one line, each with its kind; its markets; the pieces that are no part of either."""

    text: str
    mentions: tuple[_Mention, ...]
    left: tuple[Piece, ...]

    def of(self, kind: Kind) -> list[_Mention]:
        return [one for one in self.mentions if one.kind is kind]

    @property
    def is_whole(self) -> bool:
        return bool(self.of(Kind.ITEM) and self.of(Kind.RECIPIENT))


def read_questions(text: str, *, names: KnownNames) -> tuple[Question, ...]:
    """Return the questions of a text, at most one more than `MOST_QUESTIONS`; never none."""
    reader, language = _Reader(names), say.language_of(text)
    text = _LINE_SIGN.sub("", _MAIL_HEAD.sub(" ", text[:_MOST_CHARACTERS]))
    lines = [line for line in text.splitlines() if line.strip()]
    for parts in (lines, re.split(r"(?<=\?)\s+", text)):
        rows = [reader.row(part) for part in parts[: MOST_QUESTIONS + 1]] if len(parts) > 1 else []
        if sum(row.is_whole for row in rows) > 1:
            break
    else:
        rows = list(_split_repetition(reader.row("\n".join(lines))))
    found: list[Question] = []
    for row in rows:
        is_question = row.of(Kind.ITEM) or (row.mentions and re.search(r"\?\s*$|\t|\d{8}", row.text))
        if is_question or len(rows) == 1:
            found += reader.questions(row)
        elif found:
            found[-1] = replace(found[-1], not_understood=(*found[-1].not_understood, row.text.strip()))
    return tuple(replace(one, language=language) for one in found[: MOST_QUESTIONS + 1])


def read_link(parts: dict[Kind, str], *, names: KnownNames) -> Question:
    """Return the question of a link. A part is an id, or the words of a part that was in doubt."""
    question, reader = Question(), _Reader(names)
    for kind, text in parts.items():
        is_id = not re.search(r"[^\W\d_]{4}", text) or (" " not in text and any(map(str.isdigit, text)))
        is_id = is_id or names.is_known(kind, text, supplier=parts.get(Kind.SUPPLIER))
        read = [] if is_id else reader.questions(reader.row(text))
        doubts = [one for each in read for one in each.doubts if one.kind is kind and one.choices]
        if doubts:
            question = replace(question, doubts=(*question.doubts, replace(doubts[0], text=text)))
        else:
            question = question.with_part(kind, text)
    return question


class _Reader:
    """Reads lines. What was looked up for one line is remembered for the next."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names
        self._named: dict[tuple[Kind, str, bool], tuple[Choice, ...]] = {}
        self._numbered: dict[str, dict[Kind, tuple[Choice, ...]]] = {}

    def row(self, text: str) -> _Row:
        """Read one line."""
        scan = Scan(text, is_id=lambda word: bool(self._with_id(word)))
        mentions: list[_Mention] = []
        left: list[Piece] = []
        for piece in scan.pieces[:_MOST_PIECES]:
            found, rest = self._mentions(piece)
            mentions += found
            left += rest
        mentions = _with_kinds(_merged(mentions), is_bare=scan.is_bare)
        used = tuple(one for one in mentions if one.kind or one.piece.market)
        return _Row(text, used, (*left, *(one.piece for one in mentions if one not in used)))

    def questions(self, row: _Row) -> list[Question]:
        """Return the questions of one line, one for each of its items and recipients."""
        suppliers = {one.id: one for each in row.of(Kind.SUPPLIER) for one in each.of(Kind.SUPPLIER)}
        suppliers |= {one.text: Choice((one.text,)) for one in row.of(Kind.SUPPLIER) if not one.choices}
        markets = {one.piece.market: one.text for one in row.mentions if one.piece.market}
        items = [part for one in row.of(Kind.ITEM) for part in self._items(one, suppliers, markets)]
        items = self._with_left(Kind.ITEM, items, row)
        recipients = self._with_left(Kind.RECIPIENT, list(map(_recipient, row.of(Kind.RECIPIENT))), row)
        base = Question(
            supplier=next(iter(suppliers)) if len(suppliers) == 1 else None,
            not_understood=tuple(dict.fromkeys(one.text for one in row.left)),
        )
        found = []
        for pair in product(items or (None,), recipients or (None,)):
            question = base
            for kind, part in zip((Kind.ITEM, Kind.RECIPIENT), pair, strict=True):
                if isinstance(part, Doubt):
                    question = replace(question, doubts=(*question.doubts, part))
                elif part is not None and part.ids[0]:
                    question = question.with_choice(kind, part)
                elif part is not None:
                    question = question.with_part(kind, part.id)
            found.append(question)
        return found

    def _items(
        self, mention: _Mention, suppliers: Iterable[str], markets: dict[str, str]
    ) -> Iterator[Choice | Doubt]:
        """Yield the item in each market that the question names, or in each that is known; else a doubt."""
        choices, own = mention.of(Kind.ITEM), market_number(mention.text)
        if not choices:
            yield Choice((next(iter(suppliers), ""), mention.text))
            return
        ours = [one for one in choices if not suppliers or one.ids[0] in suppliers]
        wanted = {own: ""} if own else markets
        fitting = [one for one in ours if not wanted or _market(one) in wanted]
        several = len({(one.ids[0], trade_number(one.id).lstrip("0")) for one in fitting}) > 1
        others = [name for code, name in markets.items() if code != own]
        if not ours or not mention.is_sure or several or (own and others):
            text = " ".join([mention.asked, *(others if ours else suppliers)])
            near = choices if own else fitting or ours or choices
            yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(near[:_OFFERED]))
            return
        yield from fitting
        for code in wanted.keys() - {_market(one) for one in fitting}:
            text = f"{mention.text} {wanted[code]}".strip()
            yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(ours[:_OFFERED]))

    def _with_left(self, kind: Kind, parts: list[Choice | Doubt], row: _Row) -> list[Choice | Doubt]:
        """Return the parts, or a doubt about words for this part that are known nowhere."""
        sure = [one for one in dict.fromkeys(parts) if isinstance(one, Choice)]
        if len(sure) < len(set(parts)):
            return list(dict.fromkeys(parts))
        labelled = [one for one in row.left if one.label is kind and (one.is_labelled or not parts)]
        labelled += [one for one in row.left if kind is Kind.RECIPIENT and one.text.casefold() in say.ANYONE]
        for piece in labelled or ([] if parts else row.left):
            if any(map(str.isalpha, piece.text)):
                found = (*self._names.find(kind, piece.text).choices, *sure)
                if found or piece in labelled:
                    return [Doubt(kind=kind, text=piece.text, choices=found[:_OFFERED])]
        return list(sure)

    def _with_id(self, word: str) -> dict[Kind, tuple[Choice, ...]]:
        """Return what is known with this id or number."""
        if word not in self._numbered:
            items = self._names.items_with_number(word) or self._names.items_with_id(word)
            find = self._names.chosen
            of_items = tuple(find(Kind.ITEM, one.supplier_item_id, supplier=one.supplier) for one in items)
            companies = (Kind.SUPPLIER, Kind.RECIPIENT)
            found = {kind: (find(kind, word),) for kind in companies if self._names.is_known(kind, word)}
            self._numbered[word] = found | ({Kind.ITEM: of_items} if of_items else {})
        return self._numbered[word]

    def _mentions(self, piece: Piece) -> tuple[list[_Mention], list[Piece]]:
        """Return what a piece names, and what of it names nothing."""
        if piece.is_number or piece.market:
            return [_Mention(piece.text, piece, self._with_id(piece.text) if piece.is_number else {})], []
        words = piece.words[: 2 * _MOST_WORDS]
        spans = self._spans(words, has_slips=False)
        if not _covers(spans, words):
            with_slips = self._spans(words, has_slips=True)
            is_whole = _covers(with_slips, words) and all(one.is_sure for one in with_slips)
            spans = with_slips if is_whole else spans
        spans = [one for one in spans if one.is_sure or set(one.choices) != {Kind.SUPPLIER}]
        covered = {"&", *(word for one in spans for word in one.text.split())}
        left = tuple(word for word in words if word not in covered)
        is_idle = " ".join(left).islower() and not piece.text.islower()
        if left and not (is_idle and any(one.of(Kind.RECIPIENT) for one in spans)):
            spans = [replace(one, is_sure=False, has_rest=True) for one in spans]
        return [replace(one, piece=piece) for one in spans], [replace(piece, words=left)] if left else []

    def _spans(self, words: tuple[str, ...], *, has_slips: bool) -> list[_Mention]:
        """Return the known names in the words, the longest first, in their order."""
        for length in range(min(len(words), _MOST_WORDS), 0, -1):
            for start in range(len(words) - length + 1):
                text = " ".join(words[start : start + length])
                found = {kind: self._called(kind, text, has_slips=has_slips) for kind in Kind}
                whole = {kind: some for kind, some in found.items() if some and _are_whole(some, text)}
                choices = whole or {kind: some for kind, some in found.items() if some}
                if choices:
                    before = self._spans(words[:start], has_slips=has_slips)
                    after = self._spans(words[start + length :], has_slips=has_slips)
                    return [*before, _Mention(text, Piece(words), choices, is_sure=bool(whole)), *after]
        return []

    def _called(self, kind: Kind, text: str, *, has_slips: bool) -> tuple[Choice, ...]:
        """Return the known ids whose names have all the words, or words that begin so."""
        key, words = (kind, text, has_slips), text.split()
        if key not in self._named:
            are_known = len(words) == 1 or all(self._called(kind, one, has_slips=has_slips) for one in words)
            self._named[key] = self._look_up(kind, text, has_slips=has_slips) if are_known else ()
        return self._named[key]

    def _look_up(self, kind: Kind, text: str, *, has_slips: bool) -> tuple[Choice, ...]:
        spellings = dict.fromkeys((text, _UMLAUT.sub(r"\1", text)))
        found = [one for spelling in spellings for one in self._names.having(kind, spelling)]
        begun = [one for one in dict.fromkeys(found) if _begins(one, text)]
        if not begun and has_slips:
            near = self._names.find(kind, text).choices
            begun = [
                replace(one, is_near=False) for one in near if " " not in text or _are_whole([one], text)
            ]
        whole = [one for one in begun if _are_whole([one], text)]
        exact = [one for one in whole if _form(one.name) == _form(text)]
        return tuple(exact or whole or begun)


def _with_kinds(mentions: Sequence[_Mention], *, is_bare: bool) -> list[_Mention]:
    """Return the mentions with the kind of each; None for a number that may be anything."""
    found = [replace(one, kind=_only_kind(one)) for one in mentions]
    both = [at for at, one in enumerate(found) if one.kind is None and one.choices]
    for at in both:  # a company that is known as supplier and as recipient
        taken = {one.kind for one in found}
        is_first = at == both[0] and len(both) > 1
        kinds = [kind for kind in (Kind.ITEM, Kind.RECIPIENT, Kind.SUPPLIER) if kind in found[at].choices]
        if Kind.SUPPLIER not in taken and (is_first or Kind.RECIPIENT in taken):
            kinds.sort(key=lambda kind: kind is not Kind.SUPPLIER)
        found[at] = replace(found[at], kind=next((one for one in kinds if one not in taken), kinds[0]))
    open_kinds = [kind for kind in Kind if kind not in {one.kind for one in found}]
    unknown = [at for at, one in enumerate(found) if _may_be_id(one)]
    is_supplied = any(one.of(Kind.ITEM) for one in found) or (len(unknown) == 1 and len(open_kinds) > 1)
    if is_supplied and Kind.SUPPLIER in open_kinds:
        open_kinds.remove(Kind.SUPPLIER)
    if len(unknown) > len(open_kinds):
        unknown = [at for at in unknown if fits_check_digit(found[at].text.partition(":")[0])]
    if len(unknown) != len(open_kinds):
        return found
    filled = list(found)
    for at, kind in zip(unknown, open_kinds, strict=True):
        filled[at] = replace(filled[at], kind=kind)
    is_in_order = is_bare and [one.kind for one in filled] == list(Kind)
    return filled if len(unknown) == 1 or is_in_order else found


def _only_kind(mention: _Mention) -> Kind | None:
    """Return the kind that the directory, a label or the form of the number gives."""
    piece, choices = mention.piece, mention.choices
    if piece.label in choices or (piece.label and piece.is_number and not choices):
        return piece.label
    if choices:
        return next(iter(choices)) if len(choices) == 1 else None
    has_form = piece.is_number and (market_number(mention.text) or len(mention.text) == _ITEM_LENGTH)
    return Kind.ITEM if has_form and not piece.is_no_id else None


def _may_be_id(mention: _Mention) -> bool:
    is_open = mention.kind is None and mention.piece.is_number and not mention.choices
    return is_open and not mention.piece.is_no_id and len(mention.text) >= _SURE_LENGTH


def _merged(mentions: Sequence[_Mention]) -> list[_Mention]:
    """Return the mentions, neighbours that are about the same as one.

    They are a name and a number, or two parts of a name. When they name different ids, that is a doubt.
    """
    found: list[_Mention] = []
    for one in mentions:
        both = _as_one(found[-1], one, mentions) if found else None
        found[-1:] = [both] if both else [*found[-1:], one]
    return found


def _as_one(first: _Mention, second: _Mention, mentions: Sequence[_Mention]) -> _Mention | None:
    """Return two neighbours as one; None when each is a part of its own."""
    pair = (first, second)
    if first.piece.market or second.piece.market:
        return None
    kinds = [kind for kind in Kind if first.of(kind) and second.of(kind)]
    same = {kind: tuple(one for one in first.of(kind) if one in second.of(kind)) for kind in kinds}
    same = {kind: some for kind, some in same.items() if some}
    numbers = [one for one in pair if one.piece.is_number]
    if len(numbers) == 1 and not numbers[0].choices:
        kinds = _kinds_beside(numbers[0], first if second in numbers else second, mentions)
    is_named_number = len(numbers) == 1 and bool(kinds)
    is_half = not numbers and bool(kinds) and not (first.is_sure and second.is_sure)
    is_list = second.piece.is_after_and and not (same and (numbers or not second.is_sure))
    if is_list or not (is_named_number or is_half or (numbers and same)):
        return None
    text = next(
        (one.text for one in numbers if same and market_number(one.text)), f"{first.text} {second.text}"
    )
    own = {
        kind: [choice for one in pair for choice in one.of(kind) or (Choice((one.text,)),)] for kind in kinds
    }
    is_sure = bool(same) and (bool(numbers) or all(_are_whole(some, text) for some in same.values()))
    rest = first.has_rest or second.has_rest
    return replace(
        first,
        text=text,
        choices=same or {kind: tuple(dict.fromkeys(some)) for kind, some in own.items()},
        is_sure=is_sure and not rest,
        piece=replace(first.piece, words=tuple(dict.fromkeys((*first.piece.words, *second.piece.words)))),
        has_rest=rest,
    )


def _kinds_beside(number: _Mention, name: _Mention, mentions: Sequence[_Mention]) -> list[Kind]:
    """Return the kinds that an unknown number can have together with the name of a company beside it."""
    is_item = number.piece.label is Kind.ITEM or len(number.text) == _ITEM_LENGTH
    if number.piece.is_no_id or is_item or not any(one.of(Kind.ITEM) for one in mentions):
        return []
    return [kind for kind in (Kind.SUPPLIER, Kind.RECIPIENT) if kind in name.choices]


def _split_repetition(row: _Row) -> Iterator[_Row]:
    """Yield a line as several when its kinds repeat, as in rows that were pasted into one line."""
    of_ids = [at for at, one in enumerate(row.mentions) if one.kind]
    kinds = [row.mentions[at].kind for at in of_ids]
    for length in (2, 3):
        first, count = kinds[:length], len(kinds) // length
        is_pair = {Kind.ITEM, Kind.RECIPIENT} <= set(first) and len(set(first)) == length
        if count > 1 and is_pair and kinds == first * count:
            for start, end in pairwise([0, *of_ids[length::length], len(row.mentions)]):
                left = () if start else row.left
                yield replace(row, mentions=row.mentions[start:end], left=left)
            return
    yield row


def _recipient(mention: _Mention) -> Choice | Doubt:
    choices = mention.of(Kind.RECIPIENT) or (Choice((mention.text,)),)
    if mention.is_sure and len(choices) == 1:
        return choices[0]
    return Doubt(kind=Kind.RECIPIENT, text=mention.asked, choices=choices[:_OFFERED])


def _covers(spans: Iterable[_Mention], words: Sequence[str]) -> bool:
    return sum(len(one.text.split()) for one in spans) == len(words)


def _market(choice: Choice) -> str:
    return market_number(choice.id) or market_code(choice.market)


def _form(text: str) -> str:
    """Return the text without case and accents, however an umlaut is written: Müller, Mueller, Muller."""
    return _UMLAUT.sub(r"\1", folded(text))


def _begins(choice: Choice, text: str) -> bool:
    """True when each word of the text begins a word of the name."""
    tokens = _form(choice.name).split()
    return all(any(token.startswith(word) for token in tokens) for word in _form(text).split())


def _are_whole(choices: Iterable[Choice], text: str) -> bool:
    """True when the text has whole words of each name: its first and a telling one, or all of them.

    A longer word may have one slip. "Supermarkets" and "three" alone are no names.
    """
    typed = _form(text).split()
    for choice in choices:
        tokens = _form(choice.name).split()
        meant = [next((token for token in tokens if _is_same_word(word, token)), "") for word in typed]
        is_telling = any(len(one) >= _TELLING and one not in say.WEAK for one in meant)
        if "" in meant or not (set(meant) == set(tokens) or (is_telling and tokens[0] in meant)):
            return False
    return True


def _is_same_word(word: str, token: str) -> bool:
    is_long = min(len(word), len(token)) >= _LONG_WORD and not any(map(str.isdigit, word))
    return word == token or (is_long and differ_by_one_slip(word, token))
