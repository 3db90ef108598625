"""The token request and its answer. Spec: "Authentication"; Note N8."""

import json
from urllib.parse import parse_qs

import pytest

from item_visibility.client.answers import Answer
from item_visibility.client.token import (
    ASK_ADMINISTRATOR,
    ASK_TO_CHECK_OR_ALLOW,
    ASK_TO_ENABLE,
    TRY_LATER,
    ClientCredentials,
    Grant,
    NoToken,
    read_token_answer,
    token_request,
)
from item_visibility.errors import TokenError, TokenRefusedError, TokenUnavailableError
from item_visibility.timeouts import LONGEST_TOKEN_LIFETIME_S

SECRET = "p@ss:w%rd&=+ü never-shown"
JSON = "application/json"


def granted(**members: object) -> Grant | NoToken:
    """The meaning of a 200 with these members."""
    return read_token_answer(Answer(200, JSON, body=json.dumps(members).encode()), pause_s=0.0)


def test_the_request_is_a_form_with_the_three_fields() -> None:
    """The client identifies itself in the form, not with HTTP Basic, and asks for no scope. Note N9."""
    request = token_request("https://login.example.com/x", ClientCredentials("the client", SECRET))
    assert request.url == "https://login.example.com/x/auth/realms/platform-api/protocol/openid-connect/token"
    assert ("Content-Type", "application/x-www-form-urlencoded") in request.headers
    assert "Authorization" not in dict(request.headers)
    assert parse_qs((request.body or b"").decode("ascii"), strict_parsing=True) == {
        "grant_type": ["client_credentials"],
        "client_id": ["the client"],
        "client_secret": [SECRET],
    }


def test_no_repr_shows_the_secret() -> None:
    """Neither the credentials nor the request."""
    credentials = ClientCredentials("the client", SECRET)
    assert "never-shown" not in repr((credentials, token_request("https://login.example.com", credentials)))


def test_access_token_alone_is_enough() -> None:
    """The specification promises no other field."""
    assert granted(access_token="t") == Grant("t", None)


@pytest.mark.parametrize(
    ("expires_in", "lifetime_s"),
    [
        (300, 300.0),
        (2.5, 2.5),
        ("300", 300.0),
        (10**30, LONGEST_TOKEN_LIFETIME_S),
        (0, None),
        (-1, None),
        (None, None),
        (True, None),
        ("soon", None),
        ("nan", None),
        ("1e999", None),
        (10**400, None),
        ([300], None),
    ],
)
def test_expires_in_is_read_where_it_is_a_lifetime(expires_in: object, lifetime_s: float | None) -> None:
    """Anything else is as if it were not there. Note N8."""
    assert granted(access_token="t", expires_in=expires_in) == Grant("t", lifetime_s)


@pytest.mark.parametrize("token_type", ["Bearer", "bearer", "BEARER"])
def test_the_token_type_may_be_written_in_any_case(token_type: str) -> None:
    """RFC 6749, section 5.1."""
    assert granted(access_token="t", token_type=token_type) == Grant("t", None)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"access_token": ""},
        {"access_token": 7},
        {"access_token": "a b"},
        {"access_token": "a\r\nX: y"},
        {"access_token": "ä"},
        {"access_token": "t", "token_type": "mac"},
        {"access_token": "t", "token_type": None},
    ],
)
def test_a_token_that_no_header_can_carry_is_not_used(members: dict[str, object]) -> None:
    """It is told as an answer without a token."""
    outcome = granted(**members)
    assert isinstance(outcome, NoToken)
    assert outcome.error is TokenUnavailableError


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>never-shown</html>", b"[" * 60_000, b"\xff"])
def test_a_200_that_is_no_object_holds_no_token(body: bytes) -> None:
    """Its text is not passed on."""
    outcome = read_token_answer(Answer(200, "text/html", body=body), pause_s=0.0)
    assert isinstance(outcome, NoToken)
    assert outcome.message == "The token endpoint's answer holds no token that can be used."


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (401, b'{"error": "unauthorized_client"}', ASK_TO_CHECK_OR_ALLOW),
        (401, b'{"error": "invalid_request"}', ASK_TO_ENABLE),
        (401, b'{"error": "invalid_client"}', ASK_ADMINISTRATOR),
        (404, b"{}", ASK_ADMINISTRATOR),
        (503, b"{}", TRY_LATER),
    ],
)
def test_the_advice_is_what_can_help(status: int, body: bytes, advice: str) -> None:
    """A wrong secret, or an address that leads nowhere, does not heal in a minute."""
    outcome = read_token_answer(Answer(status, JSON, body=body), pause_s=0.0)
    assert isinstance(outcome, NoToken)
    assert outcome.advice == advice


def test_an_answer_that_was_cut_holds_no_token() -> None:
    """The missing rest is not guessed."""
    body = b'{"access_token": "t"}'
    outcome = read_token_answer(Answer(200, JSON, body=body, is_cut=True), pause_s=0.0)
    assert isinstance(outcome, NoToken)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b'{"error": "invalid_client"}', "The token endpoint refused this client (invalid_client)."),
        (400, b'{"error": "never-shown"}', "The token endpoint refused this client."),
        (400, b'{"error": 7}', "The token endpoint refused this client."),
        (400, b"never-shown", "The token endpoint refused this client."),
        (403, b"{}", "The token endpoint refused this client."),
        (200, b'{"error": "invalid_scope"}', "The token endpoint refused this client (invalid_scope)."),
    ],
)
def test_a_refusal_shows_a_known_code_only(status: int, body: bytes, message: str) -> None:
    """A text of the endpoint's may repeat the secret."""
    outcome = read_token_answer(Answer(status, JSON, body=body), pause_s=0.0)
    assert isinstance(outcome, NoToken)
    assert (outcome.error, outcome.message) == (TokenRefusedError, message)


@pytest.mark.parametrize("status", [204, 302, 404, 408, 429, 500, 503])
def test_any_other_answer_is_no_refusal(status: int) -> None:
    """The credentials may be right; the pause that it asks for is kept."""
    outcome = read_token_answer(Answer(status, JSON, body=b'{"access_token": "t"}'), pause_s=7.0)
    assert isinstance(outcome, NoToken)
    assert (outcome.error, outcome.pause_s) == (TokenUnavailableError, 7.0)
    assert outcome.message == f"The token endpoint answered {status} instead of giving a token."


def test_each_caller_gets_an_error_of_its_own() -> None:
    """Threads do not share one exception and its traceback."""
    reason = NoToken(TokenRefusedError, "No.", "Ask.")
    errors: list[TokenError] = [reason.as_error(), reason.as_error()]
    assert errors[0] is not errors[1]
    assert [(error.message, error.advice) for error in errors] == [("No.", "Ask.")] * 2
