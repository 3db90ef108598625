"""The record of each request.

Neither people nor logs nor reports ever show a secret or token.
"""

import logging
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from datetime import timedelta
from email.utils import format_datetime
from functools import partial

import httpx
import pytest

from item_visibility import (
    CallError,
    ItemKey,
    ItemVisibilityError,
    NotAllowedError,
    TokenError,
    VisibilityClient,
)
from item_visibility.client.call_records import CallRecord, collected
from item_visibility.errors import ProblemDetail
from tests.support.fault_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    EVERY_FAULT,
    Answer,
    FaultKind,
    FaultService,
    fail_times,
)
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
    with scripted_client(ScriptedTransport(*steps)) as client, collected() as exchanges:
        client.add_visibility(ITEM, "r")
    return list(exchanges)[1:]


def test_a_record_describes_the_request_and_its_answer() -> None:
    refused, done = records_of(problem(503, "Busy"), NO_CONTENT)
    assert refused.method == "PUT"
    assert refused.path == f"{PATH}/recipient/r"
    assert refused.status == 503
    assert refused.problem == ProblemDetail(503, "Busy")
    assert refused.attempt == 1
    assert done.status == 204
    assert done.problem is None
    assert done.attempt == 2
    assert refused.sent_at == START
    assert done.sent_at - refused.sent_at == timedelta(seconds=1)


def test_a_record_compares_our_clock_with_the_time_in_the_answer() -> None:
    dated = httpx.Response(
        204,
        headers={"Date": format_datetime(START - timedelta(seconds=400), usegmt=True)},
    )
    assert [
        call.clock_ahead_s for call in (*records_of(dated), *records_of(NO_CONTENT))
    ] == [400, None]


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
    assert [record.request_id for record in seen] == [
        request.headers["X-Request-ID"] for request in requests
    ]
    assert len({record.request_id for record in seen}) == 3
    assert "never-shown" not in repr(seen)


@pytest.mark.parametrize(
    ("last", "is_refused"), [(NO_CONTENT, False), (httpx.Response(401), True)]
)
def test_a_401_and_its_repetition_are_two_records_of_one_attempt(
    last: httpx.Response, *, is_refused: bool
) -> None:
    transport = ScriptedTransport(httpx.Response(401), last)
    with (
        scripted_client(transport) as client,
        collected() as exchanges,
        suppress(NotAllowedError),
    ):
        client.add_visibility(ITEM, "r")
    assert [(call.status, call.is_renewed, call.attempt) for call in exchanges] == [
        (200, False, 1),
        (401, True, 1),
        (200, False, 1),
        (401 if is_refused else 204, False, 1),
    ]


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (
            httpx.Response(200, json={"never-shown": "x"}),
            200,
            "its answer contains no usable token",
        ),
        (problem(401, "never-shown"), 401, ""),
    ],
)
def test_the_content_of_a_token_answer_is_not_recorded(
    step: httpx.Response, status: int, words: str
) -> None:
    transport = ScriptedTransport(NO_CONTENT, token_steps=(step,))
    with (
        scripted_client(transport) as client,
        collected() as exchanges,
        pytest.raises(TokenError),
    ):
        client.request_token()
    (record,) = exchanges
    assert record.status == status
    assert record.failure == words
    assert record.problem is None


def test_a_block_collects_the_requests_of_its_thread() -> None:
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.request_token()
        with collected() as outer:
            client.add_visibility(ITEM, "a")
            with collected() as inner:
                client.add_visibility(ITEM, "b")
            in_a_copy = partial(copy_context().run, client.add_visibility)
            for target, recipient_id in (
                (client.add_visibility, "c"),
                (in_a_copy, "d"),
            ):
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
def test_faults_and_changes_are_logged(
    step: httpx.Response | Exception,
    read_level: int,
    write_level: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "item_visibility")
    transport = ScriptedTransport(step)
    with scripted_client(transport) as client:
        for call in (
            client.get_visibilities,
            lambda item: client.add_visibility(item, "r"),
        ):
            with suppress(CallError):
                call(ITEM)
    levels = {
        record.getMessage().partition(":")[0]: record.levelno
        for record in caplog.records
    }
    assert (
        vars(caplog.records[-1])["request_id"]
        == transport.calls[-1].headers["X-Request-ID"]
    )
    assert levels == {
        "requestToken": logging.INFO,
        "getVisibilities": read_level,
        "addVisibility": write_level,
    }


