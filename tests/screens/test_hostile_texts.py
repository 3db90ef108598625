"""Texts from elsewhere are shown exactly and open nothing, in single functions and on every page."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import session
from components.markdown_escape import (
    described,
    listed,
    plain,
    showable,
    verbatim,
    visible,
)
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail, RefusedError
from item_visibility.lists.writer import write_csv, write_xlsx
from tests.screens.bulk import ITEMS, Bulk
from tests.screens.conftest import OpenBulk, OpenDesk
from tests.support.desk import DeskKit, a_request, open_kit, put_names
from tests.support.fake_visibilities import Fault
from tests.support.hostile_texts import LISTABLE, SENDABLE, SHOWABLE
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
    """Run the test for each text with `--thorough`, otherwise for a sample of the texts."""
    return pytest.mark.parametrize(
        "text", sample([pytest.param(text, id=name) for name, text in texts.items()], 8)
    )


def item_of(text: str) -> ItemKey:
    """Return an item with this text as its ids, or, if a path cannot contain the text, in its list."""
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
    loose = "\n".join(_CODE_SPAN.sub("□", body) for body in window.markdown)
    assert [error.message for error in window.app.exception] == []
    assert _HARMFUL.search(loose) is None
    is_plain_in_a_sentence = plain(f"Removed {text}") == f"Removed {text}"
    begins_a_line = re.search(f"^{re.escape(text)}", loose, re.MULTILINE) is not None
    assert (
        text not in loose
        or plain(text) == text
        or (is_plain_in_a_sentence and not begins_a_line)
    )


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
    window.switch("item_form.list_view", value=True)
    assert_harmless(window, text)
    window.switch("item_form.list_view", value=False)
    assert set(window.ticks) == {showable(text)} | OTHERS
    for one in (showable(text), "R1", "R2"):
        window.untick(one)
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


MARKED = st.text(alphabet="` \\*_[]()<>!:#$-+.a1w/@&|\n\u202e\ud800", max_size=12)
ANY = st.one_of(st.text(max_size=30), MARKED)
WORDS = st.text(
    alphabet=st.characters(
        categories=["L", "Nd", "Mn"], include_characters=" ,;.:-()/?!'\"%+&"
    ),
    max_size=30,
)


def read_code_span(markdown: str) -> str:
    """Return the content that CommonMark shows for a text that is one code span and nothing else.

    The span ends at the first run of backticks as long as the first one. Line ends
    become spaces. If both ends have a space, one is removed from each, unless
    everything is spaces.
    """
    opening = re.match("`+", markdown)
    assert opening is not None
    fence = opening[0]
    runs = [
        run
        for run in re.finditer("`+", markdown)
        if run.start() > 0 and len(run[0]) == len(fence)
    ]
    assert [run.end() for run in runs] == [len(markdown)]
    content = markdown[len(fence) : -len(fence)].replace("\n", " ")
    is_padded = content[:1] == content[-1:] == " " and bool(content.strip(" "))
    return content[1:-1] if is_padded else content


@given(ANY)
def test_a_code_span_shows_the_text(text: str) -> None:
    shown = read_code_span(verbatim(text))
    expected = visible(text) if visible(text).strip(" ") else "␣" * len(text) or "∅"
    assert shown == expected
    assert plain(text) in {text, verbatim(text)}


@given(WORDS)
def test_plain_texts_contain_no_active_markdown(text: str) -> None:
    loose = text if plain(text) == text else ""
    assert (
        re.search(
            r"[`*_\[\]<>$#~|\\@]|://|www\.|:\w+[:\[]|--|&[^\s]", loose, re.IGNORECASE
        )
        is None
    )
    assert re.match(r"\s|[-+=]\s|\d+[.)]\s", loose) is None


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE.keys())
def test_different_hostile_texts_look_different(text: str) -> None:
    others = [verbatim(other) for other in LISTABLE.values() if other != text]
    assert verbatim(text) not in others
    assert verbatim(text).encode("utf-8").decode("utf-8") == verbatim(text)
    assert showable(text).encode("utf-8", "strict")


@pytest.mark.parametrize(
    "text",
    [
        "Added Sonnenhof and Le Panier, removed Migros · verified 14:02",
        "Müller & Söhne, Filiale 7 (Nord)",
        "שלום 1",
        "Kaufhaus 日本",
        "+2 \N{MINUS SIGN}1",
        "Z\u0351a",
    ],
)
def test_harmless_words_are_shown_as_plain_text(text: str) -> None:
    assert plain(text) == text


def test_names_precede_ids_and_long_lists_are_cut_short() -> None:
    assert described("R1", "Kaufhaus 1") == "Kaufhaus 1 `R1`"
    assert described("R1", "*x*") == "`*x*` `R1`"
    assert described("R1", "") == "`R1`"
    assert listed(frozenset("ABCDEFG")) == "`A`, `B`, `C`, `D`, `E` and 2 more"
    assert visible("a\x00\ud800\U000e0001b") == "a\\u0000\\ud800\\U000e0001b"
    assert showable("a\x00\ud800b") == "a\x00\\ud800b"
