"""Reads supplier, item and recipient by number: a line, a mail, a row.

The surest signs are tried first: a dashboard link, labels, ids known here, the grammar of a sentence,
the form of an item id, and last the order supplier, item, recipient. Unclear parts are left open,
so that the screen can ask: a guess would answer another question.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import compress

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import split_item_id
from item_visibility.use_cases.check.question.parts import IN_ORDER, Question, QuestionRole, with_part
from item_visibility.use_cases.check.question.pieces import LONG_ENOUGH, Token, is_long_number
from item_visibility.use_cases.known_names import KnownNames


def market_of(supplier_item_id: str) -> str:
    """Return the market number at the end of an item id; empty if there is none."""
    parts = split_item_id(supplier_item_id)
    return market_code(parts.market) if parts else ""


def with_known_item(question: Question, known: KnownNames) -> Question:
    """Return the question with the one known item of its number: its supplier, and its market if it is named.

    With none, or more than one, the question stays as it is.
    """
    number, supplier = question.supplier_item_id, question.supplier
    if number is None or any(doubt.role is QuestionRole.SUPPLIER for doubt in question.doubts):
        return question
    if supplier is None:
        supplier = supplier_of(number, known)
        question = replace(question, supplier=supplier)
    if supplier is None or known.is_known_item(ItemKey(supplier, number)):
        return question
    own = market_of(number)
    wanted = frozenset({own}) if own else question.markets
    found = (item.supplier_item_id for item in known.items_with_number(number, supplier=supplier))
    fitting = [one for one in found if market_of(one) in wanted]
    is_one = len(fitting) == len(wanted) == 1
    return replace(question, supplier_item_id=fitting[0]) if is_one else question


def corrected(question: Question, role: QuestionRole, own_id: str, *, known: KnownNames) -> Question:
    """Return the question with the id that a person entered for one part; an item may bring its supplier."""
    if role is QuestionRole.ITEM:
        question = replace(question, markets=frozenset[str]())
    return with_known_item(with_part(question, role, own_id), known)


def supplier_of(number: str, known: KnownNames) -> str | None:
    """Return the one supplier that has known items of this number; None when there is none, or more."""
    suppliers = {item.supplier for item in known.items_with_number(number)}
    return suppliers.pop() if len(suppliers) == 1 else None


def read_numbers(
    tokens: tuple[Token, ...],
    known: KnownNames,
    *,
    linked: dict[QuestionRole, str],
    markets: frozenset[str],
    is_known: Callable[[str], bool],
) -> Question:
    """Return the question with the parts that are ids; its names are still to be read."""
    numbers = _Numbers(dict(linked), known)
    numbers.read(tokens)
    found = numbers.found
    left = (one.value for one in tokens if is_long_number(one.value) or is_known(one.value))
    question = Question(
        supplier=found.get(QuestionRole.SUPPLIER),
        supplier_item_id=found.get(QuestionRole.ITEM),
        recipient_id=found.get(QuestionRole.RECIPIENT),
        markets=markets,
        left_over=tuple(dict.fromkeys(value for value in left if value not in found.values())),
    )
    return with_known_item(question, known)


class _Numbers:
    """Assigns tokens to open roles, surest sign first."""

    def __init__(self, found: dict[QuestionRole, str], known: KnownNames) -> None:
        self.found = found
        self._known = known
        self._free: list[Token] = []

    def read(self, tokens: tuple[Token, ...]) -> None:
        """Fill the open roles."""
        is_hinted = bool(self.found) or any(token.role for token in tokens)
        is_bare = len(tokens) == len(IN_ORDER) and not is_hinted
        for token in sorted(tokens, key=lambda token: not is_long_number(token.value)):
            if token.role and token.is_labelled:
                self.found.setdefault(token.role, token.value)
        self._free = list(tokens) if is_bare else self._candidates(tokens)
        self._take_known()
        if len(self._free) > len(self._open_roles()):
            self._free = [token for token in self._free if len(token.value) >= LONG_ENOUGH]
        in_order = tuple(zip(self._free, self._open_roles(), strict=False))
        self._take_only(QuestionRole.ITEM, [token for token in self._free if split_item_id(token.value)])
        for role in IN_ORDER:
            self._take_only(role, [token for token in self._free if token.role is role])
        if not is_bare:
            self._free = [token for token in self._free if len(token.value) >= LONG_ENOUGH]
            self._take_supplier_of_item()
        self._take_rest(in_order)

    def _open_roles(self) -> list[QuestionRole]:
        return [role for role in IN_ORDER if role not in self.found]

    def _candidates(self, tokens: tuple[Token, ...]) -> list[Token]:
        """Return the tokens that look like ids and have no role yet, each one once."""
        like = {
            token.value: token for token in reversed(tokens) if token.is_like_an_id and not token.is_labelled
        }
        return [token for token in reversed(like.values()) if token.value not in self.found.values()]

    def _take_known(self) -> None:
        suppliers = [token for token in self._free if self._known.is_known_supplier(token.value)]
        recipients = [token for token in self._free if self._known.is_known_recipient(token.value)]
        self._take_only(QuestionRole.SUPPLIER, [token for token in suppliers if token not in recipients])
        self._take_only(QuestionRole.RECIPIENT, [token for token in recipients if token not in suppliers])
        if supplier := self.found.get(QuestionRole.SUPPLIER):
            items = [ItemKey(supplier, token.value) for token in self._free]
            are_known = [self._known.is_known_item(item) for item in items]
            self._take_only(QuestionRole.ITEM, list(compress(self._free, are_known)))
        else:
            numbers = [token for token in self._free if self._known.items_with_number(token.value)]
            self._take_only(QuestionRole.ITEM, numbers)

    def _take_supplier_of_item(self) -> None:
        """Take the supplier of a known item, rather than a number that stands in the sentence by chance."""
        if QuestionRole.ITEM in self.found and QuestionRole.SUPPLIER not in self.found:
            supplier = supplier_of(self.found[QuestionRole.ITEM], self._known)
            self.found |= {QuestionRole.SUPPLIER: supplier} if supplier else {}

    def _take_only(self, role: QuestionRole, tokens: list[Token]) -> None:
        """Assign the role if exactly one token fits it."""
        if len(tokens) == 1 and role not in self.found:
            self.found[role] = tokens[0].value
            self._free.remove(tokens[0])

    def _take_rest(self, in_order: tuple[tuple[Token, QuestionRole], ...]) -> None:
        """Assign the last role to a single token; several in order if all others are in order."""
        open_roles = self._open_roles()
        if len(self._free) == len(open_roles) == 1:
            self.found[open_roles[0]] = self._free[0].value
        elif len(in_order) > 1 and len(self._free) <= len(open_roles) and self._is_order_kept(in_order):
            self.found.update((role, token.value) for token, role in in_order if token in self._free)

    def _is_order_kept(self, in_order: tuple[tuple[Token, QuestionRole], ...]) -> bool:
        """True when every role given for a surer sign matches the order."""
        return all(
            role not in self.found if token in self._free else self.found.get(role) == token.value
            for token, role in in_order
        )
