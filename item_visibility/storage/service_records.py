"""All our own records about one service."""

from item_visibility.model.job import JobKind
from item_visibility.storage.database import Database
from item_visibility.storage.directory import Directory
from item_visibility.storage.history import History
from item_visibility.storage.jobs import Jobs
from item_visibility.storage.recent_items import RecentItems
from item_visibility.storage.recipient_sets import RecipientSets


class ServiceRecords:
    """Our records about the service at this address, and an environment's jobs."""

    def __init__(self, database: Database, *, service: str, environment: str) -> None:
        self.check_reading = database.check_reading
        self.check_writing = database.check_writing
        self.history = History(database, service=service)
        self.directory = Directory(database, service=service)
        self.sets = RecipientSets(database, service=service)
        self.recents = RecentItems(database, service=service)
        self.seen = self.history.seen
        self.jobs = Jobs(database, service=service, environment=environment)
        self.scans = Jobs(
            database, service=service, environment=environment, kind=JobKind.SCAN
        )
