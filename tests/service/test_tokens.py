"""Access tokens: who gets one, and which are accepted.

Spec: "Authentication"; Note N8.
"""

import asyncio
import json
from base64 import urlsafe_b64encode

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Store
from item_visibility_service.tokens import CheckedTokens, InvalidTokenError, OwnTokens
from tests.support.bundled_service import CLIENT_SECRET, TOKEN_PATH, ask_for_token
from tests.support.waiting import HandClock


def segment(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.fixture
def own(sqlite_store: Store, clock: HandClock) -> OwnTokens:
    return OwnTokens(sqlite_store.signing_key(), clock)


@pytest.fixture
def checked(own: OwnTokens, clock: HandClock) -> CheckedTokens:
    return CheckedTokens(own.verify, clock)


def accepts(checked: CheckedTokens, token: str) -> bool:
    try:
        asyncio.run(checked.check(token))
    except InvalidTokenError:
        return False
    return True


def test_a_token_lives_as_long_as_announced(
    sqlite_store: Store, own: OwnTokens, checked: CheckedTokens, clock: HandClock
) -> None:
    token = OwnTokens(sqlite_store.signing_key(), clock).issue("c", lifetime_s=3)
    assert token != own.issue("c", lifetime_s=3)
    clock.move(2.9)
    asyncio.run(checked.check(token))
    clock.move(0.1)
    with pytest.raises(InvalidTokenError, match="expired"):
        asyncio.run(checked.check(token))


@pytest.fixture
def verified() -> list[str]:
    return []


@pytest.fixture
def counted(verified: list[str], clock: HandClock) -> CheckedTokens:
    async def verify(text: str) -> float:
        verified.append(text)
        return clock() + 60

    return CheckedTokens(verify, clock)


def test_a_known_token_is_not_verified_again(
    counted: CheckedTokens, verified: list[str], clock: HandClock
) -> None:
    assert accepts(counted, "a")
    assert accepts(counted, "a")
    assert verified == ["a"]
    clock.move(60)
    assert accepts(counted, "a")
    assert verified == ["a", "a"]


def test_the_memory_of_tokens_is_bounded(
    counted: CheckedTokens, verified: list[str]
) -> None:
    async def check_all() -> None:
        await asyncio.gather(*(counted.check(str(number)) for number in range(1001)))
        await counted.check("1000")
        await counted.check("0")

    asyncio.run(check_all())
    assert verified == [*(str(number) for number in range(1001)), "0"]


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "x",
        "a.b.c",
        "\u00e4.b.c",
        f"{segment({'alg': 'none'})}.{segment({'sub': 'c', 'exp': 9e9})}.",
        jwt.encode(
            {"alg": "HS256"},
            {"exp": 9e9},
            OctKey.import_key("another key that is long enough for HS256"),
        ),
        jwt.encode(
            {"alg": "HS512"},
            {"exp": 9e9},
            OctKey.import_key(
                "another key that is long enough for HS512, which wants one of 64 "
                "bytes or more"
            ),
            algorithms=["HS512"],
        ),
    ],
)
def test_a_forged_token_is_refused(checked: CheckedTokens, forged: str) -> None:
    assert not accepts(checked, forged)


@pytest.mark.contract
def test_the_token_response_follows_oauth(service: EmbeddedService) -> None:
    """The specification requires only access_token.

    We chose the other fields. Note N8.
    """
    answer = ask_for_token(service.auth_url)
    fields = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert fields.pop("access_token")
    assert fields == {
        "token_type": "Bearer",
        "scope": "itemvisibilities",
        "expires_in": 300,
    }


@pytest.mark.contract
@pytest.mark.parametrize(
    ("fields", "status", "error"),
    [
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"client_secret": ""}, 401, "invalid_client"),
        ({"client_id": "wrong"}, 401, "invalid_client"),
        ({"client_id": "\u00e4"}, 401, "invalid_client"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": ""}, 400, "unsupported_grant_type"),
    ],
)
def test_a_refused_client_is_told_why(
    service: EmbeddedService, fields: dict[str, str], status: int, error: str
) -> None:
    answer = ask_for_token(service.auth_url, **fields)
    body = answer.json()
    assert answer.status_code == status
    assert body["error"] == error
    assert body["status"] == status
    assert body["detail"] == body["error_description"]
    assert CLIENT_SECRET not in answer.text


@pytest.mark.contract
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"client_id=a&client_secret=b",
        b"grant_type=client_credentials&grant_type=client_credentials",
        b"grant_type",
        b"grant_type=%ff",
        b"\xff",
        b"&".join(b"x%d=1" % number for number in range(21)),
    ],
)
def test_a_form_that_cannot_be_read_is_an_invalid_request(
    service: EmbeddedService, body: bytes
) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = httpx.post(
        service.auth_url + TOKEN_PATH, content=body, headers=headers, trust_env=False
    )
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_request"


@pytest.mark.contract
@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        ([], 'Bearer realm="item-visibilities"'),
        ([("Authorization", "Basic YTpi")], 'Bearer realm="item-visibilities"'),
        ([("Authorization", "Bearer")], 'Bearer realm="item-visibilities"'),
        (
            [("Authorization", "Bearer a"), ("Authorization", "Bearer b")],
            'Bearer realm="item-visibilities"',
        ),
        (
            [("Authorization", "Bearer x")],
            'Bearer realm="item-visibilities", error="invalid_token"',
        ),
        (
            [("Authorization", "bearer x")],
            'Bearer realm="item-visibilities", error="invalid_token"',
        ),
    ],
)
def test_a_call_without_a_good_token_is_401(
    service: EmbeddedService, headers: list[tuple[str, str]], challenge: str
) -> None:
    """The answer says how to authenticate, and comes before any other check.

    Note N7.
    """
    answer = httpx.delete(
        f"{service.base_url}/itemvisibilities/S/..%2f", headers=headers, trust_env=False
    )
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == challenge
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 401
