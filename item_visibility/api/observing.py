"""What an observer is told of every request: enough for timings and a log, nothing that is secret."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.api.identifiers import ItemKey


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request and its answer.

    Attributes:
        operation: the operationId, or `requestToken` for a request to the token endpoint.
        item: which item; None for a token request.
        recipient_id: which recipient, where the operation names one.
        attempt: which attempt of its call this was, from 1.
        status: the HTTP status; None when there was no answer.
        has_content: True when the answer's body held anything.
        failure: why there was no answer, in words; empty when there was one.
        duration_s: how long it took, a wait for a token included.
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
