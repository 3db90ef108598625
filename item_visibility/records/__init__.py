"""Our own records: the history of saves, known names, recent items, facts about the service.

`open_records` is the way in. Everything belongs to one service, by its address:
what was recorded at one is not there for another.
"""

from item_visibility.changes.journal import HistoryEntry
from item_visibility.records.directory import Directory, KnownItem, KnownRecipient, KnownSupplier
from item_visibility.records.directory_rows import DirectoryRows, Kind, NamedRow
from item_visibility.records.drafts import Drafts, StoredDraft
from item_visibility.records.facts import ServiceFact, ServiceFacts
from item_visibility.records.history import History
from item_visibility.records.history_search import HistoryFilter, HistoryLine, HistoryPage, HistorySearch
from item_visibility.records.job_previews import ItemsShown, PreviewSummary
from item_visibility.records.jobs import Jobs
from item_visibility.records.opening import Records, open_records
from item_visibility.records.parks import ParkedItem, Parks
from item_visibility.records.recents import RecentItems
from item_visibility.records.recipient_sets import RecipientSets, StoredSet
from item_visibility.records.seen import Sighting

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
