"""The table of end dates."""

from sqlalchemy import Date, Index, Table

from item_visibility.records.database.column_groups import DIGEST, ITEM, filled, keys, optional
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
