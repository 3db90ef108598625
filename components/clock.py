"""Times in the time zone of the browser."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

_MONTHS = (
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)


def time_of_day(moment: datetime) -> str:
    """Return the day and the local time.

    For example `today 14:02`, `yesterday 09:15`, `19 Nov 2025 14:02`.
    """
    local = moment.astimezone(local_zone())
    today = datetime.now(local_zone()).date()

    day = f"{local.day} {_MONTHS[local.month - 1]}"
    if local.date() == today:
        day = "today"
    elif local.date() == today - timedelta(days=1):
        day = "yesterday"
    elif local.year != today.year:
        day += f" {local.year}"
    return f"{day} {local:%H:%M}"


def time_alone(moment: datetime) -> str:
    """Return the local time, and the day unless it is today.

    For example `14:02`, `yesterday 09:15`.
    """
    return time_of_day(moment).removeprefix("today ")


def to_the_second(moment: datetime) -> str:
    """Return the local time with seconds and without the day: `14:02:05`."""
    return f"{moment.astimezone(local_zone()):%H:%M:%S}"


def full_time(moment: datetime) -> str:
    """Return the local time with its date and its offset from UTC."""
    return moment.astimezone(local_zone()).strftime("%Y-%m-%d %H:%M:%S %z")


def time_column(label: str) -> ColumnConfig:
    """Return the settings of a table column with times in the browser's time zone."""
    return st.column_config.DatetimeColumn(
        label, width=140, format="D MMM YYYY, HH:mm", timezone=str(local_zone())
    )


def start_of_day(day: date) -> datetime:
    """Return the moment when the day begins in the browser's time zone."""
    return datetime.combine(day, time.min, local_zone())


def local_zone() -> tzinfo:
    """Return the browser's time zone, or UTC when it is missing or unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
