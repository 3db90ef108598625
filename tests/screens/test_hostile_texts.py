"""Texts from elsewhere are shown exactly and open nothing, on every page."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import session
from components.markdown_escape import (
    as_code,
    described,
    escaped,
    listed,
    phrase,
    showable,
    visible,
)
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail, RefusedError
from item_visibility.lists.writer import write_csv, write_xlsx
from tests.screens.bulk import ITEMS, Bulk
from tests.screens.conftest import OpenBulk, OpenDesk
from tests.support.desk import DeskKit, a_request, open_kit, put_names
from tests.support.fake_visibilities import Fault
from tests.support.hostile_texts import (
    LISTABLE,
    ORDINARY_NAMES,
    SENDABLE,
    SHOWABLE,
)
from tests.support.screens import CHECK_PAGE, DIRECTORY_PAGE, ROOT, Window
from tests.support.thorough import sample

PAGES = [str(page) for page in sorted((ROOT / "pages").glob("*/[!_]*.py"))]
OTHERS = frozenset({"R1", "R2", "R3"})
SENT = [text for text in SENDABLE.values() if text.strip() == text]
NAMES = {text: name for name, text in LISTABLE.items()}
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
_HARMFUL = re.compile(
    r"!\[|\]\(|<|://|www\.|@|`|\$|_|~~|=|\||\\|&(?!\s)|:(?!material/|[a-z]+-badge\[|green\[|\s|\d)\w"
)


def each(texts: dict[str, str]) -> pytest.MarkDecorator:
    """Run the test for each text with `--thorough`, otherwise for a sample."""
    return pytest.mark.parametrize(
        "text", sample([pytest.param(text, id=name) for name, text in texts.items()], 8)
    )


def item_of(text: str) -> ItemKey:
    """Return an item with this text as its ids, or only in its list.

    A path cannot contain every text.
    """
    return (
        ItemKey(text, text)
        if text in SENDABLE.values()
        else ItemKey("listed", NAMES[text])
    )


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk with every text as supplier, item, recipient, name, reason and person."""
    items = {item_of(text): {text} | OTHERS for text in LISTABLE.values()}
    session.desks.close()
    with (
        open_kit(tmp_path_factory.mktemp("hostile"), items) as kit,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(session, "open_desk", lambda *_, **__: kit.desk)
        put_names(
            kit.records.directory,
            suppliers=[(item_of(text).supplier, text) for text in SHOWABLE.values()],
            items=[(item_of(text), "276", text) for text in SHOWABLE.values()],
            recipients=[(text, text) for text in SHOWABLE.values()],
        )
        for text in LISTABLE.values():
            request = a_request(
                item_of(text), key=key_of(text), base={text, *OTHERS}, remove={"R3"}
            )
            kit.save(replace(request, reason=f"({text})", person=text))
            kit.desk.remember_use(item_of(text))
        yield kit
        session.desks.close()


def key_of(text: str) -> str:
    return f"key of {NAMES[text]}"


def assert_harmless(window: Window, text: str) -> None:
    """Check that the text has no effect as Markdown.

    A list marker counts only at the start of a line.
    """
    assert [error.message for error in window.app.exception] == []

    loose = "\n".join(_CODE_SPAN.sub("□", body) for body in window.markdown)
    loose = _REFERENCE.sub("□", loose)
    assert _HARMFUL.search(loose) is None
    if escaped(text) != text:
        # A text of digits and letters with a list marker is harmless inside a line.
        is_harmless_inside = escaped(f"Removed {text}") == f"Removed {text}"
        assert text not in loose or is_harmless_inside
        assert re.search(f"^{re.escape(text)}", loose, re.MULTILINE) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.rpartition("/")[2])
@each(LISTABLE)
@pytest.mark.usefixtures("kit")
def test_texts_are_shown_as_they_are_on_every_page(page: str, text: str) -> None:
    item = item_of(text)
    window = Window(item)
    address = {
        "supplier": item.supplier,
        "item": item.supplier_item_id,
        "recipient": showable(text),
    }
    window.go_to(page, entry=key_of(text), **address)
    assert_harmless(window, text)


