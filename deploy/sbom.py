"""Write a CycloneDX SBOM of this program and its pinned packages.

`python3 deploy/sbom.py FILE` writes it to the file.
"""

import json
import re
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)(?P<marker> *;)?",
    re.MULTILINE,
)
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


def sbom() -> dict[str, object]:
    """Return the document.

    Packages that only some systems need have the scope "optional". The serial number
    changes only when the version or a package changes.
    """
    requirements = (ROOT / "requirements.txt").read_text("utf-8")
    package = (ROOT / "item_visibility/__init__.py").read_text("utf-8")
    (version,) = _VERSION.findall(package)

    packages = [
        _component("library", pin["name"], pin["version"])
        | {"scope": "optional" if pin["marker"] else "required"}
        for pin in _PIN.finditer(requirements)
    ]
    program = _component("application", "item-visibility", version)
    dependencies = {
        "ref": program["bom-ref"],
        "dependsOn": [package["bom-ref"] for package in packages],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{version} {requirements}").urn,
        "version": 1,
        "metadata": {"component": program},
        "components": packages,
        "dependencies": [dependencies],
    }


def _component(kind: str, name: str, version: str) -> dict[str, str]:
    purl = f"pkg:pypi/{name}@{version}"
    return {
        "type": kind,
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(sbom(), indent=2) + "\n", "utf-8")