MARK = "never-shown"
TOKEN = "token-1-never-shown"


def everything_about(error: BaseException) -> Iterator[str]:
    """Return all texts of an error, its causes, and everything that they contain."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield repr(thing)
        yield str(thing)
        if isinstance(thing, BaseException):
            waiting += [
                *thing.args,
                *vars(thing).values(),
                *getattr(thing, "__notes__", []),
            ]
            waiting += [link for link in chain_of(thing) if link is not None]


def chain_of(error: BaseException) -> list[BaseException | None]:
    return [error.__cause__, error.__context__]


def caught_from(call: Callable[[], object]) -> ItemVisibilityError:
    with pytest.raises(ItemVisibilityError) as caught:
        call()
    return caught.value


TOKEN_FAILURES = [
    httpx.Response(
        401, json={"error": "invalid_client", "error_description": CLIENT_SECRET}
    ),
    httpx.Response(400, json={"error": CLIENT_SECRET}),
    httpx.Response(500, content=CLIENT_SECRET.encode()),
    httpx.Response(
        302, headers={"Location": f"https://example.com/?secret={CLIENT_SECRET}"}
    ),
    httpx.Response(200, content=CLIENT_SECRET.encode()),
    httpx.Response(200, json={"access_token": f"{MARK}\r\n"}),
    httpx.Response(200, json={"access_token": MARK, "token_type": MARK}),
    httpx.ConnectError(MARK),
    httpx.ReadTimeout(MARK),
]
CALL_FAILURES = [
    httpx.ConnectError(MARK),
    httpx.ReadTimeout(MARK),
    httpx.RemoteProtocolError(MARK),
    problem(400),
    problem(401),
    problem(503),
    httpx.Response(302, headers={"Location": f"https://example.com/{MARK}"}),
    httpx.Response(200, content=MARK.encode()),
]


@pytest.mark.parametrize(
    ("call_failure", "token_failure"),
    [
        *((failure, None) for failure in CALL_FAILURES),
        *((NO_CONTENT, failure) for failure in TOKEN_FAILURES),
    ],
)
def test_a_failed_request_shows_neither_secret_nor_token(
    call_failure: httpx.Response | Exception,
    token_failure: httpx.Response | Exception | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "item_visibility")
    transport = ScriptedTransport(
        call_failure, token_steps=(token_failure,) if token_failure else ()
    )
    with scripted_client(transport) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert [text for text in everything_about(error) if MARK in text] == []
    assert chain_of(error) == [None, None]
    assert MARK not in caplog.text
    assert "requestToken: " in caplog.text


@pytest.mark.parametrize(
    "repeated", [TOKEN, b64encode(TOKEN.encode()).decode().rstrip("=")]
)
def test_a_token_that_a_gateway_repeats_is_not_passed_on(repeated: str) -> None:
    with scripted_client(
        ScriptedTransport(problem(400, f"{repeated} and {TOKEN}, sorry"))
    ) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert isinstance(error, CallError)
    assert error.problem == ProblemDetail(
        400, title="[access token] and [access token], sorry"
    )


def test_each_new_token_is_reported_for_redaction() -> None:
    tokens: list[str] = []
    with VisibilityClient(
        "https://api.example.com/v1",
        "https://login.example.com",
        CLIENT_ID,
        CLIENT_SECRET,
        transport=ScriptedTransport(NO_CONTENT),
        on_token=tokens.append,
    ) as client:
        client.request_token()
        client.request_token()
    assert tokens == [TOKEN, "token-2-never-shown"]


@pytest.mark.contract
@pytest.mark.parametrize("fault", EVERY_FAULT)
def test_no_transport_error_shows_a_token(
    fault: FaultKind, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        FaultService(choose_fault=fail_times(fault, 99), hang_s=0.01) as service,
        VisibilityClient(
            service.base_url,
            service.auth_url,
            CLIENT_ID,
            CLIENT_SECRET,
            sleep=lambda _: None,
        ) as client,
    ):
        errors = [caught_from(lambda: client.get_visibilities(ITEM))]
        service.tokens.always = Answer(401, b'{"error": "never-shown"}')
        errors += [caught_from(client.request_token)]
    shown = [
        text for error in errors for text in everything_about(error) if MARK in text
    ]
    assert shown == []
    assert MARK not in caplog.text
    assert [chain_of(error) for error in errors] == [[None, None]] * 2
