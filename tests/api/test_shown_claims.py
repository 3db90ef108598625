"""A token's claims about itself, as far as they can be read."""

import base64
import json
from datetime import UTC, datetime

import pytest

from item_visibility.api.token.shown_claims import TokenClaims, read_claims


def token(payload: bytes) -> str:
    """A token of three parts with this payload."""
    return f"head.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.mark"


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({}, TokenClaims()),
        (
            {"exp": 60.5, "scope": "a b", "iss": "i", "aud": "x", "client_id": "c"},
            TokenClaims(
                expires_at=datetime(1970, 1, 1, 0, 1, 0, 500_000, tzinfo=UTC),
                scopes="a b",
                issuer="i",
                audience="x",
                client="c",
            ),
        ),
        ({"aud": ["x", 7, "y"], "azp": "z", "client_id": "c"}, TokenClaims(audience="x, y", client="z")),
        ({"exp": True, "iss": 7, "scope": None}, TokenClaims()),
        ({"exp": "0"}, TokenClaims()),
        ({"exp": 1e300}, TokenClaims()),
        ({"exp": -1e18}, TokenClaims()),
        ({"iss": "i" * 999}, TokenClaims(issuer="i" * 200)),
    ],
)
def test_the_claims_are_read(claims: dict[str, object], told: TokenClaims) -> None:
    """Of any form that RFC 9068 knows, and nothing of any other."""
    assert read_claims(token(json.dumps(claims).encode())) == told


@pytest.mark.parametrize(
    "text", ["opaque", "a.b", "a.b.c.d", "head.é.mark", "head.A.mark", token(b"[]"), token(b"\xff{}")]
)
def test_a_token_of_another_form_says_nothing(text: str) -> None:
    """The specification promises no form."""
    assert read_claims(text) is None
