"""People sign in with a real Keycloak, in a real browser: the three roles, none, and what ends a sign-in."""

import base64
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from item_visibility_service.embedded import EmbeddedService
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, DORA
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import Place
from tests.support.keycloak import Keycloak
from tests.support.pages import Person
from tests.support.signed_in_dashboard import open_menu, run_signed_in, sign_in, sign_out

_KEEP_SOCKETS = """
const Usual = window.WebSocket
window.sockets = []
window.WebSocket = class extends Usual { constructor(...all) { super(...all); window.sockets.push(this) } }
"""
_SEND = """text => {
    const socket = window.sockets.findLast(one => one.readyState === 1)
    socket.send(Uint8Array.from(atob(text), one => one.charCodeAt(0)))
}"""


@pytest.fixture(scope="module")
def log() -> OperationLog:
    """The operations that the service ran."""
    return OperationLog()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, log: OperationLog) -> Iterator[EmbeddedService]:
    """The service behind the dashboard."""
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service")), log) as service:
        yield service


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, service: EmbeddedService, keycloak: Keycloak, chromium: Browser
) -> Iterator[Place]:
    """A dashboard on which people sign in; it is not started where there is no browser."""
    assert chromium.is_connected()
    with run_signed_in(tmp_path_factory.mktemp("signed in") / "home", service, keycloak) as place:
        yield place


def at_the_item(person: Person, place: Place, username: str, keycloak: Keycloak) -> str:
    """Sign in by the link to a new item, which ANNA and BERTA can see, and return the link."""
    link = place.address(place.new_item(ANNA, BERTA))
    person.open(link)
    sign_in(person, username, keycloak)
    return link


def comes_to(link: str, person: Person, username: str, keycloak: Keycloak) -> None:
    """Sign in by the link, and see the list."""
    person.open(link)
    sign_in(person, username, keycloak)
    expect(person.table).to_be_visible()


def writes(log: OperationLog) -> list[str]:
    """The names of the operations that change something."""
    names = [operation.operation_id for operation in log.operations]
    return [name for name in names if name != "getVisibilities"]


def as_from_elsewhere(frame: bytes | str) -> BackMsg:
    """A message of a browser, as another browser can send it: without what its own cache holds."""
    assert isinstance(frame, bytes)
    message = BackMsg.FromString(frame)
    message.rerun_script.ClearField("cached_message_hashes")
    return message


def is_end_of_run(frame: bytes | str) -> bool:
    """True for the message with which a server says that a script, or a part of one, has run."""
    return isinstance(frame, bytes) and ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished"


@dataclass
class Forger:
    """Somebody who is signed in, and sends by hand what another browser sent."""

    person: Person
    sockets: list[WebSocket] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.person.page.add_init_script(_KEEP_SOCKETS)
        self.person.page.on("websocket", self._keep)

    def _keep(self, socket: WebSocket) -> None:
        self.sockets.append(socket)

    def send(self, messages: list[BackMsg]) -> None:
        """Send them, each when the one before has had its run: in a burst only the last one would have."""
        deque(map(self._send, messages), maxlen=0)

    def _send(self, message: BackMsg) -> None:
        with self.sockets[-1].expect_event("framereceived", is_end_of_run):
            self.person.page.evaluate(_SEND, base64.b64encode(message.SerializeToString()).decode())


def test_nothing_is_shown_before_the_sign_in(new_person: NewPerson, place: Place) -> None:
    """No list, no name, no navigation: a product's name and a button."""
    anybody = new_person().open(place.address(place.new_item(ANNA)))
    expect(anybody.button("Sign in")).to_be_visible()
    anybody.settles()
    shown = anybody.page.get_by_role("main").inner_text().splitlines()
    assert [line for line in shown if line] == [
        "Item visibility",
        "Sign in to see who can see an item, and to change it.",
        "Sign in",
    ]


