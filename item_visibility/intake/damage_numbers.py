"""What a number says of the id that it was: exactly, or within which bounds."""

import re
from dataclasses import dataclass

EXACT_DIGITS = 15
"""How many digits of a number spreadsheets keep; those after are written as zeros."""

LONGEST = 40
"""No id is a longer number than this."""
_NUMBER = re.compile(
    r"(?P<whole>[0-9]{1,40})(?:[.,](?P<part>[0-9]{0,40}))?(?:[eE](?P<sign>\+?)(?P<exponent>[0-9]{1,3}))?"
)
_SHORTENED = re.compile(r"[0-9](?:[.,][0-9]+[eE]\+?|[eE]\+)[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class NumberSeen:
    """A number of which the digits are known, or only the bounds."""

    digits: str | None
    low: int
    high: int


def is_shortened(text: str) -> bool:
    """True when the text is a number as spreadsheets shorten it: `4.00638E+15`."""
    return _SHORTENED.fullmatch(text) is not None


def read_number(text: str) -> NumberSeen | None:
    """The whole number that the text is, however it is written; None when it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None or int(match["exponent"] or 0) > LONGEST:
        return None
    part = match["part"] or ""
    missing = int(match["exponent"] or 0) - len(part)
    written = match["whole"] + part
    if missing <= 0:
        return _whole(written, missing)
    low, high = (int(written) * 10 - 5) * 10 ** (missing - 1), (int(written) * 10 + 5) * 10 ** (missing - 1)
    return NumberSeen(None, max(low, 0), high)


def is_cut(digits: str) -> bool:
    """True when nothing but zeros stands behind the digits that a spreadsheet keeps."""
    return len(digits) > EXACT_DIGITS and digits[0] != "0" and not digits[EXACT_DIGITS:].strip("0")


def bounds_of_cut(digits: str) -> NumberSeen:
    """What a number of so many digits can have been before a spreadsheet kept fifteen of them."""
    unit = 10 ** max(len(digits) - EXACT_DIGITS, 0)
    return NumberSeen(None, int(digits) - unit, int(digits) + unit)


def _whole(written: str, missing: int) -> NumberSeen | None:
    """A number whose digits are all there, unless there are more than spreadsheets keep."""
    whole = written[:missing] if missing else written
    behind = written[len(whole) :]
    digits = whole.lstrip("0") or "0"
    if len(digits) > EXACT_DIGITS:
        return bounds_of_cut(digits)
    return None if behind.strip("0") else NumberSeen(digits, int(digits), int(digits))
