"""Learns what the service does where the specification is silent, from what is asked anyway.

Some facts show in each call alone (`observe`). The others need two calls on one item: a change, and the read
or the change that follows. Others' changes meanwhile could deceive, so only calls close together count.
Notes N3, N4, N5, N8, N10, N11.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus

from item_visibility.api.answers import Success
from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import ADD_VISIBILITY, GET_VISIBILITIES, REQUEST_TOKEN
from item_visibility.api.requests import Request
from item_visibility.api.statuses import FROM_SERVER_ERRORS
from item_visibility.desk.connection import fact_words as words
from item_visibility.desk.connection.fact_words import OpenPoint, status_fact
from item_visibility.timings_and_retries import READ_LAG, SHOWN_AT_ONCE

logger = logging.getLogger(__name__)

_SOME, _MANY = 2, 5
"""A list of two may hold one twice; from five on a list is not in ascending order by chance."""

_MOST_ITEMS, _MOST_RECIPIENTS, _MOST_CHANGES = 100, 5_000, 500
"""The limits of what is remembered: the items of late, but not very long lists."""

_GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_TELLING = _GONE | {HTTPStatus.NO_CONTENT, HTTPStatus.CONFLICT}

Note = Callable[[str, str, CallRecord, str], None]
"""Keeps a fact: its name, the value that was seen, the call that showed it, and a note."""

_Found = tuple[str, str, CallRecord, str]


@dataclass(slots=True)
class _Change:
    """The last change of one recipient, and how long after it a read still did not show it."""

    is_in: bool
    call: CallRecord
    missed: timedelta | None = None

    @property
    def was_accepted(self) -> bool:
        return self.call.status == HTTPStatus.NO_CONTENT

    @property
    def ended_at(self) -> datetime:
        return _end_of(self.call)


@dataclass(slots=True)
class _Known:
    """The list of an item as read last, what was changed since, and the list that was set."""

    seen: frozenset[str] | None = None
    seen_at: datetime | None = None
    changes: dict[str, _Change] = field(default_factory=dict)
    set_to: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    omitted: frozenset[str] = frozenset()

    def seen_before(self, call: CallRecord) -> frozenset[str] | None:
        """Return the list as read just before this call; None when there is no such read."""
        is_close = self.seen_at is not None and call.sent_at - self.seen_at <= READ_LAG
        return self.seen if is_close else None

    def forget(self) -> None:
        """Forget everything: the outcome of a change is not known."""
        self.seen, self.omitted = None, frozenset()
        self.changes.clear()


class Learner:
    """Learns from all clients of one service. Thread-safe; `note` keeps what was learned."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._lock = threading.Lock()
        self._items: OrderedDict[ItemKey, _Known] = OrderedDict()

    def observe(self, call: CallRecord) -> None:
        """Learn what one call alone shows."""
        if call.status is None:
            return
        self._note(status_fact(call.operation, call.status), str(call.status), call, "")
        if call.operation == REQUEST_TOKEN.name and call.status == HTTPStatus.OK and not call.failure:
            is_said = call.expires_in is not None
            note = f"{call.expires_in:.0f} s" if call.expires_in is not None else ""
            self._note(OpenPoint.TOKEN, words.SAID if is_said else words.NOT_SAID, call, note)
        if call.operation == GET_VISIBILITIES.name:
            self._tell(_from_list(call))

    def ended(self, request: Request, sent: Sequence[CallRecord], success: Success | None) -> None:
        """Learn from a call that has ended; a fault in that must not harm the call.

        `sent` has a record of each time that it was sent.
        """
        try:
            if request.item is not None:
                self._learn(request, request.item, sent, success)
        except Exception:
            logger.exception("A call could not be learned from")

    def _learn(
        self, request: Request, item: ItemKey, sent: Sequence[CallRecord], success: Success | None
    ) -> None:
        if request.operation.is_read:
            if success is not None:
                self.read(item, success.recipients or frozenset(), sent[-1])
        elif sent and request.recipient_id is not None:
            self.changed(item, request.recipient_id, sent, is_in=request.operation is ADD_VISIBILITY)
        elif sent and request.recipients is not None:
            self.list_was_set(item, request.recipients, sent)
        else:
            self.forget(item)

    def read(self, item: ItemKey, recipients: frozenset[str], call: CallRecord) -> None:
        """Learn from a read that came back."""
        with self._lock:
            known = self._known(item)
            is_awaited = known.changes or known.omitted
            found = list(_from_read(known, recipients, call)) if is_awaited else []
            known.seen = recipients if len(recipients) <= _MOST_RECIPIENTS else None
            known.seen_at = call.sent_at
        self._tell(found)

    def changed(self, item: ItemKey, recipient_id: str, calls: Sequence[CallRecord], *, is_in: bool) -> None:
        """Learn from the requests of one change of one recipient; `is_in` says what was wanted."""
        last = calls[-1]
        is_retried = any(_is_ambiguous(call) for call in calls[:-1])
        with self._lock:
            known = self._known(item)
            known.omitted = frozenset()
            if last.status not in _TELLING or len(known.changes) >= _MOST_CHANGES:
                known.forget()
                return
            was_in = _was_in(known, recipient_id, last)
            is_gone = not is_in and last.status in _GONE
            if is_retried and not is_gone:
                known.forget()
                return
            known.changes[recipient_id] = _Change(is_in, last)
        if was_in is is_in or (is_retried and is_gone):
            fact = OpenPoint.ADD_PRESENT if is_in else OpenPoint.REMOVE_MISSING
            self._note(fact, str(last.status), last, "")

    def list_was_set(self, item: ItemKey, wanted: frozenset[str], calls: Sequence[CallRecord]) -> None:
        """Learn from the requests of one setVisibilities."""
        with self._lock:
            known = self._known(item)
            before = known.seen_before(calls[0]) if not known.changes else None
            known.forget()
            if before is not None and [call.status for call in calls] == [HTTPStatus.NO_CONTENT]:
                known.set_to, known.added, known.omitted = wanted, wanted - before, before - wanted

    def forget(self, item: ItemKey) -> None:
        """Forget an item of which everything was removed."""
        with self._lock:
            self._known(item).forget()

    def _known(self, item: ItemKey) -> _Known:
        known = self._items.pop(item, None) or _Known()
        self._items[item] = known
        if len(self._items) > _MOST_ITEMS:
            self._items.popitem(last=False)
        return known

    def _tell(self, found: Iterable[_Found]) -> None:
        for one in found:
            self._note(*one)


