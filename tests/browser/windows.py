"""Browser windows for tests: the usual one is cleaned and used again, because loading the screen is dear.

A page that stays in its window keeps the dashboard's compiled scripts. Each test still finds a new
browser: no cookie, nothing stored, nothing of the screen before, the mouse in the corner.
"""

from urllib.parse import urlsplit

from playwright.sync_api import Browser

from tests.support.chromium import PATIENCE_MS
from tests.support.pages import Person, Watch
from tests.support.screen_states import WIDE

_USUAL = {"viewport": WIDE, "timezone_id": "Europe/Berlin"}
_LEAVE = "addEventListener('beforeunload', event => event.stopImmediatePropagation(), true)"
_FORGET = "() => { localStorage.clear(); sessionStorage.clear() }"


class Windows:
    """The windows of one browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: Person | None = None

    def usual(self) -> Person:
        """Return somebody at a wide screen, in a window that may have been used and was cleaned."""
        found, self._idle = self._idle, None
        return found or self.other()

    def other(self, **options: object) -> Person:
        """Return somebody in a new window, with these options of a Playwright context."""
        context = self._browser.new_context(**(_USUAL | options))  # type: ignore[arg-type]  (options by name)
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch()
        context.on("page", watch.follow)
        return Person(context.new_page(), watch)

    def end(self, person: Person) -> None:
        """Look at what the browser may not have done; then clean the window, or close an unusual one."""
        try:
            person.watch.assert_clean()
        finally:
            if person.watch.allowed or person.page.is_closed() or len(person.page.context.pages) > 1:
                person.page.context.close()
            else:
                self._clean(person)

    def _clean(self, person: Person) -> None:
        page = person.page
        page.evaluate(_LEAVE)
        page.goto(f"{origin(page.url)}/favicon.png")  # a blank page would end the process and its scripts
        page.evaluate(_FORGET)
        page.context.clear_cookies()
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="null")
        page.mouse.move(0, 0)
        person.watch.forget()
        self._idle = Person(page, person.watch)


def origin(url: str) -> str:
    """Return the scheme and the server of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
