"""OpenTelemetry, where its extra is installed: each request to the service is a span."""

import importlib
from datetime import datetime, timedelta
from typing import Any

from item_visibility.api.observing import CallRecord, Observer, ignore
from item_visibility.api.statuses import FROM_SERVER_ERRORS


def spans_of(environment: str) -> Observer:
    """Return an observer that makes a span of each request to this environment, or does nothing.

    A span holds fixed words and numbers, and the request id that leads to our log; no id of an item, because
    traces are read by more people than lists are.
    """
    try:
        trace: Any = importlib.import_module("opentelemetry.trace")
    except ImportError:
        return ignore
    tracer = trace.get_tracer("item_visibility")

    def tell(call: CallRecord) -> None:
        span = tracer.start_span(
            call.operation,
            kind=trace.SpanKind.CLIENT,
            attributes=_attributes(environment, call),
            start_time=_nanoseconds(call.sent_at),
        )
        if call.failure or (call.status or 0) >= FROM_SERVER_ERRORS:
            span.set_status(trace.StatusCode.ERROR, call.failure)
        span.end(_nanoseconds(call.sent_at + timedelta(seconds=call.took_s)))

    return tell


def _attributes(environment: str, call: CallRecord) -> dict[str, str | int]:
    status = {} if call.status is None else {"http.response.status_code": call.status}
    return {
        "http.request.method": call.method,
        **status,
        "item_visibility.environment": environment,
        "item_visibility.request_id": call.request_id,
    }


def _nanoseconds(moment: datetime) -> int:
    """Return the nanoseconds since 1970, to the microsecond."""
    return int(moment.timestamp() * 1_000_000) * 1_000
