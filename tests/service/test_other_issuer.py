"""Tokens of another issuer: which are accepted, and how the issuer's keys are found.

RFC 9068; RFC 8725.
"""

import asyncio
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, RSAKey

from item_visibility_service import issuer_keys
from item_visibility_service.issuer_keys import (
    IssuerKeys,
    KeysUnavailableError,
    download_keys,
)
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import (
    OtherIssuer,
    ServiceSettings,
    ServiceSettingsError,
)
from item_visibility_service.tokens import ForeignTokens, InvalidTokenError
from tests.support.bundled_service import TOKEN_PATH, sqlite_url
from tests.support.listening import free_port
from tests.support.waiting import HandClock

ISSUER = OtherIssuer(
    url="https://login.example.com/auth/realms/r",
    audience="items",
    client_id="dashboard",
)
RSA = RSAKey.generate_key(2048, {"kid": "rsa"})
EC = ECKey.generate_key("P-256", {"kid": "ec"})
PUBLIC = {
    "rsa": RSAKey.import_key(RSA.as_dict(private=False)),
    "ec": ECKey.import_key(EC.as_dict(private=False)),
}
OF_KEYCLOAK = {
    "iss": ISSUER.url,
    "aud": ["items", "account"],
    "azp": "dashboard",
    "typ": "Bearer",
    "iat": 1_000,
    "exp": 1_300,
}


async def find_key(key_id: str) -> Key:
    return PUBLIC[key_id]


def sign(
    key: Key = RSA,
    algorithm: str = "RS256",
    *,
    header: dict[str, Any] | None = None,
    **claims: object,
) -> str:
    """Return a token like Keycloak's. A claim of None is left out."""
    whole = OF_KEYCLOAK | claims
    body = {name: value for name, value in whole.items() if value is not None}
    head = {"alg": algorithm, "kid": key.kid} | (header or {})
    return jwt.encode(head, body, key, algorithms=[algorithm])


def verify(
    token: str, clock: Callable[[], float], issuer: OtherIssuer = ISSUER
) -> float:
    """Return the time until which the token may be accepted."""
    return asyncio.run(ForeignTokens(issuer, find_key, clock).verify(token))


@pytest.mark.parametrize(
    "token",
    [
        sign(),
        sign(RSA, "PS256"),
        sign(EC, "ES256"),
        sign(aud="items"),
        sign(azp=None, client_id="dashboard"),
        sign(typ=None, header={"typ": "at+jwt"}),
        sign(nbf=1_005),
    ],
    ids=[
        "RS256",
        "PS256",
        "ES256",
        "one audience",
        "client_id",
        "RFC 9068",
        "a clock ahead",
    ],
)
def test_an_access_token_of_the_issuer_is_accepted(
    clock: HandClock, token: str
) -> None:
    assert verify(token, clock) == 1_060


def by_hand(algorithm: str, key_id: object = "rsa") -> str:
    """Return a token with a symmetric algorithm, signed with the public key."""
    head = encode(json.dumps({"alg": algorithm, "kid": key_id}).encode())
    body = encode(json.dumps(OF_KEYCLOAK).encode())
    signed = head + b"." + body
    mac = b""
    if algorithm == "HS256":
        mac = hmac.digest(RSA.as_pem(private=False), signed, "sha256")
    return (signed + b"." + encode(mac)).decode()


def encode(part: bytes) -> bytes:
    return urlsafe_b64encode(part).rstrip(b"=")


