"""The version of this program."""

import tomllib
from importlib import metadata
from pathlib import Path


def version() -> str:
    """Return the installed version, or in a checkout that is not installed, that of its project file."""
    try:
        return metadata.version("item-visibility")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