@each(LISTABLE)
def test_texts_are_shown_as_they_are_while_a_list_is_changed(
    kit: DeskKit, text: str
) -> None:
    item = ItemKey("changed", NAMES[text])
    kit.fake.put(item, {text} | OTHERS)
    window = Window(item)
    window.switch("form.list_view", value=True)
    assert_harmless(window, text)
    window.switch("form.list_view", value=False)
    assert set(window.ticks) == {showable(text)} | OTHERS
    for recipient in (showable(text), "R1", "R2"):
        window.untick(recipient)
    window.save()
    assert set(window.plan["remove"]) == {showable(text), "R1", "R2"}
    assert_harmless(window, text)
    window.confirm("3")
    assert_harmless(window, text)
    window.find("entered", text, key="supplier")
    assert_harmless(window, text)


@each(SHOWABLE)
def test_words_of_the_service_are_shown_as_plain_text(kit: DeskKit, text: str) -> None:
    item = ItemKey("refused", NAMES[text])
    kit.fake.put(item, OTHERS)
    kit.fake.faults.append(refusal("getVisibilities", text))
    window = Window(item)
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) == 4
    window.click("try_again")
    window.untick("R1")
    kit.fake.faults.append(refusal("removeVisibility", text))
    window.save()
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) >= 3
    kit.fake.faults[:] = [refusal("getVisibilities", text)]
    window.go_to(
        CHECK_PAGE, supplier=item.supplier, item=item.supplier_item_id, recipient="R1"
    )
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) == 3


def refusal(operation: str, text: str) -> Fault:
    problem = ProblemDetail(400, text, text, text)
    return Fault(operation, RefusedError(text, advice="Ask support.", problem=problem))


def test_texts_of_a_list_are_shown_as_they_are_in_its_job(open_bulk: OpenBulk) -> None:
    bulk: Bulk = open_bulk({ItemKey(text, text): {"R1"} for text in SENT})
    name = "![x](http://example.com) :smile: $x$.xlsx"
    rows = [(text, text, other) for text in SENT for other in SENT[:2]]
    bulk.window.upload(
        "upload", write_xlsx(("Supplier", "Item", "Recipient"), rows), name=name
    )
    assert_harmless(bulk.window, name)
    bulk.window.click("keep_as_is")
    bulk.rests()
    bulk.window.select(ITEMS, 0)
    bulk.window.type("bulk_reason", name)
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.window.says(f"Why: {name}")
    assert_harmless(bulk.window, name)


def test_texts_of_a_file_are_shown_as_they_are_in_the_directory(
    open_desk: OpenDesk,
) -> None:
    open_desk()
    window = Window.on(DIRECTORY_PAGE)
    window.switch("directory_part", "Recipients")
    content = write_csv(("Recipient", "Name"), [(text, text) for text in SENT])
    window.upload("recipient-names_file", content)
    assert window.rows("What the file would change") == [
        ("added", text, "", text) for text in SENT
    ]
    window.click("keep_file")
    assert (
        set(window.editor.value["Recipient number"])
        == set(window.editor.value["name"])
        == set(SENT)
    )
    assert_harmless(window, SENT[0])


