"""One token for all calls, renewed in time. Spec: "Authentication"; Note N8."""

import json
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import parse_qs

import pytest

from item_visibility.client.answers import (
    UNEXPECTED,
    Failure,
    HttpAnswer,
    Result,
    Success,
    read_answer,
)
from item_visibility.client.operations import REQUEST_TOKEN
from item_visibility.client.token import (
    ASK_ADMINISTRATOR,
    TRY_LATER,
    ClientCredentials,
    TokenSource,
    token_error,
    token_request,
    useful_s,
)
from item_visibility.errors import TokenError, TokenRefusedError, TokenUnavailableError
from tests.support.waiting import HandClock

SECRET = "p@ss:w%rd&=+ü never-shown"


def granted(token: str) -> Success:
    return Success(HttpAnswer(200), access_token=token, expires_in=300.0)


def answer_of(status: int, **members: object) -> HttpAnswer:
    return HttpAnswer(status, "application/json", body=json.dumps(members).encode())


def error_of(answer: HttpAnswer) -> TokenError:
    result = read_answer(REQUEST_TOKEN, answer)
    assert isinstance(result, Failure)
    return token_error(result)


def test_the_request_is_a_form_with_the_three_fields() -> None:
    """The id and the secret are form fields, and no scope is requested. Note N9."""
    credentials = ClientCredentials("the client", SECRET)
    request = token_request("https://login.example.com/x", credentials)
    assert (
        request.url
        == "https://login.example.com/x/auth/realms/platform-api/protocol/openid-connect/token"
    )
    assert ("Content-Type", "application/x-www-form-urlencoded") in request.headers
    assert "Authorization" not in dict(request.headers)
    assert parse_qs((request.body or b"").decode("ascii"), strict_parsing=True) == {
        "grant_type": ["client_credentials"],
        "client_id": ["the client"],
        "client_secret": [SECRET],
    }
    assert "never-shown" not in repr((credentials, request))


@pytest.mark.parametrize(
    ("members", "lifetime_s"),
    [
        ({}, None),
        ({"token_type": "Bearer"}, None),
        ({"token_type": "BEARER"}, None),
        ({"expires_in": 300}, 300.0),
        ({"expires_in": 2.5}, 2.5),
        ({"expires_in": "300"}, 300.0),
        *(
            ({"expires_in": value}, None)
            for value in (
                0,
                -1,
                None,
                True,
                "soon",
                "nan",
                "1e999",
                10**30,
                10**400,
                [300],
            )
        ),
    ],
)
def test_a_token_answer_needs_only_the_token(
    members: dict[str, object], lifetime_s: float | None
) -> None:
    result = read_answer(REQUEST_TOKEN, answer_of(200, access_token="t", **members))
    assert isinstance(result, Success)
    assert result.access_token == "t"
    assert result.expires_in == lifetime_s


@pytest.mark.parametrize(
    "answer",
    [
        *(
            answer_of(200, access_token=token)
            for token in ("", 7, "a b", "a\r\nX: y", "ä", None)
        ),
        *(answer_of(200, access_token="t", token_type=kind) for kind in ("mac", None)),
        *(
            HttpAnswer(200, body=body)
            for body in (b"", b"[]", b"<html>never-shown", b"[" * 60_000, b"\xff")
        ),
        HttpAnswer(200, body=b'{"access_token": "t"}', is_cut=True),
    ],
)
def test_a_200_without_a_usable_token_is_unavailable(answer: HttpAnswer) -> None:
    error = error_of(answer)
    assert type(error) is TokenUnavailableError
    assert error.advice == ASK_ADMINISTRATOR
    assert (
        error.message
        == "The token endpoint gave no token: its answer contains no usable token."
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (answer_of(401, error="invalid_client"), " (invalid_client)"),
        (answer_of(200, error="invalid_scope"), " (invalid_scope)"),
        (answer_of(400, error="never-shown"), ""),
        (answer_of(400, error=7), ""),
        (HttpAnswer(400, body=b"never-shown"), ""),
        (answer_of(403), ""),
    ],
)
def test_a_refused_token_request_shows_only_known_error_codes(
    answer: HttpAnswer, code: str
) -> None:
    error = error_of(answer)
    assert type(error) is TokenRefusedError
    assert error.advice == ASK_ADMINISTRATOR
    assert error.message == f"The token endpoint refused this client{code}."


@pytest.mark.parametrize("status", [204, 302, 404, 408, 429, 500, 503])
def test_any_other_answer_is_not_a_refusal(status: int) -> None:
    error = error_of(answer_of(status, access_token="t"))
    assert type(error) is TokenUnavailableError
    assert error.message == f"The token endpoint gave no token: it answered {status}."
    assert error.advice == (ASK_ADMINISTRATOR if status == 404 else TRY_LATER)


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [
        (3, 1.5),
        (4, 2),
        (10, 8),
        (20, 18),
        (60, 54),
        (300, 270),
        (3600, 3570),
        (None, 270),
        (0.5, 0.25),
    ],
)
def test_a_token_is_renewed_before_it_expires(
    expires_in: float | None, seconds: float
) -> None:
    assert useful_s(expires_in) == seconds