FORGED = by_hand("HS256")


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (FORGED, "signature"),
        (by_hand("none"), "signature"),
        (sign(RSA, "RS512"), "signature"),
        (sign(RSA, header={"kid": "ec"}), "signature"),
        (sign(RSAKey.generate_key(2048, {"kid": "rsa"})), "signature"),
        (by_hand("HS256", key_id=5), "with a key id"),
        (by_hand("HS256", key_id=None), "with a key id"),
        ("x", "with a key id"),
        ("\u00e4.b.c", "with a key id"),
        (sign(iss="https://login.example.com/auth/realms/other"), "another issuer"),
        (sign(iss=None), "another issuer"),
        (sign(typ="ID"), "another kind"),
        (sign(typ="Refresh"), "another kind"),
        (sign(aud="account"), "another audience"),
        (sign(aud=None), "another audience"),
        (sign(aud="items and more"), "another audience"),
        (sign(azp="another"), "another client"),
        (sign(azp=None), "another client"),
        (sign(exp=1_000), "expired"),
        (sign(exp=None), "expired"),
        (sign(exp="2000"), "expired"),
        (sign(exp=True), "expired"),
        (sign(exp=float("nan")), "expired"),
        (sign(nbf=1_011), "not valid yet"),
        (sign(nbf="1"), "not valid yet"),
    ],
)
def test_any_other_token_is_refused(clock: HandClock, token: str, message: str) -> None:
    with pytest.raises(InvalidTokenError, match=message) as caught:
        verify(token, clock)
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    ("issuer", "token"),
    [
        (OtherIssuer(url=ISSUER.url, audience="items"), sign(azp="another")),
        (OtherIssuer(url=ISSUER.url, client_id="dashboard"), sign(aud="account")),
    ],
)
def test_only_configured_claims_are_compared(
    clock: HandClock, issuer: OtherIssuer, token: str
) -> None:
    assert verify(token, clock, issuer) == 1_060


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url": ISSUER.url}, "Set the audience or the client"),
        (
            {"url": "http://login.example.com", "audience": "a"},
            "address of the issuer is not secure",
        ),
        ({"url": "login.example.com", "audience": "a"}, "not a plain web address"),
        (
            {"url": "https://u:p@login.example.com", "audience": "a"},
            "not a plain web address",
        ),
        (
            {"url": "https://login.example.com:x", "audience": "a"},
            "not a plain web address",
        ),
    ],
)
def test_an_unsafe_issuer_address_is_refused(
    values: dict[str, str], message: str
) -> None:
    with pytest.raises(ServiceSettingsError, match=message):
        OtherIssuer(**values)  # type: ignore[arg-type]  (all values are texts)


class Downloads:
    """A fake download of keys, which counts calls and can fail."""

    def __init__(self) -> None:
        self.count = 0
        self.answer: dict[str, Key] | KeysUnavailableError = {"rsa": PUBLIC["rsa"]}

    async def __call__(self) -> dict[str, Key]:
        self.count += 1
        await asyncio.sleep(0)
        if isinstance(self.answer, KeysUnavailableError):
            raise self.answer
        return self.answer


@pytest.fixture
def downloads() -> Downloads:
    return Downloads()


@pytest.fixture
def keys(downloads: Downloads, clock: HandClock) -> IssuerKeys:
    return IssuerKeys(downloads, clock)


def test_concurrent_calls_download_the_keys_once(
    keys: IssuerKeys, downloads: Downloads
) -> None:
    async def find_all() -> list[Key]:
        return list(await asyncio.gather(*(keys.find("rsa") for _ in range(50))))

    assert asyncio.run(find_all()) == [PUBLIC["rsa"]] * 50
    assert downloads.count == 1


def test_unknown_keys_do_not_flood_the_issuer(
    keys: IssuerKeys, downloads: Downloads, clock: HandClock
) -> None:
    async def flood() -> list[Key | BaseException]:
        numbers = [str(number) for number in range(100)]
        first = await asyncio.gather(*map(keys.find, numbers), return_exceptions=True)
        clock.move(5)
        second = await asyncio.gather(*map(keys.find, numbers), return_exceptions=True)
        return first + second

    assert {type(result) for result in asyncio.run(flood())} == {InvalidTokenError}
    assert downloads.count == 2


def test_a_new_key_is_found_and_an_old_one_is_forgotten(
    keys: IssuerKeys, downloads: Downloads, clock: HandClock
) -> None:
    async def rotate() -> Key:
        await keys.find("rsa")
        downloads.answer = {"ec": PUBLIC["ec"]}
        clock.move(5)
        return await keys.find("ec")

    async def look_for_the_old_one() -> None:
        await keys.find("rsa")

    assert asyncio.run(rotate()) == PUBLIC["ec"]
    with pytest.raises(InvalidTokenError):
        asyncio.run(look_for_the_old_one())


