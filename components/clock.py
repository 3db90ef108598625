"""Times in the time zone of the person at the screen."""

from datetime import UTC, date, datetime, time, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def time_of_day(moment: datetime) -> str:
    """Return the local time: `14:02:31` today, `2026-11-20 14:02:31` on another day."""
    zone = local_zone()
    local, now = moment.astimezone(zone), datetime.now(zone)
    return local.strftime("%H:%M:%S" if local.date() == now.date() else "%Y-%m-%d %H:%M:%S")


def full_time(moment: datetime) -> str:
    """Return the local time with date and offset, as evidence needs it."""
    return moment.astimezone(local_zone()).strftime("%Y-%m-%d %H:%M:%S %z")


def start_of_day(day: date) -> datetime:
    """Return the moment when the day begins in the person's time zone."""
    return datetime.combine(day, time.min, local_zone())


def local_zone() -> tzinfo:
    """Return the browser's time zone, or UTC when it is missing or unknown."""
    name = st.context.timezone
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