REFUSED = Failure(UNEXPECTED, "", answer_of(401))
BUSY = Failure(UNEXPECTED, "", HttpAnswer(503, retry_after="20"))


class Endpoint:
    """A token endpoint that issues `t1`, `t2`, … or gives scripted answers."""

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock
        self.duration_s = 0.0
        self.scripted: list[Failure | BaseException] = []
        self.meanwhile = lambda: None
        self.requests = 0

    def __call__(self) -> Result:
        self.requests += 1
        self.clock.move(self.duration_s)
        self.meanwhile()
        outcome = (
            self.scripted.pop(0) if self.scripted else granted(f"t{self.requests}")
        )
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def endpoint(clock: HandClock) -> Endpoint:
    return Endpoint(clock)


@pytest.fixture
def source(clock: HandClock, endpoint: Endpoint) -> TokenSource:
    return TokenSource(endpoint, clock=clock, now=clock.now)


def test_one_token_is_used_until_it_is_old(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    endpoint.duration_s = 10.0
    values = [source.current().value]
    assert "t1" not in f"{source.current()!r}{granted('t1')!r}{source!r}"
    clock.move(259.9)
    values.append(source.current().value)
    clock.move(0.1)
    values.append(source.current().value)
    assert values == ["t1", "t1", "t2"]
    assert endpoint.requests == 2


@pytest.mark.parametrize(("failure", "pause_s"), [(REFUSED, 1.0), (BUSY, 20.0)])
def test_all_calls_share_a_failed_token_request_for_a_while(
    source: TokenSource,
    endpoint: Endpoint,
    clock: HandClock,
    failure: Failure,
    pause_s: float,
) -> None:
    endpoint.scripted = [failure]
    errors = []
    for wait_s in (0.0, pause_s - 0.1):
        clock.move(wait_s)
        with pytest.raises(TokenError) as caught:
            source.current()
        errors.append(caught.value)
    clock.move(0.1)
    assert source.current().value == "t2"
    assert endpoint.requests == 2
    assert errors[0] is not errors[1]


@pytest.mark.parametrize("failure", [None, REFUSED])
def test_a_call_that_comes_during_a_request_shares_its_result(
    source: TokenSource, endpoint: Endpoint, failure: Failure | None
) -> None:
    endpoint.scripted = [failure] if failure else []
    comes = threading.Event()

    def come() -> str:
        comes.set()
        return outcome_of(source)

    with ThreadPoolExecutor(1) as pool:
        others: list[Future[str]] = []
        endpoint.meanwhile = lambda: others.append(pool.submit(come)) or comes.wait(60)
        mine = outcome_of(source)
        assert others[0].result(60) == mine
        assert endpoint.requests == 1


def outcome_of(source: TokenSource) -> str:
    try:
        return source.current().value
    except TokenError as error:
        return type(error).__name__


def test_a_refused_token_is_replaced_once_for_all_calls(
    source: TokenSource, endpoint: Endpoint
) -> None:
    token = source.current()
    values = [source.other_than(token).value for _ in range(3)]
    assert values == ["t2"] * 3
    assert endpoint.requests == 2


def test_no_call_begins_with_a_refused_token(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    token = source.current()
    endpoint.scripted = [REFUSED]
    with pytest.raises(TokenRefusedError):
        source.other_than(token)
    clock.move(1.0)
    assert source.current().value == "t3"
    assert source.current().is_replacement


def test_a_service_that_refuses_new_tokens_gets_no_more_for_a_while(
    source: TokenSource, clock: HandClock
) -> None:
    second = source.other_than(source.current())
    may_replace = [source.may_replace(second)]
    clock.move(29.9)
    may_replace.append(source.may_replace(source.current()))
    clock.move(0.1)
    may_replace.append(source.may_replace(second))
    assert may_replace == [False, False, True]
    assert source.other_than(second).value == "t3"


def test_a_replaced_token_can_be_replaced_again(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    token = source.current()
    for _ in range(5):
        source.accepted = token
        clock.move(3.0)
        assert source.may_replace(token)
        token = source.other_than(token)
    assert token.value == "t6"
    assert endpoint.requests == 6


def test_a_requested_token_replaces_the_current_one(
    source: TokenSource, endpoint: Endpoint
) -> None:
    source.current()
    assert source.requested().value == "t2"
    assert source.current().value == "t2"
    endpoint.scripted = [REFUSED]
    with pytest.raises(TokenRefusedError):
        source.requested()
    assert source.current().value == "t2"
