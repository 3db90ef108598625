"""Our own records: the history of saves, known names, recent items, facts about the service.

Start with `open_records`. Every row belongs to one service, by its address:
records of one service are not visible to another.
"""

from item_visibility.changes.journal import HistoryEntry
from item_visibility.records.directory.known import Directory, KnownItem, KnownRecipient, KnownSupplier
from item_visibility.records.directory.named_rows import DirectoryRows, Kind, NamedRow
from item_visibility.records.directory.recents import RecentItems
from item_visibility.records.directory.recipient_sets import RecipientSets, StoredSet
from item_visibility.records.facts import ServiceFact, ServiceFacts
from item_visibility.records.history.journal_rows import History
from item_visibility.records.history.search import HistoryFilter, HistoryLine, HistoryPage, HistorySearch
from item_visibility.records.history.sightings import Sighting
from item_visibility.records.jobs.job_store import Jobs
from item_visibility.records.jobs.preview_rows import ItemsShown, PreviewSummary
from item_visibility.records.opening import Records, open_records
from item_visibility.records.parked_items import ParkedItem, Parks
from item_visibility.records.stored_drafts import Drafts, StoredDraft

__all__ = [
    "Directory",
    "DirectoryRows",
    "Drafts",
    "History",
    "HistoryEntry",
    "HistoryFilter",
    "HistoryLine",
    "HistoryPage",
    "HistorySearch",
    "ItemsShown",
    "Jobs",
    "Kind",
    "KnownItem",
    "KnownRecipient",
    "KnownSupplier",
    "NamedRow",
    "ParkedItem",
    "Parks",
    "PreviewSummary",
    "RecentItems",
    "RecipientSets",
    "Records",
    "ServiceFact",
    "ServiceFacts",
    "Sighting",
    "StoredDraft",
    "StoredSet",
    "open_records",
]
