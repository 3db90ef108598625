"""Scans of a fake service, with records of their own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.throttle import Throttle
from item_visibility.scans.items_to_read import ItemsToRead
from item_visibility.scans.people_first import PeopleFirst
from item_visibility.scans.scan_reader import ScanReader
from item_visibility.scans.scan_runs import ScanRuns
from item_visibility.storage.database import open_records
from item_visibility.storage.history.sightings import Sighting
from item_visibility.storage.scans.scan_state import Scan
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.item_reader import ItemReader
from tests.support.chosen_database import records_url
from tests.support.databases import empty_records
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeVisibilities

SUPPLIER = "S"


def key_of(number: int) -> ItemKey:
    """One of the supplier's items."""
    return ItemKey(SUPPLIER, str(number))


def service(count: int) -> FakeVisibilities:
    """A service where "A" can see all items of the supplier, and nobody those with an odd number."""
    return FakeVisibilities({key_of(number): "A" if number % 2 == 0 else "" for number in range(count)})


@dataclass(frozen=True, slots=True)
class ScanKit:
    """The scans of one process."""

    runs: ScanRuns
    records: ServiceRecords

    def now(self) -> Scan:
        """The last scan of the supplier."""
        scan = self.runs.progress(SUPPLIER)
        assert scan is not None
        return scan

    def ended(self) -> Scan:
        """The scan of the supplier, after it has ended."""
        wait_until(lambda: not self.now().is_under_way)
        return self.now()

    def note_read(self, item: ItemKey, *, at: datetime) -> None:
        """Record that "A" was seen on the item then, without a read."""
        seen = Sighting(item=item, recipients=frozenset("A"), asked_at=at, seen_at=at)
        self.records.history.note_every_read([seen])

    def seen(self) -> dict[str, bool | None]:
        """Say whether "A" can see each item, by their own ids; None when it is not known."""
        return {
            one.item.supplier_item_id: None if one.recipients is None else "A" in one.recipients
            for one in self.records.seen.all(SUPPLIER)
        }


@contextmanager
def open_scans(
    folder: Path,
    fake: FakeVisibilities,
    *,
    known: int = 0,
    at_once: int = 8,
    pause: Callable[[ItemsToRead, float], None] = ItemsToRead.pause,
) -> Iterator[ScanKit]:
    """Open the scans of one process; using a folder again is another process on the same records."""
    with ExitStack() as closing:
        database = open_records(records_url(folder / "records.sqlite", empty_records))
        closing.callback(database.close)
        records = ServiceRecords(database, service="default", environment="default")
        records.directory.remember([key_of(number) for number in range(known)])
        reader = ScanReader(
            records.scans,
            fake,
            keep=ItemReader(fake, records, clock=fake.time.now).keep_scanned,
            throttle=Throttle(at_once),
            people=PeopleFirst(),
            clock=fake.time.now,
            pause=pause,
        )
        runs = ScanRuns(records.scans, reader, clock=fake.time.now)
        closing.callback(runs.close)
        yield ScanKit(runs, records)
