"""A reader can tell the specification's rules from ours: citations lead somewhere."""

import ast
import re

import pytest

from tests.house.tree import PROGRAM, ROOT, files, offenders, parse, read

HEADINGS = {
    "What the service does",
    "Resources and their fields",
    "Item visibility",
    "RecipientsArray",
    "ProblemDetail",
    "States and transitions",
    "Endpoints",
    "Authentication",
    "Events",
    "Errors",
    "Limits",
    "Versioning",
}
SECTION = re.compile(r'Spec:((?:[\s,;#]*(?:and )?"[^"\n]+")+)')
CITED_NOTES = re.compile(r"Notes? ((?:(?:, | and |, and |\s)*N\d+)+)")
NOTES = ROOT / "docs" / "spec-notes.md"
CODE = files(*PROGRAM, "tests", suffix=".py")


def sections(text: str) -> set[str]:
    """The sections of the specification that a text cites."""
    return {heading for cited in SECTION.findall(text) for heading in re.findall(r'"([^"]+)"', cited)}


def notes(text: str) -> set[str]:
    """The notes that a text cites."""
    return {note for cited in CITED_NOTES.findall(text) for note in re.findall(r"N\d+", cited)}


def written_notes() -> set[str]:
    """The notes that there are."""
    return set(re.findall(r"^\| (N\d+) \|", read(NOTES), re.MULTILINE))


def methods(module: str, class_name: str) -> dict[str, str]:
    """The public methods of a class, with their docstrings."""
    classes = (node for node in ast.walk(parse(ROOT / module)) if isinstance(node, ast.ClassDef))
    return {
        node.name: ast.get_docstring(node) or ""
        for found in classes
        if found.name == class_name
        for node in found.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def test_cited_sections_are_in_the_specification() -> None:
    """A name that is not a heading sends the reader on a search."""
    assert offenders(lambda path: sections(read(path)) - HEADINGS, CODE) == {}


def test_cited_notes_are_written() -> None:
    """A choice of ours has its reasons in docs/spec-notes.md."""
    there = written_notes()
    assert offenders(lambda path: notes(read(path)) - there, CODE) == {}


def test_every_note_is_cited() -> None:
    """A note that neither code nor a document cites is forgotten, or not kept."""
    citing = [path for path in (*CODE, *files("docs", suffix=".md")) if path != NOTES]
    assert written_notes() - notes("\n".join(map(read, citing))) == set()


@pytest.mark.parametrize(
    ("module", "class_name"),
    [
        ("item_visibility/client/client.py", "VisibilityClient"),
        ("item_visibility/client/operations.py", "Visibilities"),
    ],
)
def test_a_public_method_names_its_section(module: str, class_name: str) -> None:
    """The specification justifies what the client sends; closing it sends nothing."""
    found = methods(module, class_name)
    assert len(found) >= 5
    assert [method for method, text in found.items() if not sections(text) and method != "close"] == []
