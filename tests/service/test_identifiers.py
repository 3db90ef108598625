"""Strings that the service takes as identifiers. Note N1."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility_service.http.accepted_ids import check_identifier, check_recipients, read_segment
from item_visibility_service.http.problem_answers import ProblemError

TAKEN = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=160).filter(
    lambda text: text not in {".", ".."}
)


@given(text=TAKEN)
def test_an_identifier_comes_out_of_its_segment_as_it_went_in(text: str) -> None:
    """Nothing is trimmed, folded or composed."""
    assert read_segment("id", quote(text, safe="").encode()) == text


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (b"", "id is empty."),
        (b"%2E%2e", "id is '..', which many programs take for a folder and leave out."),
        (b"%", "id: a percent sign is not followed by two hexadecimal digits."),
        (b"%+1", "id: a percent sign is not followed by two hexadecimal digits."),
        (b"%ff", "id is not UTF-8."),
        (b"%1f", "id holds a control character or half of a surrogate pair."),
        (b"a" * 201, "id has 201 characters; 200 are allowed."),
        (b"%F0%9F%9B%8D" * 167, "id has more than 2000 bytes when it is percent-encoded."),
    ],
)
def test_a_refused_segment_is_told_why(raw: bytes, detail: str) -> None:
    """In a sentence that names what is wrong."""
    with pytest.raises(ProblemError) as caught:
        read_segment("id", raw)

    assert (caught.value.status, caught.value.detail) == (400, detail)


@pytest.mark.parametrize("text", ["a" * 200, "\N{SHOPPING BAGS}" * 166, "ä" * 200, "...", " "])
def test_the_longest_identifiers_are_taken(text: str) -> None:
    """200 characters, and 2,000 bytes when percent-encoded."""
    assert check_identifier("id", text) == text


def test_recipients_are_each_once() -> None:
    """Repetition says nothing: Note N10."""
    assert check_recipients(["b", "a", "b"]) == {"a", "b"}
