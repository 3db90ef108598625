"""A public class is found by its name alone: no other module of the program has one of the same name."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import files, parse

MODULES = files("item_visibility", "components", suffix=".py")
PROTOCOLS_AND_THEIR_STORES = {"SignOuts"}
"""The one is what its reader needs, the other keeps it in the records, a layer apart."""


def public_classes(path: Path) -> Iterator[str]:
    """The classes of a module that others may import."""
    classes = (node.name for node in parse(path).body if isinstance(node, ast.ClassDef))
    yield from (name for name in classes if not name.startswith("_"))


def test_a_class_name_stands_once_in_the_program() -> None:
    """Two of one name are two things: the lesser owner of the word takes another."""
    names = Counter(name for path in MODULES for name in public_classes(path))
    assert {name for name, count in names.items() if count > 1} == PROTOCOLS_AND_THEIR_STORES
