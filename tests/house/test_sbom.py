"""The SBOM names this program and each package that is installed for it."""

import json
import re
import subprocess
import sys
from pathlib import Path

from item_visibility import __version__
from tests.house.tree import ROOT, read


def test_the_sbom_names_every_pinned_package_and_its_version(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "deploy/sbom.py", file], check=True)
    sbom = json.loads(file.read_text("utf-8"))
    pinned = re.findall(r"^([a-z0-9.-]+)(?:\[.*\])?==(\S+)", read(ROOT / "requirements.txt"), re.MULTILINE)
    assert len(pinned) > 50
    assert [(one["name"], one["version"]) for one in sbom["components"]] == pinned
    assert (sbom["bomFormat"], sbom["metadata"]["component"]["version"]) == ("CycloneDX", __version__)
    assert {one["purl"].partition("@")[2] for one in sbom["components"]} == {version for _, version in pinned}
