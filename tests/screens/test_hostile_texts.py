"""Ids, names and the service's words reach Markdown only inside a code span."""

import re
from collections.abc import Iterable, Iterator

import pytest

from components import session
from components.verbatim import plain, showable, verbatim, visible
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail, RefusedError
from tests.support.desk import DeskKit, open_kit
from tests.support.fake_visibilities import Fault
from tests.support.hostile_texts import LISTABLE, SENDABLE, SHOWABLE
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, CONNECTION_PAGE, HISTORY_PAGE, Window
from tests.support.thorough import sample

pytestmark = pytest.mark.screen

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
HARMFUL = re.compile(
    r"!\[|\]\(|<|://|www\.|@|`|\$|_|~~|=|\||\\|&(?!\s)|:(?!material/|[a-z]+-badge\[|green\[|\s|\d)\w"
)
_COMPANIONS = frozenset({"R1", "R2", "R3"})
_NAMED = "R-named"


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk that holds every text as supplier, item, recipient and name."""
    items = {ItemKey(text, text): {text} | _COMPANIONS for text in SENDABLE.values()}
    items |= {ItemKey("listed", name): {text} | _COMPANIONS for name, text in LISTABLE.items()}
    items |= {_named(name): {f"{_NAMED} {name}"} | _COMPANIONS for name in SHOWABLE}
    session.close_desk()
    with (
        open_kit(tmp_path_factory.mktemp("hostile"), items) as kit,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(session, "open_desk", lambda *_, **__: kit.desk)
        put_names(
            kit.records.directory,
            suppliers=[(f"named {name}", text) for name, text in SHOWABLE.items()],
            items=[(_named(name), "276", text) for name, text in SHOWABLE.items()],
            recipients=[(f"{_NAMED} {name}", text) for name, text in SHOWABLE.items()],
        )
        yield kit
        session.close_desk()


def _named(name: str) -> ItemKey:
    return ItemKey(f"named {name}", f"item {name}")


def outside_code(bodies: Iterable[str]) -> str:
    """The part of these bodies that Markdown can act on."""
    return "\n".join(_CODE_SPAN.sub("□", body) for body in bodies)


def each(texts: dict[str, str]) -> pytest.MarkDecorator:
    """One test a text, with its name; a sample of them, unless the run is thorough."""
    cases = [pytest.param(name, text, id=name) for name, text in texts.items()]
    return pytest.mark.parametrize(("name", "text"), sample(cases, 8))


def is_inside_sentence(text: str, loose: str) -> bool:
    """True when a text that would begin a list stands only where none can begin."""
    sentence = f"Removed {text}"
    return plain(sentence) == sentence and re.search(f"^{re.escape(text)}", loose, re.MULTILINE) is None


def assert_harmless(window: Window, text: str) -> None:
    """No Markdown of the screen can be acted on by data."""
    loose = outside_code(window.markdown)
    assert [error.message for error in window.app.exception] == []
    assert HARMFUL.search(loose) is None
    assert text not in loose or plain(text) == text or is_inside_sentence(text, loose)


@each(SENDABLE)
def test_ids_are_shown_verbatim_on_every_screen(kit: DeskKit, name: str, text: str) -> None:
    """The same text is supplier, item and recipient: listed, planned, saved, asked for and examined."""
    item = ItemKey(text, text)
    window = Window(item)
    assert_harmless(window, text)
    window.untick(text)
    window.save()
    assert_harmless(window, text)
    assert kit.fake.recipients_of(item) == _COMPANIONS
    window.click("undo")
    assert_harmless(window, text)
    assert window.plan == {"add": [showable(text)]}
    window.confirm()
    assert_harmless(window, text)
    assert kit.fake.recipients_of(item) == {text} | _COMPANIONS, name
    window.go_to(HISTORY_PAGE, entry=_latest(kit, item))
    assert_harmless(window, text)
    window.go_to(CHECK_PAGE, supplier=text, item=text, recipient=text)
    assert_harmless(window, text)
    assert [one.lstrip("`").startswith("Yes, ") for one in window.alerts] == [True]
    window.go_to(CONNECTION_PAGE)
    assert_harmless(window, text)


@each(SENDABLE)
def test_ids_are_offered_verbatim(kit: DeskKit, name: str, text: str) -> None:
    """As a supplier to choose, as an item to choose, and among those used last."""
    kit.desk.read(ItemKey(text, text))
    kit.fake.time.sleep(60)
    kit.desk.remember_use(ItemKey(text, text))
    window = Window()
    assert verbatim(text) in window.app.button(key="recent_0").label, name
    assert_harmless(window, text)
    window.find("entered", text[:-1], key="supplier")
    assert_harmless(window, text)
    window.find("used", text, key="supplier")
    assert visible(text) in [one["number"] for one in window.found("item")["options"]]
    assert_harmless(window, text)


@each(LISTABLE)
def test_ids_that_the_service_holds_are_listed_whatever_they_are(kit: DeskKit, name: str, text: str) -> None:
    """In the table, in the list view, in the plan dialog, in the result and in the history."""
    item = ItemKey("listed", name)
    window = Window(item)
    assert set(window.ticks) == {showable(text)} | _COMPANIONS
    assert_harmless(window, text)
    for one in (showable(text), "R1", "R2"):
        window.untick(one)
    window.save()
    assert_harmless(window, text)
    assert set(window.plan["remove"]) == {showable(text), "R1", "R2"}
    window.confirm("3")
    assert_harmless(window, text)
    window.go_to(HISTORY_PAGE, entry=_latest(kit, item))
    assert_harmless(window, text)
    assert showable(text) in [row[1] for row in window.rows("How the change ended for each recipient")]


@each(LISTABLE)
def test_ids_are_checkboxes_whatever_they_are(kit: DeskKit, name: str, text: str) -> None:
    """In the list view."""
    item = ItemKey("listed", f"boxes {name}")
    kit.fake.put(item, {text} | _COMPANIONS)
    window = Window(item)
    window.switch("item_form.list_view", value=True)
    assert_harmless(window, text)
    assert set(window.boxes) == {plain(text)} | _COMPANIONS


@each(SHOWABLE)
def test_names_are_shown_verbatim_on_every_screen(kit: DeskKit, name: str, text: str) -> None:
    """Names are imported from anywhere."""
    item, recipient_id = _named(name), f"{_NAMED} {name}"
    window = Window(supplier=item.supplier)
    assert_harmless(window, text)
    window.find("used", item.supplier_item_id, key="item")
    window.untick(recipient_id)
    assert_harmless(window, text)
    assert text in list(window.editor.value["name"])
    window.go_to(CHECK_PAGE, supplier=item.supplier, item=item.supplier_item_id, recipient=recipient_id)
    assert_harmless(window, text)
    assert window.found("check_recipient_0")["chosen"][0]["id"] == recipient_id
    assert kit.fake.recipients_of(item) == {recipient_id} | _COMPANIONS


@each(SHOWABLE)
def test_words_of_the_service_are_shown_as_plain_text(kit: DeskKit, name: str, text: str) -> None:
    """A problem's title, detail and instance: when a list is read, after a save, after a question.

    Spaces around them mean nothing, and are skipped.
    """
    item = ItemKey("listed", f"words {name}")
    kit.fake.put(item, _COMPANIONS)
    kit.fake.faults.append(problem("getVisibilities", text))
    window = Window(item)
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) == 4
    window.click("try_again")
    window.untick("R1")
    kit.fake.faults.append(problem("removeVisibility", text))
    window.save()
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) >= 3
    kit.fake.faults[:] = [problem("getVisibilities", text)]
    window.go_to(CHECK_PAGE, supplier=item.supplier, item=item.supplier_item_id, recipient="R1")
    assert_harmless(window, text)
    assert window.texts.count(text.strip()) == 3


def _latest(kit: DeskKit, item: ItemKey) -> str:
    """Return the key of the newest history entry of the item."""
    entry = kit.records.history.latest(item)
    assert entry is not None
    return entry.request.key


def problem(operation: str, text: str) -> Fault:
    """A refusal in these words."""
    error = RefusedError(
        text,
        advice="Ask support.",
        operation=operation,
        problem=ProblemDetail(400, text, text, text),
        attempts=1,
        was_ambiguous=False,
    )
    return Fault(operation, error)
