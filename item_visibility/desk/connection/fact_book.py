"""Keeps what is learned of the service in our records, and writes only what is news. Thread-safe."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from item_visibility.api.observing import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.records.facts import ServiceFact

FRESH = timedelta(hours=1)
"""The same is written again only after this long: traffic shows it all the time."""

_BACK_AND_FORTH = timedelta(seconds=2)
"""A value that comes and goes, as of several servers that differ, or whose note is another each time, is
written no more often than this."""


class FactBook:
    """Keeps facts with `put`. A fact that our own database cannot take is kept when it is seen again."""

    def __init__(self, put: Callable[[ServiceFact], None]) -> None:
        self._put = put
        self._lock = threading.Lock()
        self._newest: dict[str, tuple[str, str]] = {}
        self._kept: dict[tuple[str, str], datetime] = {}

    def note(self, fact: str, value: str, call: CallRecord, note: str) -> None:
        """Keep that this call showed this value of the fact; `note` says more about it."""
        with self._lock:
            if not self._is_news(fact, value, call, note):
                return
            self._newest[fact] = value, note
            self._kept[fact, value] = call.sent_at
        seen = ServiceFact(
            fact=fact,
            value=value,
            note=note,
            operation=call.operation,
            request_id=call.request_id,
            observed_at=call.sent_at,
        )
        try:
            self._put(seen)
        except RecordsError:
            with self._lock:
                self._kept.pop((fact, value), None)

    def _is_news(self, fact: str, value: str, call: CallRecord, note: str) -> bool:
        kept_at = self._kept.get((fact, value))
        is_newest = self._newest.get(fact) == (value, note)
        return kept_at is None or call.sent_at - kept_at >= (FRESH if is_newest else _BACK_AND_FORTH)
