"""The record of a request for an observer: enough for the state of the connection, nothing secret."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.dates import read_date
from item_visibility.api.operations import Operation
from item_visibility.api.statuses import FROM_SERVER_ERRORS

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # a program that writes no log has nothing of it on its terminal

_NOT_LET_IN = (401, 403)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        status: the HTTP status; None when there was no answer.
        failure: the reason in words when there was no answer; otherwise empty.
        server_date: the service's clock, from its Date header.
        has_content: True when the answer's body had any content.
        request_id: the id that the request carried.
        took_s: how long it took.
    """

    operation: str
    status: int | None
    failure: str = ""
    server_date: datetime | None = None
    has_content: bool = False
    request_id: str = ""
    took_s: float = 0.0


Observer = Callable[[CallRecord], None]
"""Called in the thread of the call, after each request. It must be quick and must not raise."""


def ignore(_record: CallRecord) -> None:
    """Observe nothing."""


def tell(observer: Observer, operation: Operation, exchanged: Answer | Failure) -> None:
    """Tell the observer, and the log, of one request."""
    request_id, took_s = exchanged.request_id, exchanged.took_s
    if isinstance(exchanged, Failure):
        record = CallRecord(operation.name, None, exchanged.fact, request_id=request_id, took_s=took_s)
    else:
        record = CallRecord(
            operation.name,
            exchanged.status,
            server_date=read_date(exchanged.date),
            has_content=exchanged.has_content,
            request_id=request_id,
            took_s=took_s,
        )
    logger.log(
        _level(operation, record),
        "%s: %s",
        record.operation,
        record.failure or record.status,
        extra={"request_id": request_id, "took_ms": round(took_s * 1000)},
    )
    observer(record)


def _level(operation: Operation, record: CallRecord) -> int:
    """Return the level in the log: faults warn, what was changed is told, what was read is a detail."""
    if record.status is None or record.status in _NOT_LET_IN or record.status >= FROM_SERVER_ERRORS:
        return logging.WARNING
    return logging.DEBUG if operation.is_read else logging.INFO
