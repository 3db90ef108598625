"""Support answers a question on the telephone, and leaves proof in the ticket."""

from pathlib import Path

from item_visibility.evidence.checked_file import check_file
from item_visibility.evidence.seal import Authenticity
from tests.browser.recipients import ANNA
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import NARROW


def downloaded(person: Person, name: str) -> bytes:
    """The file that a press on the button brings."""
    with person.page.expect_download() as download:
        person.press(name)
    return Path(download.value.path()).read_bytes()


def test_one_press_shows_proof_of_an_answer_to_copy_to_read_and_to_attach(
    demo: Place, person: Person
) -> None:
    """On a telephone, too: the text is in the clipboard, and each file is as it was made."""
    person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.page.set_viewport_size(NARROW)
    person.open(demo.address(demo.new_item(ANNA), "/check", recipient=ANNA)).reads("Asked at")
    person.press("Evidence")
    person.reads("EVIDENCE: Yes, ")
    person.page.get_by_role("dialog").get_by_test_id("stCode").first.hover()
    person.page.get_by_role("dialog").get_by_role("button", name="Copy to clipboard").first.click()
    text = person.page.evaluate("navigator.clipboard.readText()")
    assert check_file(text.encode(), None) is Authenticity.UNEDITED
    files = [downloaded(person, name) for name in ("Page to read (HTML)", "All of it (JSON)")]
    assert [check_file(one, None) for one in files] == [Authenticity.UNEDITED] * 2
