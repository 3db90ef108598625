"""The record of a request for an observer: enough for timings and a log, nothing secret."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.answers import Answer, Failure
from item_visibility.api.dates import read_date
from item_visibility.api.identifiers import ItemKey
from item_visibility.api.requests import Request

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        item: the item; None for a token request.
        recipient_id: the recipient, if the operation names one.
        attempt: the number of this attempt within its call, from 1.
        status: the HTTP status; None when there was no answer.
        has_content: True when the answer's body had any content.
        failure: the reason in words when there was no answer; otherwise empty.
        duration_s: the duration, including a wait for a token.
        server_date: the service's clock, from its Date header.
    """

    operation: str
    item: ItemKey | None
    recipient_id: str | None
    attempt: int
    status: int | None
    failure: str
    duration_s: float
    server_date: datetime | None
    has_content: bool = False


Observer = Callable[[CallRecord], None]
"""Called in the thread of the call, after each request. It must be quick and must not raise."""


def ignore(_record: CallRecord) -> None:
    """Observe nothing."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Tells the observer of each exchange. `clock` counts seconds."""

    clock: Callable[[], float]
    on_call: Observer

    def exchange(
        self, send: Callable[[Request], Answer | Failure], request: Request, *, attempt: int = 1
    ) -> Answer | Failure:
        """Send the request and tell of it; raise what `send` raises, of which there is nothing to tell."""
        started_s = self.clock()
        exchanged = send(request)
        duration_s = self.clock() - started_s
        answer = exchanged if isinstance(exchanged, Answer) else None
        record = CallRecord(
            operation=request.operation.name,
            item=request.item,
            recipient_id=request.recipient_id,
            attempt=attempt,
            status=answer.status if answer else None,
            failure=exchanged.fact if isinstance(exchanged, Failure) else "",
            duration_s=duration_s,
            server_date=read_date(answer.date) if answer else None,
            has_content=answer is not None and answer.has_content,
        )
        logger.debug("%s, attempt %d: %s", record.operation, attempt, record.failure or record.status)
        self.on_call(record)
        return exchanged
