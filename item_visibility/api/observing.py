"""The record of a request for an observer: enough for timings and a log, nothing secret."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.identifiers import ItemKey


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


def nobody(_record: CallRecord) -> None:
    """Observe nothing."""
