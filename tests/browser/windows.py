"""The ways in which a journey is made, and windows that are cleaned and used again: loading them is dear.

A page that stays in its window keeps the dashboard's compiled scripts: the same screen costs 0.9 s of
processor time there, and 4 s in a new window. Each person still finds a new browser: no cookie, nothing
stored, nothing permitted, nothing of the screen before, the mouse in the corner.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests.support.chromium import PATIENCE_MS
from tests.support.mouse_and_keyboard import Hand, Keyboard, Mouse
from tests.support.pages import Person, Watch
from tests.support.screen_states import NARROW, WIDE
from tests.support.thorough import this_is_thorough

_FORGET = "() => { localStorage.clear(); sessionStorage.clear() }"


class Windows:
    """The windows of one browser with the same options of a Playwright context, such as a touch screen."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self._browser = browser
        self._options: dict[str, Any] = {"viewport": WIDE, "timezone_id": "Europe/Berlin", **options}
        self._idle: list[Person] = []

    @contextmanager
    def lend(self) -> Iterator[Person]:
        person = self.usual()
        try:
            yield person
        finally:
            self.end(person)

    def usual(self) -> Person:
        """Return somebody at a wide screen, in a window that may have been used and was cleaned."""
        return self._idle.pop() if self._idle else self._open()

    def _open(self) -> Person:
        context = self._browser.new_context(**self._options)
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch()
        context.on("page", watch.follow)
        return Person(context.new_page(), watch)

    def end(self, person: Person) -> None:
        """Look at what the browser may not have done; then clean the window, or close one that cannot be.

        Things that pages of a second server store would not be seen from the page of the first one.
        """
        if person.page.is_closed() or len(person.watch.servers) != 1:
            person.page.context.close()
            person.watch.assert_clean()
            return
        try:
            person.watch.assert_clean()
        finally:
            self._clean(person)

    def _clean(self, person: Person) -> None:
        page = person.page
        for tab in page.context.pages:
            if tab != page:
                tab.close()
        person.leave()
        page.evaluate(_FORGET)
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="null")
        page.mouse.move(0, 0)
        person.watch.forget()
        self._idle.append(Person(page, person.watch))


@dataclass(frozen=True, slots=True)
class Way:
    """A hand and a width."""

    hand: Hand = field(default_factory=Mouse)
    viewport: ViewportSize = field(default_factory=lambda: WIDE)

    def __str__(self) -> str:
        return f"{type(self.hand).__name__.lower()}-{self.viewport['width']}"


MOUSE_AT_A_DESK, MOUSE_ON_A_TELEPHONE, _, KEYBOARD_ON_A_TELEPHONE = WAYS = [
    Way(hand, viewport) for hand in (Mouse(), Keyboard()) for viewport in (WIDE, NARROW)
]


def in_every_way(usual: Way = MOUSE_AT_A_DESK) -> pytest.MarkDecorator:
    """Make a journey in each way, with as many actions; in a usual run in one."""
    return pytest.mark.parametrize("way", WAYS if this_is_thorough() else [usual], ids=str)
