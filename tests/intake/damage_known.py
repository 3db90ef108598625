"""Known ids without a database."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """Knows these ids."""

    of_suppliers: tuple[str, ...] = ()
    of_items: tuple[str, ...] = ()
    of_recipients: tuple[str, ...] = ()

    def suppliers(self) -> Iterable[str]:
        """Every known supplier."""
        return self.of_suppliers

    def items(self) -> Iterable[str]:
        """The own ids of every known item."""
        return self.of_items

    def recipients(self) -> Iterable[str]:
        """Every known recipient."""
        return self.of_recipients


NOTHING_KNOWN = Known()
