"""Reads items, and keeps what each read showed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.fallback import or_else
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads items. They and their recipients become known, and changes made elsewhere go into the history.

    If our own database cannot be used, the reads go on without it.
    """

    service: VisibilityClient
    records: ServiceRecords
    clock: Callable[[], datetime]

    def read(self, item: ItemKey) -> ReadItem:
        """Read all recipients that can see the item.

        Raises IdentifierError before anything is sent, TokenError and CallError.
        """
        asked_at = self.clock()
        recipients = self.service.get_visibilities(item)
        read = ReadItem(item=item, recipients=recipients, asked_at=asked_at, read_at=self.clock())
        self.keep([read])
        return read

    def keep(self, reads: Sequence[ReadItem]) -> None:
        """Keep what these reads showed."""
        or_else(None, lambda: self.records.seen.note_reads(reads))
        self._remember([one.item for one in reads if one.recipients], reads)

    def keep_scanned(self, reads: Sequence[ReadItem]) -> None:
        """Keep the same, each item with the time of its read: its age is shown. Raises RecordsError."""
        self.records.seen.note_every_read(reads)
        self._remember((), reads)

    def _remember(self, items: Sequence[ItemKey], reads: Sequence[ReadItem]) -> None:
        recipients = {recipient_id for one in reads for recipient_id in one.recipients or ()}
        or_else(None, lambda: self.records.directory.remember(items, recipients))
