"""What a component would draw, without Streamlit: every text that it hands over, in order."""

from types import ModuleType
from typing import Self

import pandas as pd
import pytest


class RecordedScreen:
    """Stands in for `st`: any call is taken, its texts and the cells of its tables are kept."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __getattr__(self, _name: str) -> "RecordedScreen":
        return self

    def __call__(self, *given: object, **_named: object) -> Self:
        """Draw something."""
        for one in given:
            cells = one.to_numpy().ravel().tolist() if isinstance(one, pd.DataFrame) else [one]
            self.texts += [cell for cell in cells if isinstance(cell, str)]
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Draw what follows outside."""


def record(monkeypatch: pytest.MonkeyPatch, *components: ModuleType) -> RecordedScreen:
    """A screen on which these components draw from now on."""
    screen = RecordedScreen()
    for component in components:
        monkeypatch.setattr(component, "st", screen)
    return screen
