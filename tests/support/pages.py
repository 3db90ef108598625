"""The screens as a user works with them: readable texts and counted actions.

Everything is found by the accessible names that the documentation promises.
"""

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, FilePayload, Locator, Page, expect

from tests.support.mouse_and_keyboard import Hand, Mouse, place_of_tick

_PROBES = re.compile(
    r"/(bulk|check|connection|coverage|directory|history|item|nowhere|recipient)"
    r"/_stcore/(health|host-config)"
)
"""Streamlit 1.67 first looks for its server below the page's own address, and the
browser logs the 404.
"""

_FADED_IN = """Promise.race([
    new Promise(resolve => setTimeout(resolve, 3000)),
    Promise.all(
        document.getAnimations()
            .filter(item => Number.isFinite(item.effect.getComputedTiming().endTime))
            .map(item => item.finished.catch(() => null))
    ),
]).then(() => null)"""
"""Resolves once all transitions have ended, or after 3 s, because axe finds half-faded
text hard to read.
"""

_MOUNTED = """() => document.querySelector('[data-testid="stSkeleton"]') === null
    && Array.from(document.querySelectorAll('[data-testid="stBidiComponentIsolated"]'))
        .every(part => part.shadowRoot?.firstElementChild)"""
"""True once every component has loaded and is built.

Before, its labels are still empty.
"""

_PASTE = """(input, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", text)
    const options = { clipboardData, bubbles: true, cancelable: true }
    input.dispatchEvent(new ClipboardEvent("paste", options))
}"""

_OF_DEAD_SERVER = (
    "net::ERR_",
    "WebSocket",
    # A component was still loading.
    "dynamically imported",
    "Client Error",
    "Streamlit server is not",
    "disconnected",
)
"""Parts of the messages that a browser logs when the dashboard does not run."""

_SAVE = re.compile("^Save")
_TICK_SENT_MS = 250
"""Streamlit 1.67 sends a tick to its form 150 ms after it was made.

No person presses Save sooner.
"""


