"""A span for each request where OpenTelemetry is installed, and no trouble where it is not."""

import sys
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock, call

import pytest

from item_visibility.api.observing import CallRecord, ignore
from item_visibility.wiring.spans import spans_of
from tests.support.waiting import START

AT_NS = 1_795_262_400_000_000_000
TOOK_NS = 250_000_000


@pytest.fixture
def tracer(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """The tracer of an OpenTelemetry that is installed."""
    tracer = Mock()
    trace = SimpleNamespace(
        get_tracer={"item_visibility": tracer}.__getitem__,
        SpanKind=SimpleNamespace(CLIENT="client"),
        StatusCode=SimpleNamespace(ERROR="error"),
    )
    monkeypatch.setitem(sys.modules, "opentelemetry", ModuleType("opentelemetry"))
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", trace)
    return tracer


def record(status: int | None, failure: str = "") -> CallRecord:
    """A request that took a quarter of a second."""
    return CallRecord(
        "getVisibilities",
        status,
        failure,
        request_id="f00d",
        took_s=0.25,
        method="GET",
        path="/v1/itemvisibilities/4000001000005/secret",
        sent_at=START,
    )


def test_a_request_is_a_span_from_its_start_to_its_end(tracer: Mock) -> None:
    """With its operation, status and request id, and without the path, which names an item."""
    spans_of("live")(record(200))
    attributes = {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "item_visibility.environment": "live",
        "item_visibility.request_id": "f00d",
    }
    assert tracer.start_span.mock_calls == [
        call("getVisibilities", kind="client", attributes=attributes, start_time=AT_NS),
        call().end(AT_NS + TOOK_NS),
    ]


@pytest.mark.parametrize(("status", "failure"), [(None, "no answer came in time"), (503, "")])
def test_a_fault_is_the_status_of_its_span(tracer: Mock, status: int | None, failure: str) -> None:
    """In the words of our log; what came with no answer has no status of HTTP."""
    spans_of("live")(record(status, failure))
    tracer.start_span().set_status.assert_called_once_with("error", failure)
    assert ("http.response.status_code" in tracer.start_span.call_args_list[0].kwargs["attributes"]) is (
        status is not None
    )


def test_without_opentelemetry_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    assert spans_of("live") is ignore
