"""Identifiers go out byte for byte or not at all; each kind of request has its address and body. Note N1."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.identifiers import MAX_SEGMENT_BYTES, ItemKey, path_segment, refusal
from item_visibility.client.operations import SET_VISIBILITIES, item_request, recipients_array
from item_visibility.errors import IdentifierError


def test_a_list_is_a_sorted_array_without_repetition() -> None:
    body = recipients_array(["b", "ä", "b", "..", "", "\ud800", "a\n"])
    assert body == rb'["", "..", "a\n", "b", "\u00e4", "\ud800"]'
    request = item_request(SET_VISIBILITIES, "https://api.example.com/v1", ItemKey("S", "I"), body)
    assert ("Content-Type", "application/json") in request.headers
    assert "00e4" not in repr(request)


@pytest.mark.parametrize("recipients", ["abc", [1], [None], ["a", b"b"]])
def test_a_list_holds_texts_only(recipients: list[str]) -> None:
    with pytest.raises(IdentifierError):
        recipients_array(recipients)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "The recipient is empty."),
        (".", "The recipient “.” cannot be addressed: the web gives it a meaning of its own."),
        ("..", "The recipient “..” cannot be addressed: the web gives it a meaning of its own."),
        ("ab\tc", "The recipient holds a tab (U+0009) at position 3, which cannot be sent."),
        ("\0" * 3_000, "The recipient holds NUL (U+0000) at position 1, which cannot be sent."),
        ("\x85", "The recipient holds a control character (U+0085) at position 1, which cannot be sent."),
        ("a\ud800", "The recipient holds half a character (U+D800) at position 2, which cannot be sent."),
        ("é" * 334, "The recipient is too long: 2004 bytes when sent, and the limit is 2000."),
        (None, "The recipient is not a text."),
        *((value, None) for value in ("...", " ", "a/b", "%2e%2e", "x/recipient/y", "ä", "😀")),
        ("a" * MAX_SEGMENT_BYTES, None),
    ],
)
def test_only_an_identifier_that_no_path_can_carry_is_refused(value: object, words: str | None) -> None:
    assert refusal(value, name="recipient") == words


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=200))
def test_a_segment_decodes_to_the_identifier(value: str) -> None:
    segments = [path_segment(value, name="item")] if refusal(value, name="item") is None else []
    assert all(unquote(segment, errors="strict") == value and "/" not in segment for segment in segments)
