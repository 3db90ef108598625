"""One word for one thing: what docs/glossary.md retires is found in no name and in no sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import PROGRAM, ROOT, files, offenders, parse, read

PYTHON = files(*PROGRAM, suffix=".py")
ROWS = re.findall(
    r"^\| ([a-z][^|]*) \| ([^|]+) \| ([^|]*) ?\|$", read(ROOT / "docs" / "glossary.md"), re.MULTILINE
)
NAMES = {word for row in ROWS for word in re.findall(r"`(\w+)`", row[2])}
PHRASES = [phrase for row in ROWS for phrase in re.findall(r'"([^"]+)"', row[2])]
FIELDS = ("name", "id", "arg", "attr")


def names_of(path: Path) -> Iterator[str]:
    """The module's own name, and every name that stands in it."""
    yield path.stem
    for node in ast.walk(parse(path)):
        yield from (name for field in FIELDS if isinstance(name := getattr(node, field, None), str))


def retired_names(path: Path) -> set[str]:
    """The names in a module that have a retired word as one of their parts; "in place" is no place."""
    return {name for name in names_of(path) if NAMES & set(name.lower().replace("in_place", "").split("_"))}


def retired_phrases(path: Path) -> set[str]:
    """The retired phrases in a module: in its texts, docstrings and comments."""
    text = " ".join(read(path).casefold().split())
    return {phrase for phrase in PHRASES if phrase in text}


def test_the_glossary_has_about_twenty_words_of_one_line() -> None:
    """More are not remembered."""
    assert 18 <= len(ROWS) <= 24


def test_no_name_holds_a_retired_word() -> None:
    """Use the word of the glossary, or change the glossary."""
    assert offenders(retired_names, PYTHON) == {}


def test_no_text_holds_a_retired_phrase() -> None:
    """On screen, in docstrings and in comments the words are the same."""
    assert offenders(retired_phrases, PYTHON) == {}
