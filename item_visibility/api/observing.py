"""The record of a request for an observer: enough for the state of the connection, nothing secret."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.dates import read_date
from item_visibility.api.operations import Operation

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        status: the HTTP status; None when there was no answer.
        failure: the reason in words when there was no answer; otherwise empty.
        server_date: the service's clock, from its Date header.
        has_content: True when the answer's body had any content.
    """

    operation: str
    status: int | None
    failure: str = ""
    server_date: datetime | None = None
    has_content: bool = False


Observer = Callable[[CallRecord], None]
"""Called in the thread of the call, after each request. It must be quick and must not raise."""


def ignore(_record: CallRecord) -> None:
    """Observe nothing."""


def tell(observer: Observer, operation: Operation, exchanged: Answer | Failure) -> None:
    """Tell the observer, and the log, of one request."""
    if isinstance(exchanged, Failure):
        record = CallRecord(operation.name, None, exchanged.fact)
    else:
        date = read_date(exchanged.date)
        record = CallRecord(
            operation.name, exchanged.status, server_date=date, has_content=exchanged.has_content
        )
    logger.debug("%s: %s", record.operation, record.failure or record.status)
    observer(record)
