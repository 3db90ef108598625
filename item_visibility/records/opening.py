"""Opening our own records."""

from item_visibility.records.database import Database, open_database
from item_visibility.records.directory import Directory
from item_visibility.records.directory_rows import DirectoryRows, Kind
from item_visibility.records.drafts import Drafts
from item_visibility.records.facts import ServiceFacts
from item_visibility.records.history import History
from item_visibility.records.history_search import HistorySearch
from item_visibility.records.jobs import Jobs
from item_visibility.records.migration import migrate
from item_visibility.records.parks import Parks
from item_visibility.records.recents import RecentItems
from item_visibility.records.recipient_sets import RecipientSets
from item_visibility.records.upkeep import HistoryUpkeep


class Records:
    """One database of records, shared by all threads of the process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def history(self, *, environment: str, base_url: str) -> History:
        """The saves of this environment; new ones are recorded with the service's address."""
        return History(self._database, environment=environment, base_url=base_url)

    def history_search(self, *, environment: str) -> HistorySearch:
        """A look into the saves of this environment, with filters and pages."""
        return HistorySearch(self._database, environment=environment)

    def history_upkeep(self, *, environment: str) -> HistoryUpkeep:
        """Removes what is old from the saves of this environment."""
        return HistoryUpkeep(self._database, environment=environment)

    def directory(self, *, environment: str) -> Directory:
        """What is known of this environment's suppliers, items and recipients."""
        return Directory(self._database, environment=environment)

    def directory_rows(self, *, environment: str) -> dict[Kind, DirectoryRows]:
        """The same as tables, one a kind."""
        return {kind: DirectoryRows(self._database, environment=environment, kind=kind) for kind in Kind}

    def drafts(self, *, environment: str) -> Drafts:
        """What each person has staged and not saved in this environment."""
        return Drafts(self._database, environment=environment)

    def recipient_sets(self, *, environment: str) -> RecipientSets:
        """The named sets of recipients of this environment."""
        return RecipientSets(self._database, environment=environment)

    def parks(self, *, environment: str) -> Parks:
        """The items that were withdrawn in this environment, with whom they were taken away from."""
        return Parks(self._database, environment=environment)

    def recent_items(self, *, environment: str) -> RecentItems:
        """The items that each person used last in this environment."""
        return RecentItems(self._database, environment=environment)

    def service_facts(self, *, environment: str) -> ServiceFacts:
        """What was seen of this environment's service."""
        return ServiceFacts(self._database, environment=environment)

    def jobs(self, *, environment: str, base_url: str = "") -> Jobs:
        """The bulk jobs of this environment that were read from this service."""
        return Jobs(self._database, environment=environment, base_url=base_url)

    def close(self) -> None:
        """Close every connection."""
        self._database.close()


def open_records(database_url: str) -> Records:
    """The records in this database, which is made, or brought up to date, first.

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
