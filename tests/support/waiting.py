"""A clock that tests move by hand, and locks and calls that tests hold back."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.send_and_verify import IsHeld

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class HandClock:
    """A clock that moves only when a test moves it or something sleeps.

    `slept` lists the sleeps.
    """

    def __init__(self, starts_at: datetime = START) -> None:
        self.seconds = 1_000.0
        self.slept: list[float] = []
        self._starts_at = starts_at

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return self._starts_at + timedelta(seconds=self.seconds - 1_000.0)

    def move(self, seconds: float) -> None:
        self.seconds += seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.move(seconds)


WITHIN_S = 60.0


class HeldItems:
    """One lock per item."""

    def __init__(self) -> None:
        self._locks: defaultdict[ItemKey, threading.Lock] = defaultdict(threading.Lock)

    @contextmanager
    def hold(self, item: ItemKey) -> Iterator[IsHeld]:
        with self._locks[item]:
            yield lambda: True


class HeldCalls:
    """A function to call before each call of a fake.

    Matching calls wait in it until `let_go` is called.
    """

    def __init__(self, is_meant: Callable[[Any], bool] = lambda _call: True) -> None:
        self._is_meant = is_meant
        self._has_come = threading.Event()
        self._may_go_on = threading.Event()

    def __call__(self, call: Any) -> None:  # noqa: ANN401  (any fake can call it)
        if self._is_meant(call):
            self._has_come.set()
            assert self._may_go_on.wait(WITHIN_S)

    def wait(self) -> None:
        assert self._has_come.wait(WITHIN_S)

    def let_go(self) -> None:
        self._may_go_on.set()
