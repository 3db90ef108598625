"""No secret and no token in anything that a person, a log or a report can see."""

import logging
import traceback
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from functools import partial

import httpx
import pytest

from item_visibility import CallError, ItemKey, ItemVisibilityError, ProblemDetail, VisibilityClient
from item_visibility.client.secrets import KnownTokens, SecretBytes, SecretText
from item_visibility.client.transport import quiet_http_logs
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
ITEM = ItemKey("S", "I")


@pytest.mark.parametrize("secret", [SecretText(MARK), SecretBytes(MARK, "ascii")])
def test_a_secret_hides_itself_from_a_traceback_with_local_variables(
    secret: SecretText | SecretBytes,
) -> None:
    """It is still equal to what it holds."""
    assert repr(secret) == "[hidden]"
    assert secret in {MARK, MARK.encode()}


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
            waiting += [link for link in (thing.__cause__, thing.__context__) if link is not None]


def chain_of(error: BaseException) -> list[BaseException | None]:
    """The errors that an error came from."""
    return [error.__cause__, error.__context__]


def caught_from(call: Callable[[], object]) -> ItemVisibilityError:
    """The error that a call ends with."""
    with pytest.raises(ItemVisibilityError) as caught:
        call()
    return caught.value


TOKEN_FAILURES = [
    httpx.Response(401, json={"error": "invalid_client", "error_description": CLIENT_SECRET}),
    httpx.Response(400, json={"error": CLIENT_SECRET}),
    httpx.Response(400, content=CLIENT_SECRET.encode()),
    httpx.Response(500, content=CLIENT_SECRET.encode()),
    httpx.Response(302, headers={"Location": f"https://example.com/?secret={CLIENT_SECRET}"}),
    httpx.Response(200, content=CLIENT_SECRET.encode()),
    httpx.Response(200, json={"access_token": f"{MARK}\r\n"}),
    httpx.Response(200, json={"access_token": MARK, "token_type": MARK}),
    httpx.ConnectError(MARK),
    httpx.ReadTimeout(MARK),
    httpx.RemoteProtocolError(MARK),
]
CALL_FAILURES = [
    httpx.ConnectError(MARK),
    httpx.ConnectTimeout(MARK),
    httpx.ReadTimeout(MARK),
    httpx.RemoteProtocolError(MARK),
    problem(400),
    problem(401),
    problem(404),
    problem(503),
    httpx.Response(302, headers={"Location": f"https://example.com/{MARK}"}),
    httpx.Response(200, content=MARK.encode()),
]


TRANSPORTS: list[Callable[[], ScriptedTransport]] = [
    *(partial(ScriptedTransport, NO_CONTENT, token_steps=(failure,)) for failure in TOKEN_FAILURES),
    *(partial(ScriptedTransport, failure) for failure in CALL_FAILURES),
]


@pytest.mark.parametrize("transport_of", TRANSPORTS)
def test_a_failed_request_shows_neither_secret_nor_token(
    transport_of: Callable[[], ScriptedTransport], caplog: pytest.LogCaptureFixture
) -> None:
    """Neither in its error, nor in what the error came from, nor in a log at DEBUG."""
    caplog.set_level(logging.DEBUG, "item_visibility")
    with scripted_client(transport_of()) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert [text for text in everything_about(error) if MARK in text] == []
    assert (chain_of(error), MARK in caplog.text) == ([None, None], False)
    assert "requestToken: " in caplog.text


@pytest.mark.parametrize(("status", "tokens"), [(400, (1,)), (401, (1, 2)), (500, (1, 1, 1, 1))])
def test_a_token_that_a_gateway_repeats_is_not_passed_on(status: int, tokens: tuple[int, ...]) -> None:
    """The service's words are shown and kept in the history; the token in them is not."""
    answers = [problem(status, f"not liked: token-{number}-never-shown") for number in tokens]
    with scripted_client(ScriptedTransport(*answers)) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert isinstance(error, CallError)
    assert error.problem == ProblemDetail(status, title="not liked: [access token]")


