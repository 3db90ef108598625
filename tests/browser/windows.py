"""Browser windows for tests: usual ones are cleaned and used again, because loading the screen is dear.

A page that stays in its window keeps the dashboard's compiled scripts: the same screen costs 0.9 s of
processor time there, and 4 s in a new window. Each person still finds a new browser: no cookie, nothing
stored, nothing permitted, nothing of the screen before, the mouse in the corner.
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
        self._idle: list[Person] = []

    def usual(self) -> Person:
        """Return somebody at a wide screen, in a window that may have been used and was cleaned."""
        return self._idle.pop() if self._idle else self.other()

    def other(self, **options: object) -> Person:
        """Return somebody in a new window, with these options of a Playwright context."""
        context = self._browser.new_context(**(_USUAL | options))  # type: ignore[arg-type]  (options by name)
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch()
        context.on("page", watch.follow)
        return Person(context.new_page(), watch)

    def end(self, person: Person) -> None:
        """Look at what the browser may not have done; then clean the window, or close one that cannot be.

        What pages of a second server store would not be seen from the page of the first one.
        """
        if person.page.is_closed() or len(person.watch.servers) != 1:
            self.close(person)
            return
        try:
            person.watch.assert_clean()
        finally:
            self._clean(person)

    def close(self, person: Person) -> None:
        """Close the window, and look at what the browser did that it may not."""
        person.page.context.close()
        person.watch.assert_clean()

    def _clean(self, person: Person) -> None:
        page = person.page
        for tab in page.context.pages:
            if tab != page:
                tab.close()
        page.evaluate(_LEAVE)
        page.goto(f"{origin(page.url)}/favicon.png")  # a blank page would end the process and its scripts
        page.evaluate(_FORGET)
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="null")
        page.mouse.move(0, 0)
        person.watch.forget()
        self._idle.append(Person(page, person.watch))


def origin(url: str) -> str:
    """Return the scheme and the server of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
