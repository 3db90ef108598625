"""How much a long test does: a sample, or everything.

`python3 run.py test --thorough` does everything.

Some tests have an environment variable that overrides this: `KILLS=100`, `ROWS=10000`.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

VARIABLE = "ITEM_TESTS_THOROUGH"
USUAL, THOROUGH = "usual", "thorough"

_Case = TypeVar("_Case")


def prepare(*, is_thorough: bool) -> None:
    """Set the mode of this run, before any test module is imported."""
    if is_thorough:
        os.environ[VARIABLE] = "1"
    on_a_busy_machine = settings(
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
        database=None,
    )
    settings.register_profile(
        USUAL, on_a_busy_machine, max_examples=100, derandomize=True
    )
    settings.register_profile(THOROUGH, on_a_busy_machine, max_examples=1_000)
    settings.load_profile(THOROUGH if this_is_thorough() else USUAL)


def this_is_thorough() -> bool:
    return VARIABLE in os.environ


def how_many(*, usual: int, thorough: int, variable: str = "") -> int:
    """Return how often a test repeats in this run.

    The environment variable comes first, if it is set.
    """
    return int(os.environ.get(variable) or (thorough if this_is_thorough() else usual))


def sample(cases: Sequence[_Case], size: int) -> Sequence[_Case]:
    """Return evenly spread cases, including the first and the last.

    With `--thorough`, return all cases.
    """
    if this_is_thorough() or size >= len(cases):
        return cases
    return [
        cases[round(number * (len(cases) - 1) / (size - 1))] for number in range(size)
    ]
