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
    """The times as a person in this zone reads them."""
    page = AppTest.from_function(draw_times)
    page.context["timezone"] = zone
    with time_machine.travel(now, tick=True):
        return [text.value for text in page.run().text]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", ["today 23:30", "2026-11-21 23:30:05 +0100"]),
        ("Asia/Tokyo", ["today 07:30", "2026-11-22 07:30:05 +0900"]),
        (None, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("Nowhere/Land", ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("../etc/passwd", ["today 22:30", "2026-11-21 22:30:05 +0000"]),
    ],
)
def test_a_time_is_shown_in_the_persons_zone(zone: str | None, expected: list[str]) -> None:
    """UTC where the zone is not known."""
    assert times_in(zone) == expected


@pytest.mark.parametrize(
    ("zone", "now", "expected"),
    [
        ("Europe/Berlin", datetime(2026, 11, 21, 23, 30, tzinfo=UTC), "yesterday 23:30"),
        (None, datetime(2026, 11, 21, 23, 30, tzinfo=UTC), "today 22:30"),
        ("Europe/Berlin", datetime(2026, 11, 23, 12, 0, tzinfo=UTC), "21 Nov 23:30"),
        ("Europe/Berlin", datetime(2027, 1, 1, 12, 0, tzinfo=UTC), "21 Nov 2026 23:30"),
    ],
)
def test_a_time_of_another_day_has_its_day(zone: str | None, now: datetime, expected: str) -> None:
    """The day is the person's, not the server's; the year is said when it is another."""
    assert times_in(zone, now=now)[0] == expected
