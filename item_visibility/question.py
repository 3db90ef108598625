"""Reads what a customer sent: a line that holds a supplier, an item and a recipient.

Surer signs go first: a link of this dashboard, words that name what follows, what is known here,
the grammar of a sentence, the look of an item id, and last the order supplier, item, recipient.
What stays unclear stays open, so that the screen can ask: a guess would answer another question.
"""

from dataclasses import dataclass
from itertools import compress
from typing import Protocol

from item_visibility.api.identifiers import ItemKey
from item_visibility.hints import split_item_id
from item_visibility.question_words import IN_ORDER, Role, Token, read_link, read_tokens

_LONG_ENOUGH = 8
"""Shorter numbers in a sentence are ticket numbers, times and counts rather than ids."""


class KnownIds(Protocol):
    """Which ids are known here. Note N15."""

    def is_known_supplier(self, supplier: str) -> bool:
        """True when the supplier was used or imported here."""

    def is_known_item(self, item: ItemKey) -> bool:
        """True when the item was used or imported here."""

    def is_known_recipient(self, recipient_id: str) -> bool:
        """True when the recipient was used or imported here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What could be read from the line; None where it holds no such thing."""

    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None

    @property
    def item(self) -> ItemKey | None:
        """The item, when the question holds both of its parts."""
        if self.supplier is None or self.supplier_item_id is None:
            return None
        return ItemKey(self.supplier, self.supplier_item_id)

    @property
    def missing(self) -> tuple[str, ...]:
        """What is missing, in words: of "supplier", "item", "recipient"."""
        parts = {"supplier": self.supplier, "item": self.supplier_item_id, "recipient": self.recipient_id}
        return tuple(name for name, value in parts.items() if value is None)

    @property
    def missing_words(self) -> str:
        """What is missing, as one sentence; empty when the question is complete."""
        if not self.missing:
            return ""
        *most, last = (f"the {name}" for name in self.missing)
        listed = f"{', '.join(most)} and {last}" if most else last
        return f"The question does not say {listed}, or not clearly."


def read_question(text: str, *, known: KnownIds) -> Question:
    """Supplier, item and recipient, as far as the text holds them. Any text is read without an error."""
    link, rest = read_link(text)
    reader = _Reader(link, known)
    reader.read(read_tokens(rest, is_known=reader.is_known_alone))
    return Question(
        supplier=reader.found.get(Role.SUPPLIER),
        supplier_item_id=reader.found.get(Role.ITEM),
        recipient_id=reader.found.get(Role.RECIPIENT),
    )


class _Reader:
    """Gives each open role to a token, surest sign first."""

    def __init__(self, found: dict[Role, str], known: KnownIds) -> None:
        self.found = found
        self._known = known
        self._free: list[Token] = []

    def is_known_alone(self, identifier: str) -> bool:
        """True when the id is known as a supplier or as a recipient, without the help of the others."""
        return self._known.is_known_supplier(identifier) or self._known.is_known_recipient(identifier)

    def read(self, tokens: tuple[Token, ...]) -> None:
        """Find what is still open."""
        is_bare = len(tokens) == len(IN_ORDER) and not self.found and not any(one.label for one in tokens)
        for token in tokens:
            if token.label:
                self.found.setdefault(token.label, token.value)
        self._free = list(tokens) if is_bare else self._candidates(tokens)
        self._take_known()
        if len(self._free) > len(self._open_roles()):
            self._free = [token for token in self._free if len(token.value) >= _LONG_ENOUGH]
        in_order = tuple(zip(self._free, self._open_roles(), strict=False))
        self._take_only(Role.ITEM, [token for token in self._free if split_item_id(token.value)])
        for role in IN_ORDER:
            self._take_only(role, [token for token in self._free if token.cue is role])
        if not is_bare:
            self._free = [token for token in self._free if len(token.value) >= _LONG_ENOUGH]
        self._take_rest(in_order)

    def _open_roles(self) -> list[Role]:
        return [role for role in IN_ORDER if role not in self.found]

    def _candidates(self, tokens: tuple[Token, ...]) -> list[Token]:
        """What looks like an id in a sentence and has no role yet, each one once."""
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

    def _take_only(self, role: Role, tokens: list[Token]) -> None:
        """Give the role to the token that alone fits it."""
        if len(tokens) == 1 and role not in self.found:
            self.found[role] = tokens[0].value
            self._free.remove(tokens[0])

    def _take_rest(self, in_order: tuple[tuple[Token, Role], ...]) -> None:
        """The last one gets the last role; more than one go in order, if all others stand in order too."""
        open_roles = self._open_roles()
        if len(self._free) == len(open_roles) == 1:
            self.found[open_roles[0]] = self._free[0].value
        elif len(self._free) <= len(open_roles) and self._is_order_kept(in_order):
            self.found.update((role, token.value) for token, role in in_order if token in self._free)

    def _is_order_kept(self, in_order: tuple[tuple[Token, Role], ...]) -> bool:
        """True when every role that was given for a surer sign is the one that the order says."""
        return all(
            role not in self.found if token in self._free else self.found.get(role) == token.value
            for token, role in in_order
        )
