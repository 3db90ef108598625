"""A list of recipients: as it was just read, and as it was last seen. Note N4."""

from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.identifiers import ItemKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """A list that was read.

    `recipients` is None when nothing is recorded for the item. Note N4. `asked_at` is
    the time of the request, and `read_at` the time of the answer.
    """

    item: ItemKey
    recipients: frozenset[str] | None
    asked_at: datetime
    read_at: datetime

    @property
    def listed(self) -> frozenset[str]:
        """The recipients, or an empty set when nothing is recorded."""
        return self.recipients or frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenItem:
    """An item with its name and its list last seen.

    `recipients` and `seen_at` are None without a list. `unsure` are the recipients
    whose last change has an unknown outcome. `failure` is the reason why a later read
    failed.
    """

    item: ItemKey
    name: str = ""
    market: str = ""
    recipients: frozenset[str] | None
    seen_at: datetime | None
    unsure: frozenset[str] = frozenset()
    failure: str = ""
