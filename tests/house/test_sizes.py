"""Small files: a page is read in one sitting, a module in one more."""

from pathlib import Path

from tests.house.tree import PROGRAM, ROOT, files, offenders, read

LINES_OF_A_MODULE = 300
LINES_OF_A_PAGE = 80


def lines(path: Path) -> int:
    """The number of lines in a file."""
    return len(read(path).splitlines())


def test_modules_are_short() -> None:
    """Longer ones are two modules."""
    modules = files(*PROGRAM, "tests/support", suffix=".py")
    assert offenders(lambda path: lines(path) > LINES_OF_A_MODULE, modules) == {}


def test_pages_are_short() -> None:
    """A longer part, or one needed twice, is a component."""
    assert offenders(lambda path: lines(path) > LINES_OF_A_PAGE, files("pages", suffix=".py")) == {}


def test_no_page_lies_directly_in_pages() -> None:
    """On a cold server Streamlit 1.67 serves such a page alone, without the frame."""
    assert [path.name for path in (ROOT / "pages").glob("*.py")] == ["__init__.py"]
