"""The files of the project, as in a fresh clone."""

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (
    "app.py",
    "run.py",
    "item_visibility",
    "item_visibility_service",
    "components",
    "pages",
)
_NOT_OURS = {"node_modules", "__pycache__", "build", "dist", "htmlcov"}
_OURS = {".ci", ".github", ".streamlit"}


def files(*places: str, suffix: str = "") -> list[Path]:
    """Return the sorted files at or below these places, by default all, whose names end
    with the suffix.
    """
    paths = chain.from_iterable(_walk(ROOT / place) for place in places or (".",))
    return sorted(path for path in paths if path.name.endswith(suffix))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def offenders(
    rule: Callable[[Path], object], paths: Iterable[Path]
) -> dict[str, object]:
    """Return the files that break a rule, with what the rule found in them."""
    faults = {name(path): rule(path) for path in paths}
    return {file: fault for file, fault in faults.items() if fault}


def read(path: Path) -> str:
    """Return the text of a file. Bytes that are not UTF-8 are replaced."""
    return path.read_text(encoding="utf-8", errors="replace")


def parse(path: Path) -> ast.Module:
    return ast.parse(read(path), filename=str(path))


def _walk(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place

    for folder, inner, names in os.walk(place):
        # `os.walk` does not enter the folders that are removed from this list.
        inner[:] = [name for name in inner if _is_ours(Path(folder, name))]
        # In a worktree, `.git` is a file.
        yield from (
            Path(folder, name)
            for name in names
            if name != ".git" and not name.startswith(".coverage")
        )


def _is_ours(folder: Path) -> bool:
    if folder == ROOT / "tests/output":
        return False
    if folder.name.startswith("."):
        return folder.name in _OURS
    return folder.name not in _NOT_OURS
