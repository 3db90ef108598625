"""The progress of a scan: the values that every process and every window sees alike."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ScanState(StrEnum):
    """The state of a scan. Only one that is RUNNING or WAITING reads items."""

    RUNNING = "running"
    WAITING = "waiting for the service"
    ENDED = "ended"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """Its process ended, or our own database could not be used."""


UNDER_WAY = frozenset({ScanState.RUNNING, ScanState.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The last scan of a supplier's known items, or of all known items.

    `checked` of the `total` items were read since `begun_at`; `failed` could not be read, for a reason of
    their own. While the scan is WAITING, `message` says why, and `next_try_at` when it tries again.
    """

    state: ScanState
    begun_at: datetime
    person: str = ""
    total: int = 0
    checked: int = 0
    failed: int = 0
    message: str = ""
    next_try_at: datetime | None = None

    @property
    def is_under_way(self) -> bool:
        """True while items are read."""
        return self.state in UNDER_WAY

    @property
    def unread(self) -> int:
        """The number of items that were not reached."""
        return max(0, self.total - self.checked - self.failed)

    @property
    def is_resumable(self) -> bool:
        """True when it stopped before it was through, or some items could not be read."""
        return not self.is_under_way and bool(self.unread or self.failed)
