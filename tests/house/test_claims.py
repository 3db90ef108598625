"""Every sentence that claims a state has its condition, and a test that shows it."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import ROOT, files, parse, read

CLAIM = re.compile(
    r"\b(?:saved|verified|nothing|nobody|everything|never|already in place)\b|(?:^|[.:] )(?:No[ ,]|Yes,)",
    re.IGNORECASE,
)
SAYING = [
    path
    for path in files("components", "pages", "item_visibility", suffix=".py")
    if "migrations" not in path.parts
]
TABLE = json.loads((Path(__file__).parent / "claims.json").read_text("utf-8"))


def sentences(tree: ast.AST) -> Iterator[str]:
    """The texts of a module that claim a state; `{}` stands for what is put in. Docstrings say nothing."""
    silent = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile")
        for part in ast.walk(node)
        if isinstance(node, ast.Call) or (isinstance(node, ast.Expr) and part is node.value)
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        text = None if id(node) in silent | parts else _text(node)
        if text and " " in text.strip() and CLAIM.search(text):
            yield text


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"
            for part in node.values
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def said() -> set[str]:
    """Every claiming sentence of the program."""
    return {text for path in SAYING for text in sentences(parse(path))}


def listed() -> Counter[str]:
    """The sentences of the table, and how often each stands there."""
    return Counter(text for entry in TABLE for text in entry["sentences"])


def is_there(test: str) -> bool:
    """True when the test exists."""
    file, _, name = test.partition("::")
    return f"\ndef {name}(" in read(ROOT / file)


def test_every_claim_has_its_condition() -> None:
    """Say of a new one, in tests/house/claims.json, when it is true, and which test shows it."""
    assert said() - listed().keys() == set()


def test_no_condition_is_left_over() -> None:
    """A claim that is said no more needs none."""
    assert listed().keys() - said() == set()


def test_a_claim_has_one_condition() -> None:
    """The same words mean the same everywhere."""
    assert [text for text, count in listed().items() if count > 1] == []


def test_every_condition_is_shown_by_a_test() -> None:
    """By one that is there."""
    assert [test for entry in TABLE for test in entry["shown_by"] if not is_there(test)] == []
    assert [entry["true_when"] for entry in TABLE if not entry["shown_by"]] == []


def test_a_claim_is_found() -> None:
    """The rule itself sees constants and f-strings, and no docstrings and patterns."""
    source = """def f():
        'Nothing was lost.'
        re.compile("is never said")
        say(f"Nothing {was} sent", "All saved now")"""
    assert set(sentences(ast.parse(source))) == {"Nothing {} sent", "All saved now"}
