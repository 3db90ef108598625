"""Screens show data as plain text and only read our data.

No `repr` contains a secret.
"""

import ast
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from tests.house.markdown import CONSTRUCTORS, Duty, Screen
from tests.house.tree import PROGRAM, ROOT, files, name, offenders, parse, read

SCREENS = files("app.py", "components", "pages", suffix=".py")
SECRET = re.compile(r"(secret|token|password|authorization)$")
RECORDS = re.compile(r"\bdesk\.(?:records|bulk\.store)(?:\.\w+|\[[^\]]*\])*\.(\w+)")
LOOKS = {
    "all",
    "attempts",
    "check_reading",
    "count",
    "current",
    "entry",
    "history",
    "items",
    "job",
    "jobs",
    "latest",
    "latest_of",
    "lines",
    "marks",
    "names",
    "open",
    "rows",
    "skipped_rows",
}


def loose_texts(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Return the texts of all screens that are not fixed.

    Duties are followed from file to file.
    """
    screens = {name: Screen(tree) for name, tree in trees.items()}
    duties: set[Duty] = set()
    new_duties = set(CONSTRUCTORS)
    while new_duties - duties:
        duties |= new_duties
        loose = {name: screen.loose_texts(duties) for name, screen in screens.items()}
        new_duties = set(
            chain.from_iterable(screen.duties for screen in screens.values())
        )
    return {name: texts for name, texts in loose.items() if texts}


def test_only_fixed_words_reach_markdown() -> None:
    assert loose_texts({name(path): parse(path) for path in SCREENS}) == {}


def test_screens_only_read_our_own_records() -> None:
    used = offenders(
        lambda path: list(set(RECORDS.findall(read(path))) - LOOKS), SCREENS
    )
    assert used == {}


@pytest.mark.parametrize(
    "source",
    [
        "st.error(error.message)",
        "st.caption('Item ' + item.supplier)",
        "st.markdown('<b>x</b>', unsafe_allow_html=True)",
        "st.write('x')",
        "st.metric('Items', count)",
        "st.radio('Item', ['a'], format_func=names.get)",
        "words = name\nst.info(words)",
        (
            "rows = ((1, name), (2, 'removed'))\n"
            "st.info(' '.join(word for _, word in rows))"
        ),
        "with st.container() as box:\n    box.success(name)",
        "def show(box, *, words):\n    st.info(words)\nshow(box, words=name)",
        "def words():\n    return name\nst.info(words())",
        "keep(Notice(name))",
    ],
)
def test_the_rule_finds_a_text_that_is_not_fixed(source: str) -> None:
    assert loose_texts({"screen": ast.parse(source)}).keys() == {"screen"}


@pytest.mark.parametrize(
    ("text", "loose"),
    [("'Saved.'", set()), ("plain(name)", set()), ("name", {"page"})],
)
def test_the_rule_follows_a_text_through_several_files(
    text: str, loose: set[str]
) -> None:
    component = ast.parse("def show(words):\n    st.info(f'Done: {words}')")
    page = ast.parse(f"show({text})")
    assert loose_texts({"component": component, "page": page}).keys() == loose


def test_no_page_lies_directly_in_pages() -> None:
    assert [path.name for path in (ROOT / "pages").glob("*.py")] == ["__init__.py"]


def shown_secrets(module: ast.Module) -> list[str]:
    shown = []
    for node in ast.walk(module):
        if not isinstance(node, ast.ClassDef):
            continue
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        if not any("dataclass" in decorator for decorator in decorators):
            continue
        shown += [f"{node.name}.{name}" for name in shown_fields(node)]
    return shown


def shown_fields(dataclass: ast.ClassDef) -> Iterator[str]:
    """Yield the fields of a dataclass that are secret texts and are in its repr."""
    for field in dataclass.body:
        if not isinstance(field, ast.AnnAssign) or not isinstance(
            field.target, ast.Name
        ):
            continue
        is_text = "str" in ast.unparse(field.annotation)
        is_hidden = "repr=False" in ast.unparse(field.value or field.target)
        if is_text and not is_hidden and SECRET.search(field.target.id):
            yield field.target.id


def test_no_repr_shows_a_secret() -> None:
    program = files(*PROGRAM, suffix=".py")
    assert offenders(lambda path: shown_secrets(parse(path)), program) == {}


def test_the_rule_finds_a_repr_with_a_secret() -> None:
    source = """
@dataclass(frozen=True, slots=True)
class Client:
    client_id: str
    client_secret: str
    access_token: str = field(repr=False)
    token_lifetime_s: float
"""
    assert shown_secrets(ast.parse(source)) == ["Client.client_secret"]
