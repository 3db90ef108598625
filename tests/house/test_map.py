"""The map, the tree and the names in it agree."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.house.tree import PROGRAM, ROOT, files, name, offenders, parse, read

MODULES_OF_A_FOLDER = 15
MODULES_OF_A_WORD = 4
MODULES = [path for path in files(*PROGRAM, suffix=".py") if "migrations" not in path.parts]
FOLDERS = {f"{name(path.parent)}/" for path in MODULES if path.parent != ROOT and path.parts[-3] != "pages"}


def folders_on_the_map() -> set[str]:
    """The folders that the table of docs/architecture.md names, without those of the tests."""
    rows = re.findall(r"^\| (`.*?) \|", read(ROOT / "docs" / "architecture.md"), re.MULTILINE)
    return {folder for row in rows for folder in re.findall(r"`([\w/]+/)`", row)} - {"tests/"}


def first_line_is_no_sentence(path: Path) -> bool:
    """True when a module has no docstring whose first line ends as a sentence does."""
    first_line = (ast.get_docstring(parse(path)) or "").partition("\n")[0]
    return not first_line.endswith((".", "?", ":"))


def test_every_folder_stands_on_the_map_and_no_other() -> None:
    """Say in docs/architecture.md what lives in a new folder."""
    assert folders_on_the_map() == FOLDERS


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    """More modules than this are two folders."""
    modules = Counter(name(path.parent) for path in MODULES if path.stem != "__init__")
    assert {folder for folder, count in modules.items() if count > MODULES_OF_A_FOLDER} == set()


def test_a_name_stands_once_in_the_house() -> None:
    """Only a page may have the name of what it shows: the two are the screen and the core of one thing."""
    names = Counter(path.stem for path in MODULES if not name(path).startswith("pages/"))
    assert {stem for stem, count in names.items() if count > 1} == {"__init__"}


def test_no_prefix_stands_where_a_folder_belongs() -> None:
    """A module does not begin with the name of its folder: the folder says it already."""
    assert offenders(lambda path: path.stem.startswith(f"{path.parent.name}_"), MODULES) == {}


def test_no_first_word_is_shared_by_so_many_that_it_is_a_folder() -> None:
    """More modules than this that begin with one word are a folder of that name."""
    words = Counter(
        (name(path.parent), path.stem.split("_")[0]) for path in MODULES if path.stem != "__init__"
    )
    assert {group for group, count in words.items() if count > MODULES_OF_A_WORD} == set()


def test_the_first_line_of_a_module_says_what_lives_in_it() -> None:
    """The map names folders; a module says its own part."""
    assert offenders(first_line_is_no_sentence, MODULES) == {}
