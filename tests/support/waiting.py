"""A clock that a test moves by hand."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class HandClock:
    """A clock that moves only by hand or by waits; `slept` lists the waits."""

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
