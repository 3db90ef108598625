"""Records each request for the log, for an observer, and for `with collected()` blocks.

    with collected() as exchanges:
        client.get_visibilities(item)
    tuple(exchanges)

This collects the records of the requests that the thread makes in the block, in the
order in which the requests end.

Requests of another thread are collected only if that thread runs in a copy of this
context (`contextvars.copy_context().run`). A record never contains a header, a token, a
secret or text from an answer of the token endpoint.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus

from item_visibility.client.answers import meaning_of
from item_visibility.errors import NotAllowedError, ProblemDetail

logger = logging.getLogger(__name__)
# Otherwise Python would write warnings to the terminal of any program.
logger.addHandler(logging.NullHandler())

MOST_COLLECTED = 40
"""A block stores only its last 40 records, because a job can send 100,000 requests."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token
            endpoint.
        status: the HTTP status; None when there was no answer.
        failure: the reason for a missing or unusable answer; empty for a usable answer.
        has_content: True when the answer had a body.
        path: the percent-encoded path as it was sent, without the host.
        problem: the service's description of an error. None for the token endpoint,
            whose texts may contain the secret.
        attempt: the number of this attempt within its call, from 1.
        is_renewed: True for a 401 after which the request is sent again with a new
            token.
        clock_ahead_s: our clock minus the time in the answer; None when the answer has
            no time.
    """

    operation: str
    status: int | None
    failure: str = ""
    has_content: bool = False
    request_id: str = ""
    took_s: float = 0.0
    method: str = ""
    path: str = ""
    problem: ProblemDetail | None = None
    attempt: int = 1
    is_renewed: bool = False
    clock_ahead_s: float | None = None
    sent_at: datetime = field(kw_only=True)


Observer = Callable[[CallRecord], None]
"""Called after each request, in its thread. Must be quick and must not raise."""


def ignore(*_: object) -> None:
    """Do nothing. This is the default for callbacks."""


_collecting: ContextVar[tuple[deque[CallRecord], ...]] = ContextVar(
    "collecting", default=()
)


@contextmanager
def collected() -> Iterator[deque[CallRecord]]:
    """Collect the records of the requests that this thread makes in the block.

    Blocks may be nested.
    """
    mine: deque[CallRecord] = deque(maxlen=MOST_COLLECTED)
    before = _collecting.set((*_collecting.get(), mine))
    try:
        yield mine
    finally:
        _collecting.reset(before)


def observe(call: CallRecord, observer: Observer) -> None:
    """Pass a record to the observer, to the collecting blocks, and to the log.

    Failures are logged as warnings, changes as info and reads as debug.
    """
    observer(call)
    for records in _collecting.get():
        records.append(call)
    level = _log_level(call)
    if logger.isEnabledFor(level):
        logger.log(
            level,
            "%s: %s",
            call.operation,
            call.failure or call.status,
            extra={"request_id": call.request_id, "took_ms": round(call.took_s * 1000)},
        )


def _log_level(call: CallRecord) -> int:
    is_fault = call.status is None
    if call.status is not None and call.status >= HTTPStatus.MULTIPLE_CHOICES:
        meaning = meaning_of(call.status)  # a redirect has an unknown outcome
        is_fault = meaning.is_outcome_unknown or meaning.error is NotAllowedError

    if call.is_renewed:
        return logging.DEBUG
    if is_fault:
        return logging.WARNING
    return logging.DEBUG if call.method == "GET" else logging.INFO
