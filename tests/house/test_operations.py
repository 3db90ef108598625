"""An operation is named once, in one table; whoever speaks of one reads the table."""

import ast
from pathlib import Path

from tests.house.tree import ROOT, files, offenders, parse

TABLE = ROOT / "item_visibility" / "api" / "operations.py"
FAKES = files("tests/support", suffix=".py")
CORE = files("item_visibility", "components", "pages", "benchmarks", suffix=".py")
NAMES = {"getVisibilities", "setVisibilities", "removeVisibilities", "addVisibility", "removeVisibility"}


def named(path: Path) -> set[str]:
    """The operations that a module names in a text of their own, so not in its prose."""
    texts = {node.value for node in ast.walk(parse(path)) if isinstance(node, ast.Constant)}
    return texts & (NAMES | {"requestToken"})


def test_the_table_names_every_operation() -> None:
    """The five of the specification, and the token request."""
    assert named(TABLE) == NAMES | {"requestToken"}


def test_nobody_else_names_an_operation() -> None:
    """A second list would have to be kept in step with the first."""
    others = [path for path in [*CORE, *FAKES] if path != TABLE]
    assert offenders(named, others) == {}
