"""The tables of end dates, and of the decisions of reviews."""

from sqlalchemy import Column, Date, Index, Table

from item_visibility.changes.decision import KeepOrRemove
from item_visibility.records.database.column_groups import DIGEST, ITEM, filled, keys, one_of, optional
from item_visibility.records.database.tables import metadata
from item_visibility.records.database.types import ExactText, UtcTime

end_date = Table(
    "end_date",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest", "recipient_digest"),
    *keys(ExactText, "save_key"),
    *filled(ExactText, *ITEM, "recipient_id", "set_by", "set_by_key"),
    *filled(Date, "last_day"),
    *filled(UtcTime, "set_at"),
    *optional(UtcTime, "over_at"),
    Index("ix_end_date_due", "service", "last_day"),
    Index("ix_end_date_save", "service", "save_key"),
    comment="The last day of a visibility. With a save_key it waits until that save has added the recipient.",
)

review_decision = Table(
    "review_decision",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest", "recipient_digest"),
    *filled(ExactText, *ITEM, "recipient_id", "reason", "decided_by", "decided_by_key"),
    Column("choice", one_of(KeepOrRemove), nullable=False),
    *filled(UtcTime, "decided_at"),
    comment="Who keeps an item and who does not, as its last review says.",
)

next_review = Table(
    "next_review",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM, "set_by"),
    *filled(Date, "review_on"),
    *filled(UtcTime, "set_at"),
    Index("ix_next_review_due", "service", "review_on"),
    comment="The day from which an item is to be looked at again.",
)
