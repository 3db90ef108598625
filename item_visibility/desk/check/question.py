"""Reads what a customer sent: a line that holds a supplier, an item and a recipient.

The surest signs are tried first: a dashboard link, labels, ids known here, the grammar of a sentence,
the form of an item id, and last the order supplier, item, recipient. What stays unclear is left open,
so that the screen can ask: a guess would answer another question. A market beside a number, or a name
instead of an id, is turned into an id only if exactly one is known here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress

from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.check.question_market import market_code, read_markets
from item_visibility.desk.check.question_words import (
    IN_ORDER,
    LONG_ENOUGH,
    Role,
    Token,
    read_link,
    read_tokens,
)
from item_visibility.desk.finder.find_by_name import Choice
from item_visibility.desk.known_names import KnownNames
from item_visibility.intake.trade_numbers import split_item_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A part of a question whose text may mean several known ids, or one that is spelled otherwise."""

    role: Role
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The parts read from the line; None for a part that it does not hold.

    `markets` are the numbers of the markets it names. `left_over` are unused texts that look like ids.
    `as_written` is the item as written, if it was joined with its market or found by its name.
    `doubts` are the parts about which the person is asked.
    """

    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None
    markets: frozenset[str] = frozenset()
    left_over: tuple[str, ...] = ()
    as_written: str = ""
    doubts: tuple[Doubt, ...] = ()

    @property
    def item(self) -> ItemKey | None:
        """The item, when the question holds both of its parts."""
        if self.supplier is None or self.supplier_item_id is None:
            return None
        return ItemKey(self.supplier, self.supplier_item_id)

    @property
    def missing(self) -> tuple[str, ...]:
        """The missing parts, in words: of "supplier", "item", "recipient"."""
        parts = {"supplier": self.supplier, "item": self.supplier_item_id, "recipient": self.recipient_id}
        return tuple(name for name, value in parts.items() if value is None)

    @property
    def missing_words(self) -> str:
        """The missing parts as one sentence; empty when the question is complete."""
        if not self.missing:
            return ""
        *most, last = (f"the {name}" for name in self.missing)
        listed = f"{', '.join(most)} and {last}" if most else last
        return f"The question does not say {listed}, or not clearly."


def read_question(text: str, *, known: KnownNames) -> Question:
    """Read supplier, item and recipient, as far as the text holds them. No text raises an error."""
    link, rest = read_link(text)
    reader = _Reader(link, known)
    markets, rest = read_markets(rest, is_known=reader.is_known_alone)
    reader.read(read_tokens(rest, is_known=reader.is_known_alone))
    found = reader.found
    supplier = _named(found.get(Role.SUPPLIER), known.is_known_supplier, known.supplier_named)
    written = found.get(Role.ITEM)
    item_id = joined_with_market(supplier, written, markets, known)
    return Question(
        supplier=supplier,
        supplier_item_id=item_id,
        recipient_id=_named(found.get(Role.RECIPIENT), known.is_known_recipient, known.recipient_named),
        markets=markets,
        left_over=reader.left_over,
        as_written="" if item_id == written else written or "",
    )


def market_of(supplier_item_id: str) -> str:
    """Return the market number at the end of an item id; empty if there is none."""
    parts = split_item_id(supplier_item_id)
    return market_code(parts.market) if parts else ""


def _named(identifier: str | None, is_known: Callable[[str], bool], find: Callable[[str], str]) -> str | None:
    """Return the id for a name. Known ids, numbers and unknown names are returned unchanged."""
    if identifier is None or is_known(identifier) or not any(char.isalpha() for char in identifier):
        return identifier
    return find(identifier) or identifier


def joined_with_market(
    supplier: str | None, written: str | None, markets: frozenset[str], known: KnownNames
) -> str | None:
    """Return the one known item of this number and market, or the item as written if there is none."""
    if supplier is None or written is None or known.is_known_item(ItemKey(supplier, written)):
        return written
    own = market_of(written)
    wanted = frozenset({own}) if own else markets
    ids = (item.supplier_item_id for item in known.items_with_number(written, supplier=supplier))
    fitting = [one for one in ids if market_of(one) in wanted]
    return fitting[0] if len(fitting) == len(wanted) == 1 else written


def is_known_alone(known: KnownNames, identifier: str) -> bool:
    """True when the id alone is known as a supplier or as a recipient."""
    return known.is_known_supplier(identifier) or known.is_known_recipient(identifier)


class _Reader:
    """Assigns tokens to open roles, surest sign first."""

    def __init__(self, found: dict[Role, str], known: KnownNames) -> None:
        self.found = found
        self._known = known
        self.is_known_alone = cache(partial(is_known_alone, known))
        self._free: list[Token] = []
        self.left_over: tuple[str, ...] = ()

    def read(self, tokens: tuple[Token, ...]) -> None:
        """Fill the open roles."""
        is_bare = len(tokens) == len(IN_ORDER) and not self.found and not any(one.label for one in tokens)
        for token in tokens:
            if token.label:
                self.found.setdefault(token.label, token.value)
        self._free = list(tokens) if is_bare else self._candidates(tokens)
        self._take_known()
        if len(self._free) > len(self._open_roles()):
            self._free = [token for token in self._free if len(token.value) >= LONG_ENOUGH]
        in_order = tuple(zip(self._free, self._open_roles(), strict=False))
        self._take_only(Role.ITEM, [token for token in self._free if split_item_id(token.value)])
        for role in IN_ORDER:
            self._take_only(role, [token for token in self._free if token.cue is role])
        if not is_bare:
            self._free = [token for token in self._free if len(token.value) >= LONG_ENOUGH]
            self._take_supplier_of_item()
        self._take_rest(in_order)
        left = (token.value for token in tokens if self._is_surely_an_id(token.value))
        self.left_over = tuple(dict.fromkeys(value for value in left if value not in self.found.values()))

    def _is_surely_an_id(self, value: str) -> bool:
        is_number = value.isdecimal() and len(value) >= LONG_ENOUGH
        return is_number or split_item_id(value) is not None or self.is_known_alone(value)

    def _open_roles(self) -> list[Role]:
        return [role for role in IN_ORDER if role not in self.found]

    def _candidates(self, tokens: tuple[Token, ...]) -> list[Token]:
        """Return the tokens that look like ids and have no role yet, each one once."""
        like = {token.value: token for token in reversed(tokens) if token.is_like_an_id and not token.label}
        return [token for token in reversed(like.values()) if token.value not in self.found.values()]

    def _take_known(self) -> None:
        suppliers = [token for token in self._free if self._known.is_known_supplier(token.value)]
        recipients = [token for token in self._free if self._known.is_known_recipient(token.value)]
        self._take_only(Role.SUPPLIER, [token for token in suppliers if token not in recipients])
        self._take_only(Role.RECIPIENT, [token for token in recipients if token not in suppliers])
        if supplier := self.found.get(Role.SUPPLIER):
            items = [ItemKey(supplier, token.value) for token in self._free]
            are_known = [self._known.is_known_item(item) for item in items]
            self._take_only(Role.ITEM, list(compress(self._free, are_known)))
        else:
            numbers = [token for token in self._free if self._known.items_with_number(token.value)]
            self._take_only(Role.ITEM, numbers)

    def _take_supplier_of_item(self) -> None:
        """Take the supplier of a known item, rather than a number that stands in the sentence by chance."""
        if Role.ITEM in self.found and Role.SUPPLIER not in self.found:
            suppliers = {item.supplier for item in self._known.items_with_number(self.found[Role.ITEM])}
            self.found |= {Role.SUPPLIER: suppliers.pop()} if len(suppliers) == 1 else {}

    def _take_only(self, role: Role, tokens: list[Token]) -> None:
        """Assign the role if exactly one token fits it."""
        if len(tokens) == 1 and role not in self.found:
            self.found[role] = tokens[0].value
            self._free.remove(tokens[0])

    def _take_rest(self, in_order: tuple[tuple[Token, Role], ...]) -> None:
        """Assign the last role to a single token. Assign several in order if all others are in order."""
        open_roles = self._open_roles()
        if len(self._free) == len(open_roles) == 1:
            self.found[open_roles[0]] = self._free[0].value
        elif len(self._free) <= len(open_roles) and self._is_order_kept(in_order):
            self.found.update((role, token.value) for token, role in in_order if token in self._free)

    def _is_order_kept(self, in_order: tuple[tuple[Token, Role], ...]) -> bool:
        """True when every role given for a surer sign matches the order."""
        return all(
            role not in self.found if token in self._free else self.found.get(role) == token.value
            for token, role in in_order
        )
