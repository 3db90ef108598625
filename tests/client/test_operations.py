"""Identifiers go out byte for byte or not at all, each operation with its method and path. Note N1."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client import identifiers
from item_visibility.client import operations as ops
from item_visibility.client.identifiers import (
    MAX_SEGMENT_BYTES,
    ItemKey,
    impossible,
    path_segment,
    refusal,
    too_long,
)
from item_visibility.errors import IdentifierError

BASE = "https://api.example.com/v1"
ITEM = ItemKey("S/1", "ä 1")
PATH = f"{BASE}/itemvisibilities/S%2F1/%C3%A4%201"


@pytest.mark.parametrize(
    ("request_", "name", "method", "url", "may_repeat"),
    [
        (ops.get_visibilities(BASE, ITEM), "getVisibilities", "GET", PATH, True),
        (ops.set_visibilities(BASE, ITEM, []), "setVisibilities", "PUT", PATH, False),
        (ops.remove_visibilities(BASE, ITEM), "removeVisibilities", "DELETE", PATH, False),
        (ops.add_visibility(BASE, ITEM, "r/1"), "addVisibility", "PUT", f"{PATH}/recipient/r%2F1", True),
        (ops.remove_visibility(BASE, ITEM, "%"), "removeVisibility", "DELETE", f"{PATH}/recipient/%25", True),
    ],
)
def test_each_operation_has_its_method_and_path(
    request_: ops.Request, name: str, method: str, url: str, *, may_repeat: bool
) -> None:
    """A whole list that is sent twice could undo somebody's change. Spec: "Endpoints"; Note N17."""
    operation = request_.operation
    assert (operation.name, operation.method, request_.url) == (name, method, url)
    assert (operation.may_repeat, request_.body is None) == (may_repeat, name != "setVisibilities")


def test_a_set_sends_a_sorted_array_without_repetition() -> None:
    """Ids that no path can carry travel in a list; half a character travels as an escape."""
    request = ops.set_visibilities(BASE, ITEM, ["b", "ä", "b", "..", "", "\ud800", "a\n"])
    assert request.body == rb'["", "..", "a\n", "b", "\u00e4", "\ud800"]'
    assert ("Content-Type", "application/json") in request.headers
    assert "00e4" not in repr(request)


@pytest.mark.parametrize("recipients", ["abc", [1], [None], ["a", b"b"]])
def test_a_set_takes_texts_only(recipients: list[str]) -> None:
    """One text is not a list of its letters."""
    with pytest.raises(IdentifierError):
        ops.set_visibilities(BASE, ITEM, recipients)


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
        (None, "The recipient is not a text."),
    ],
)
def test_an_impossible_identifier_is_refused_in_plain_words(
    value: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A longer limit lets none of them pass."""
    monkeypatch.setattr(identifiers, "MAX_SEGMENT_BYTES", 1_000_000)
    assert refusal(value, name="recipient") == impossible(value, name="recipient") == words


def test_a_long_identifier_is_too_long_and_not_impossible() -> None:
    """A longer limit would let it pass."""
    words = "The item is too long: 2004 bytes when sent, and the limit is 2000."
    assert impossible("é" * 334, name="item") is None
    assert refusal("é" * 334, name="item") == too_long("é" * 334, name="item") == words


@pytest.mark.parametrize(
    "value", ["...", " ", "a/b", "%2e%2e", "x/recipient/y", "ä", "😀", "a" * MAX_SEGMENT_BYTES]
)
def test_any_other_text_can_be_addressed(value: str) -> None:
    """Nothing else is refused."""
    assert refusal(value, name="item") is None


@pytest.mark.parametrize(
    ("value", "name", "advice"),
    [
        ("..", "recipient", "setting the whole list"),
        ("", "item", "Check the item for characters that came along when it was copied"),
    ],
)
def test_the_advice_names_what_can_help(value: str, name: str, advice: str) -> None:
    """A list can carry a recipient that no path can."""
    with pytest.raises(IdentifierError) as caught:
        path_segment(value, name=name)
    assert advice in caught.value.advice


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=200))
def test_a_segment_decodes_to_the_identifier(value: str) -> None:
    """Any identifier that is not refused comes back exactly."""
    segments = [path_segment(value, name="item")] if refusal(value, name="item") is None else []
    assert all(unquote(segment, errors="strict") == value and "/" not in segment for segment in segments)
