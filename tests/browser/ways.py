"""The ways in which a journey is made: mouse or keyboard, at a desk or on a telephone."""

from dataclasses import dataclass, field

import pytest
from playwright.sync_api import ViewportSize

from tests.support.hands import Hand, Keyboard, Mouse
from tests.support.screen_states import NARROW, WIDE
from tests.support.thorough import this_is_thorough


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
