"""The opening of our own records."""

from item_visibility.records.directory.known import Directory
from item_visibility.records.directory.named_rows import DirectoryRows, Kind
from item_visibility.records.directory.recents import RecentItems
from item_visibility.records.directory.recipient_sets import RecipientSets
from item_visibility.records.facts import ServiceFacts
from item_visibility.records.ground.connecting import Database, open_database
from item_visibility.records.ground.migration import migrate
from item_visibility.records.history.journal_rows import History
from item_visibility.records.history.search import HistorySearch
from item_visibility.records.history.upkeep import HistoryUpkeep
from item_visibility.records.jobs.job_store import Jobs
from item_visibility.records.named_addresses import Addresses
from item_visibility.records.parked_items import Parks
from item_visibility.records.stored_drafts import Drafts


class Records:
    """One database of records, shared by all threads of the process.

    `service` is the address of the service in use, as `Environment.service` gives it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def history(self, *, service: str) -> History:
        """Return the saves at this service."""
        return History(self._database, service=service)

    def history_search(self, *, service: str) -> HistorySearch:
        """Return the search in the saves of this service, with filters and pages."""
        return HistorySearch(self._database, service=service)

    def history_upkeep(self, *, service: str) -> HistoryUpkeep:
        """Return the upkeep that removes old saves of this service."""
        return HistoryUpkeep(self._database, service=service)

    def directory(self, *, service: str) -> Directory:
        """Return the known suppliers, items and recipients of this service."""
        return Directory(self._database, service=service)

    def directory_rows(self, *, service: str) -> dict[Kind, DirectoryRows]:
        """Return the directory as tables, one for each kind."""
        return {kind: DirectoryRows(self._database, service=service, kind=kind) for kind in Kind}

    def drafts(self, *, service: str) -> Drafts:
        """Return the drafts that each person has staged and not saved at this service."""
        return Drafts(self._database, service=service)

    def recipient_sets(self, *, service: str) -> RecipientSets:
        """Return the named sets of recipients of this service."""
        return RecipientSets(self._database, service=service)

    def parks(self, *, service: str) -> Parks:
        """Return the items withdrawn at this service, with the recipients that they were taken from."""
        return Parks(self._database, service=service)

    def recent_items(self, *, service: str) -> RecentItems:
        """Return the items that each person used last at this service."""
        return RecentItems(self._database, service=service)

    def service_facts(self, *, service: str) -> ServiceFacts:
        """Return the observed facts about this service."""
        return ServiceFacts(self._database, service=service)

    def jobs(self, *, service: str, environment: str) -> Jobs:
        """Return the bulk jobs of this environment at this service."""
        return Jobs(self._database, service=service, environment=environment)

    def addresses(self) -> Addresses:
        """Return the service that each environment named last."""
        return Addresses(self._database)

    def check_queue(self) -> None:
        """Raise RecordsError when the work queue cannot be made or used."""
        self._database.check_queue()

    def close(self) -> None:
        """Close every connection."""
        self._database.close()


def open_records(database_url: str) -> Records:
    """Open the records in this database; first create it or bring it up to date.

    `database_url` is `sqlite:///path` or `postgresql://…`. Raises RecordsError when the database
    cannot be used, or was made by a newer version of this program.
    """
    database = open_database(database_url)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return Records(database)
