"""Times in the time zone of whoever reads them."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from streamlit.testing.v1 import AppTest

NOW = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def draw_times() -> None:
    """A page of its own: AppTest runs the source alone."""
    from datetime import UTC, datetime  # noqa: PLC0415  (the same)

    import streamlit as st  # noqa: PLC0415  (the same)

    from components.clock import full_time, time_of_day  # noqa: PLC0415  (the same)

    moment = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)
    st.text(time_of_day(moment))
    st.text(full_time(moment))


@pytest.mark.parametrize(
    ("zone", "now", "expected"),
    [
        ("Europe/Berlin", NOW, ["today 23:30", "2026-11-21 23:30:05 +0100"]),
        ("Asia/Tokyo", NOW, ["today 07:30", "2026-11-22 07:30:05 +0900"]),
        (None, NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("Nowhere/Land", NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("../etc/passwd", NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("Europe/Berlin", NOW + HOUR, ["yesterday 23:30", "2026-11-21 23:30:05 +0100"]),
        ("Europe/Berlin", NOW + 40 * HOUR, ["21 Nov 23:30", "2026-11-21 23:30:05 +0100"]),
        ("Europe/Berlin", NOW + 1000 * HOUR, ["21 Nov 2026 23:30", "2026-11-21 23:30:05 +0100"]),
    ],
)
def test_a_time_is_shown_in_the_persons_zone(zone: str | None, now: datetime, expected: list[str]) -> None:
    page = AppTest.from_function(draw_times)
    page.context["timezone"] = zone
    with time_machine.travel(now, tick=True):
        assert [text.value for text in page.run().text] == expected
