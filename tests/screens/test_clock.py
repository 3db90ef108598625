"""Times in the time zone of whoever reads them."""

from datetime import UTC, datetime

import pytest
import time_machine
from streamlit.testing.v1 import AppTest

NOW = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)


def draw_times() -> None:
    """A page of its own: AppTest runs the source alone."""
    from datetime import UTC, datetime  # noqa: PLC0415  (the same)

    import streamlit as st  # noqa: PLC0415  (the same)

    from components.clock import full_time, time_of_day  # noqa: PLC0415  (the same)

    moment = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)
    st.text(time_of_day(moment))
    st.text(full_time(moment))


def times_in(zone: str | None, *, now: datetime = NOW) -> list[str]:
    """What a person in this zone reads."""
    page = AppTest.from_function(draw_times)
    page.context["timezone"] = zone
    with time_machine.travel(now, tick=True):
        return [text.value for text in page.run().text]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", ["23:30:05", "2026-11-21 23:30:05 +0100"]),
        ("Asia/Tokyo", ["07:30:05", "2026-11-22 07:30:05 +0900"]),
        (None, ["22:30:05", "2026-11-21 22:30:05 +0000"]),
        ("Nowhere/Land", ["22:30:05", "2026-11-21 22:30:05 +0000"]),
        ("../etc/passwd", ["22:30:05", "2026-11-21 22:30:05 +0000"]),
    ],
)
def test_a_time_is_shown_in_the_persons_zone(zone: str | None, expected: list[str]) -> None:
    """UTC where the zone is not known."""
    assert times_in(zone) == expected


def test_a_time_of_another_day_has_its_date() -> None:
    """The day is the person's, not the server's."""
    tomorrow = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    assert times_in("Europe/Berlin", now=tomorrow)[0] == "2026-11-21 23:30:05"
    assert times_in(None, now=tomorrow)[0] == "22:30:05"
