"""Screens change our own records through the use cases only."""

import ast
from pathlib import Path

from tests.house.tree import files, offenders, parse

COMPONENTS = files("components", suffix=".py")
SCREENS = [*files("pages", suffix=".py"), *COMPONENTS]
READ_OF_RECORDS = {
    *("bulk.dispatcher.check", "bulk.previews.is_running"),
    *("bulk.store.job", "bulk.store.jobs", "bulk.store.attempts"),
    *("bulk.store.items", "bulk.store.rows", "bulk.store.skipped_rows"),
    *("records.search.all", "records.search.newer", "records.search.newest"),
    *("records.search.older", "records.history.entry", "records.sets.names"),
}
"""Calls of screens past the use cases: all of them only read, so nobody has to be admitted to them."""


def closes_by_itself(path: Path) -> list[str]:
    """The folded parts that have no key: when something is drawn above one that is open, it closes."""
    calls = (node for node in ast.walk(parse(path)) if isinstance(node, ast.Call))
    return [
        ast.unparse(call.args[0])
        for call in calls
        if ast.unparse(call.func) == "st.expander" and "key" not in {word.arg for word in call.keywords}
    ]


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
