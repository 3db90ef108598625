"""The id of a request: the service can log it, our log has it, and an error names it."""

import logging
from contextlib import suppress

import httpx
import pytest

from item_visibility import CallError, ItemKey
from tests.support.scripted_transport import NO_CONTENT, ScriptedTransport, problem, scripted_client

ITEM = ItemKey("S", "I")


def ids_of(requests: list[httpx.Request]) -> list[str]:
    """The ids that these requests carried."""
    return [request.headers["X-Request-ID"] for request in requests]


def test_each_request_has_an_id_of_its_own() -> None:
    """Also one that is sent again, and the one for a token; whoever observes is told it."""
    told: list[str] = []
    transport = ScriptedTransport(problem(503), NO_CONTENT)
    with scripted_client(transport, on_call=lambda record: told.append(record.request_id)) as client:
        client.add_visibility(ITEM, "r")
    sent = ids_of(transport.token_requests) + ids_of(transport.calls)
    assert told == sent
    assert (len(set(sent)), {len(one) for one in sent}) == (3, {16})


def test_an_error_names_the_id_of_its_last_request(caplog: pytest.LogCaptureFixture) -> None:
    """The same that stands in the log."""
    caplog.set_level(logging.INFO, "item_visibility")
    transport = ScriptedTransport(problem(403))
    with scripted_client(transport) as client, pytest.raises(CallError) as caught:
        client.add_visibility(ITEM, "r")
    (sent,) = ids_of(transport.calls)
    told = [vars(record)["request_id"] for record in caplog.records if "addVisibility" in record.getMessage()]
    assert caught.value.problem is not None
    assert (caught.value.problem.request_id, told) == (sent, [sent])


@pytest.mark.parametrize(
    ("step", "read_level", "write_level"),
    [
        (httpx.Response(404), logging.DEBUG, logging.INFO),
        (problem(403), logging.WARNING, logging.WARNING),
        (problem(500), logging.WARNING, logging.WARNING),
        (httpx.ReadTimeout("late"), logging.WARNING, logging.WARNING),
    ],
)
def test_the_log_warns_of_faults_and_tells_of_changes(
    step: httpx.Response | Exception, read_level: int, write_level: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A read that finds something is a detail."""
    caplog.set_level(logging.DEBUG, "item_visibility")
    with scripted_client(ScriptedTransport(step)) as client:
        with suppress(CallError):
            client.get_visibilities(ITEM)
        with suppress(CallError):
            client.add_visibility(ITEM, "r")
    levels = {record.getMessage().partition(":")[0]: record.levelno for record in caplog.records}
    assert levels == {
        "requestToken": logging.INFO,
        "getVisibilities": read_level,
        "addVisibility": write_level,
    }
