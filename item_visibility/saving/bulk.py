"""Changes to many items at once."""

from dataclasses import dataclass
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey


class BulkAction(StrEnum):
    """The action that a row asks for."""

    ADD = "add"
    REMOVE = "remove"
    SET = "set exactly"
    """The rows of the item together are its complete list of recipients."""
    WITHDRAW = "withdraw all"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """The changes to one item from all its rows.

    With `exactly`, all other recipients are removed, and `add` and `remove` are empty. An empty
    `exactly` withdraws the item from everybody. `rows` are the numbers of the rows in the file that name
    each recipient, in the order of their ids; when none is named, those of the item.
    """

    item: ItemKey
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    exactly: frozenset[str] | None = None
    rows: tuple[tuple[int, ...], ...] = ()

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The numbers of all its rows."""
        return tuple(sorted({number for numbers in self.rows for number in numbers}))

    @property
    def rows_by_recipient(self) -> dict[str, tuple[int, ...]]:
        """The numbers of the rows that name each recipient."""
        return dict(
            zip(sorted(self.add | self.remove | (self.exactly or frozenset())), self.rows, strict=False)
        )
