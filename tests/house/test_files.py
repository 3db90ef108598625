"""Committed files belong to everybody: no address of a mirror, no path of a machine, no dead link."""

import re
from pathlib import Path

from tests.house.tree import ROOT, files, offenders, read

ADDRESS = re.compile(r"https?://.*|^-.*", re.MULTILINE)
PATH_OF_A_MACHINE = re.compile(r"(?<![\w.~/-])/(?:root|work|Users)/")
REGISTRY = re.compile(r"pypi\.org/simple|pythonhosted\.org|registry\.npmjs|index-url[ =]+http", re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:)([^)#\s]+)")


def dead_links(page: Path) -> list[str]:
    """The links of a document to files that are not there."""
    return [link for link in LINK.findall(read(page)) if not (page.parent / link).exists()]


def test_requirements_name_no_address() -> None:
    requirements = (ROOT / "requirements.txt", ROOT / "requirements-dev.txt")
    assert offenders(lambda path: ADDRESS.findall(read(path)), requirements) == {}


def test_no_file_names_a_machine() -> None:
    assert offenders(lambda path: PATH_OF_A_MACHINE.findall(read(path)), files()) == {}


def test_no_file_names_a_registry() -> None:
    assert offenders(lambda path: REGISTRY.findall(read(path)), files()) == {}


def test_links_between_files_lead_somewhere() -> None:
    assert offenders(dead_links, files(suffix=".md")) == {}
