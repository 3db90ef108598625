"""Components draw: they decide nothing that the core decides, and each knows its own session state alone."""

import ast
import importlib
import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import files, offenders, parse

COMPONENTS = files("components", suffix=".py")
SCREENS = [*files("pages", suffix=".py"), *COMPONENTS]
STATE = "st.session_state"
USE_CASES = ("item_visibility.desk", "item_visibility.wiring", "item_visibility.settings")
BESIDE_IT = {
    "item_visibility.changes.claim": "the words for what was decided",
    "item_visibility.changes.confirmation": "whether a text confirms a count",
    "item_visibility.changes.in_words": "the words for changes",
    "item_visibility.files.table_in_words": "the words for a table",
    "item_visibility.intake.numbers.hints": "the words for a number",
    "item_visibility.intake.paste": "the values of what a person typed",
    "item_visibility.people.true_peer": "the address at the other end of a connection",
    "item_visibility.people.who_asks": "the person who asks",
    "item_visibility.records.fallback": "a value in place of an error",
}
"""The modules below the desk whose functions a screen may call, and what these return."""

READ_OF_RECORDS = {
    *("bulk.dispatcher.check", "bulk.previews.is_running"),
    *("bulk.store.job", "bulk.store.jobs", "bulk.store.items", "bulk.store.rows", "bulk.store.skipped_rows"),
    *("records.search.all", "records.search.marks", "records.search.newer", "records.search.newest"),
    *("records.search.older", "records.history.entry", "records.sets.names"),
    *("records.parks.latest_of", "records.parks.parked"),
}
"""Calls of screens past the use cases: all of them only read, so nobody has to be admitted to them."""

READS_PATTERNS = {"verbatim", "allowed_origins", "browser_cookie", "headers"}
"""Texts shown as they stand, and texts that browsers send. No other component looks into a text."""


def keys(tree: ast.Module) -> Iterator[ast.expr]:
    """The keys with which a module reads or writes the state of a session."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == STATE:
            yield node.slice
        elif isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == STATE:
            yield node.left
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith(f"{STATE}."):
            yield from node.args[:1]


def imported(tree: ast.Module, *, top: str = "") -> Iterator[tuple[str, str]]:
    """The modules and names that a module imports from packages that begin so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(top):
            yield from ((str(node.module), alias.asname or alias.name) for alias in node.names)


def constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module gives a name."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def own_keys(path: Path) -> set[str]:
    """The texts that a module uses as keys of a session."""
    tree = parse(path)
    named = constants(tree)
    texts = {key.value for key in keys(tree) if isinstance(key, ast.Constant)}
    return texts | {named[name] for name in map(ast.unparse, keys(tree)) if name in named}


def borrowed_keys(path: Path) -> list[str]:
    """The keys of a session that a module takes from another."""
    tree = parse(path)
    others = {name for _, name in imported(tree)}
    used = ((key, {node.id for node in ast.walk(key) if isinstance(node, ast.Name)}) for key in keys(tree))
    return [ast.unparse(key) for key, names in used if names & others]


def misnamed_keys(path: Path) -> list[str]:
    """The keys of a session that name another module than the one that uses them."""
    return [key for key in own_keys(path) if "." in key and key.partition(".")[0] != path.stem]


def rules(path: Path) -> list[str]:
    """The functions of the core that a screen calls behind the desk's back."""
    found = imported(parse(path), top="item_visibility")
    below = ((module, name) for module, name in found if not module.startswith(USE_CASES))
    return [
        f"{module}.{name}"
        for module, name in below
        if module not in BESIDE_IT and inspect.isfunction(getattr(importlib.import_module(module), name))
    ]


def reads_patterns(path: Path) -> bool:
    """True when a module searches texts by a pattern."""
    return any(
        isinstance(node, ast.Import) and "re" in {alias.name for alias in node.names}
        for node in ast.walk(parse(path))
    )


def closes_by_itself(path: Path) -> list[str]:
    """The folded parts that have no key: when something is drawn above one that is open, it closes."""
    calls = (node for node in ast.walk(parse(path)) if isinstance(node, ast.Call))
    return [
        ast.unparse(call.args[0])
        for call in calls
        if ast.unparse(call.func) == "st.expander" and "key" not in {word.arg for word in call.keywords}
    ]


def test_a_session_key_is_used_in_one_module() -> None:
    """By `st.session_state`; a widget may be drawn in another. No two modules use the same text."""
    assert offenders(borrowed_keys, COMPONENTS) == {}
    users = Counter(key for path in COMPONENTS for key in own_keys(path))
    assert {key: count for key, count in users.items() if count > 1} == {}


def test_a_session_key_names_its_module() -> None:
    """A key that is no widget's is "<module>.<name>"."""
    assert offenders(misnamed_keys, COMPONENTS) == {}


def test_no_business_rule_stays_in_a_component() -> None:
    """A screen has values of the core and what the desk does; see BESIDE_IT for others."""
    assert offenders(rules, SCREENS) == {}


def test_no_component_looks_into_a_text() -> None:
    """The core says what an id, a number or a name is."""
    assert offenders(reads_patterns, [one for one in SCREENS if one.stem not in READS_PATTERNS]) == {}


def test_what_a_person_opened_stays_open() -> None:
    """But for the answer to one error, which several errors of a screen may show."""
    found = offenders(closes_by_itself, COMPONENTS)
    assert list(found.values()) == [["'What the service answered'"]]


def called_past_the_desk(path: Path) -> set[str]:
    """A module's calls of our own records, and of the parts of jobs."""
    calls = (ast.unparse(node.func) for node in ast.walk(parse(path)) if isinstance(node, ast.Call))
    parts = (".".join(call.split(".")[-3:]) for call in calls)
    return {
        part for part in parts if part.startswith(("records.", "bulk.store.", "bulk.d", "bulk.previews."))
    }


def test_screens_change_records_through_the_use_cases_alone() -> None:
    """There somebody is admitted first; past them a screen only reads."""
    assert offenders(lambda path: called_past_the_desk(path) - READ_OF_RECORDS, SCREENS) == {}
