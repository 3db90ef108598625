"""The record of each request: what it contains, who collects it, and what is logged."""

import logging
import threading
from contextlib import suppress
from contextvars import copy_context
from datetime import timedelta
from functools import partial

import httpx
import pytest

from item_visibility import CallError, ItemKey, NotAllowedError, TokenError
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.errors import ProblemDetail
from tests.support.scripted_transport import NO_CONTENT, ScriptedTransport, problem, scripted_client
from tests.support.waiting import START

ITEM = ItemKey("S", "a/b")
RESET = httpx.ReadError("reset")
PATH = "/some/v1/itemvisibilities/S/a%2Fb"


def records_of(*steps: httpx.Response | Exception) -> list[CallRecord]:
    with scripted_client(ScriptedTransport(*steps)) as client, collected() as exchanges:
        client.add_visibility(ITEM, "r")
    return list(exchanges)[1:]


def test_a_record_has_the_facts_of_the_request_and_its_answer() -> None:
    refused, done = records_of(problem(503, "Busy"), NO_CONTENT)
    assert (refused.method, refused.path) == ("PUT", f"{PATH}/recipient/r")
    assert (refused.status, refused.problem, refused.attempt) == (503, ProblemDetail(503, "Busy"), 1)
    assert (done.status, done.problem, done.attempt) == (204, None, 2)
    assert (refused.sent_at, done.sent_at - refused.sent_at) == (START, timedelta(seconds=1))


def test_an_observer_gets_a_record_of_every_request_with_an_id_of_its_own() -> None:
    seen: list[CallRecord] = []
    transport = ScriptedTransport(RESET, NO_CONTENT)
    with scripted_client(transport, on_call=seen.append) as client:
        client.add_visibility(ITEM, "r")
    assert [(record.operation, record.status, record.failure) for record in seen] == [
        ("requestToken", 200, ""),
        ("addVisibility", None, "the connection broke"),
        ("addVisibility", 204, ""),
    ]
    requests = transport.token_requests + transport.calls
    assert [record.request_id for record in seen] == [one.headers["X-Request-ID"] for one in requests]
    assert (len({record.request_id for record in seen}), "never-shown" in repr(seen)) == (3, False)


@pytest.mark.parametrize(("last", "is_refused"), [(NO_CONTENT, False), (httpx.Response(401), True)])
def test_a_401_and_the_request_with_a_new_token_are_two_of_one_attempt(
    last: httpx.Response, *, is_refused: bool
) -> None:
    transport = ScriptedTransport(httpx.Response(401), last)
    with scripted_client(transport) as client, collected() as exchanges, suppress(NotAllowedError):
        client.add_visibility(ITEM, "r")
    assert [(one.status, one.is_renewed, one.attempt) for one in exchanges] == [
        (200, False, 1),
        (401, True, 1),
        (200, False, 1),
        (401 if is_refused else 204, False, 1),
    ]


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (httpx.Response(200, json={"never-shown": "x"}), 200, "its answer holds no token that can be used"),
        (problem(401, "never-shown"), 401, ""),
    ],
)
def test_the_words_of_a_token_answer_are_not_recorded(step: httpx.Response, status: int, words: str) -> None:
    transport = ScriptedTransport(NO_CONTENT, token_steps=(step,))
    with scripted_client(transport) as client, collected() as exchanges, pytest.raises(TokenError):
        client.request_token()
    (record,) = exchanges
    assert (record.status, record.failure, record.problem) == (status, words, None)


def test_a_block_collects_the_requests_of_its_thread() -> None:
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.request_token()
        with collected() as outer:
            client.add_visibility(ITEM, "a")
            with collected() as inner:
                client.add_visibility(ITEM, "b")
            in_a_copy = partial(copy_context().run, client.add_visibility)
            for target, recipient_id in ((client.add_visibility, "c"), (in_a_copy, "d")):
                other = threading.Thread(target=target, args=(ITEM, recipient_id))
                other.start()
                other.join()
        client.add_visibility(ITEM, "e")
    assert [record.path[-1] for record in inner] == ["b"]
    assert [record.path[-1] for record in outer] == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("step", "read_level", "write_level"),
    [
        (httpx.Response(404), logging.DEBUG, logging.INFO),
        (problem(400), logging.DEBUG, logging.INFO),
        (problem(403), logging.WARNING, logging.WARNING),
        (problem(500), logging.WARNING, logging.WARNING),
        (httpx.Response(302), logging.WARNING, logging.WARNING),
        (httpx.ReadTimeout("late"), logging.WARNING, logging.WARNING),
    ],
)
def test_the_log_warns_of_faults_and_notes_changes(
    step: httpx.Response | Exception, read_level: int, write_level: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "item_visibility")
    transport = ScriptedTransport(step)
    with scripted_client(transport) as client:
        for call in (client.get_visibilities, lambda item: client.add_visibility(item, "r")):
            with suppress(CallError):
                call(ITEM)
    levels = {record.getMessage().partition(":")[0]: record.levelno for record in caplog.records}
    assert vars(caplog.records[-1])["request_id"] == transport.calls[-1].headers["X-Request-ID"]
    assert levels == {
        "requestToken": logging.INFO,
        "getVisibilities": read_level,
        "addVisibility": write_level,
    }
