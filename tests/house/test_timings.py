"""Each wait, and each number of tries, stands in one file with its reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import files, name, parse

TIMINGS = "item_visibility/timings_and_retries.py"
TIMES_OR_TRIES = ("_S", "_TRIES", "_TRIED", "_ATTEMPTS")
WAITS = {"run_every", "timeout", "timeout_s"}
STAY = {
    "item_visibility/people/claims.py LEEWAY": "a judgement: how far the provider's clock may be ahead",
    "item_visibility/desk/connection/us_or_them.py MAX_SKEW_S": "a judgement: from where on clocks differ",
    "item_visibility/desk/connection/examination.py SOON_EXPIRED": "a judgement of certificates",
    "item_visibility/desk/connection/call_watch.py RECENT": "the span that a headline speaks of",
    "item_visibility/desk/connection/call_watch.py _BOUNDS_S": "the steps in which times are counted",
    "item_visibility/wiring/metrics.py BOUNDS_S": "the same, for metrics",
    "item_visibility/wiring/demo_past.py _TICK": "the pace of a past that is made up",
    "item_visibility/records/history/stored_exchanges.py _MILLISECOND": "a unit",
    "components/bulk/job_labels.py _MINUTE_S": "a unit",
    "components/bulk/job_labels.py _HOUR_S": "a unit",
    "components/bulk/job_labels.py _MINUTES_FROM_S": "words: from where on a time is told in minutes",
    "components/bulk/progress.py _SAMPLES_WITHIN_S": "the span that a speed is of",
    "components/support/demo_switches.py _LIFETIMES_S": "what the demo's operator chooses from",
    "components/shell/browser_cookie.py _LASTS_S": "the lifetime of a cookie",
    "components/sign_in/kept_link.py _LASTS_S": "the lifetime of a cookie",
}
"""The times that nobody waits for, or that only look like one. They stay with their rule."""


def timings(tree: ast.Module) -> Iterator[str]:
    """The times and numbers of tries that a module names, and the waits that its calls give as a number."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _has_number(node.value):
            is_delta = "timedelta(" in ast.unparse(node.value)
            yield from (one for one in _names(node) if is_delta or one.endswith(TIMES_OR_TRIES))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in WAITS and _is_number(node.value):
            yield f"{node.arg}={ast.unparse(node.value)}"


def _names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _has_number(value: ast.expr) -> bool:
    return any(_is_number(node) for node in ast.walk(value))


def _is_number(node: ast.AST) -> bool:
    """True for a number that is a choice; 0 does not wait at all."""
    return isinstance(node, ast.Constant) and type(node.value) in {int, float} and bool(node.value)


def found(path: Path) -> set[str]:
    """The timings of a file, each with the file's name."""
    return {f"{name(path)} {one}" for one in timings(parse(path))}


def test_timings_stand_in_one_file() -> None:
    """But for those that stay with their rule; an exception that is gone is taken off the list."""
    modules = [
        path
        for path in files("item_visibility", "components", "pages", "app.py", suffix=".py")
        if name(path) != TIMINGS
    ]
    assert set().union(*map(found, modules)) == STAY.keys()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("PAUSE_S = 0.5", ["PAUSE_S"]),
        ("PAUSE_S: float = 2 * 60", ["PAUSE_S"]),
        ("DELAYS_S = (1.0, 2.0)", ["DELAYS_S"]),
        ("FIRST_S, NEXT_S = 1, 2", ["FIRST_S", "NEXT_S"]),
        ("CALL_ATTEMPTS = 4", ["CALL_ATTEMPTS"]),
        ("FRESH = timedelta(minutes=1)", ["FRESH"]),
        ("@st.fragment(run_every=0.5)\ndef draw(): ...", ["run_every=0.5"]),
        ("def ask():\n    connect(timeout=1)", ["timeout=1"]),
        ("connect(timeout=CONNECT_S); look(timeout_s=0)", []),
        ("LONGEST_S = OTHER_S", []),
        ("COUNT = 3", []),
        ("def tomorrow():\n    return today() + timedelta(days=1)", []),
    ],
)
def test_the_rule_finds_times_and_bare_waits(source: str, expected: list[str]) -> None:
    """The rule itself sees what it shall see, and only that."""
    assert list(timings(ast.parse(source))) == expected
