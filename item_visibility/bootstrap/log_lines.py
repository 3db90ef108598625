"""The log of a program that serves: one line a record, with its time in UTC, its level and who wrote it.

A fault that repeats itself is written once, and then once a minute with how often it came.
"""

import json
import logging
import logging.config
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from item_visibility.settings.settings import LogSettings
from item_visibility.timeouts import SAME_FAULT_AGAIN_S

if TYPE_CHECKING:
    _ToStream = logging.StreamHandler[TextIO]
else:  # generic for type checkers only
    _ToStream = logging.StreamHandler

_SERVERS = ("streamlit", "uvicorn", "websockets")
_OURS = ("item_visibility", "item_visibility_service", "components")
_FACTS = ("request_id", "took_ms")
_MOST_FAULTS = 200
"""The limit of faults counted at once; further ones are written each time."""


def write_log(settings: LogSettings) -> None:
    """Write what this process logs to its error stream, also warnings of its servers and of Python.

    Streamlit gives each of its loggers an output of its own. Those made by now write here instead.
    """
    quiet = {"level": "WARNING", "handlers": [], "propagate": True}
    made = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _SERVERS]
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": {"()": JsonLine if settings.form == "json" else TextLine}},
            "handlers": {"stderr": {"()": OnceAMinute, "formatter": "line"}},
            "root": {"level": "WARNING", "handlers": ["stderr"]},
            "loggers": dict.fromkeys(made, quiet)
            | {name: {"level": settings.level.upper()} for name in _OURS},
        }
    )
    logging.captureWarnings(capture=True)


class TextLine(logging.Formatter):
    """`2026-11-22T10:30:00.123Z INFO who: what request_id=…`, and an error's traceback below it, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Text in a message cannot begin a line of its own."""
        line = f"{_time(record)} {record.levelname} {record.name}: {_printable(record.getMessage())}"
        facts = "".join(f" {name}={_printable(str(fact))}" for name, fact in _facts(record).items())
        below = "".join(f"\n  {_printable(one)}" for one in _error(record).splitlines())
        return f"{line}{facts}{below}"


class JsonLine(logging.Formatter):
    """One JSON object: time, level, logger, message; request_id, took_ms and error where there are any."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object in one line."""
        facts = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        error = _error(record)
        return json.dumps(facts | _facts(record) | ({"error": error} if error else {}))


@dataclass(slots=True)
class _Fault:
    """The last record of a fault, when its minute began, and how often it came since."""

    last: logging.LogRecord
    since_s: float
    count: int = 0


class OnceAMinute(_ToStream):
    """Writes each record; a warning or an error that comes again is counted, and reported once a minute.

    Two are the same when logger and message are. The rest of a count is reported with the next line of
    anybody, at the latest at the end of the program. `clock` counts seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._faults: dict[tuple[str, str], _Fault] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it."""
        now_s = self._clock()
        self._report(now_s, older_than_s=SAME_FAULT_AGAIN_S)
        key = (record.name, record.getMessage())
        is_fault = record.levelno >= logging.WARNING and not record.exc_info
        if is_fault and key in self._faults:
            fault = self._faults[key]
            fault.last, fault.count = record, fault.count + 1
            return
        if is_fault and len(self._faults) < _MOST_FAULTS:
            self._faults[key] = _Fault(record, now_s)
        super().emit(record)

    def close(self) -> None:
        """Report the counts that are left."""
        self.acquire()
        try:
            self._report(self._clock(), older_than_s=0)
        finally:
            self.release()
        super().close()

    def _report(self, now_s: float, *, older_than_s: float) -> None:
        """Report the counts of minutes that are over. A fault that did not come again is forgotten."""
        for key, fault in list(self._faults.items()):
            if now_s - fault.since_s < older_than_s:
                continue
            del self._faults[key]
            if fault.count:
                super().emit(_with_count(fault, round(now_s - fault.since_s)))
                self._faults[key] = _Fault(fault.last, now_s)


def _with_count(fault: _Fault, for_s: int) -> logging.LogRecord:
    last = fault.last
    words = f"{last.getMessage()} ({fault.count} times more in {for_s} s)"
    summary = logging.LogRecord(last.name, last.levelno, last.pathname, last.lineno, words, None, None)
    summary.created = last.created
    return summary


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def _facts(record: logging.LogRecord) -> dict[str, object]:
    """Return what whoever wrote the record gave beside its message."""
    return {name: vars(record)[name] for name in _FACTS if vars(record).get(name, "") != ""}


def _error(record: logging.LogRecord) -> str:
    return "".join(traceback.format_exception(record.exc_info[1])) if record.exc_info else ""


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
