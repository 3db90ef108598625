"""Texts and times as evidence shows them: any text can be read exactly, and begins no line of its own."""

import re
from datetime import UTC, datetime

from item_visibility.errors import ProblemDetail
from item_visibility.evidence.pack import Named

_BASIC_PLANE_END = 0x10000
_LOST_SPACES = re.compile("(?<= ) |^ | $")


def shown(text: str) -> str:
    """Return the text as it is; in quotes, with escapes, when signs in it would not be seen."""
    if text and text.isprintable() and not _LOST_SPACES.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = _LOST_SPACES.sub("\\\\u0020", escaped)
    return f'"{"".join(sign if sign.isprintable() else _escaped(sign) for sign in escaped)}"'


def called(named: Named) -> str:
    """Return the name with the id after it, or the id alone."""
    return f"{shown(named.name)} ({shown(named.id)})" if named.name else shown(named.id)


def full_utc(moment: datetime) -> str:
    """Return the time to the second: `2026-11-22 14:02:05 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def exact_utc(moment: datetime) -> str:
    """Return the time to the millisecond: `14:02:05.123`."""
    at = moment.astimezone(UTC)
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"


def said(problem: ProblemDetail | None) -> str:
    """Return the service's own words; empty when there are none."""
    if problem is None:
        return ""
    return shown_or_empty(": ".join(filter(None, (problem.title, problem.detail, problem.instance))))


def shown_or_empty(text: str) -> str:
    """Return the text as `shown`; nothing for nothing."""
    return shown(text) if text else ""


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}"
