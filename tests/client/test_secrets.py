"""No secret and no token in anything that a person, a log or a report can see."""

import logging
from base64 import b64encode
from collections.abc import Callable, Iterator

import httpx
import pytest

from item_visibility import CallError, ItemKey, ItemVisibilityError, ProblemDetail, VisibilityClient
from tests.support.fault_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    EVERY_FAULT,
    Answer,
    FaultKind,
    FaultService,
    fail_times,
)
from tests.support.scripted_transport import NO_CONTENT, ScriptedTransport, problem, scripted_client

MARK = "never-shown"
TOKEN = "token-1-never-shown"
ITEM = ItemKey("S", "I")


def everything_about(error: BaseException) -> Iterator[str]:
    """All texts of an error and of every error that it holds or came from."""
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
            waiting += [*thing.args, *vars(thing).values(), *getattr(thing, "__notes__", [])]
            waiting += [link for link in chain_of(thing) if link is not None]


def chain_of(error: BaseException) -> list[BaseException | None]:
    return [error.__cause__, error.__context__]


def caught_from(call: Callable[[], object]) -> ItemVisibilityError:
    with pytest.raises(ItemVisibilityError) as caught:
        call()
    return caught.value


TOKEN_FAILURES = [
    httpx.Response(401, json={"error": "invalid_client", "error_description": CLIENT_SECRET}),
    httpx.Response(400, json={"error": CLIENT_SECRET}),
    httpx.Response(500, content=CLIENT_SECRET.encode()),
    httpx.Response(302, headers={"Location": f"https://example.com/?secret={CLIENT_SECRET}"}),
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
    [*((one, None) for one in CALL_FAILURES), *((NO_CONTENT, one) for one in TOKEN_FAILURES)],
)
def test_a_failed_request_shows_neither_secret_nor_token(
    call_failure: httpx.Response | Exception,
    token_failure: httpx.Response | Exception | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "item_visibility")
    transport = ScriptedTransport(call_failure, token_steps=(token_failure,) if token_failure else ())
    with scripted_client(transport) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert [text for text in everything_about(error) if MARK in text] == []
    assert (chain_of(error), MARK in caplog.text) == ([None, None], False)
    assert "requestToken: " in caplog.text


@pytest.mark.parametrize("repeated", [TOKEN, b64encode(TOKEN.encode()).decode().rstrip("=")])
def test_a_token_that_a_gateway_repeats_is_not_passed_on(repeated: str) -> None:
    with scripted_client(ScriptedTransport(problem(400, f"{repeated} and {TOKEN}, sorry"))) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert isinstance(error, CallError)
    assert error.problem == ProblemDetail(400, title="[access token] and [access token], sorry")


def test_every_token_of_a_client_is_known_by_its_credentials() -> None:
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
def test_no_fault_on_the_wire_shows_a_token(fault: FaultKind, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        FaultService(choose_fault=fail_times(fault, 99), hang_s=0.01) as service,
        VisibilityClient(
            service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET, sleep=lambda _: None
        ) as client,
    ):
        errors = [caught_from(lambda: client.get_visibilities(ITEM))]
        service.tokens.always = Answer(401, b'{"error": "never-shown"}')
        errors += [caught_from(client.request_token)]
    shown = [text for error in errors for text in everything_about(error) if MARK in text]
    assert (shown, MARK in caplog.text) == ([], False)
    assert [chain_of(error) for error in errors] == [[None, None]] * 2
