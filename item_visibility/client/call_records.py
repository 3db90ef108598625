"""The record of each request and its answer: for observers, for the log, and to collect those of a use case.

    with collected() as exchanges:      # all requests of this thread within the block
        desk.read(item)
    tuple(exchanges)                    # the last records, in the order in which they ended

A thread that is started within the block takes part when it runs in a copy of the context
(`contextvars.copy_context().run`). No record contains a header, a token, a secret, or anything of the body of
a token answer.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from item_visibility.client.answers import meaning_of
from item_visibility.errors import ProblemDetail

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # otherwise Python writes warnings to the terminal of any program

MOST_COLLECTED = 40
"""The number of requests kept of one use case, the last ones: a job makes 100,000 of them."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        status: the HTTP status; None when there was no answer.
        failure: the reason in words when there was no usable answer; otherwise empty.
        has_content: True when the answer's body had any content.
        path: the path as it was sent, percent-encoded, without the host.
        problem: the service's own words, when its answer was an error. None for the token endpoint, whose
            words may repeat what was sent.
        attempt: which attempt of its call it was, from 1.
        is_renewed: True for a 401 after which the request is sent again with a new token.
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
    sent_at: datetime = field(kw_only=True)


Observer = Callable[[CallRecord], None]
"""Called in the thread of the call, after each request. Must be quick and must not raise."""


def ignore(*_: object) -> None:
    """Do nothing: the default of a callback."""


_collecting: ContextVar[tuple[deque[CallRecord], ...]] = ContextVar("collecting", default=())


@contextmanager
def collected() -> Iterator[deque[CallRecord]]:
    """Collect the last requests that this thread makes within the block. Blocks may be nested."""
    mine: deque[CallRecord] = deque(maxlen=MOST_COLLECTED)
    before = _collecting.set((*_collecting.get(), mine))
    try:
        yield mine
    finally:
        _collecting.reset(before)


def observe(call: CallRecord, observer: Observer) -> None:
    """Pass a record on: to the observer, those who collect, and the log.

    Failures are logged as warnings, changes as info and reads as debug.
    """
    observer(call)
    for one in _collecting.get():
        one.append(call)
    is_success = call.status is not None and call.status < 300  # noqa: PLR2004  (a redirect is a fault)
    is_fault = call.status is None or (not is_success and meaning_of(call.status).is_fault)
    level = logging.WARNING if is_fault else logging.DEBUG if call.method == "GET" else logging.INFO
    level = logging.DEBUG if call.is_renewed else level
    if logger.isEnabledFor(level):
        logger.log(
            level,
            "%s: %s",
            call.operation,
            call.failure or call.status,
            extra={"request_id": call.request_id, "took_ms": round(call.took_s * 1000)},
        )
