"""Finds the known ids, names and markets in a text, and makes questions of them. There is no grammar.

Words that are the whole name of a known id are that id, also with one slip in a word. Half a name, and a name
beside words that are no part of it, is asked about: a guess would answer another question. Several items or
recipients make one question for each pair, and several lines one for each line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from urllib.parse import unquote

from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import fits_check_digit, split_item_id
from item_visibility.storage.directory import Kind, folded
from item_visibility.use_cases.check import question_words as say
from item_visibility.use_cases.check.near_ids import differ_by_one_slip, trade_number
from item_visibility.use_cases.check.question import Doubt, Question, market_number
from item_visibility.use_cases.known_names import Choice, KnownNames

MOST_QUESTIONS = 200
_OFFERED = 12
"""The limit of known ids that a person is offered for one part."""
_MOST_CHARACTERS, _MOST_RUNS, _MOST_WORDS = 40_000, 40, 16
_NAME_WORDS, _MOST_NAMES = 8, 1_000
"""The limits of words in a name, and of names that a run is compared with, word by word."""
_LONG_NUMBER, _ID_LENGTH, _ITEM_LENGTH = 8, 11, 14
"""Shorter numbers are parts of names; are ids only when known or labelled; 14 digits are an item's."""
_LONG_WORD, _TELLING = 5, 4
_JOINED = frozenset({12, 13, 14})
"""The lengths of numbers that are read with spaces inside, when their check digit fits."""

