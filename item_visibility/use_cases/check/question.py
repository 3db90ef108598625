"""One question: can this recipient see this item? Each part is an id, is missing, or is in doubt."""

from dataclasses import dataclass, replace
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.markets import market_code
from item_visibility.lists.numbers import split_item_id
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.known_names import Choice, KnownNames


class Language(StrEnum):
    """The languages of questions and of the words for the customer."""

    ENGLISH = "English"
    GERMAN = "Deutsch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A part of a question whose words do not say exactly one known id; the person is asked about it."""

    kind: Kind
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The parts of the question; None for a part that is missing or in doubt.

    `not_understood` are the words that the answer does not take into account.
    """

    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None
    doubts: tuple[Doubt, ...] = ()
    not_understood: tuple[str, ...] = ()
    language: Language = Language.ENGLISH

    @property
    def item(self) -> ItemKey | None:
        """The item, when the question has both of its parts."""
        if self.supplier is None or self.supplier_item_id is None:
            return None
        return ItemKey(self.supplier, self.supplier_item_id)

    @property
    def missing(self) -> tuple[Kind, ...]:
        """The parts that are missing. The supplier alone counts only when the item is there."""
        missing = tuple(kind for kind in Kind if self.part(kind) is None)
        return tuple(kind for kind in missing if kind is not Kind.SUPPLIER or Kind.ITEM not in missing)

    def part(self, kind: Kind) -> str | None:
        """Return one part; None when the question does not have it."""
        return dict(zip(Kind, (self.supplier, self.supplier_item_id, self.recipient_id), strict=True))[kind]

    @property
    def address(self) -> dict[str, str]:
        """The query parameters of a link to the question: an id, or the words of a part in doubt."""
        in_doubt = {one.kind: one.text for one in self.doubts}
        parts = {kind.value: self.part(kind) or in_doubt.get(kind) for kind in Kind}
        return {name: part for name, part in parts.items() if part}

    def with_part(self, kind: Kind, own_id: str) -> "Question":
        """Return the question with this id for one part. Its doubt is settled."""
        return replace(
            self,
            supplier=own_id if kind is Kind.SUPPLIER else self.supplier,
            supplier_item_id=own_id if kind is Kind.ITEM else self.supplier_item_id,
            recipient_id=own_id if kind is Kind.RECIPIENT else self.recipient_id,
            doubts=tuple(one for one in self.doubts if one.kind is not kind),
        )

    def with_choice(self, kind: Kind, choice: Choice) -> "Question":
        """Return the question with the choice for one part. A known item brings its supplier."""
        changed = self.with_part(kind, choice.id)
        return changed.with_part(Kind.SUPPLIER, choice.ids[0]) if kind is Kind.ITEM else changed

    def with_entry(self, kind: Kind, own_id: str, known: KnownNames) -> "Question":
        """Return the question with the id that a person entered. An item of one known supplier brings it."""
        changed = self.with_part(kind, own_id)
        suppliers = {one.supplier for one in known.items_with_id(own_id)} if kind is Kind.ITEM else set[str]()
        if len(suppliers) != 1 or self.supplier in suppliers:
            return changed
        return changed.with_part(Kind.SUPPLIER, suppliers.pop())


def market_number(supplier_item_id: str) -> str:
    """Return the market number at the end of an item id; empty if there is none."""
    parts = split_item_id(supplier_item_id)
    return market_code(parts.market) if parts else ""
