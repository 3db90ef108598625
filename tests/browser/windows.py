"""The ways in which a journey is made, and browser windows that are used again.

A reused window keeps the dashboard's compiled scripts: drawing a screen takes 0.9 s of
processor time, and 4 s in a new window. A cleaned window is like a new one: without
cookies, stored data, permissions or the previous page, and with the mouse in the
corner.
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
    """Windows of one browser that have the same options, such as a touch screen."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self._browser = browser
        self._options: dict[str, Any] = {
            "viewport": WIDE,
            "timezone_id": "Europe/Berlin",
            **options,
        }
        self._idle: list[Person] = []

    @contextmanager
    def lend(self) -> Iterator[Person]:
        person = self.usual()
        try:
            yield person
        finally:
            self.end(person)

    def usual(self) -> Person:
        """Return somebody at a wide screen, in a new window or in a cleaned one."""
        return self._idle.pop() if self._idle else self._open()

    def _open(self) -> Person:
        context = self._browser.new_context(**self._options)
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch()
        context.on("page", watch.follow)
        return Person(context.new_page(), watch)

    def end(self, person: Person) -> None:
        """Check that the browser did nothing forbidden.

        Then clean the window, or close it.

        A window that visited a second server is closed: that server's stored data
        cannot be deleted here.
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
    """A way to use a page: mouse or keyboard, and the width of the screen."""

    hand: Hand = field(default_factory=Mouse)
    viewport: ViewportSize = field(default_factory=lambda: WIDE)

    def __str__(self) -> str:
        return f"{type(self.hand).__name__.lower()}-{self.viewport['width']}"


MOUSE_AT_A_DESK = Way(Mouse(), WIDE)
MOUSE_ON_A_TELEPHONE = Way(Mouse(), NARROW)
KEYBOARD_AT_A_DESK = Way(Keyboard(), WIDE)
KEYBOARD_ON_A_TELEPHONE = Way(Keyboard(), NARROW)
WAYS = [
    MOUSE_AT_A_DESK,
    MOUSE_ON_A_TELEPHONE,
    KEYBOARD_AT_A_DESK,
    KEYBOARD_ON_A_TELEPHONE,
]


def in_every_way(usual: Way = MOUSE_AT_A_DESK) -> pytest.MarkDecorator:
    """Repeat a journey in each way with `--thorough`, otherwise in the usual one."""
    ways = WAYS if this_is_thorough() else [usual]
    return pytest.mark.parametrize("way", ways, ids=str)
