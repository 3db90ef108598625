"""Committed files: no address of a mirror, no path of a machine, no dead link; SBOM, claims."""

import json
import re
import subprocess
import sys
from pathlib import Path

from item_visibility import __version__
from tests.house.tree import ROOT, files, offenders, parse, read

ADDRESS = re.compile(r"https?://.*|^-.*", re.MULTILINE)
PATH_OF_A_MACHINE = re.compile(r"(?<![\w.~/-])/(?:root|work|Users)/")
REGISTRY = re.compile(r"pypi\.org/simple|pythonhosted\.org|registry\.npmjs|index-url[ =]+http", re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:)([^)#\s]+)")


def dead_links(page: Path) -> list[str]:
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


CLAIM = re.compile(r"`(\w+/test_\w+)::(test_\w+)`")
CLAIMS = CLAIM.findall(read(ROOT / "docs" / "security.md"))


def names_in(module: str) -> set[str]:
    """The names that a test module defines; none where there is no such module."""
    path = ROOT / "tests" / f"{module}.py"
    return {node.name for node in parse(path).body if hasattr(node, "name")} if path.exists() else set()


def test_every_claim_names_a_test() -> None:
    assert len(CLAIMS) > 40
    assert [claim for claim in CLAIMS if claim[1] not in names_in(claim[0])] == []


def test_the_sbom_names_every_pinned_package_and_its_version(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "deploy/sbom.py", file], check=True)
    sbom = json.loads(file.read_text("utf-8"))
    pinned = re.findall(r"^([a-z0-9.-]+)(?:\[.*\])?==(\S+)", read(ROOT / "requirements.txt"), re.MULTILINE)
    assert len(pinned) > 50
    assert [(one["name"], one["version"]) for one in sbom["components"]] == pinned
    assert (sbom["bomFormat"], sbom["metadata"]["component"]["version"]) == ("CycloneDX", __version__)
    assert {one["purl"].partition("@")[2] for one in sbom["components"]} == {version for _, version in pinned}
