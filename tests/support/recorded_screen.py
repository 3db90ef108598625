"""The texts that a component would draw, in order, recorded without Streamlit."""

from types import ModuleType
from typing import Self

import pandas as pd
import pytest


class RecordedScreen:
    """A stand-in for `st` that accepts any call and keeps its texts and the cells of its tables."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __getattr__(self, _name: str) -> "RecordedScreen":
        return self

    def __call__(self, *given: object, **_named: object) -> Self:
        """Record a drawing call."""
        for one in given:
            cells = one.to_numpy().ravel().tolist() if isinstance(one, pd.DataFrame) else [one]
            self.texts += [cell for cell in cells if isinstance(cell, str)]
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Leave the container."""


def record(monkeypatch: pytest.MonkeyPatch, *components: ModuleType) -> RecordedScreen:
    """Return a screen on which these components draw from now on."""
    screen = RecordedScreen()
    for component in components:
        monkeypatch.setattr(component, "st", screen)
    return screen
