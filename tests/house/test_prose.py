"""A docstring begins with a verb or a plain noun: after a clause the reader waits for the fact."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import PROGRAM, files, offenders, parse

PYTHON = files(*PROGRAM, "benchmarks", "tests", suffix=".py")
CLAUSE = re.compile(
    r"(?:What(?:ever)?|Whether|Who(?:ever|m|se)?|How(?:ever)?|Which|Where(?:ver)?|Why|So many)\b.*(?<!\?)$"
)
SUBJECT = re.compile(r"(?:What(?:ever)?|Who(?:ever|m|se)?|So many)\b.*(?<!\?)$")
"""Questions are none."""


def docstrings(tree: ast.AST) -> Iterator[list[str]]:
    """The sentences of every docstring, also of those below constants and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(text := getattr(node.value, "value", None), str):
            yield re.split(r"(?<=[.?!])\s", " ".join(text.split()))


def openings(path: Path) -> list[str]:
    """The docstrings that open with a noun clause."""
    return [first for first, *_ in docstrings(parse(path)) if CLAUSE.match(first)]


def subjects(path: Path) -> list[str]:
    """The sentences that have such a clause for a subject."""
    return [one for sentences in docstrings(parse(path)) for one in sentences if SUBJECT.match(one)]


def test_no_docstring_opens_with_a_noun_clause() -> None:
    """Say "Return …", "The limit of …", or ask a question."""
    assert offenders(openings, PYTHON) == {}


def test_no_sentence_has_a_noun_clause_for_a_subject() -> None:
    """Name the thing: "Finished changes stay", not "What was done stays"."""
    assert offenders(subjects, PYTHON) == {}


def test_a_clause_is_found(tmp_path: Path) -> None:
    """The rule itself sees modules, functions and constants, and lets questions be."""
    module = tmp_path / "module.py"
    module.write_text('"""Why? Read on."""\nMOST = 3\n"""So many.\n\nWhat is more is cut."""\n', "utf-8")
    assert openings(module) == ["So many."]
    assert subjects(module) == ["So many.", "What is more is cut."]