_UMLAUT = re.compile("([aou])e")
_LINE_SIGN = re.compile(r"^[ ]*(?:(?:>|[-*\u2022]|[0-9]{1,2}[.)])[ ]+)+", re.MULTILINE)
_MAIL_HEAD = re.compile(r"^(?:from|von|to|an|cc)\s*:.*@.*$", re.IGNORECASE | re.MULTILINE)
_SPACED = re.compile(
    r"(?<![\w.:+-])\d{1,10}(?:([ \u00a0.'\u2019-])\d{1,10})(?:\1\d{1,10}){0,12}(?![\w.-]{0,12}\d)"
)
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)|(?<=[^\W\d_]{3})(?=\d)", re.IGNORECASE)
_TOKEN = re.compile(r"\d{8,}[:-]\w{2,3}\b|\S+@\S+|\w+(?:[.'\u2019-]\w+|(?<=\d),\d\d?(?!\d))*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class _Run:
    """A number, a market, or words between marks and stop words; with what the words before it say.

    `is_labelled` when the name of a part is before it, such as "supplier", and not only "from".
    """

    words: tuple[str, ...] = ()
    label: Kind | None = None
    is_labelled: bool = False
    is_after_and: bool = False
    is_no_id: bool = False
    is_number: bool = False
    market: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class _Mention:
    """The known ids, by kind, that a run or a part of it names; none for an unknown number or a market.

    `asked` are the words to ask about when other words beside the name put it in doubt.
    """

    text: str
    run: _Run
    choices: dict[Kind, tuple[Choice, ...]] = field(default_factory=dict)
    is_sure: bool = True
    has_slips: bool = False
    kind: Kind | None = None
    asked: str = ""

    @property
    def meant(self) -> tuple[Choice, ...]:
        """The known ids of its kind."""
        return self.choices.get(self.kind, ()) if self.kind else ()


@dataclass(frozen=True, slots=True)
class _Line:
    """The mentions of one line, and the runs that name nothing."""

    text: str
    mentions: tuple[_Mention, ...]
    left: tuple[_Run, ...]

    def of(self, kind: Kind) -> list[_Mention]:
        return [one for one in self.mentions if one.kind is kind]

    @property
    def is_whole(self) -> bool:
        return bool(self.of(Kind.ITEM) and self.of(Kind.RECIPIENT))

    @property
    def is_question(self) -> bool:
        """True for a line with an item, or with another part in a table or a question."""
        return bool(self.of(Kind.ITEM) or (self.mentions and re.search(r"\?\s*$|\t|\d{8}", self.text)))


def read_questions(text: str, *, names: KnownNames) -> tuple[Question, ...]:
    """Return the questions of a text, at most one more than `MOST_QUESTIONS`; never none."""
    reader, language = _Reader(names), say.language_of(text)
    text = _LINE_SIGN.sub("", _MAIL_HEAD.sub(" ", text[:_MOST_CHARACTERS]))
    parts = [one for one in text.splitlines() if one.strip()]
    for several in (parts, re.split(r"(?<=\?)\s+", text)):
        lines = [reader.line(one) for one in several[: MOST_QUESTIONS + 1]] if len(several) > 1 else []
        if sum(line.is_whole for line in lines) > 1:
            break
    else:
        lines = _split_repetition(reader.line("\n".join(parts)))
    found: list[Question] = []
    for line in lines:
        if line.is_question or len(lines) == 1:
            found += reader.questions(line)
        elif found:
            found[-1] = replace(found[-1], not_understood=(*found[-1].not_understood, line.text.strip()))
    return tuple(replace(one, language=language) for one in found[: MOST_QUESTIONS + 1])


def read_link(parts: dict[Kind, str], *, names: KnownNames) -> Question:
    """Return the question of a link. A part is an id, or the words of a part that was in doubt."""
    question, reader = Question(), _Reader(names)
    for kind, text in parts.items():
        is_id = not re.search(r"[^\W\d_]{4}", text) or (" " not in text and any(map(str.isdigit, text)))
        is_id = is_id or names.is_known(kind, text, supplier=parts.get(Kind.SUPPLIER))
        read = [] if is_id else reader.questions(reader.line(text))
        doubts = [one for each in read for one in each.doubts if one.kind is kind and one.choices]
        if doubts:
            question = replace(question, doubts=(*question.doubts, replace(doubts[0], text=text)))
        else:
            question = question.with_part(kind, text)
    return question


class _Reader:
    """Reads lines. What was looked up for one line is remembered for the next."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names.held()
        self._named: dict[tuple[Kind, str], tuple[Choice, ...]] = {}
        self._numbered: dict[str, dict[Kind, tuple[Choice, ...]]] = {}

    def line(self, text: str) -> _Line:
        """Find what one line names."""
        words = list(self._words(text))
        mentions: list[_Mention] = []
        left: list[_Run] = []
        for run in list(self._runs(words))[:_MOST_RUNS]:
            if run.market:
                mentions.append(_Mention(run.text, run))
            elif run.is_number:
                mentions.append(_Mention(run.text, run, self._with_id(run.text)))
            else:
                found, rest = self._names_in(run)
                mentions += found
                left += rest
        mentions = _merged(_with_kinds(mentions, words))
        used = tuple(one for one in mentions if one.kind or one.run.market)
        return _Line(text, used, (*left, *(one.run for one in mentions if one not in used)))

    def questions(self, line: _Line) -> list[Question]:
        """Return the questions of one line, one for each of its items and recipients."""
        suppliers = [
            one.id for each in line.of(Kind.SUPPLIER) for one in each.meant or (Choice((each.text,)),)
        ]
        suppliers = list(dict.fromkeys(suppliers))
        markets = {one.run.market: one.text for one in line.mentions if one.run.market}
        items = [part for one in line.of(Kind.ITEM) for part in _items(one, suppliers, markets)]
        recipients = [*map(_recipient, line.of(Kind.RECIPIENT))]
        for run in line.left:
            is_unknown = run.label is Kind.RECIPIENT and (run.is_labelled or not recipients)
            if (is_unknown and any(map(str.isalpha, run.text))) or run.text.casefold() in say.ANYONE:
                sure = tuple(one for one in recipients if isinstance(one, Choice))
                if len(sure) == len(recipients):
                    recipients = [Doubt(kind=Kind.RECIPIENT, text=run.text, choices=sure)]
        base = Question(
            supplier=suppliers[0] if len(suppliers) == 1 else None,
            not_understood=tuple(dict.fromkeys(run.text for run in line.left)),
        )
        found = []
        for pair in product(dict.fromkeys(items) or (None,), dict.fromkeys(recipients) or (None,)):
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

    def _words(self, text: str) -> Iterator[str]:
        """Yield the words and marks of a line. A known id is one word, whatever it is made of."""
        for chunk in re.findall(r"\t|\S+", _joined_numbers(text)):
            word = chunk if self._with_id(chunk) else chunk.strip(say.MARKS)
            if word and self._with_id(word):
                before, _, after = chunk.partition(word)
                yield from (*before, word, *after)
            else:
                yield from ["\t"] if chunk == "\t" else _TOKEN.findall(_UNIT.sub(" ", unquote(chunk)))

    def _runs(self, words: list[str]) -> Iterator[_Run]:
        """Yield numbers, markets and runs of words, each with what the words before it say."""
        hint, run, at, is_after_number = _Run(), list[str](), 0, False
        while at < len(words):
            word, count = words[at], 1
            is_number = bool(split_item_id(word) or self._with_id(word))
            is_number = is_number or (word.isdecimal() and len(word) >= _LONG_NUMBER)
            market, market_words = ("", 0) if is_number else say.market_at(words, at)
            if is_after_number and re.fullmatch("[0-9]{3}", word) and market_code(word):
                market, market_words = market_code(word), 1
            is_word = word[0].isalnum() and not say.is_stop(word)
            if not (is_number or market) and (is_word or (word == "&" and run)):
                run += [word] if "@" not in word else []
                is_after_number = False
                at += 1
                continue
            if run:
                is_customer = not market and say.label_of(word) is Kind.RECIPIENT
                ended = replace(hint, words=tuple(run))
                yield replace(ended, label=Kind.RECIPIENT, is_labelled=True) if is_customer else ended
                hint, run = _Run(), []
            if is_number or market:
                count = market_words or 1
                some = tuple(words[at : at + count])
                yield replace(hint, words=some, is_number=is_number, market=market)
                hint, is_after_number = _Run(), is_number and not market_number(word)
            else:
                hint, is_after_number = _after_word(hint, word), is_after_number and not word.isalnum()
            at += count
        if run:
            yield replace(hint, words=tuple(run))

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

    def _names_in(self, run: _Run) -> tuple[list[_Mention], list[_Run]]:
        """Return the names in a run, and the words that are no part of one: they put the names in doubt."""
        words = run.words[:_MOST_WORDS]
        found = self._spans(words, run)
        if sum(len(one.text.split()) for one in found) < len(words):
            found = [one for one in found if not one.has_slips]
        found = [one for one in found if one.is_sure or set(one.choices) != {Kind.SUPPLIER}]
        covered = {"&", *(word for one in found for word in one.text.split())}
        left = tuple(word for word in words if word not in covered)
        is_idle = " ".join(left).islower() and not run.text.islower()
        if left and not (is_idle and any(Kind.RECIPIENT in one.choices for one in found)):
            found = [replace(one, is_sure=False, asked=run.text) for one in found]
        return found, [replace(run, words=left)] if left else []

    def _spans(self, words: tuple[str, ...], run: _Run) -> list[_Mention]:
        """Return the known names in the words, the longest first, in their order."""
        for length in range(min(len(words), _NAME_WORDS), 0, -1):
            for start in range(len(words) - length + 1):
                text = " ".join(words[start : start + length])
                called = {kind: some for kind in Kind if (some := self._called(kind, text))}
                whole = {kind: some for kind, some in called.items() if _are_whole(some, text)}
                found = whole or {kind: some for kind, some in called.items() if not some[0].is_near}
                if found and len(text) > 1:
                    has_slips = any(one.is_near for some in found.values() for one in some)
                    choices = {
                        kind: tuple(replace(one, is_near=False) for one in some)
                        for kind, some in found.items()
                    }
                    mention = _Mention(text, run, choices, is_sure=bool(whole), has_slips=has_slips)
                    after = self._spans(words[start + length :], run)
                    return [*self._spans(words[:start], run), mention, *after]
        return []

    def _called(self, kind: Kind, text: str) -> tuple[Choice, ...]:
        """Return the known ids whose names have all the words, or words that begin so."""
        words = [word for word in text.split() if word != "&"]
        if (kind, text) not in self._named:
            are_known = len(words) == 1 or (words and all(self._called(kind, one) for one in words))
            self._named[kind, text] = self._look_up(kind, text) if are_known else ()
        return self._named[kind, text]

    def _look_up(self, kind: Kind, text: str) -> tuple[Choice, ...]:
        spellings = dict.fromkeys((text, _UMLAUT.sub(r"\1", text)))
        found = [one for each in spellings for one in self._names.find(kind, each, limit=_MOST_NAMES).choices]
        begun = [one for one in dict.fromkeys(found) if not one.is_near and _begins(one, text)]
        if not begun:
            begun = [one for one in found if one.is_near and (" " not in text or _are_whole([one], text))]
        whole = [one for one in begun if _are_whole([one], text)]
        exact = [one for one in whole if _form(one.name) == _form(text)]
        return tuple(exact or whole or begun)


def _after_word(hint: _Run, word: str) -> _Run:
    """Return what is known about the next run after a stop word or a mark."""
    label, is_label = say.cue_of(word), say.label_of(word) is not None
    return replace(
        hint,
        label=label or hint.label,
        is_labelled=is_label if label else hint.is_labelled,
        is_after_and=word in say.AND or (hint.is_after_and and word != "\t"),
        is_no_id=hint.is_no_id or say.plain(word) in say.NOT_IDS,
    )


def _with_kinds(mentions: Sequence[_Mention], words: Sequence[str]) -> list[_Mention]:
    """Return the mentions with the kind of each; None for a number that may be anything."""
    found = [replace(one, kind=_only_kind(one)) for one in mentions]
    both = [at for at, one in enumerate(found) if one.choices and one.kind is None]
    for at in both:  # a company that is known as supplier and as recipient
        taken = {one.kind for one in found}
        is_supplier = Kind.SUPPLIER not in taken and (Kind.RECIPIENT in taken or at != both[-1])
        order = [Kind.SUPPLIER, Kind.RECIPIENT] if is_supplier else [Kind.RECIPIENT, Kind.SUPPLIER]
        kinds = [kind for kind in (*order, Kind.ITEM) if kind in found[at].choices]
        found[at] = replace(found[at], kind=next((one for one in kinds if one not in taken), kinds[0]))
    for at, one in enumerate(found):
        beside = [found[other] for other in (at - 1, at + 1) if 0 <= other < len(found)]
        names = [other for other in beside if other.kind and not other.run.is_number]
        is_named = names and names[0].kind is not Kind.ITEM and not one.run.is_after_and
        if _is_open(one) and is_named and any(other.kind is Kind.ITEM for other in found):
            found[at] = replace(one, kind=names[0].kind)
    unknown = [at for at, one in enumerate(found) if _is_open(one)]
    missing = [kind for kind in Kind if kind not in {one.kind for one in found}]
    is_supplied = any(Kind.ITEM in one.choices for one in found) or len(unknown) < len(missing)
    missing = [kind for kind in missing if not (is_supplied and kind is Kind.SUPPLIER)]
    if len(unknown) > len(missing):
        unknown = [at for at in unknown if fits_check_digit(found[at].text.partition(":")[0])]
    if not unknown or len(unknown) != len(missing):
        return found
    filled = list(found)
    for at, kind in zip(unknown, missing, strict=True):
        filled[at] = replace(filled[at], kind=kind)
    first, last = (words.index(filled[at].text) for at in (unknown[0], unknown[-1]))
    is_bare = not any(say.is_stop(word) and word not in say.AND for word in words[first:last])
    is_in_order = is_bare and [one.kind for one in filled if one.kind] == list(Kind)
    return filled if len(unknown) == 1 or is_in_order else found


def _only_kind(mention: _Mention) -> Kind | None:
    """Return the kind that the directory, a label or the form of the number gives."""
    run = mention.run
    choices = [kind for kind in mention.choices if mention.is_sure or kind is not Kind.SUPPLIER]
    if run.label in choices or (run.label and run.is_number and not choices):
        return run.label
    if choices:
        return next(iter(choices)) if len(choices) == 1 else None
    has_form = run.is_number and (market_number(mention.text) or len(mention.text) == _ITEM_LENGTH)
    return Kind.ITEM if has_form and not run.is_no_id else None


def _is_open(mention: _Mention) -> bool:
    is_unknown = mention.run.is_number and not mention.choices and mention.kind is None
    return is_unknown and not mention.run.is_no_id and len(mention.text) >= _ID_LENGTH


def _merged(mentions: Sequence[_Mention]) -> list[_Mention]:
    """Return the mentions, a name and a number beside it as one. When they name different ids, in doubt."""
    found: list[_Mention] = []
    for one in mentions:
        both = _as_one(found[-1], one) if found else None
        found[-1:] = [both] if both else [*found[-1:], one]
    return found


def _as_one(first: _Mention, second: _Mention) -> _Mention | None:
    """Return two neighbours as one; None when each is a part of its own."""
    kind = first.kind
    if kind is None or second.kind is not kind:
        return None
    same = tuple(one for one in first.meant if one in second.meant)
    numbers = [one for one in (first, second) if one.run.is_number]
    is_beside = len(numbers) == 1 or (not numbers and not (first.is_sure and second.is_sure))
    if not (same and numbers) and (
        not is_beside or (second.run.is_after_and and not (same and not second.is_sure))
    ):
        return None
    text = f"{first.text} {second.text}"
    if same:
        text = next((one.text for one in numbers if market_number(one.text)), text)
    every = [choice for one in (first, second) for choice in one.meant or (Choice((one.text,)),)]
    return replace(
        first,
        text=text,
        choices={kind: same or tuple(dict.fromkeys(every))},
        is_sure=bool(same)
        and not (first.asked or second.asked)
        and (bool(numbers) or _are_whole(same, text)),
        run=replace(first.run, is_number=bool(numbers)),
    )


def _split_repetition(line: _Line) -> list[_Line]:
    """Return a line as several when its kinds repeat, as in rows that were pasted into one line."""
    of_ids = [at for at, one in enumerate(line.mentions) if one.kind]
    kinds = [line.mentions[at].kind for at in of_ids]
    for length in (2, 3):
        first, count = kinds[:length], len(kinds) // length
        is_pair = {Kind.ITEM, Kind.RECIPIENT} <= set(first) and len(set(first)) == length
        if count > 1 and is_pair and kinds == first * count:
            ends = pairwise([0, *of_ids[length::length], len(line.mentions)])
            return [replace(line, mentions=line.mentions[start:end], left=()) for start, end in ends]
    return [line]


def _items(mention: _Mention, suppliers: Sequence[str], markets: dict[str, str]) -> Iterator[Choice | Doubt]:
    """Yield the item in each market that the question names, or in each that is known; else a doubt."""
    choices, own = mention.meant, market_number(mention.text)
    if not choices:
        yield Choice((suppliers[0] if suppliers else "", mention.text))
        return
    ours = [one for one in choices if not suppliers or one.ids[0] in suppliers]
    wanted = {own: ""} if own else markets
    fitting = [one for one in ours if not wanted or _market(one) in wanted]
    several = len({(one.ids[0], trade_number(one.id).lstrip("0")) for one in fitting}) > 1
    others = [name for code, name in markets.items() if code != own]
    if not ours or not mention.is_sure or several or (own and others):
        text = " ".join([mention.asked or mention.text, *(others if ours else suppliers)])
        near = choices if own else fitting or ours or choices
        yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(near[:_OFFERED]))
        return
    yield from fitting
    for code in wanted.keys() - {_market(one) for one in fitting}:
        text = f"{mention.text} {wanted[code]}".strip()
        yield Doubt(kind=Kind.ITEM, text=text, choices=tuple(ours[:_OFFERED]))


def _recipient(mention: _Mention) -> Choice | Doubt:
    choices = mention.meant or (Choice((mention.text,)),)
    if mention.is_sure and len(choices) == 1:
        return choices[0]
    return Doubt(kind=Kind.RECIPIENT, text=mention.asked or mention.text, choices=choices[:_OFFERED])


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


def _joined_numbers(text: str) -> str:
    """Return the text without the spaces and dots inside numbers."""

    def join(match: re.Match[str]) -> str:
        digits = "".join(filter(str.isdigit, match[0]))
        is_other = any(say.plain(word) in say.NOT_IDS for word in text[: match.start()].split()[-1:])
        return digits if len(digits) in _JOINED and fits_check_digit(digits) and not is_other else match[0]

    return _SPACED.sub(join, text)
