"""A silenced check is named, with the reason."""

import io
import re
import tokenize

import pytest

from tests.house.tree import files, offenders, read

SUPPRESSION = re.compile(r"#\s*(noqa|type:\s*ignore|pragma:|mypy:|ruff:|pyright:|fmt:)")
EXPLAINED = re.compile(
    r"#\s*(?:(?:ruff: )?noqa: [A-Z]+\d+(?:, [A-Z]+\d+)*"
    r"|type: ignore\[[a-z, -]+\]|pragma: no (?:cover|branch)|fmt: skip)"
    r"[\s#(]+\w+\W+\w+"
)


def unexplained(source: str) -> list[str]:
    """The suppressions in a source that lack a code or a reason; most sources hold none."""
    if not SUPPRESSION.search(source):
        return []
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return [text for text in comments if SUPPRESSION.search(text) and not EXPLAINED.search(text)]


def test_suppressions_have_a_code_and_a_reason() -> None:
    """The next reader can tell whether the reason still holds."""
    assert offenders(lambda path: unexplained(read(path)), files(suffix=".py")) == {}


@pytest.mark.parametrize(
    ("comment", "is_explained"),
    [
        ("# noqa: S603  (it starts our own program)", True),
        ("# type: ignore[arg-type]  # the stub is wrong", True),
        ("# noqa: S603", False),
        ("# noqa", False),
        ("# type: ignore  (the stub is wrong)", False),
        ("# pragma: no cover", False),
    ],
)
def test_the_rule_wants_code_and_reason(comment: str, *, is_explained: bool) -> None:
    """The rule itself sees what it shall see, and only that."""
    assert (unexplained(f"x = 1  {comment}\n") == []) is is_explained
