"""Values that describe the damage to an id from a spreadsheet."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from item_visibility.lists.damage.difference import difference_words


class DamageKind(StrEnum):
    """The kinds of damage, in a few words each."""

    NUMBER_CELL = "kept as a number"
    SCIENTIFIC = "shortened number"
    ZEROS_LOST = "lost zeros"
    DIGITS_CUT = "last digits lost"
    DECIMALS = "decimal places"
    THOUSANDS = "thousands separators"
    SIGN = "leading sign"
    PERCENT_OR_CURRENCY = "percent or currency"
    DATE_OR_TIME = "date or time"
    TRUTH = "true or false"
    ERROR_VALUE = "spreadsheet error"
    MISSING = "word for nothing"
    FORMULA = "formula"
    APOSTROPHE = "leading apostrophe"
    QUOTES = "quotation marks"
    LINE_BREAK = "line break"
    OUTER_SPACES = "spaces around it"
    ODD_SPACES = "unusual spaces"
    INVISIBLE = "invisible characters"
    OTHER_DIGITS = "unusual digits"
    LETTERS_FOR_DIGITS = "letters for digits"
    LOOK_ALIKE_LETTERS = "letters of another alphabet"
    LOOK_ALIKE = "looks like another id"
    DASHES = "unusual dashes"
    MISREAD = "wrong character set"
    ESCAPED = "escaped characters"
    TWO_WRITINGS = "one number, written in two ways"
    MARKET_MISSING = "with and without market"
    MARKET_IN_WORDS = "market in letters"
    NO_NUMBER = "no number that is known"


class IdRole(StrEnum):
    """The kinds of things that the ids of a column identify."""

    SUPPLIER = "supplier"
    ITEM = "item"
    MARKET = "market"
    RECIPIENT = "recipient"


class Damage(NamedTuple):
    """One damage of one id. `rest` is the id without the damage, or None when that is unknown.

    After a loss, digits may be gone. The rest of a text is then not a suggestion by itself.
    `is_whole` is True for a number cell whose digits are proven to be all there.
    """

    kind: DamageKind
    message: str
    rest: str | None
    is_loss: bool = False
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """An id that may be damaged: its row number as the person sees it, and its column, counted from 0.

    `value` is the cell, or the part of it that is one id. `suggestion` is an id that the directory knows,
    an id whose check digit fits, or the text without its hidden characters. It is None when there is none.
    A number cell that `is_whole` is read as text without asking. Its suggestion is its value.
    """

    row: int
    column: int
    kind: DamageKind
    value: str
    message: str
    suggestion: str | None
    is_whole: bool = False

    @property
    def change(self) -> str:
        """The change that is suggested, in words; empty without one."""
        return "" if self.suggestion is None else difference_words(self.value, self.suggestion)


class KnownIds(Protocol):
    """The ids that the directory knows. An unknown id is not wrong. Note N15.

    `find_damage` reads each of them at most once.
    """

    def suppliers(self) -> Iterable[str]:
        """Return every known supplier."""

    def items(self) -> Iterable[str]:
        """Return the supplier item id of every known item, for all suppliers."""

    def recipients(self) -> Iterable[str]:
        """Return every known recipient."""

    def called(self, role: IdRole, names: Collection[str]) -> Mapping[str, str]:
        """Return the id of each name that exactly one has."""
