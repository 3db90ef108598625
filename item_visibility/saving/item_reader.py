"""Reads one item, and stores the list that was read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.database_errors import or_else
from item_visibility.storage.service_records import ServiceRecords


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads items, and stores the lists.

    While our own database cannot be used, nothing is stored.
    """

    service: VisibilityClient
    records: ServiceRecords
    clock: Callable[[], datetime]

    def read(self, item: ItemKey) -> ReadItem:
        """Read and store the list of an item.

        Raises IdentifierError, TokenError and CallError.
        """
        read = self.fetch(item)
        self.store([read])
        return read

    def fetch(self, item: ItemKey) -> ReadItem:
        """Read the list as `read` does, but store nothing."""
        asked_at = self.clock()
        recipients = self.service.get_visibilities(item)
        return ReadItem(
            item=item, recipients=recipients, asked_at=asked_at, read_at=self.clock()
        )

    def store(self, reads: Sequence[ReadItem]) -> None:
        """Store the lists that were read.

        Their items and recipients become known.
        """
        or_else(None, lambda: self.records.seen.record_reads(reads))
        items = [read.item for read in reads if read.recipients]
        recipients = frozenset[str]().union(*(read.listed for read in reads))
        or_else(None, lambda: self.records.directory.remember(items, recipients))
