"""Identifiers go out byte for byte, or not at all. Note N1."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client import identifiers
from item_visibility.client.identifiers import (
    MAX_SEGMENT_BYTES,
    impossible,
    path_segment,
    refusal,
    too_long,
)
from item_visibility.errors import IdentifierError


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "The recipient is empty."),
        (".", "The recipient “.” cannot be addressed: the web gives it a meaning of its own."),
        ("..", "The recipient “..” cannot be addressed: the web gives it a meaning of its own."),
        ("ab\tc", "The recipient holds a tab (U+0009) at position 3, which cannot be sent."),
        ("a\n", "The recipient holds a line break (U+000A) at position 2, which cannot be sent."),
        ("\0", "The recipient holds NUL (U+0000) at position 1, which cannot be sent."),
        ("\x85", "The recipient holds a control character (U+0085) at position 1, which cannot be sent."),
        ("a\ud800", "The recipient holds half a character (U+D800) at position 2, which cannot be sent."),
        ("é" * 334, "The recipient is too long: 2004 bytes when sent, and the limit is 2000."),
        (None, "The recipient is not a text."),
        (7, "The recipient is not a text."),
    ],
)
def test_a_refused_identifier_is_told_in_plain_words(value: object, words: str) -> None:
    """The words name the identifier, the character and its position."""
    assert refusal(value, name="recipient") == words


@pytest.mark.parametrize(
    "value", ["", ".", "..", "a\tb", "\0" * 3_000, "a\ud800", "a" * 3_000 + "\x85", None]
)
def test_a_longer_limit_lets_nothing_impossible_pass(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the length depends on the limit."""
    monkeypatch.setattr(identifiers, "MAX_SEGMENT_BYTES", 1_000_000)
    assert (impossible(value, name="item") is None, refusal(value, name="item") is None) == (False, False)


def test_a_long_identifier_is_too_long_and_not_impossible() -> None:
    """A longer limit would let it pass."""
    value = "a" * (MAX_SEGMENT_BYTES + 1)
    assert impossible(value, name="item") is None
    assert too_long(value, name="item") == refusal(value, name="item")


@pytest.mark.parametrize("value", ["", "..", "\0", "\ud800", "a" * MAX_SEGMENT_BYTES])
def test_a_short_identifier_is_never_too_long(value: str) -> None:
    """Its other faults do not matter."""
    assert too_long(value, name="item") is None


@pytest.mark.parametrize(
    "value", ["...", " ", "a/b", "%2e%2e", "x/recipient/y", "ä", "😀", "a" * MAX_SEGMENT_BYTES]
)
def test_any_other_text_can_be_addressed(value: str) -> None:
    """Nothing else is refused."""
    assert refusal(value, name="item") is None


def test_a_slash_and_a_percent_are_encoded() -> None:
    """Characters with a meaning in a path lose it."""
    assert path_segment("a/b%2F ä?#", name="item") == "a%2Fb%252F%20%C3%A4%3F%23"


def test_a_refused_recipient_says_that_a_list_can_change_it() -> None:
    """The advice names the one operation that can carry the id."""
    with pytest.raises(IdentifierError) as caught:
        path_segment("..", name="recipient")
    assert "setting the whole list" in caught.value.advice


def test_a_refused_item_says_what_to_check() -> None:
    """The advice does not promise what is impossible for an item."""
    with pytest.raises(IdentifierError) as caught:
        path_segment("", name="item")
    assert caught.value.advice == (
        "Check the item for characters that came along when it was copied, and enter it again."
    )


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=200))
def test_a_segment_decodes_to_the_identifier(value: str) -> None:
    """Any identifier that is not refused comes back exactly."""
    segments = [path_segment(value, name="item")] if refusal(value, name="item") is None else []
    assert all(unquote(segment, errors="strict") == value and "/" not in segment for segment in segments)
