"""Screens show data as plain text and only read our data.

No `repr` contains a secret.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.tree import PROGRAM, ROOT, files, name, offenders, parse, read

HELPERS = {"components/draw.py", "components/markdown_escape.py"}
SCREENS = [
    path
    for path in files("app.py", "components", "pages", suffix=".py")
    if name(path) not in HELPERS
]
MAKERS = {"phrase", "escaped", "as_code", "described", "listed"}
"""The functions of `components.markdown_escape` that escape data."""
LABELLED = """
    button checkbox date_input dialog download_button expander file_uploader
    form_submit_button link_button menu_button multiselect number_input popover
    selectbox slider spinner status text_area text_input toggle
    ButtonColumn CheckboxColumn Column NumberColumn TextColumn
"""
OFFERING = "pills radio segmented_control select_slider tabs"
ONLY_IN_DRAW = """
    badge caption error header html info markdown subheader success title toast
    warning write
"""
MARKDOWN_KEYWORDS = {"help", "label", "text", "format_func"}
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


def loose_texts(screen: ast.Module) -> list[str]:
    """Return the texts for Markdown that are neither literals nor made by a helper."""
    calls = [node for node in ast.walk(screen) if isinstance(node, ast.Call)]
    loose = [text for call in calls for text in markdown_of(call) if not is_safe(text)]

    # A function of `draw` under another name would be called unseen.
    called = {id(call.func) for call in calls}
    loose += [
        node
        for node in ast.walk(screen)
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "draw"
        and id(node) not in called
    ]
    return [f"line {text.lineno}: {ast.unparse(text)[:80]}" for text in loose]


def markdown_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that Streamlit 1.67 renders as Markdown."""
    named = [
        keyword.value for keyword in call.keywords if keyword.arg in MARKDOWN_KEYWORDS
    ]
    texts = []
    match call.func:
        case ast.Name(id="Markdown"):
            texts = [call]
        case ast.Name(id="phrase") | ast.Attribute(value=ast.Name(id="draw")):
            texts = call.args[:1]
        case ast.Attribute(value=ast.Name(id="st"), attr=name) if (
            name in ONLY_IN_DRAW.split()
        ):
            pass  # Ruff checks these.
        case ast.Attribute(attr=name) if name in ONLY_IN_DRAW.split():
            texts = call.args[:1]
        case ast.Attribute(attr=name) if name in LABELLED.split():
            texts = call.args[:1] + named
        case ast.Attribute(attr=name) if name in OFFERING.split():
            has_format = any(keyword.arg == "format_func" for keyword in call.keywords)
            texts = call.args[: 1 if has_format else 2] + named
        case ast.Attribute(value=ast.Name(id="st")):
            texts = named
    return texts


def is_safe(text: ast.expr) -> bool:
    match text:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name.isupper() or name == "escaped"
        case ast.Call(func=ast.Name(id=name)):
            return name in MAKERS
        case ast.IfExp(body=left, orelse=right):
            return is_safe(left) and is_safe(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(is_safe, parts))
    return False


def test_only_our_words_and_escaped_texts_reach_markdown() -> None:
    assert offenders(lambda path: loose_texts(parse(path)), SCREENS) == {}


def test_screens_only_read_our_own_records() -> None:
    used = offenders(
        lambda path: list(set(RECORDS.findall(read(path))) - LOOKS), SCREENS
    )
    assert used == {}


@pytest.mark.parametrize(
    "source",
    [
        "draw.error(error.message)",
        "draw.caption(f'Item {item.supplier}')",
        "draw.caption(words)",
        "show = draw.info",
        "phrase('Item ' + name)",
        "Markdown(name)",
        "st.button(name)",
        "column.checkbox('Item', help=name)",
        "st.progress(0.5, text=name)",
        "st.radio('Item', names)",
        "st.segmented_control('Item', ['a'], format_func=names.get)",
        "st.container().success(name)",
    ],
)
def test_the_rule_finds_a_text_that_is_not_escaped(source: str) -> None:
    assert len(loose_texts(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "draw.caption('Added {}', name)",
        "draw.title(PRODUCT)",
        "st.button('Save')",
        "st.button(escaped(name), help='All' if is_all else phrase('{}', name))",
        "st.segmented_control('Item', ('a', 'b'), format_func=escaped)",
        "st.text(name)",
    ],
)
def test_the_rule_accepts_our_words_and_escaped_texts(source: str) -> None:
    assert loose_texts(ast.parse(source)) == []


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