def test_known_keys_stay_while_the_issuer_is_down(
    keys: IssuerKeys,
    downloads: Downloads,
    clock: HandClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def go_on() -> Key:
        await keys.find("rsa")
        downloads.answer = KeysUnavailableError("It is down.")
        clock.move(600)
        await keys.find("rsa")
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        await keys.check()
        return await keys.find("rsa")

    async def ask_for_another() -> None:
        await keys.find("ec")

    assert asyncio.run(go_on()) == PUBLIC["rsa"]
    assert caplog.messages == ["It is down. Keys in use: 1."]
    with pytest.raises(KeysUnavailableError, match="It is down"):
        asyncio.run(ask_for_another())
    assert downloads.count == 2


CONFIGURATION = "/auth/realms/r/.well-known/openid-configuration"
KEYS = "/auth/realms/r/keys"
SOME_KEYS = [
    *(key.as_dict(private=False) for key in (RSA, EC)),
    {"kty": "RSA", "use": "enc", "kid": "enc"},
    {"kty": "oct", "kid": "oct"},
    {"kty": "EC", "kid": "x"},
    {"kty": "RSA"},
    5,
]


def configuration(keys_url: str) -> bytes:
    return json.dumps({"issuer": ISSUER.url, "jwks_uri": keys_url}).encode()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, bytes]]:
    """What the issuer answers at each path. Two of its keys are for signatures."""
    answers = {
        CONFIGURATION: (200, configuration(f"{ISSUER.url}/keys")),
        KEYS: (200, json.dumps({"keys": SOME_KEYS}).encode()),
    }

    def answer(request: httpx.Request) -> httpx.Response:
        status, body = answers[request.url.path]
        return httpx.Response(
            status, headers={"Location": "/"}, stream=httpx.ByteStream(body)
        )

    with_transport = partial(httpx.AsyncClient, transport=httpx.MockTransport(answer))
    monkeypatch.setattr(httpx, "AsyncClient", with_transport)
    return answers


def download() -> dict[str, Key]:
    return asyncio.run(download_keys(ISSUER))


@pytest.mark.usefixtures("answers")
def test_the_keys_for_signatures_are_downloaded() -> None:
    keys = download()
    assert {name: key.as_dict(private=False) for name, key in keys.items()} == {
        "rsa": RSA.as_dict(private=False),
        "ec": EC.as_dict(private=False),
    }


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        (KEYS, (302, b""), "answers 302"),
        (KEYS, (200, b"x"), "JSONDecodeError"),
        (KEYS, (200, b"[]"), "not a JSON object"),
        (KEYS, (200, b'{"keys": 5}'), "no keys for signatures"),
        (KEYS, (200, b"x" * (2**20 + 1)), "too large"),
        (CONFIGURATION, (200, b'{"issuer": "x"}'), "another address"),
        (CONFIGURATION, (200, configuration("http://192.0.2.1/keys")), "not secure"),
    ],
)
def test_an_unusable_answer_of_the_issuer_is_an_error(
    answers: dict[str, tuple[int, bytes]],
    path: str,
    answer: tuple[int, bytes],
    message: str,
) -> None:
    answers[path] = answer
    with pytest.raises(KeysUnavailableError, match=message):
        download()


def test_a_slow_issuer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(3_600)
        return httpx.Response(200)

    with_transport = partial(httpx.AsyncClient, transport=httpx.MockTransport(wait))
    monkeypatch.setattr(httpx, "AsyncClient", with_transport)
    monkeypatch.setattr(issuer_keys, "_TIMEOUT_S", 0)
    with pytest.raises(KeysUnavailableError, match="within 0 seconds"):
        download()


@pytest.mark.contract
@pytest.mark.usefixtures("answers")
def test_a_service_with_another_issuer_accepts_its_tokens_and_creates_none(
    tmp_path: Path,
) -> None:
    token = sign(exp=9_999_999_999)
    settings = ServiceSettings(sqlite_url(tmp_path), issuer=ISSUER)
    with EmbeddedService(settings) as running, httpx.Client(trust_env=False) as client:
        address = f"{running.base_url}/itemvisibilities/S/I"
        ready = client.get(f"{running.auth_url}/readyz")
        read = client.get(address, headers={"Authorization": f"Bearer {token}"})
        forged = client.get(address, headers={"Authorization": f"Bearer {FORGED}"})
        new_token = client.post(running.auth_url + TOKEN_PATH, data={"grant_type": "x"})
    assert ready.status_code == 200
    assert read.status_code == 404
    assert forged.status_code == 401
    assert new_token.status_code == 404


@pytest.mark.contract
def test_without_keys_a_token_is_not_called_wrong(tmp_path: Path) -> None:
    away = OtherIssuer(url=f"http://127.0.0.1:{free_port()}", audience="items")
    with EmbeddedService(ServiceSettings(sqlite_url(tmp_path), issuer=away)) as running:
        ready = httpx.get(f"{running.auth_url}/readyz", trust_env=False)
        removal = httpx.delete(
            f"{running.base_url}/itemvisibilities/S/I",
            headers={"Authorization": f"Bearer {sign()}"},
            trust_env=False,
        )
        health = httpx.get(f"{running.auth_url}/healthz", trust_env=False)
    assert ready.status_code == 503
    assert removal.status_code == 503
    assert removal.headers["retry-after"] == "5"
    assert removal.json()["detail"].endswith("Nothing was applied.")
    assert health.status_code == 200
