"""A suggestion says what it changes."""

import pytest

from item_visibility.lists.damage.difference import difference_words


@pytest.mark.parametrize(
    ("value", "suggestion", "words"),
    [
        ("9521000010017", "09521000010017", "adds “0” at the start"),
        ("09521000010017", "09521000010017:276", "adds “:276” at the end"),
        ("952200000019", "9522000000019", "adds “0” after “9522000000”"),
        ("9522000000019\N{NO-BREAK SPACE}", "9522000000019", "removes no-break space at the end"),
        ("9522000000019\r\n", "9522000000019", "removes character 000d and character 000a at the end"),
        ("95220O0000019", "9522000000019", "“O” becomes “0”"),
        ("'9522000000019.0", "9522000000019", "removes “'” at the start, removes “.0” at the end"),
        ("Deutschland", "276", "“Deutschland” becomes “276”"),
        ("1a2b3c4d5", "12345", "“1a2b3c4d5” becomes “12345”"),
        ("Sonnenhof Supermarkets and Sons", "9522000000019", "another text"),
    ],
)
def test_the_difference_of_a_suggestion_is_told_in_words(value: str, suggestion: str, words: str) -> None:
    """The words say what is added or removed, and where."""
    assert difference_words(value, suggestion) == words
