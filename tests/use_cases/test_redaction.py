"""Secrets are hidden; ordinary words stay as they are."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ProblemDetail
from item_visibility.use_cases.redaction import Redactor
from tests.support.fake_visibilities import START

SECRET = "s3cr3t/of+ours ä&\"<'"
LONG = "opaque-token." + "x1Y2" * 40
WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in an address": lambda text: quote(text, safe=""),
    "in an address, small": lambda text: quote(text, safe="").replace("%2F", "%2f"),
    "in a form": quote_plus,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON, unescaped": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64 of an address": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}


@pytest.mark.parametrize("secret", [SECRET, LONG])
@pytest.mark.parametrize("way", WAYS)
def test_a_known_secret_is_hidden_in_each_usual_writing(secret: str, way: str) -> None:
    written = WAYS[way](secret)
    hidden = Redactor([secret]).text(f"before {written} after")
    assert (written in hidden, hidden.split()[0], hidden.split()[-1]) == (False, "before", "after")
    assert "[hidden]" in hidden


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc123def456ghi7 no", "[hidden] no"),
        ("the Bearer%20abc-123-def-456-ghi was", "the [hidden] was"),
        ("said bearer AAAA.bbbb.CCCC.dddd.EEEE", "said [hidden]"),
        ("Basic dXM6bmV2ZXItc2hvd24tMQ== ", "[hidden] "),
        ("x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln y", "x [hidden] y"),
        ('{"client_secret": "abc"}', '{"[hidden]"}'),
        ("grant_type=x&client_secret=abc&y=1", "grant_type=x&[hidden]&y=1"),
        ("access_token%22%3A%22abc%22", "[hidden]"),
        ("password = hunter2, then", "[hidden], then"),
        ("Bearer authentication required for this document", None),
        ("Basic Baguette 04012345678901:276", None),
        ("The password was reset; ticket 4711", None),
        ("demo", None),
        ('curl -H "Authorization: Bearer $TOKEN" -H x', None),
    ],
)
def test_what_looks_like_a_secret_is_hidden_and_words_are_not(text: str, expected: str | None) -> None:
    assert Redactor(["demo"]).text(text) == (text if expected is None else expected)


def test_every_text_of_a_value_is_cleaned() -> None:
    hide = Redactor([SECRET]).value
    call = CallRecord("addVisibility", 400, path="/S/I", problem=ProblemDetail(400, "No"), sent_at=START)
    planted = replace(call, path=f"/{quote(SECRET)}", problem=ProblemDetail(400, SECRET))
    clean = replace(call, path="/[hidden]", problem=ProblemDetail(400, "[hidden]"))
    assert hide((planted, SECRET, call)) == (clean, "[hidden]", call)
