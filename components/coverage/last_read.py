"""The age of the last read of an item, in the words of the map and of the table."""

from components.clock import time_of_day
from item_visibility.desk.coverage.matrix import FAILED_SINCE
from item_visibility.records.scans.seen_items import SeenItem


def last_read(item: SeenItem) -> str:
    """Return when the item was read last, and whether a later read failed."""
    if item.seen_at is None:
        return "never"
    time = time_of_day(item.seen_at)
    return f"{time}, {FAILED_SINCE}" if item.failure else time