@pytest.mark.parametrize("escaped", ["t", "token-1", "-", "token-1-never-shown"])
@pytest.mark.parametrize("write", ["\\u{:04x}".format, "\\u{:04X}".format, "%{:02x}".format])
def test_a_token_that_is_repeated_in_escapes_is_not_passed_on(
    escaped: str, write: Callable[[int], str]
) -> None:
    """JSON and addresses can write each letter as its number; the words around it stay as they are."""
    token = "token-1-never-shown"
    written = token.replace(escaped, "".join(write(ord(sign)) for sign in escaped))
    body = f'{{"status": 400, "title": "\\u00e4 \\"{written}\\" and {token}\\n", "detail": "\\u0041"}}'
    answer = httpx.Response(400, headers={"Content-Type": "application/problem+json"}, content=body.encode())
    with scripted_client(ScriptedTransport(answer)) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert isinstance(error, CallError)
    assert error.problem == ProblemDetail(400, title='ä "[access token]" and [access token]\n', detail="A")


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode, lambda token: b64encode(b"u:" + token)])
def test_a_token_that_is_repeated_in_base64_is_not_passed_on(encode: Callable[[bytes], bytes]) -> None:
    """As a gateway repeats a header of its own."""
    encoded = encode(b"token-1-never-shown").decode()
    with scripted_client(ScriptedTransport(problem(400, f"not liked: {encoded}, sorry"))) as client:
        error = caught_from(lambda: client.add_visibility(ITEM, "r"))
    assert isinstance(error, CallError)
    assert error.problem is not None
    assert (error.problem.title[-7:], encoded[8:20] in error.problem.title) == (", sorry", False)


def locals_of(error: BaseException) -> list[str]:
    """Local variables of the program's own frames, as a traceback shows them."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    ours = (frame for frame in frames if "/item_visibility/" in frame.f_code.co_filename)
    return [f"{name}={value!r}" for frame in ours for name, value in frame.f_locals.items()]


MISTAKE = RuntimeError("a mistake of ours")


@pytest.mark.parametrize(
    ("call_failure", "token_failure"),
    [
        *((failure, None) for failure in (*CALL_FAILURES, MISTAKE)),
        *((NO_CONTENT, failure) for failure in (*TOKEN_FAILURES, MISTAKE)),
    ],
)
def test_a_traceback_with_local_variables_shows_neither_secret_nor_token(
    call_failure: httpx.Response | Exception, token_failure: httpx.Response | Exception | None
) -> None:
    """Neither of a failed request nor of a mistake in the middle of one."""
    transport = ScriptedTransport(call_failure, token_steps=(token_failure,) if token_failure else ())
    with scripted_client(transport) as client, pytest.raises((ItemVisibilityError, RuntimeError)) as caught:
        client.add_visibility(ITEM, "r")
    raised = repr(token_failure or call_failure)  # what the script raises is a local variable of its caller
    assert [text for text in locals_of(caught.value) if MARK in text.replace(raised, "")] == []


def test_a_traceback_from_a_wrong_address_shows_no_secret() -> None:
    """It is raised where the client is made."""
    with pytest.raises(ItemVisibilityError) as caught:
        VisibilityClient("ftp://x", "https://login.example.com", CLIENT_ID, CLIENT_SECRET)
    assert [text for text in locals_of(caught.value) if MARK in text] == []


def test_every_token_of_a_client_is_known_by_its_credentials() -> None:
    """So that a ticket can hide it wherever it stands."""
    tokens = KnownTokens()
    with VisibilityClient(
        "https://api.example.com/v1",
        "https://login.example.com",
        CLIENT_ID,
        CLIENT_SECRET,
        transport=ScriptedTransport(NO_CONTENT),
        known_tokens=tokens,
    ) as client:
        client.request_token()
        client.request_token()
    assert list(tokens) == ["token-1-never-shown", "token-2-never-shown"]


def test_no_part_of_a_client_shows_a_secret() -> None:
    """Somebody may print any of it while looking for a mistake."""
    with scripted_client(ScriptedTransport(NO_CONTENT)) as client:
        client.add_visibility(ITEM, "r")
        parts = [client, *vars(client).values()]
        shown = [repr(part) for part in [*parts, *(inner for part in parts for inner in vars_of(part))]]
    assert [text for text in shown if MARK in text] == []


def vars_of(part: object) -> list[object]:
    """The values of an object's attributes, where it has any."""
    return list(getattr(part, "__dict__", {}).values())


@pytest.mark.contract
@pytest.mark.parametrize("fault", EVERY_FAULT)
def test_no_fault_on_the_wire_shows_a_token(fault: FaultKind, caplog: pytest.LogCaptureFixture) -> None:
    """Over a real connection, with every logger at DEBUG but those of the HTTP library."""
    caplog.set_level(logging.DEBUG)
    quiet_http_logs()
    errors: list[ItemVisibilityError] = []
    with (
        FaultService(choose_fault=fail_times(fault, 99), hang_s=0.01, retry_after_s=0) as service,
        VisibilityClient(
            service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET, sleep=lambda _: None
        ) as client,
    ):
        errors += [caught_from(lambda: client.get_visibilities(ITEM))]
        service.tokens.always = Answer(401, b'{"error": "never-shown"}')
        errors += [caught_from(client.request_token)]
    shown = [text for error in errors for text in everything_about(error) if MARK in text]
    assert (shown, MARK in caplog.text) == ([], False)
    assert [chain_of(error) for error in errors] == [[None, None]] * 2
