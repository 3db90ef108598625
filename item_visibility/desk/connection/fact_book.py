"""Keeps what is learned of the service in our records, and writes only what is news. Thread-safe."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from item_visibility.api.observing import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.records.facts import ServiceFact
from item_visibility.timings_and_retries import CHANGING_FACT_FRESH, FACT_FRESH

if TYPE_CHECKING:
    from datetime import datetime


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
        return kept_at is None or call.sent_at - kept_at >= (FACT_FRESH if is_newest else CHANGING_FACT_FRESH)
