"""The record of each request and its answer: for observers, and for those who collect their own.

    with collected() as exchanges:      # everything that this thread asks within the block
        desk.read(item)
    exchanges.records                   # tuple[CallRecord, ...], in the order in which they ended

An `Observer` is given to a client (`on_call`) and told of every request of it. `collected` collects the
requests of one use case: a save, a read, an item of a job. It holds for the thread that opened the block; a
thread started within takes part when it runs in a copy of the context (`contextvars.copy_context().run`).
A token that several calls wait for is requested, and recorded, by one of them. No record holds a header, a
token, a secret, or anything of the body of a token answer.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from item_visibility.client.answers import FROM_SERVER_ERRORS, Answer, Failure, Success, meaning_of
from item_visibility.client.operations import Request
from item_visibility.client.token import Grant
from item_visibility.errors import NotAllowedError, ProblemDetail, UnexpectedAnswerError

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # a program that writes no log has nothing of it on its terminal

MOST_COLLECTED = 40
"""The number of requests kept of one use case, the last ones: a job makes 100,000 of them."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        status: the HTTP status; None when there was no answer.
        failure: the reason in words when there was no answer, or none that can be used; otherwise empty.
        has_content: True when the answer's body had any content.
        request_id: the id that the request carried.
        took_s: how long it took.
        method: the HTTP method.
        path: the path as it was sent, percent-encoded, without the host.
        problem: the service's own words, when its answer was an error. None for the token endpoint, whose
            words may repeat what was sent.
        attempt: which attempt of its call it was, from 1.
        is_renewed: True for a 401 after which a new token was asked for, to send the request again.
        sent_at: when it was sent, on our clock.
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
"""Called in the thread of the call, after each request. It must be quick and must not raise."""


class Collected:
    """The last requests of one use case. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: deque[CallRecord] = deque(maxlen=MOST_COLLECTED)

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """The last requests, in the order in which they ended."""
        with self._lock:
            return tuple(self._records)

    def add(self, record: CallRecord) -> None:
        """Keep one request."""
        with self._lock:
            self._records.append(record)


_collecting: ContextVar[tuple[Collected, ...]] = ContextVar("collecting", default=())


@contextmanager
def collected() -> Iterator[Collected]:
    """Collect the requests that this thread makes within the block; blocks may lie within each other."""
    mine = Collected()
    before = _collecting.set((*_collecting.get(), mine))
    try:
        yield mine
    finally:
        _collecting.reset(before)


def ignore(*_: object) -> None:
    """Do nothing: the default of a callback that nobody needs."""


def record(  # noqa: PLR0913  (facts by name)
    observer: Observer,
    now: Callable[[], datetime],
    request: Request,
    answer: Answer | Failure,
    outcome: Success | Failure | Grant | None = None,
    *,
    attempt: int = 1,
    is_renewed: bool = False,
) -> None:
    """Record one request that has just ended: for the observer, those who collect, and the log.

    `outcome` is the meaning of the answer, when it was read.
    """
    failed = answer if isinstance(answer, Failure) else outcome if isinstance(outcome, Failure) else None
    call = CallRecord(
        request.operation.name,
        None if isinstance(answer, Failure) else answer.status,
        failed.fact if failed is not None and _is_unusable(failed) else "",
        has_content=isinstance(answer, Answer) and answer.has_content,
        request_id=answer.request_id,
        took_s=answer.took_s,
        method=request.operation.method,
        path=request.path,
        problem=None if failed is None else failed.problem,
        attempt=attempt,
        is_renewed=is_renewed,
        sent_at=now() - timedelta(seconds=answer.took_s),
    )
    _log(call, is_read=request.operation.is_read)
    observer(call)
    for one in _collecting.get():
        one.add(call)


def _is_unusable(failed: Failure) -> bool:
    """True when there was no answer, or none that can be used. An error says by its status what it is."""
    return failed.answer is None or issubclass(failed.meaning.error, UnexpectedAnswerError)


def _log(call: CallRecord, *, is_read: bool) -> None:
    """Write faults as warnings, changes as information, and reads as details."""
    status = call.status or FROM_SERVER_ERRORS
    is_fault = status >= FROM_SERVER_ERRORS or meaning_of(status).error is NotAllowedError
    level = logging.WARNING if is_fault else logging.DEBUG if is_read else logging.INFO
    level = logging.DEBUG if call.is_renewed else level
    if logger.isEnabledFor(level):
        logger.log(
            level,
            "%s: %s",
            call.operation,
            call.failure or call.status,
            extra={"request_id": call.request_id, "took_ms": round(call.took_s * 1000)},
        )