def test_an_editor_comes_back_to_the_link_and_saves(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    """The history names the person, and the menu says the role."""
    edgar = new_person()
    item = place.new_item(ANNA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_staged()
    edgar.press("Save")
    edgar.reads_saved(f"Added {DORA}")
    assert place.recipients(item) == {ANNA, DORA}
    open_menu(edgar)
    edgar.reads("Role: editor")
    edgar.go("History")
    expect(edgar.page.locator("canvas td", has_text="Edgar Ebner").first).to_be_attached()


def test_a_viewer_looks_and_cannot_change(new_person: NewPerson, place: Place, keycloak: Keycloak) -> None:
    """The list is there; what changes it is off."""
    vera = new_person()
    at_the_item(vera, place, "vera", keycloak)
    expect(vera.table).to_be_visible()
    expect(vera.button("Save")).to_be_disabled()
    open_menu(vera)
    vera.reads("Role: viewer")


def test_somebody_without_a_role_sees_whom_to_ask(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    """And nothing else."""
    nora = new_person()
    at_the_item(nora, place, "nora", keycloak)
    nora.reads("Nora Nagel has no role here. Nothing was shown or changed.")
    nora.reads("Ask whoever runs this dashboard for the role viewer, editor or admin.")
    expect(nora.table).to_have_count(0)
    nora.press("Sign out")
    expect(nora.button("Sign in")).to_be_visible()


def test_a_sign_out_ends_the_session_at_keycloak_too(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    """The next sign-in asks for the password again."""
    ada = new_person()
    at_the_item(ada, place, "ada", keycloak)
    open_menu(ada)
    ada.reads("Role: admin")
    ada.page.keyboard.press("Escape")
    sign_out(ada)
    ada.press("Sign in")
    expect(ada.page.get_by_label("Password", exact=True)).to_be_visible()


def test_a_sign_out_in_another_tab_counts_and_the_draft_is_kept(
    new_person: NewPerson, place: Place, keycloak: Keycloak, log: OperationLog
) -> None:
    """Save writes nothing; after the next sign-in the draft is there, and Save writes it."""
    edgar = new_person()
    item = place.new_item(ANNA, BERTA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_staged()
    other_tab = Person(edgar.page.context.new_page(), edgar.watch)
    other_tab.open(place.dashboard.url)
    sign_out(other_tab)
    written = len(writes(log))
    edgar.press("Save")
    edgar.reads("You were signed out. Nothing was changed.")
    assert (len(writes(log)), place.recipients(item)) == (written, {ANNA, BERTA})
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.reads_staged()
    edgar.press("Save")
    edgar.reads_saved(f"Added {DORA}")
    assert place.recipients(item) == {ANNA, BERTA, DORA}


def test_forged_messages_write_from_an_editor_s_window_and_not_from_a_viewers(
    new_person: NewPerson, place: Place, keycloak: Keycloak, log: OperationLog
) -> None:
    """All that an editor's browser sent to save, sent again by hand: the role alone makes the difference."""
    sent: list[BackMsg] = []

    def record(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(as_from_elsewhere(frame)))

    edgar, viewer, editor = new_person(), Forger(new_person()), Forger(new_person())
    item = place.new_item(ANNA, BERTA)
    link = place.address(item)
    comes_to(link, viewer.person, "vera", keycloak)
    comes_to(link, editor.person, "ada", keycloak)
    comes_to(link, edgar, "edgar", keycloak)
    edgar.page.on("websocket", record)
    edgar.open(link)
    edgar.add(DORA)
    edgar.reads_staged()
    edgar.press("Save")
    edgar.reads_saved(f"Added {DORA}")
    place.store.replace(item, frozenset({ANNA, BERTA}))
    *staging, press = [one for one in sent if one.WhichOneof("type") == "rerun_script"]
    written = len(writes(log))
    viewer.send(staging)
    viewer.person.settles()
    viewer.send([press])
    viewer.person.settles()
    assert (len(writes(log)), place.recipients(item)) == (written, {ANNA, BERTA})
    editor.send(staging)
    editor.person.reads_staged()
    editor.person.settles()
    editor.send([press])
    editor.person.reads_saved(f"Added {DORA}")
    assert place.recipients(item) == {ANNA, BERTA, DORA}
