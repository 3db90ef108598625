"""The token request and its answer. The only module that knows Authlib. Spec: "Authentication".

Authlib only builds the request. It never sends it, because its errors hold the request and with it
the secret. The answer is read here, because Authlib 1.9 treats an
`expires_in` that it cannot read as a failure.
"""

import math
import re
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from authlib.oauth2 import ClientAuth  # type: ignore[import-untyped]  # no types yet
from authlib.oauth2.rfc6749.parameters import (  # type: ignore[import-untyped]  # no types yet
    prepare_token_request,
)

from item_visibility.client.answers import Answer, Failure
from item_visibility.client.http.masking import SecretText
from item_visibility.client.operations import REQUEST_TOKEN
from item_visibility.client.problems import parse_json
from item_visibility.client.requests import Request
from item_visibility.client.retry import retry_after_s
from item_visibility.client.statuses import CLIENT_REFUSALS, UNEXPECTED
from item_visibility.client.token.renewal import ClientCredentials, Grant, NoToken
from item_visibility.errors import TokenRefusedError, TokenUnavailableError
from item_visibility.timings_and_retries import LONGEST_RETRY_AFTER_S, LONGEST_TOKEN_LIFETIME_S

TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105  (a path, no password)
FORM = "application/x-www-form-urlencoded"
ERROR_CODES = frozenset(
    {"invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "unauthorized_client"}
    | {"unsupported_grant_type"}
)
_SAID_OF_AN_ACCOUNT = "invalid_request"
_SAID_OF_MUCH = "unauthorized_client"
"""Keycloak 26 says the first of a client whose own account is disabled. It says the second of a wrong secret,
and of a client that may not have an account: which of both, only its text tells."""

ASK_ADMINISTRATOR = "Ask whoever set this up to check the client id, the client secret and the token address."
ASK_TO_ENABLE = (
    "Ask whoever runs the token service to enable this client's own account (its service account)."
)
ASK_TO_CHECK_OR_ALLOW = (
    "Ask whoever set this up to check the client secret; if it is right, ask whoever runs the token service"
    " whether this client may sign in by itself (client credentials)."
)
_ADVICE = {_SAID_OF_AN_ACCOUNT: ASK_TO_ENABLE, _SAID_OF_MUCH: ASK_TO_CHECK_OR_ALLOW}
TRY_LATER = "Try again in a minute; if it stays so, ask whoever runs the token service."
_UNUSABLE = "its answer holds no token that can be used"


def token_request(auth_url: str, credentials: ClientCredentials) -> Request:
    """Build a token request: client credentials grant, form fields. Spec: "Authentication"; Note N9."""
    client = ClientAuth(credentials.client_id, credentials.client_secret, "client_secret_post")
    url, headers, body = client.prepare(
        REQUEST_TOKEN.method,
        auth_url + TOKEN_PATH,
        {"Content-Type": FORM, "Accept": "application/json"},
        prepare_token_request("client_credentials"),
    )
    return Request(REQUEST_TOKEN, url, headers=tuple(headers.items()), body=body.encode("ascii"))


def fetch_token(
    send: Callable[[], Answer | Failure],
    *,
    now: Callable[[], datetime],
    record: Callable[[Answer | Failure, Grant | Failure | None], object],
) -> Grant | NoToken:
    """Send the request once and return the token, or the reason why there is none.

    The endpoint's `Retry-After` counts up to 60 s. Note N12. `record` gets the answer with its meaning; of a
    refusal only the status.
    """
    answer = send()
    if isinstance(answer, Failure):
        record(answer, None)
        message = f"The token endpoint gave no token: {answer.fact}."
        was_sent = answer.meaning.may_be_applied
        return NoToken(TokenUnavailableError, message, TRY_LATER if was_sent else answer.meaning.advice)
    pause_s = min(retry_after_s(answer, now=now()), LONGEST_RETRY_AFTER_S)
    outcome = read_token_answer(answer, pause_s=pause_s)
    if isinstance(outcome, Grant):
        record(answer, outcome)
    else:
        record(answer, Failure(UNEXPECTED, _UNUSABLE) if answer.status == HTTPStatus.OK else None)
    return outcome


def read_token_answer(answer: Answer, *, pause_s: float) -> Grant | NoToken:
    """Return the token from the endpoint's answer, or the reason for none. Spec: "Authentication"; Note N8.

    None of the endpoint's text is passed on: it may repeat what was sent.
    """
    if answer.status not in CLIENT_REFUSALS | {HTTPStatus.OK}:
        return NoToken(
            TokenUnavailableError,
            f"The token endpoint answered {answer.status} instead of giving a token.",
            ASK_ADMINISTRATOR if answer.status == HTTPStatus.NOT_FOUND else TRY_LATER,
            pause_s=pause_s,
        )
    members = None if answer.is_cut else parse_json(answer.body)
    members = members if isinstance(members, dict) else {}
    if answer.status != HTTPStatus.OK or "error" in members:
        return _refused(members.get("error"))
    return _read_grant(members)


def _read_grant(members: dict[str, object]) -> Grant | NoToken:
    access_token = members.get("access_token")
    token_type = members.get("token_type", "Bearer")
    if not isinstance(access_token, str) or not re.fullmatch(r"[\x21-\x7e]+", access_token):
        return _unusable()
    if not isinstance(token_type, str) or token_type.lower() != "bearer":
        return _unusable()
    return Grant(SecretText(access_token), _read_lifetime(members.get("expires_in")))


def _read_lifetime(value: object) -> float | None:
    """Return the seconds in `expires_in`, which may be text; None when it is not a lifetime."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        lifetime_s = float(value)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(lifetime_s) or lifetime_s <= 0:
        return None
    return min(lifetime_s, LONGEST_TOKEN_LIFETIME_S)


def _refused(code: object) -> NoToken:
    known = code if isinstance(code, str) and code in ERROR_CODES else ""
    said = f" ({known})" if known else ""
    return NoToken(
        TokenRefusedError,
        f"The token endpoint refused this client{said}.",
        _ADVICE.get(known, ASK_ADMINISTRATOR),
    )


def _unusable() -> NoToken:
    return NoToken(
        TokenUnavailableError,
        "The token endpoint's answer holds no token that can be used.",
        ASK_ADMINISTRATOR,
    )
