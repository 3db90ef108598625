"""The map of the program shows every module."""

import re

from tests.house.tree import PROGRAM, ROOT, files, offenders, read


def test_every_module_stands_on_the_map() -> None:
    """Whoever adds a module gives it its place in docs/architecture.md."""
    named = set(re.findall(r"`([\w/]+?)(?:\.py|/)?`", read(ROOT / "docs" / "architecture.md")))
    modules = [path for path in files(*PROGRAM, suffix=".py") if "migrations" not in path.parts]
    assert offenders(lambda path: path.stem not in {*named, "__init__", "__main__"}, modules) == {}


def test_the_map_shows_no_module_that_is_gone() -> None:
    """A file that was renamed is renamed on the map."""
    table_rows = re.findall(r"^\|.*", read(ROOT / "docs" / "architecture.md"), re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", "\n".join(table_rows)))
    assert named - {path.stem for path in files(*PROGRAM, suffix=".py")} == set()
