"""The tables of scans. Lists live in `seen_list`, whoever read them."""

from sqlalchemy import Column, Integer, Table

from item_visibility.storage.columns import (
    DIGEST,
    ExactText,
    UtcTime,
    filled,
    keys,
    metadata,
    one_of,
    optional,
)
from item_visibility.storage.scans.scan_state import ScanState

scan = Table(
    "scan",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "scope"),
    *filled(ExactText, "run", "person", "message", default=""),
    Column("state", one_of(ScanState), nullable=False),
    *filled(Integer, "total", "checked", "failed", default=0),
    *filled(UtcTime, "begun_at", "beat_at"),
    *optional(UtcTime, "next_try_at"),
    comment="The last scan of each supplier, and of all of them.",
)

failed_read = Table(
    "failed_read",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, "reason"),
    *filled(UtcTime, "failed_at"),
    comment="Why an item could not be read when a scan came to it last.",
)