def _from_list(call: CallRecord) -> Iterator[_Found]:
    shape = call.shape
    if shape is None:
        if call.status == HTTPStatus.NOT_FOUND and not call.has_content:
            yield OpenPoint.EMPTY, words.NOT_FOUND, call, ""
        return
    if not shape.count:
        yield OpenPoint.EMPTY, words.EMPTY_LIST, call, ""
    if shape.count >= _SOME:
        yield OpenPoint.DUPLICATES, words.TWICE if shape.has_duplicates else words.ONCE, call, ""
    if shape.count >= _MANY and shape.is_sorted is not None:
        yield OpenPoint.ORDER, words.SORTED if shape.is_sorted else words.NOT_SORTED, call, ""


def _from_read(known: _Known, recipients: frozenset[str], call: CallRecord) -> Iterator[_Found]:
    """Say what the read shows of the changes before it. Those shown or refused are over."""
    began_after = {
        recipient_id: change
        for recipient_id, change in known.changes.items()
        if call.sent_at >= change.ended_at
    }
    yield from _from_refusals(began_after, recipients, call)
    accepted = {key: change for key, change in began_after.items() if change.was_accepted}
    shown = [key for key, change in accepted.items() if (key in recipients) is change.is_in]
    yield from _lag(accepted, shown, call)
    for change in accepted.values():
        change.missed = call.sent_at - change.ended_at
    for key in began_after.keys() - (accepted.keys() - set(shown)):
        del known.changes[key]
    yield from _from_set(known, recipients, call)


def _from_refusals(
    changes: dict[str, _Change], recipients: frozenset[str], call: CallRecord
) -> Iterator[_Found]:
    """A removal that was not found, and is not in the list just after it, was of one that was not there."""
    for recipient_id, change in changes.items():
        is_removal = not change.is_in and change.call.status in _GONE
        if is_removal and recipient_id not in recipients and call.sent_at - change.ended_at <= READ_LAG:
            yield OpenPoint.REMOVE_MISSING, str(change.call.status), change.call, ""


def _lag(accepted: dict[str, _Change], shown: list[str], call: CallRecord) -> Iterator[_Found]:
    missed = [missed for key in shown if (missed := accepted[key].missed) is not None]
    if missed:
        yield OpenPoint.LAG, words.LATE, call, f"still {max(missed).total_seconds():.1f} s after it"
    elif accepted and len(shown) == len(accepted):
        newest = max(change.ended_at for change in accepted.values())
        if call.sent_at - newest <= SHOWN_AT_ONCE:
            yield OpenPoint.LAG, words.AT_ONCE, call, ""


def _from_set(known: _Known, recipients: frozenset[str], call: CallRecord) -> Iterator[_Found]:
    """Compare the read with the list that was set; one that shows nothing of it yet says nothing."""
    if not known.omitted:
        return
    if not known.omitted & recipients and known.set_to <= recipients:
        yield OpenPoint.SET, words.REPLACES, call, ""
    elif known.added and known.added <= recipients and known.omitted <= recipients:
        yield OpenPoint.SET, words.MERGES, call, ""
    else:
        return
    known.omitted = frozenset()


def _was_in(known: _Known, recipient_id: str, call: CallRecord) -> bool | None:
    """Return whether the recipient could see the item before this call; None when that is not known."""
    change = known.changes.get(recipient_id)
    if change is not None:
        is_close = call.sent_at - change.ended_at <= READ_LAG
        return change.is_in if change.was_accepted and is_close else None
    seen = known.seen_before(call)
    return None if seen is None else recipient_id in seen


def _is_ambiguous(call: CallRecord) -> bool:
    """True when the request may have been applied although it failed."""
    return not call.is_renewed and (call.status is None or call.status >= FROM_SERVER_ERRORS)


def _end_of(call: CallRecord) -> datetime:
    return call.sent_at + timedelta(seconds=call.took_s)
