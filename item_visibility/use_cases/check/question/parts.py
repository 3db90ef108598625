"""A question about one recipient and one item, part by part: as it was read, and as a person corrects it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.find_by_name import Choice


class QuestionRole(StrEnum):
    """The role of an id in a question; the value is its query parameter in a link."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"


IN_ORDER = (QuestionRole.SUPPLIER, QuestionRole.ITEM, QuestionRole.RECIPIENT)
"""The order of a bare line."""
KINDS = {
    QuestionRole.SUPPLIER: Kind.SUPPLIER,
    QuestionRole.ITEM: Kind.ITEM,
    QuestionRole.RECIPIENT: Kind.RECIPIENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A part of a question whose text may mean several known ids, or one that is spelled otherwise."""

    role: QuestionRole
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The parts read from the line; None for a part that it does not hold.

    `markets` are the numbers of the markets it names. `left_over` are unused texts that look like ids.
    `doubts` are the parts about which the person is asked.
    """

    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None
    markets: frozenset[str] = frozenset()
    left_over: tuple[str, ...] = ()
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
        return tuple(role.value for role in IN_ORDER if self.part(role) is None)

    @property
    def missing_words(self) -> str:
        """The missing parts as one sentence; empty when the question is complete."""
        if not self.missing:
            return ""
        *most, last = (f"the {name}" for name in self.missing)
        listed = f"{', '.join(most)} and {last}" if most else last
        return f"The question does not say {listed}, or not clearly."

    def part(self, role: QuestionRole) -> str | None:
        """Return one part; None when the question does not hold it."""
        parts = (self.supplier, self.supplier_item_id, self.recipient_id)
        return parts[IN_ORDER.index(role)]


def with_part(question: Question, role: QuestionRole, value: str | None) -> Question:
    """Return the question with another id for one part; its doubts are settled."""
    doubts = tuple(one for one in question.doubts if one.role is not role)
    changed = replace(question, doubts=doubts)
    if role is QuestionRole.SUPPLIER:
        return replace(changed, supplier=value)
    if role is QuestionRole.RECIPIENT:
        return replace(changed, recipient_id=value)
    return replace(changed, supplier_item_id=value)


def choose(question: Question, role: QuestionRole, choice: Choice) -> Question:
    """Return the question with the id chosen for one part; an item brings its supplier and market."""
    if role is not QuestionRole.ITEM:
        return with_part(question, role, choice.id)
    with_supplier = with_part(question, QuestionRole.SUPPLIER, choice.ids[0])
    return replace(with_part(with_supplier, role, choice.id), markets=frozenset())


def reordered(question: Question) -> Iterator[Question]:
    """Yield the question with its parts in each other order, first with supplier and recipient exchanged."""
    supplier, own_id, recipient_id = map(question.part, IN_ORDER)
    for order in (
        (recipient_id, own_id, supplier),
        (own_id, supplier, recipient_id),
        (supplier, recipient_id, own_id),
        (own_id, recipient_id, supplier),
        (recipient_id, supplier, own_id),
    ):
        turned = question
        for role, value in zip(IN_ORDER, order, strict=True):
            turned = with_part(turned, role, value)
        yield turned


def swapped(question: Question) -> Question:
    """Return the question with supplier and recipient changed for each other."""
    turned = with_part(question, QuestionRole.SUPPLIER, question.recipient_id)
    return with_part(turned, QuestionRole.RECIPIENT, question.supplier)
