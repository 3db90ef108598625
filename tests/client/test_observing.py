"""The record of each request, and who collects it."""

import threading
from contextvars import copy_context
from datetime import timedelta

import httpx
import pytest

from item_visibility import CallError, ItemKey, NotAllowedError, TokenError
from item_visibility.client import call_records
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.errors import ProblemDetail
from tests.support.scripted_transport import (
    NO_CONTENT,
    ScriptedTransport,
    problem,
    scripted_client,
)
from tests.support.waiting import START

ITEM = ItemKey("S", "a/b")
RESET = httpx.ReadError("reset")
PATH = "/some/v1/itemvisibilities/S/a%2Fb"


def records_of(*steps: httpx.Response | Exception) -> list[CallRecord]:
    """The records of one addition, without that of its token."""
    with scripted_client(ScriptedTransport(*steps)) as client, collected() as exchanges:
        client.add_visibility(ITEM, "r")
    return list(exchanges.records[1:])


def test_a_record_says_what_was_asked_and_answered() -> None:
    """Method, path as sent, status, the service's words, and which attempt of its call it was."""
    refused, done = records_of(problem(503, "Busy"), NO_CONTENT)
    assert (refused.method, refused.path) == ("PUT", f"{PATH}/recipient/r")
    assert (refused.status, refused.problem, refused.attempt) == (503, ProblemDetail(503, "Busy"), 1)
    assert (done.status, done.problem, done.attempt) == (204, None, 2)
    assert refused.sent_at == START
    assert done.sent_at - refused.sent_at == timedelta(seconds=1)


def test_a_401_before_a_new_token_is_recorded() -> None:
    """It belongs to the same attempt."""
    first, token, second = records_of(httpx.Response(401), NO_CONTENT)
    assert (first.status, first.is_renewed, first.attempt) == (401, True, 1)
    assert (token.operation, token.path.rpartition("/")[2]) == ("requestToken", "token")
    assert (second.status, second.is_renewed, second.attempt) == (204, False, 1)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (httpx.Response(200, json={}), "the service answered with something that is no list of recipients"),
        (problem(500), ""),
        (RESET, "the connection broke"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_in_words(
    step: httpx.Response | Exception, words: str
) -> None:
    """One with a status of an error says it by its status."""
    with (
        scripted_client(ScriptedTransport(step)) as client,
        collected() as exchanges,
        pytest.raises(CallError),
    ):
        client.get_visibilities(ITEM)
    assert exchanges.records[-1].failure == words


def test_a_token_answer_without_a_token_is_a_failure_without_its_words() -> None:
    """Its body may repeat what was sent."""
    transport = ScriptedTransport(NO_CONTENT, token_steps=(httpx.Response(200, json={"never-shown": "x"}),))
    with scripted_client(transport) as client, collected() as exchanges, pytest.raises(TokenError):
        client.request_token()
    (record,) = exchanges.records
    assert (record.status, record.failure) == (200, "its answer holds no token that can be used")
    assert "never-shown" not in repr(record)


def test_the_words_of_a_refused_token_are_not_recorded() -> None:
    """Only the status is."""
    transport = ScriptedTransport(NO_CONTENT, token_steps=(problem(401, "never-shown"),))
    with scripted_client(transport) as client, collected() as exchanges, pytest.raises(TokenError):
        client.request_token()
    assert [(one.status, one.failure, one.problem) for one in exchanges.records] == [(401, "", None)]


def test_only_what_is_asked_within_the_block_is_collected() -> None:
    """By this thread; an inner block takes nothing away from the outer one."""
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.request_token()
        with collected() as outer:
            client.add_visibility(ITEM, "a")
            with collected() as inner:
                client.add_visibility(ITEM, "b")
            other = threading.Thread(target=client.add_visibility, args=(ITEM, "c"))
            other.start()
            other.join()
        client.add_visibility(ITEM, "d")
    assert [record.path[-1] for record in outer.records] == ["a", "b"]
    assert [record.path[-1] for record in inner.records] == ["b"]


def test_a_thread_in_a_copy_of_the_context_is_collected_too() -> None:
    """For use cases that ask in several threads."""
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.request_token()
        with collected() as exchanges:
            other = threading.Thread(target=copy_context().run, args=(client.add_visibility, ITEM, "c"))
            other.start()
            other.join()
    assert [record.path[-1] for record in exchanges.records] == ["c"]


def test_of_very_many_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A save of thousands of changes needs little memory."""
    monkeypatch.setattr(call_records, "MOST_COLLECTED", 4)
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.request_token()
        with collected() as exchanges:
            for recipient_id in "abcdefg":
                client.add_visibility(ITEM, recipient_id)
    assert [record.path[-1] for record in exchanges.records] == ["d", "e", "f", "g"]


def test_a_call_that_stays_refused_has_both_of_its_requests() -> None:
    """The first with the old token, the second with the new one."""
    with (
        scripted_client(ScriptedTransport(httpx.Response(401))) as client,
        collected() as exchanges,
        pytest.raises(NotAllowedError),
    ):
        client.add_visibility(ITEM, "r")
    assert [(one.status, one.is_renewed) for one in exchanges.records[1:]] == [
        (401, True),
        (200, False),
        (401, False),
    ]