class Watch:
    """A record of what none of our pages may cause: browser errors and requests to
    other machines.
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.servers: set[str] = set()
        self.errors: list[str] = []
        self.allowed: list[str] = []

    def follow(self, page: Page) -> None:
        page.on("request", lambda request: self._note_address(request.url))
        page.on("websocket", lambda websocket: self._note_address(websocket.url))
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def allow(self, text: str) -> None:
        """Ignore errors that contain this text, for a test that expects them."""
        self.allowed.append(text)

    def allow_dead_server(self) -> None:
        """Ignore what the browser logs while the dashboard does not run, but not
        answers with an error.
        """
        self.allowed.extend(_OF_DEAD_SERVER)

    def forget(self) -> None:
        """Forget everything, for another test in the same window."""
        self.requests.clear()
        self.servers.clear()
        self.errors.clear()
        self.allowed.clear()

    def assert_clean(self) -> None:
        errors = [
            error
            for error in self.errors
            if not any(text in error for text in self.allowed)
        ]
        assert self.requests == [], f"It may not send {self.requests}"
        assert errors == [], f"It may not log {errors}"

    def _note_address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"data", "blob"}:
            return
        self.servers.add(parts.netloc)
        if parts.hostname != "127.0.0.1":
            self.requests.append(url)

    def _on_console(self, message: ConsoleMessage) -> None:
        url = message.location["url"]
        is_probe = "404" in message.text and _PROBES.fullmatch(urlsplit(url).path)
        if message.type == "error" and not is_probe:
            self.errors.append(f"{message.text} ({url})")


class Person:
    """Somebody at a browser.

    Each click, Enter, paste or tick is an action; typing is not. Putting the cursor
    into a field counts as part of typing or pasting there.
    """

    def __init__(self, page: Page, watch: Watch) -> None:
        self.page = page
        self.watch = watch
        self.hand: Hand = Mouse()
        self.actions = 0

    def open(self, address: str) -> "Person":
        self.page.goto(address)
        self.actions = 0
        return self

    def fill_with_cookies(self, url: str, size: int) -> None:
        """Store this many bytes of cookies, as other programs on the host would."""
        full = 4_000
        sizes = [full] * (size // full) + [size % full]
        for number, part in enumerate(sizes):
            name = f"other{number}"
            value = "x" * (part - len(f"{name}=; "))
            self.page.context.add_cookies([{"name": name, "value": value, "url": url}])

    def leave(self) -> None:
        """Leave the dashboard, which ends the connection as closing the window does.

        A blank page would also end the browser's process, so this opens a picture of
        the dashboard.
        """
        self.page.goto(f"{origin(self.page.url)}/favicon.png")

    def field(self, name: str) -> Locator:
        """The field with this label: a text field, or a combobox that finds by name."""
        combobox = self.page.get_by_role("combobox", name=name, exact=True)
        return self.page.get_by_role("textbox", name=name, exact=True).or_(combobox)

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """The button with exactly this name.

        After "Save", the name contains a shortcut.
        """
        if name == "Save":
            return self.page.get_by_role("button", name=_SAVE)
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, name: str | re.Pattern[str]) -> None:
        self.hand.press(self.button(name))
        self.actions += 1

    def go(self, page: str) -> None:
        navigation = self.page.get_by_role("navigation")
        navigation.get_by_role("link", name=page, exact=True).click()
        self.actions += 1

    def enter(self, name: str, text: str) -> None:
        self.hand.enter(self.field(name), text)
        self.actions += 1

    def paste(self, name: str, text: str) -> None:
        self.hand.reach(self.field(name))
        self.page.keyboard.insert_text(text)
        self.actions += 1

    @property
    def finder(self) -> Locator:
        return self.page.get_by_role("combobox", name="Add recipients", exact=True)

    def add(self, text: str, *, to: str = "Add recipients") -> None:
        self.hand.reach(self.field(to))
        self.field(to).evaluate(_PASTE, text)
        self.actions += 1

    def drop(self, name: str, content: bytes) -> None:
        file = FilePayload(name="list.csv", mimeType="text/csv", buffer=content)
        self.hand.bring(self.page.get_by_label(name, exact=True), file)
        self.actions += 1

    def choose(self, name: str, option: str) -> None:
        """Type an option of a list, and press Enter once the list shows it."""
        field = self.page.get_by_role(
            "combobox", name=re.compile(f"{re.escape(name)}$")
        )
        # Leaving another field sends its text, which would close the list.
        self.hand.reach(field)
        self.waits_until_idle()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(option)
        expect(self.page.get_by_role("option", name=option)).to_be_visible()
        self.page.keyboard.press("Enter")
        expect(field).to_have_value(option)
        self.actions += 1

    def switch(self, name: str) -> None:
        text = self.page.get_by_text(name, exact=True)
        self.hand.switch(self.page.locator("label").filter(has=text))
        self.actions += 1

    def tick(self, row: int) -> None:
        """Change the tick of a visible row, counted from 0; a ticked row becomes
        unticked.
        """
        self._sees_row(row)
        self.hand.tick(self.table, row)
        self.page.wait_for_timeout(_TICK_SENT_MS)
        self.actions += 1

    def place_of_tick(self, row: int) -> tuple[float, float]:
        self._sees_row(row)
        return place_of_tick(self.table, row)

    def _sees_row(self, row: int) -> None:
        expect(self.table.locator("canvas tbody tr").nth(row)).to_be_attached()
        self.waits_until_idle()

    @property
    def table(self) -> Locator:
        return self.page.get_by_role("region", name=re.compile("^Recipients of "))

    def rows(self) -> list[list[str]]:
        rows = self.table.locator("canvas tbody tr")
        expect(rows.first).to_be_attached()
        return [row.locator("td").all_text_contents() for row in rows.all()]

    def reads(self, text: str | re.Pattern[str], *, timeout_s: float = 60) -> None:
        element = self.page.get_by_text(text).locator("visible=true").first
        expect(element).to_be_visible(timeout=timeout_s * 1000)

    def confirm(self, count: str = "") -> None:
        """Confirm the plan in the dialog with the number and Enter, or the button."""
        if count:
            # Before the button is drawn, Enter does nothing.
            expect(self.button("Confirm")).to_be_visible()
            self.enter(f"Type {count} to confirm", count)
        else:
            self.press("Confirm")

    def reads_chips(self, count: int) -> None:
        chips = self.page.get_by_role("list", name="Chosen").get_by_role("listitem")
        expect(chips).to_have_count(count)

    def reads_saved(self, text: str) -> None:
        """Wait until the line above the table reports this result and when it was
        verified.
        """
        result = re.compile(rf"{re.escape(text)} · verified (yesterday )?\d\d:\d\d")
        expect(self.page.locator(".st-key-save_result")).to_contain_text(
            result, timeout=60_000
        )

    def unfold(self, name: str) -> None:
        self.hand.press(self.page.locator("summary").filter(has_text=name))
        self.actions += 1

    def cells(self, table: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("region", name=table).locator("canvas td")

    def waits_until_idle(self) -> None:
        """Wait until the script has ended, all components are built and all transitions
        have ended.
        """
        script_ended = '[data-testid="stApp"][data-test-script-state="notRunning"]'
        expect(self.page.locator(script_ended)).to_be_attached()
        self.page.wait_for_function(_MOUNTED)
        expect(self.page.locator("label:empty")).to_have_count(0)
        self.page.evaluate(_FADED_IN)


def origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