MARKED = st.text(alphabet="` \\*_[]()<>!:#$-+.a1w/@&|;\n\u202e\ud800", max_size=12)
ANY = st.one_of(st.text(max_size=30), MARKED)
_ACTIVE = re.compile(
    r"""
    [`*\[\]<>$\#~|\\@{}^=]
  | ://  |  www\.  |  --  |  \s\s
  | :\w+[:\[]  |  :\D*:
  | \b_ | _\b | __
  | ^ (?: \s | [-+] | [0-9]+ [.)] (?: \s | $ ) )
  | \s$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REFERENCE = re.compile(r"&\#[0-9]+;")


def read_markdown(markdown: str) -> str:
    """Return the text that is shown, after a check that nothing in it is active."""
    if markdown.startswith("`"):
        return read_code_spans(markdown)

    rest = _REFERENCE.sub("□", markdown)
    assert _ACTIVE.search(rest) is None
    assert unescape(rest) == rest
    return unescape(markdown)


def read_code_spans(markdown: str) -> str:
    """Return the content that CommonMark shows for a text that is one code span.

    An icon's slash is between two spans. The span ends at the first run of backticks as
    long as the first one. Line ends become spaces. If both ends have a space, one is
    removed from each, unless everything is spaces.
    """
    opening = re.match("`+", markdown)
    assert opening is not None
    fence = opening[0]
    runs = [
        run
        for run in re.finditer("`+", markdown)
        if run.start() > 0 and len(run[0]) == len(fence)
    ]
    end = runs[0].end()
    content = markdown[len(fence) : end - len(fence)].replace("\n", " ")
    is_padded = content[:1] == content[-1:] == " " and bool(content.strip(" "))
    shown = content[1:-1] if is_padded else content
    rest = markdown[end:]
    if not rest:
        return shown

    assert rest.startswith("/")
    return f"{shown}/{read_code_spans(rest[1:])}"


@given(ANY)
def test_escaped_markdown_shows_exactly_the_text(text: str) -> None:
    assert read_markdown(escaped(text)) == visible(text)


@given(ANY)
def test_a_code_span_shows_exactly_the_text(text: str) -> None:
    assert read_code_spans(as_code(text)) == visible(text) or text == ""


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE.keys())
def test_hostile_texts_are_shown_exactly(text: str) -> None:
    assert read_markdown(escaped(text)) == visible(text)


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE.keys())
def test_different_hostile_texts_look_different(text: str) -> None:
    others = [as_code(other) for other in LISTABLE.values() if other != text]
    assert as_code(text) not in others
    assert as_code(text).encode("utf-8").decode("utf-8") == as_code(text)
    assert showable(text).encode("utf-8", "strict")


@pytest.mark.parametrize(
    "text",
    [
        "Added Sonnenhof and Le Panier, removed Migros · verified 14:02",
        "Müller & Söhne, Filiale 7 (Nord)",
        "M&M's",
        "AT&T, H&M",
        "Rewe_Süd",
        "Milch 3,5 %",
        "04012345678901:276",
        "Why: late?",
        "שלום 1",
        "Kaufhaus 日本",
        "2 \N{MINUS SIGN}1",
        "Z\u0351a",
    ],
)
def test_harmless_names_need_no_escape(text: str) -> None:
    assert escaped(text) == text


@pytest.mark.parametrize("name", ORDINARY_NAMES)
def test_names_with_signs_are_not_shown_as_code(name: str) -> None:
    assert not escaped(name).startswith("`")
    assert read_markdown(escaped(name)) == name


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Milch [Bio]", "Milch &#91;Bio&#93;"),
        ("#1 Foods", "&#35;1 Foods"),
        ("_x_ **y**", "&#95;x&#95; &#42;&#42;y&#42;&#42;"),
        ("R&amp;D", "R&#38;amp;D"),
        (":red[x]", "&#58;red&#91;x&#93;"),
        ("5:200:7", "5&#58;200:7"),
        ("1. one", "1&#46; one"),
        ("- one", "&#45; one"),
        ("a\nb", "a&#92;u000ab"),
    ],
)
def test_signs_with_a_meaning_become_character_references(
    text: str, markdown: str
) -> None:
    assert escaped(text) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com",
        "WWW.example.com",
        "someone@example.com",
        "a -> b",
        "a -- b",
        ":streamlit:",
        ":smile:",
        ":+1:",
        "5:100:7",
        "two  spaces",
        " one space",
    ],
)
def test_what_a_reference_does_not_stop_becomes_a_code_span(text: str) -> None:
    assert escaped(text) == as_code(text)


def test_an_icon_in_a_code_span_is_cut_at_its_slash() -> None:
    assert as_code(":material/home:") == "`:material`/`home:`"


def test_a_phrase_escapes_its_values_and_not_our_words() -> None:
    assert phrase("**{}** has _{count:,}_", "*x*", count=1234) == (
        "**&#42;x&#42;** has _1,234_"
    )


def test_a_phrase_takes_markdown_as_it_is() -> None:
    bold = phrase("**{}**", "[x]")
    assert escaped(bold) == "**&#91;x&#93;**"
    assert phrase("{}!", bold) == "**&#91;x&#93;**!"


def test_names_precede_ids() -> None:
    assert described("R1", "Kaufhaus 1") == "Kaufhaus 1 `R1`"
    assert described("R1", "*x*") == "&#42;x&#42; `R1`"
    assert described("R1", "") == "`R1`"


def test_long_lists_are_cut_short() -> None:
    assert listed(frozenset("ABCDEFG")) == "`A`, `B`, `C`, `D`, `E` and 2 more"


def test_invisible_characters_are_shown_as_escapes() -> None:
    assert visible("a\x00\ud800\U000e0001b") == "a\\u0000\\ud800\\U000e0001b"
    assert showable("a\x00\ud800b") == "a\x00\\ud800b"
